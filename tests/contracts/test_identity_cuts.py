"""Identity is the same however a log is cut into batches: cases that once were not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.contracts.feed import GRAPH, retraction, since, writing
from tests.contracts.samples import at
from tests.contracts.test_identity_orders import Content, sets
from tests.contracts.test_writer import PARTITION, make_writer

from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.identity import MAX_SIGHTINGS, coalesced
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.predicates import Registry
from tidegraph.resolution.standing import MAX_COMPONENT
from tidegraph.storage import dump
from tidegraph.storage.memory import MemoryStore
from tidegraph.streams.writing.holders import MAX_HOLDERS
from tidegraph.streams.writing.planning import Item

T = at(2024)
Fresh = Callable[[], MemoryStore]
Rows = list[tuple[str, str, int, int]]


def paper(document_id: str, recorded_at: int, name: str, *facts: tuple[str, str]) -> ExtractedDocument:
    """A paper that names one firm and says this of it."""
    made = writing(document_id, str(recorded_at), at(2010), T + recorded_at)
    made.mention(name)
    for predicate, value in facts:
        made.says(name, predicate, value, since(at(2010)))
    return made.done()


async def written(
    fresh: Fresh, registry: Registry, records: Sequence[Content], cuts: Sequence[int]
) -> MemoryStore:
    store = fresh()
    writer, offset = make_writer(store, registry), 0
    for size in cuts:
        batch = [Item(offset + n, record) for n, record in enumerate(records[offset : offset + size])]
        found = await writer.write(GRAPH, PARTITION, batch)
        assert not [ending.error for ending in found.endings if ending.error]
        offset += size
    assert offset == len(records)
    return store


async def rows(store: MemoryStore) -> Rows:
    """(tie, rule, from, until) of what was believed; 0 for an open end."""
    return sorted(
        (str(tied.tie), str(tied.rule), known.start - T, known.end - T if known.end < OPEN_END else 0)
        for tied, known in coalesced(await store.all_ties(GRAPH))
    )


async def alike(fresh: Fresh, registry: Registry, records: Sequence[Content], *more: Sequence[int]) -> Rows:
    """The rows, the same for all at once, for one by one, and for other cuts."""
    found = []
    for cuts in ([len(records)], [1] * len(records), *more):
        store = await written(fresh, registry, records, cuts)
        found.append((await rows(store), await dump.content_hash(store, GRAPH)))
    assert all(one == found[0] for one in found), found
    return found[0][0]


BANK, GROUP, TOWN = "Horizon Bank", "Horizon Banking Group", ("headquarters", "Calder")


@pytest.mark.parametrize("gone", [15, 16])
async def test_a_paper_that_is_sent_again_after_a_retraction(
    fresh_memory: Fresh, registry: Registry, gone: int
) -> None:
    records = [
        paper("a", 0, BANK, TOWN),
        paper("d", 15, GROUP, TOWN),
        retraction("d", T + gone),
        paper("d", 18, "Cedar"),
    ]
    found = await alike(fresh_memory, registry, records, [3, 1], [2, 2])
    again = [("same", "profile", 18, 0)]
    assert found == ([("same", "profile", 15, 16), *again] if gone == 16 else again)


async def test_a_statement_counts_by_the_names_that_sightings_keep(
    fresh_memory: Fresh, registry: Registry
) -> None:
    """The fifth other name in one paper, and that of the ninth paper that states one, join nothing."""
    other, touched = paper("o", 0, "Zenith Works"), paper("t", 30, "Lumen")
    many = [("also_called", name) for name in ("Aa", "Bb", "Cc", "Dd", "Zenith Works")]
    assert await alike(fresh_memory, registry, [other, paper("p", 10, "Lumen", *many), touched]) == []
    told = [paper(f"c{n}", 1 + n, "Lumen", ("also_called", f"Lum {n}")) for n in range(MAX_SIGHTINGS)]
    ninth = paper("n", 20, "Lumen", ("also_called", "Zenith Works"))
    assert await alike(fresh_memory, registry, [other, *told, ninth, touched], [9, 2]) == []
    assert await alike(fresh_memory, registry, [other, *told[1:], ninth, touched]) == [
        ("same", "rename", 20, 0)
    ]


async def test_a_copy_of_an_earlier_time_in_the_same_batch(fresh_memory: Fresh, registry: Registry) -> None:
    late = paper("b", 10, GROUP, TOWN)
    early = replace(late, header=replace(late.header, recorded_at=T + 5))
    for copies in ([late, early], [early, late]):
        found = await alike(fresh_memory, registry, [paper("a", 0, BANK, TOWN), *copies], [2, 1])
        assert found == [("same", "profile", 5, 0)]


async def test_a_key_that_nothing_which_counts_has_crowds_nobody(
    fresh_memory: Fresh, registry: Registry
) -> None:
    """The ninth paper about a firm says no more of it, whether it came first or last."""
    ticker = ("ticker", "HZB")
    names = [
        BANK,
        "Northern Trust",
        *(f"Firm{chr(97 + n)} Qua{chr(97 + n)}vo" for n in range(MAX_HOLDERS - 2)),
    ]
    base = [paper(f"p{n}", n, name, ticker) for n, name in enumerate(names)]
    first = [paper(f"z{n}", 100 + n, "Zenobia") for n in range(MAX_SIGHTINGS)]
    ninth, later = paper("z9", 200, "Zenobia", ticker), paper("q", 300, BANK)
    found = []
    for records in ([*base, *first, ninth, later], [ninth, *base, *first, later]):
        for cuts in ([1] * len(records), [len(records)], [len(base), len(records) - len(base)]):
            store = await written(fresh_memory, registry, records, cuts)
            held = await store.holders(GRAPH, ["e:ticker:hzb"], MAX_HOLDERS + 5)
            found.append((await rows(store), [id_ for id_, _ in held["e:ticker:hzb"]]))
    assert len(found[0][1]) == MAX_HOLDERS
    assert all(one == found[0] for one in found)


def unlike(number: int) -> str:
    """A name that none of the others is near to."""
    parts = (number // 10, number, number * 7 + 3, number * 3 + number // 10)
    return "".join(
        ("ba", "ke", "lo", "mu", "ti", "ra", "so", "ne", "vu", "gi")[n % 10] for n in parts
    ).title()


async def test_what_left_a_component_in_which_it_had_no_row(fresh_memory: Fresh, registry: Registry) -> None:
    """A chain of names that is too long for rules has no rows; a retraction in its middle makes two of it."""
    count = MAX_COMPONENT + 2
    chain = [paper(f"d{n}", n, unlike(n), ("also_called", unlike(n + 1))) for n in range(count - 1)]
    chain.append(paper("last", count, unlike(count - 1)))
    middle = count // 2
    gone, late = retraction(f"d{middle}", T + 1_000), chain[middle + 1]
    late = replace(late, header=replace(late.header, recorded_at=T + 2_000))
    before, after = chain[: middle + 1], chain[middle + 2 :]
    found = []
    for records in ([*before, late, *after, gone], [*before, *after, gone, late]):
        store = await written(fresh_memory, registry, records, [len(records) - 1, 1])
        found.append((await rows(store), await sets(store)))
    assert found[0] == found[1]
    assert {len(ids) for ids in found[0][1].values()} == {middle + 1, count - middle - 1}
