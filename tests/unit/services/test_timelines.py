"""Timelines: what was believed before, busy entities, and what is left out by its value."""

from __future__ import annotations

import pytest
from tests.unit.services.running import SETTINGS, rpc_error
from tests.unit.services.test_decisions import ANN, BEN, CY, Served, served
from tests.unit.services.world import GRAPH, World

from tidegraph.api.v1 import query_pb2
from tidegraph.client import Client, Options
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases import timelines

__all__ = ["served"]


async def test_history_shows_what_is_no_longer_believed(served: Served) -> None:
    before = await served.write("a", ANN)
    await served.write("b", BEN)
    (conflict,) = await served.client.conflicts()
    loser = next(option for option in conflict.options if not option.winning)
    await served.client.decide_conflict(conflict.key, loser.assertion_id)
    await served.settle()

    async def rows(history: bool, known: str = "", **about: str) -> set[str]:
        options = Options(known=known)
        found = await served.client.timeline(history=history, options=options, **about)  # type: ignore[arg-type]
        return {row.text.partition("]: ")[2] for row in found.dated if row.HasField("fact")}

    for about in ({"entity": "Nova Ltd"}, {"query": "Who is chief executive of Nova Ltd?"}):
        plain, whole = await rows(False, **about), await rows(True, **about)
        assert len(plain) == 1
        former = whole - plain
        assert former
        assert whole > plain
        assert any(conflict.winner.subject.name in text for text in former)
        assert all("(not believed since " in text for text in former)
        assert not any("not believed since" in text for text in await rows(True, before, **about))


async def test_history_keeps_what_is_believed_when_the_budget_is_small(served: Served) -> None:
    await served.write("a", ANN)
    await served.write("b", BEN)
    (conflict,) = await served.client.conflicts()
    loser = next(option for option in conflict.options if not option.winning)
    await served.client.decide_conflict(conflict.key, loser.assertion_id)
    await served.settle()
    request = query_pb2.GetTimelineRequest(entity="Nova Ltd", history=True, token_budget=30)
    found = (await served.client.query.GetTimeline(request)).timeline
    assert [loser.text.split()[0] in row.text for row in found.dated] == [True]
    assert found.omitted_count >= 2


async def test_history_in_a_window_shows_only_what_held_in_it(served: Served) -> None:
    await served.write("a", ANN)
    await served.write("c", CY, "2021-05-05")
    request = query_pb2.GetTimelineRequest(entity="Nova Ltd", history=True)
    request.as_of.valid_text = "2022"
    found = (await served.client.query.GetTimeline(request)).timeline
    former = [row for row in found.dated if "not believed since" in row.text]
    assert len(former) == 1, "that nobody would follow her was believed of 2022, too"
    request.as_of.valid_text = "2018"
    assert not (await served.client.query.GetTimeline(request)).timeline.dated


async def _fairs(count: int) -> ApiServer:
    world = World()
    for number in range(count):
        world.event(f"Fenwick Mill held fair number {number}.", f"{2000 + number}-01-05", "Fenwick Mill")
    return ApiServer(SETTINGS, (await world.build()).ports(), GRAPH)


async def test_all_events_of_an_entity_are_looked_at_before_any_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timelines, "EVENTS_FIRST", 5)
    server = await _fairs(12)
    async with Client(f"127.0.0.1:{await server.start()}") as client:
        request = query_pb2.GetTimelineRequest(entity="Fenwick Mill")
        whole = (await client.query.GetTimeline(request)).timeline
        assert (len(whole.dated), whole.omitted_count) == (12, 0)
        request.token_budget = 60
        short = (await client.query.GetTimeline(request)).timeline
        assert 0 < len(short.dated) < 12
        assert len(short.dated) + short.omitted_count == 12
        monkeypatch.setattr(timelines, "EVENTS_MAX", 12)
        assert (await rpc_error(client.query.GetTimeline(request)))[1] == "TOO_MANY_EVENTS"
        request.as_of.valid_text = "2005"
        assert len((await client.query.GetTimeline(request)).timeline.dated) == 1
    await server.drain(DrainTimes(0, 0))


async def test_the_facts_of_a_busy_entity_at_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    for number in range(6):
        start, end = f"201{number}-01-01", f"201{number}-06-01"
        world.claim(f"Person {'ABCDEF'[number]}son", "member_of", "Fenwick Mill", start, end)
    server = ApiServer(SETTINGS, (await world.build()).ports(), GRAPH)
    monkeypatch.setattr(timelines, "FACTS_MAX", 5)
    async with Client(f"127.0.0.1:{await server.start()}") as client:
        request = query_pb2.GetTimelineRequest(entity="Fenwick Mill")
        assert (await rpc_error(client.query.GetTimeline(request)))[1] == "TOO_MANY_FACTS"
        request.as_of.valid_text = "2013-03"
        assert len((await client.query.GetTimeline(request)).timeline.dated) == 1
    await server.drain(DrainTimes(0, 0))
