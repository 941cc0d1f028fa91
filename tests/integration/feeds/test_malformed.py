"""Malformed input of every accepted form among good: it is named and put aside, the rest flows on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.integration.feeds import malformed
from tests.integration.feeds.ingesting import INGEST_SECONDS, ingest, run
from tests.integration.streams.feed import ALL
from tests.integration.streams.harness import GRAPH, Place

from tidegraph.domain.documents import Position
from tidegraph.log.deadletter import DeadLetter, list_letters
from tidegraph.ports import FactFilter
from tidegraph.streams.setup import Graphs

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(1_800)]


async def test_broken_files_are_refused_by_name_and_the_rest_is_committed(
    here: Place, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    broken = malformed.write_files(folder)
    async with here.worker():
        lines = await ingest(here, folder, "--date", "2024-02-05", exit_code=1)
    refused = [line for line in lines if line["outcome"] == "rejected"]
    assert {_name(line) for line in refused} == set(broken)
    for line in refused:
        assert line["reason"] in broken[_name(line)], line
        assert line["cause"], line
    good = [line for line in lines if line["outcome"] != "rejected"]
    assert {line["outcome"] for line in good} == {"committed"}
    assert {_name(line) for line in good} == {f"good.{suffix}" for suffix in malformed.SUFFIXES}
    assert await _teams(here) == {f"{suffix.capitalize()} Works" for suffix in malformed.SUFFIXES}
    assert await list_letters(here.log, limit=10) == []


async def test_broken_records_are_buried_with_their_cause_and_the_rest_is_committed(here: Place) -> None:
    bad: dict[Position, malformed.BadRecord] = {}
    good: list[Position] = []
    async with here.worker():
        for number, record in enumerate(malformed.bad_records()):
            document = {"id": f"g{number}", "text": malformed.sentence(f"n{number}")}
            good.append(await here.log.append("documents", f"g{number}".encode(), _json(document), [], None))
            bad[await here.log.append("documents", record.key, record.value, record.headers, None)] = record
        gone = await here.log.append("documents", b"never-there", None, [], None)
        statuses = await here.ended([*good, *bad, gone], INGEST_SECONDS)
    outcomes = {status.position: status for status in statuses}
    assert {outcomes[at].outcome for at in good} == {"committed"}
    assert outcomes[gone].outcome == "retracted"
    assert await _teams(here) == {f"N{number} Works" for number in range(len(good))}
    letters = await list_letters(here.log, limit=1_000)
    assert len(letters) == len(bad)
    for at, record in bad.items():
        assert outcomes[at].outcome == "dead_letter", record.key
        assert outcomes[at].cause, record.key
        [letter] = [each for each in letters if at == each.position or _is_of(each, record)]
        assert letter.reason == record.reason, (record.key, letter.message)
        assert letter.position != at or (letter.key, letter.value) == (record.key, record.value)


def _is_of(letter: DeadLetter, record: malformed.BadRecord) -> bool:
    """A later stage buries what it was handed, not what had come in."""
    return letter.position.topic != "documents" and letter.document_id.encode() == record.key


async def test_a_wrong_mapping_is_named_before_anything_is_sent(here: Place, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(_json({"id": "a", "note": "Words."}))
    (tmp_path / "mapping.yaml").write_text("document:\n  id: /id\n  text: note\n")
    code, _, error = await run(here, tmp_path / "rows.jsonl", "--mapping", str(tmp_path / "mapping.yaml"))
    assert code == 2
    assert "mapping.yaml" in error
    assert "note" in error
    assert [record async for record in here.log.read("documents")] == []


def _name(line: dict[str, str]) -> str:
    return Path(line["path"]).name


def _json(value: dict[str, str]) -> bytes:
    return json.dumps(value).encode()


async def _teams(here: Place) -> set[str]:
    """What Orla Penn is known to be director of."""
    graphs = Graphs(here.settings)
    try:
        facts = await graphs.store.facts(GRAPH, FactFilter(predicates=("holds_role",), limit=1_000), ALL)
        entities = await graphs.store.entities(GRAPH, sorted({fact.object for fact in facts}))
        return {entity.name for entity in entities}
    finally:
        await graphs.close()
