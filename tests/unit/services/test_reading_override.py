"""A caller's reading of a question, over the wire: it counts, is echoed, and what is wrong is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import grpc
import pytest
from tests.unit.services.orlan import COMPANY, orlan
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import types_pb2
from tidegraph.client import Answer, ApiError, Options, Reading, SyncClient
from tidegraph.domain.documents import EntityType
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.settings import ServerSettings


async def _made() -> World:
    world = orlan()
    world.person("Marek Dunn")
    world.claim("Marek Dunn", "holds_role", "Orland Ferries", "2021", role="CEO")
    world.claim(
        "Asa Lunt", "holds_role", "Sealed House", "2021", role="CEO", doc=Doc("s", labels=("secret",))
    )
    world.entity("Sealed House", EntityType.ORGANISATION)
    return await world.build()


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    started, stop = threading.Event(), asyncio.Event()
    found: list[object] = []

    async def serve() -> None:
        world = await _made()
        server = ApiServer(ServerSettings("127.0.0.1", 0, False, 1_000_000, 20, 20), world.ports(), GRAPH)
        found.extend([await server.start(), asyncio.get_running_loop()])
        started.set()
        await stop.wait()
        await server.drain(DrainTimes(0, 0))

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert started.wait(20)
    port, loop = found
    assert isinstance(loop, asyncio.AbstractEventLoop)
    yield f"127.0.0.1:{port}"
    loop.call_soon_threadsafe(stop.set)
    thread.join(20)


@pytest.fixture
def client(target: str) -> Iterator[SyncClient]:
    with SyncClient(target) as made:
        yield made


def _ask(client: SyncClient, question: str, **reading: object) -> Answer:
    return client.ask(question, explain=True, reading=Reading(**reading))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "reading", "values"),
    [
        # an entity that the question does not name, or names otherwise
        ("Who is the CEO?", {"entities": (COMPANY,)}, ("Nia Coates",)),
        ("Who is the CEO of the carrier?", {"entities": ((COMPANY, "the carrier"),)}, ("Nia Coates",)),
        ("Who is the CEO of Orlan Freight?", {"entities": ("Orland Ferries",)}, ("Marek Dunn",)),
        (
            "Who is the CEO of Orlan Freight?",
            {"entities": (("Orland Ferries", "Orlan Freight"),)},
            ("Marek Dunn",),
        ),
        (
            "Who was the CEO of Quill Museum, not of Orlan Freight, in 2016?",
            {"entities": (COMPANY,)},
            ("Tessa Brandt",),
        ),
        (
            "Who succeeded Nia Coates as CEO of Orlan Freight?",
            {"entities": (COMPANY, "Tessa Brandt")},
            ("Olaf Renner",),
        ),
        # another time, with each relation
        ("Who was CEO of Orlan Freight in 2023?", {"time": "2016"}, ("Tessa Brandt",)),
        (
            "Who was CEO of Orlan Freight in 2023?",
            {"time": "2018-09-01", "relation": "before"},
            ("Tessa Brandt",),
        ),
        ("Who was CEO of Orlan Freight in 2016?", {"time": "2019", "relation": "after"}, ("Olaf Renner",)),
        ("Who was CEO of Orlan Freight in 2023?", {"relation": "first"}, ("Tessa Brandt",)),
        ("Who was CEO of Orlan Freight after Tessa Brandt left?", {"time": "2016-05"}, ("Tessa Brandt",)),
        # something else asked for
        (
            "Who was CEO of Orlan Freight before Nia Coates?",
            {"asked_for": "when", "no_time": True, "entities": (COMPANY, "Tessa Brandt")},
            ("from 1 April 2015 until 10 September 2018",),
        ),
        ("The headquarters of Orlan Freight in 2015", {"asked_for": "where"}, ("Tilbury",)),
        # other words
        (
            "Who ran Orlan Freight in 2020?",
            {"semantic": "who was finance director of Orlan Freight"},
            ("Piet Vos",),
        ),
    ],
)
def test_what_the_caller_reads_counts(
    client: SyncClient, question: str, reading: dict[str, object], values: tuple[str, ...]
) -> None:
    assert _ask(client, question, **reading).values == values


def test_a_reading_is_echoed_and_the_echo_reads_the_same(client: SyncClient) -> None:
    answer = _ask(
        client,
        "Who was CEO of Orlan Freight in 2023?",
        entities=(COMPANY,),
        time="2018-09",
        relation="until",
        question_class="order",
    )
    intent = answer.intent
    assert intent.relation == types_pb2.TIME_RELATION_UNTIL
    assert (intent.time.start_text, intent.time.start_granularity) == ("2018-09", types_pb2.GRANULARITY_MONTH)
    assert intent.question_class == types_pb2.QUESTION_CLASS_ORDER
    again = _ask(
        client,
        intent.question,
        entities=tuple((link.entity.entity_id, link.text) for link in intent.entities),
        time=intent.time.start_text,
        relation="until",
        asked_for=intent.asked_for,
        question_class="order",
        semantic=intent.semantic,
    )
    assert (again.values, again.text, again.intent) == (answer.values, answer.text, intent)


def test_retrieve_takes_a_reading(client: SyncClient) -> None:
    read = client.retrieve("chief executive", reading=Reading(entities=(COMPANY,), time="2016"))
    assert "Tessa Brandt" in read[0].text
    later = client.retrieve("chief executive", reading=Reading(entities=(COMPANY,), time="2023"))
    assert "Nia Coates" in later[0].text
    assert {hit.id for hit in read if hit.kind == "fact"} != {hit.id for hit in later if hit.kind == "fact"}


@pytest.mark.parametrize(
    ("reading", "options", "code", "reason"),
    [
        ({"entities": ("Nobody Inc",)}, Options(), "NOT_FOUND", "ENTITY_NOT_FOUND"),
        ({"entities": ("entity-that-is-none",)}, Options(), "NOT_FOUND", "ENTITY_NOT_FOUND"),
        ({"entities": (("", "Orlan Freight"),)}, Options(), "INVALID_ARGUMENT", "INVALID_READING"),
        ({"entities": ((COMPANY, "the bakery"),)}, Options(), "INVALID_ARGUMENT", "INVALID_READING"),
        ({"entities": (COMPANY,) * 21}, Options(), "INVALID_ARGUMENT", "TOO_MANY_ENTITIES"),
        ({"asked_for": "weather"}, Options(), "INVALID_ARGUMENT", "INVALID_READING"),
        ({"relation": "before"}, Options(), "INVALID_ARGUMENT", "INVALID_READING"),
        ({"time": "someday"}, Options(), "INVALID_ARGUMENT", "INVALID_DATE"),
        ({"time": "2020"}, Options(valid="2021"), "INVALID_ARGUMENT", "TWO_TIMES"),
        ({"semantic": "x" * 2_001}, Options(), "INVALID_ARGUMENT", "INVALID_READING"),
    ],
)
def test_a_reading_that_cannot_be_is_refused(
    client: SyncClient, reading: dict[str, object], options: Options, code: str, reason: str
) -> None:
    for call in (client.ask, client.retrieve):
        with pytest.raises(ApiError) as caught:
            call("Who is the CEO of Orlan Freight?", options, reading=Reading(**reading))  # type: ignore[arg-type]
        assert (caught.value.code, caught.value.reason) == (getattr(grpc.StatusCode, code), reason)


def test_an_unknown_entity_tells_what_comes_near(client: SyncClient) -> None:
    with pytest.raises(ApiError) as caught:
        _ask(client, "Who is the CEO?", entities=("Orlan Fraight Group",))
    assert COMPANY in str(caught.value)


def test_what_a_caller_may_not_see_is_not_found(target: str, client: SyncClient) -> None:
    assert _ask(client, "Who is the CEO?", entities=("Sealed House",)).values == ("Asa Lunt",)
    with SyncClient(target, labels=()) as outside:
        with pytest.raises(ApiError) as caught:
            _ask(outside, "Who is the CEO?", entities=("Sealed House",))
        assert caught.value.reason == "ENTITY_NOT_FOUND"
        with pytest.raises(ApiError) as caught:
            _ask(outside, "Who is the CEO?", entities=("Sealed Houses",))
        assert "Sealed House (" not in str(caught.value)


def test_a_subject_that_is_unknown_is_told_with_names_near_it(client: SyncClient) -> None:
    answer = _ask(client, "Who is the chair of Zweibach Brewery?")
    assert answer.outcome == "not_known"
    assert "Nothing is called \u201cZweibach Brewery\u201d here." in answer.text
    assert [link.text for link in answer.intent.unknown] == ["Zweibach Brewery"]
    near = _ask(client, "Who is the chair of Orlan Fright Company?")
    assert near.outcome == "not_known"
    assert "near it: Orlan Freight" in near.text
    assert not near.intent.unknown[0].HasField("entity")
    assert COMPANY in [one.entity.name for one in near.intent.unknown[0].candidates]
    known = _ask(client, "Who was Prime Minister of Orlan Freight?")
    assert not known.intent.unknown, "a post is no name"


def test_explain_tells_what_was_tried_and_what_each_leg_found(client: SyncClient) -> None:
    report = _ask(client, "Who was CEO of Orlan Freight in 2016?").report
    assert report is not None
    assert [(stage.name, stage.outcome) for stage in report.stages] == [("facts", "answered")]
    assert report.elapsed_ms >= sum(stage.elapsed_ms for stage in report.stages) > 0
    assert not report.HasField("retrieval")
    told = _ask(client, "Who visited the Delta terminal in June 2021?").report
    assert told is not None
    assert "reader" in [stage.name for stage in told.stages]
    assert {leg.leg for leg in told.legs} >= {"facts", "text_event", "vector_event"}
    assert told.retrieval.encoder
    assert [step.name for step in told.retrieval.steps] == ["legs", "records", "ranking"]
    assert client.ask("Who was CEO of Orlan Freight in 2016?").report is None
