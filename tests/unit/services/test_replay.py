"""Dead letters of any stage go on from where they failed, once the cause is mended."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.streams.test_rebuild import GRAPH, pipeline

from tidegraph.domain.documents import ExtractedDocument, GroundedDocument, Position
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.language.extractor import LanguageExtractor
from tidegraph.log.deadletter import list_letters
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.replay import Replayed, replay
from tidegraph.streams.inprocess import InProcess

CALLER = Caller(GRAPH, None, "r")
TEXT = "Ann Roe was appointed CEO of Nova Ltd on 1 May 2020."


class Broken(LanguageExtractor):
    """Refuses everything until it is mended."""

    mended = False

    def extract(self, document: GroundedDocument) -> ExtractedDocument:
        if not self.mended:
            raise Rejected("NO_MOOD", "not today")
        return super().extract(document)


def world() -> tuple[InProcess, Broken]:
    running, extractor = pipeline(2), Broken()
    running = InProcess(
        running.settings, running.store, running.status, running.writer, running.clock, extractor=extractor
    )
    return running, extractor


async def send(running: InProcess, name: str, value: bytes | None = None) -> Position:
    value = value or json.dumps({"id": name, "text": TEXT}).encode()
    position = await running.append(f"{GRAPH}/{name}".encode(), value)
    await running.settle()
    return position


async def again(running: InProcess, *positions: Position, **options: Any) -> Replayed:
    ports: Any = SimpleNamespace(log=running.log, status=running.status)
    options = {"everything": False, "dry_run": False} | options
    found = await replay(ports, CALLER, positions, **options)
    await running.settle()
    return found


async def test_a_letter_of_a_later_stage_leads_back_to_its_document() -> None:
    running, extractor = world()
    position = await send(running, "a")
    (before,) = await running.status.get([position])
    assert (before.stage, before.outcome) == ("extract", "dead_letter")
    (letter,) = await list_letters(running.log, limit=10)
    assert letter.position.topic == "grounded"
    assert letter.origin == position
    extractor.mended = True
    assert await again(running, position, dry_run=True) == Replayed(1, (position,))
    assert (await running.status.get([position]))[0].outcome == "dead_letter", "a dry run changes nothing"
    assert await again(running, position) == Replayed(1, (position,))
    (after,) = await running.status.get([position])
    assert (after.outcome, after.recorded_at) == ("committed", before.recorded_at)
    assert await list_letters(running.log, limit=10) == []
    assert (await running.status.summary(GRAPH))["dead_letter"] == 0


async def test_a_record_that_could_not_be_read_enters_anew() -> None:
    running, _ = world()
    position = await send(running, "a", b"\xff\xfe")
    (letter,) = await list_letters(running.log, limit=10)
    found = await again(running, letter.origin)
    assert found.count == 1
    assert found.positions[0].offset == position.offset + 1
    assert await running.status.get([position]) == []
    (status,) = await running.status.get(found.positions)
    assert status.outcome == "dead_letter", "nothing was mended"


async def test_all_letters_of_the_graph_and_of_no_other() -> None:
    running, extractor = world()
    for name in ("a", "b"):
        await send(running, name)
    await send(running, "c", json.dumps({"id": "c", "tenant": "other", "text": TEXT}).encode())
    extractor.mended = True
    assert (await again(running, everything=True)).count == 2
    assert [letter.graph for letter in await list_letters(running.log, limit=10)] == ["other"]


async def test_what_is_not_there_and_what_is_not_named() -> None:
    running, _ = world()
    position = await send(running, "a")
    with pytest.raises(NotFound, match="NO_DEAD_LETTER"):
        await again(running, position, Position("documents", 0, 99, "life"))
    assert len(await list_letters(running.log, limit=10)) == 1
    with pytest.raises(Rejected, match="NO_RESTRICTION"):
        await again(running)
    with pytest.raises(Rejected, match="NO_RESTRICTION"):
        await again(running, position, everything=True)
