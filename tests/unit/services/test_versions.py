"""What an answer was made by is told with how it was found: package, weights, prompts, what read an event."""

from __future__ import annotations

from importlib import metadata

from tests.unit.services.running import Running

from tidegraph.api.v1 import query_pb2
from tidegraph.services.usecases import versions
from tidegraph.services.usecases.trail import Trail


async def test_a_retrieval_tells_package_and_weights(running: Running) -> None:
    request = query_pb2.RetrieveRequest(query="weir", explain=True)
    found = await running.client.query.Retrieve(request)
    told = dict(found.report.versions)
    assert told == {"tidegraph": metadata.version("tidegraph"), "weights": versions.digest("rerank.toml")}
    assert {hit.event.extractor for hit in found.hits if hit.HasField("event")} == {"test"}


async def test_an_answer_tells_its_reader_and_no_prompts_where_none_were_used(running: Running) -> None:
    answer = await running.client.ask("Who is chair of Fenwick Mill?", explain=True)
    assert set(answer.report.versions) == {"tidegraph", "weights", "reader"}


def test_another_file_has_another_digest() -> None:
    assert versions.digest("rerank.toml") != versions.digest("answer_words.toml")
    assert len(versions.digest("rerank.toml")) == 16


def test_prompts_are_told_by_name() -> None:
    assert versions.of_answer(("a.v1", "b.v2"))["prompts"] == "a.v1, b.v2"


def test_a_leg_notes_what_it_left_out_and_how_it_went() -> None:
    trail = Trail()
    with trail.leg("vector_event") as noted:
        noted.extend(["a", "b"])
        noted.pruned, noted.path = 7, "index"
    (run,) = trail.legs
    assert (run.name, run.candidates, run.pruned, run.path) == ("vector_event", 2, 7, "index")
