"""A basis given back means what it meant: the same answer, whatever the clock says by then."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import grpc
import pytest
from tests.unit.services.running import SETTINGS, rpc_error
from tests.unit.services.sluice import sluice
from tests.unit.services.world import GRAPH

from tidegraph.api.v1 import query_pb2, types_pb2
from tidegraph.client import Client, Options
from tidegraph.domain.interval import instant
from tidegraph.services.server import ApiServer, DrainTimes

QUESTIONS = [
    "How long has Cleo Frost been chair of Fenwick Mill?",
    "Who is chair of Fenwick Mill?",
    "Who was chair of Fenwick Mill last year?",
    "Who was chair of Fenwick Mill before 2022?",
    "Who was chair of Fenwick Mill after the flood?",
    "What happened at Fenwick Mill?",
    "When did Fenwick Mill open a weir?",
    "Was Ada Quill chair of Fenwick Mill throughout 2022?",
    "How has the chair of Fenwick Mill changed?",
]


class SetClock:
    """A clock that stands where it was set."""

    def __init__(self, at: int) -> None:
        self.at = at

    def now(self) -> int:
        return self.at


class Mill:
    """A server over a world, with its clock."""

    def __init__(self, clock: SetClock, client: Client) -> None:
        self.clock = clock
        self.client = client

    async def ask(self, question: str, options: Options | None = None) -> Any:
        return await self.client.ask(question, options or Options())


@pytest.fixture
async def mill() -> AsyncIterator[Mill]:
    world = await sluice().build()
    clock = SetClock(instant(2025, 6, 1))
    ports = replace(world.ports(), clock=clock)
    server = ApiServer(SETTINGS, ports, GRAPH)
    port = await server.start()
    async with Client(f"127.0.0.1:{port}") as client:
        yield Mill(clock, client)
    await server.drain(DrainTimes(0, 0))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("options", [Options(), Options(known="2024-03-01"), Options(valid="2022")])
async def test_a_basis_given_back_gives_the_same_answer(mill: Mill, question: str, options: Options) -> None:
    first = await mill.ask(question, options)
    mill.clock.at = instant(2027, 3, 1)
    again = await mill.ask(question, Options(basis=first.basis))
    assert (again.outcome, again.values, again.text) == (first.outcome, first.values, first.text)
    for name in ("valid", "valid_defaulted", "valid_asked", "known_at", "now_time"):
        assert getattr(again.basis, name) == getattr(first.basis, name), name


async def test_other_reads_take_a_basis(mill: Mill) -> None:
    request = query_pb2.GetFactsRequest(object="Fenwick Mill", as_of=types_pb2.AsOf(valid_text="2020"))
    first = await mill.client.query.GetFacts(request)
    assert first.basis.valid_asked
    request.as_of.Clear()
    request.as_of.basis.CopyFrom(first.basis)
    again = await mill.client.query.GetFacts(request)
    assert [fact.fact_id for fact in again.facts] == [fact.fact_id for fact in first.facts]
    assert again.facts


@pytest.mark.parametrize(
    ("valid", "expected"),
    [("", "1 year and 4 months"), ("2025-06-01", "1 year and 4 months"), ("2024-06-01", "4 months")],
)
async def test_so_far_counts_up_to_the_asked_day(mill: Mill, valid: str, expected: str) -> None:
    answer = await mill.ask("How long has Cleo Frost been chair of Fenwick Mill?", Options(valid=valid))
    assert list(answer.values) == [expected], answer.text
    assert answer.text.startswith(f"{expected} so far."), answer.text


async def test_so_far_ends_at_what_was_known(mill: Mill) -> None:
    question = "How long has Cleo Frost been chair of Fenwick Mill?"
    told = []
    for now in (instant(2025, 6, 1), instant(2027, 6, 1)):
        mill.clock.at = now
        told.append((await mill.ask(question, Options(known="2024-06-30"))).text)
    assert told[0] == told[1]
    assert told[0].startswith("4 months and 29 days so far.")


async def test_a_basis_stands_alone(mill: Mill) -> None:
    first = await mill.ask(QUESTIONS[1])
    as_of = types_pb2.AsOf(basis=first.basis, known_text="2024")
    call = mill.client.query.GetFacts(query_pb2.GetFactsRequest(entity="Fenwick Mill", as_of=as_of))
    code, reason, _ = await rpc_error(call)  # type: ignore[arg-type]
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "TWO_TIMES")
