"""A graph for hub.py: events that all mention one entity, with their lists in the event graph."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from tidegraph.domain.documents import (
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    EntityType,
    Event,
    Position,
    Status,
    TimeState,
)
from tidegraph.domain.eventgraph import EventGraphParameters, EventNode, neighbours
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, Granularity, Interval, instant
from tidegraph.ports import (
    Commit,
    DocumentRecord,
    DocumentWrite,
    EntityWrite,
    EventRecord,
    Fence,
    Neighbour,
)
from tidegraph.storage.falkor import FalkorStore

GRAPH: Final = "bench"
HUB: Final = "hub"
FIRST, DAYS = instant(2000, 1, 1), 9_125
KNOWN: Final = instant(2026, 1, 1)
_BATCH: Final = 500
_TOGETHER: Final = 10
"""Events that share a rarer entity."""


class HubWorld:
    """Events in no order of time, no two of one time."""

    def __init__(self, size: int, parameters: EventGraphParameters) -> None:
        self._parameters = parameters
        self._rng = random.Random(size)
        self._topics = max(1, size // _TOGETHER)
        self._step = DAYS * MICROS_PER_DAY // (size + 1)
        self._offset = -1
        self._count = 0
        slots = self._rng.sample(range(size), size)
        self._records = [self._record(FIRST + slot * self._step) for slot in slots]
        self.known_at = KNOWN + size

    def event_id(self, number: int) -> str:
        """The id of one of the events that were there first."""
        return self._records[number % len(self._records)].event.event_id

    def more(self, count: int) -> list[EventRecord]:
        """So many new events."""
        last = self._step * len(self._records)
        return [self._record(FIRST + self._rng.randrange(last)) for _ in range(count)]

    async def fill(self, store: FalkorStore) -> None:
        """Write the events, then their lists."""
        await store.prepare(GRAPH)
        for start in range(0, len(self._records), _BATCH):
            await self.commit(store, self._records[start : start + _BATCH], (), ())
        entries = list(self._lists())
        for start in range(0, len(entries), _BATCH * 4):
            await self.commit(store, (), (), entries[start : start + _BATCH * 4])

    async def commit(
        self,
        store: FalkorStore,
        records: Sequence[EventRecord],
        unlinked: Sequence[tuple[str, str]],
        linked: Sequence[Neighbour],
    ) -> None:
        """Write events as one document, and changes of lists."""
        self._offset += 1
        names = sorted({name for record in records for name in record.entity_ids})
        done = await store.commit(
            Commit(
                graph=GRAPH,
                fence=Fence("bench/0", self._offset - 1, self._offset),
                documents=(_document(self._offset, records),) if records else (),
                withdrawn=(),
                recorded_earlier=(),
                vectors=(),
                entities=tuple(
                    EntityWrite(name, name, EntityType.ORGANISATION, ((name, name),), KNOWN) for name in names
                ),
                insert_versions=(),
                close_versions=(),
                unlinked=tuple(unlinked),
                linked=tuple(linked),
                changes=(),
            )
        )
        if done is None:
            raise RuntimeError("the store did not take the commit")

    def _lists(self) -> Iterator[Neighbour]:
        """Every entry by the book. Of events that share the hub alone the nearest in time are enough: they
        share as much with an event as all others that do.
        """
        nodes = sorted(map(_node, self._records), key=lambda node: node.interval.start)
        starts = [node.interval.start for node in nodes]
        frequent = frozenset({HUB}) if len(nodes) > self._parameters.frequency_cap else frozenset()
        mates: dict[str, list[EventNode]] = defaultdict(list)
        for node in nodes:
            for name in node.entity_ids - {HUB}:
                mates[name].append(node)
        around = 2 * self._parameters.top_k
        for node in nodes:
            at = bisect_left(starts, node.interval.start)
            near = [] if frequent else nodes[max(0, at - around) : at + around]
            mine = {n.event_id: n for name in node.entity_ids - {HUB} for n in mates[name]}
            candidates = mine | {n.event_id: n for n in near}
            for link in neighbours(node, candidates.values(), self._parameters, frequent):
                yield Neighbour(node.event_id, link.event_id, link.weight)

    def _record(self, start: int) -> EventRecord:
        number, self._count = self._count, self._count + 1
        topic = f"topic{self._rng.randrange(self._topics)}"
        event = Event(
            event_id=f"e{number:07d}",
            chunk_ids=(),
            ordinal=number,
            sentence=f"The hub met {topic} in case {number}.",
            start_char=0,
            end_char=1,
            time_state=TimeState.DATED,
            interval=Interval(start, start + 1, Granularity.DAY),
            time_rule_id="bench",
            mention_ids=(),
            score=2,
            reasons=(),
            status=Status.ASSERTED,
            extractor="bench",
        )
        return EventRecord(event, (HUB, topic), f"d{number}", "1", KNOWN, "", (), KNOWN + number, OPEN_END)


def _node(record: EventRecord) -> EventNode:
    assert record.event.interval is not None
    return EventNode(record.event.event_id, record.event.interval, frozenset(record.entity_ids))


def _document(number: int, records: Sequence[EventRecord]) -> DocumentWrite:
    header = DocumentHeader(
        graph=GRAPH,
        document_id=f"document{number}",
        revision="1",
        source="bench",
        title="",
        kind=DocumentKind.NARRATIVE,
        document_time=DocumentTime(KNOWN, Granularity.DAY, "bench"),
        labels=(),
        source_priority=0,
        language="en",
        position=Position("documents", 0, number, "bench"),
        recorded_at=KNOWN,
        part=0,
        parts=1,
        content_hash=str(number),
    )
    record = DocumentRecord(header, "bench", 0, f"origin{number}", f"revision{number}", OPEN_END)
    return DocumentWrite(record, (), tuple(records), ())
