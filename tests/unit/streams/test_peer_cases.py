"""What other systems get wrong when documents end facts, from the text on, with the right outcome."""

from __future__ import annotations

import pytest
from tests.unit.streams.test_rebuild import GRAPH, Ticking

from tidegraph import settings
from tidegraph.domain.interval import OPEN_END, OPEN_START, instant
from tidegraph.ports import FactFilter, Visibility
from tidegraph.streams.inprocess import InProcess

FIRST = "Nova Ltd appointed Ann Roe as chief executive on 1 March 2019."
CHANGES = (
    "Nova Ltd appointed Ben Moss as chief executive on 4 May 2021.",
    "Ben Moss was appointed chief executive of Nova Ltd on 4 May 2021.",
    "On 4 May 2021 Ben Moss became chief executive of Nova Ltd.",
    "Ben Moss was named as the new chief executive of Nova Ltd on 4 May 2021.",
)


@pytest.fixture
def running() -> InProcess:
    clock = Ticking(1_700_000_000_000_000)
    return InProcess.in_memory(settings.load({}), encoder="hashing", clock=clock)


async def write(running: InProcess, name: str, day: str, text: str, known_at: int | None = None) -> None:
    page = f"---\ndate: {day}\n---\n{text}\n" if day else text
    headers = (("content-type", b"text/markdown"),)
    await running.append(name.encode(), page.encode(), headers, known_at)


async def held(running: InProcess, known_at: int = OPEN_END - 1) -> list[tuple[str, int, int]]:
    """(holder, from, to) of each role that is believed."""
    found = await running.store.facts(
        GRAPH, FactFilter(predicates=("holds_role",)), Visibility(known_at, None)
    )
    names = {one.entity_id: one.name for one in await running.store.all_entities(GRAPH)}
    return sorted((names[fact.subject], fact.valid.start, fact.valid.end) for fact in found)


@pytest.mark.parametrize("wording", CHANGES)
async def test_a_change_bounds_the_former_holder_however_it_is_worded(
    running: InProcess, wording: str
) -> None:
    await write(running, "a", "2019-03-02", FIRST)
    await write(running, "b", "2021-05-05", wording)
    await running.settle()
    turn = instant(2021, 5, 4)
    assert await held(running) == [
        ("Ann Roe", instant(2019, 3), turn),
        ("Ben Moss", turn, OPEN_END),
    ]


async def test_facts_of_one_batch_bound_each_other(running: InProcess) -> None:
    """Bulk loading compared every document with the graph before the batch, not with its neighbours."""
    await write(running, "b", "2021-05-05", CHANGES[0])
    await write(running, "a", "2019-03-02", FIRST)
    await running.settle()
    assert [end for _, _, end in await held(running)] == [instant(2021, 5, 4), OPEN_END]


async def test_the_same_document_twice_is_one(running: InProcess) -> None:
    await write(running, "a", "2019-03-02", FIRST)
    await write(running, "a", "2019-03-02", FIRST)
    await running.settle()
    counts = await running.store.counts(GRAPH)
    assert (counts["documents"], len(await held(running))) == (1, 1)


async def test_an_archive_is_known_from_when_it_was_known(running: InProcess) -> None:
    """A backfill was stamped with the time of loading."""
    known = instant(2019, 3, 3)
    await write(running, "a", "2019-03-02", FIRST, known)
    await running.settle()
    assert await held(running, known - 1) == []
    assert len(await held(running, known)) == 1


async def test_a_document_without_a_date_gives_no_date(running: InProcess) -> None:
    """What had no date was given today's."""
    await write(running, "a", "", "Ann Roe is the chief executive of Nova Ltd.")
    await running.settle()
    assert all(start == OPEN_START for _, start, _ in await held(running))
    today = running.clock.now() - 86_400_000_000
    assert all(end == OPEN_END or end < today for _, _, end in await held(running))


async def test_what_a_document_said_does_not_outlive_it(running: InProcess) -> None:
    """A deleted fact survived in a summary, and what it had closed stayed closed."""
    await write(running, "a", "2019-03-02", FIRST)
    await write(running, "b", "2021-05-05", CHANGES[0])
    await running.append(b"b", None)
    await running.settle()
    assert await held(running) == [("Ann Roe", instant(2019, 3), OPEN_END)]
    events = await running.store.events_of(
        GRAPH,
        [one.entity_id for one in await running.store.all_entities(GRAPH)],
        None,
        Visibility(OPEN_END - 1, None),
        100,
    )
    assert not any("Moss" in one.event.sentence for one in events)
