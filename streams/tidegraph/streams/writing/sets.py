"""Entity ids as the event graph sees them after a batch: under one label for each set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tidegraph.domain.eventgraph import EventNode
from tidegraph.domain.identity import components
from tidegraph.domain.interval import Interval
from tidegraph.ports import EventMention, GraphReader
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.identities import Identified


class SetView:
    """The sets that hold now, those that the batch changes among them; each id is read once."""

    def __init__(self, reader: GraphReader, graph: str, identified: Identified) -> None:
        self.graph = graph
        self._reader = reader
        self._identified = identified
        self._members: dict[str, tuple[str, ...]] = dict(identified.after)

    async def learn(self, entity_ids: Iterable[str]) -> None:
        """Read the sets of ids that are not known yet."""
        unknown = sorted({*entity_ids} - self._members.keys())
        if not unknown:
            return
        rows = await self._reader.same_as(self.graph, unknown, EVERYTHING)
        found = components(unknown, ((row.tied.left, row.tied.right) for row in rows))
        # A set with an id that the batch looked at is wholly among those that it looked at.
        self._members |= {id_: ids for id_, ids in found.items() if id_ not in self._members}

    def one(self, entity_id: str) -> str:
        """The label of an id that was learned."""
        return self._members.get(entity_id, (entity_id,))[0]

    def members(self, label: str) -> tuple[str, ...]:
        """The ids under a label."""
        return self._members.get(label, (label,))

    def changed(self) -> set[str]:
        """The labels of sets that the batch changes."""
        return {self.one(id_) for id_ in self._identified.changed}

    def former(self) -> Mapping[str, tuple[str, ...]]:
        """By id of a set that the batch changes the set that it was in."""
        return {id_: self._identified.before.get(id_, (id_,)) for id_ in self._identified.changed}

    def node(self, event_id: str, interval: Interval | None, entity_ids: Iterable[str]) -> EventNode:
        """A dated event with the labels of what it mentions."""
        assert interval is not None
        return EventNode(event_id, interval, frozenset(self.one(id_) for id_ in entity_ids))

    async def nodes(self, mentions: Sequence[EventMention]) -> list[EventNode]:
        """Stored events with the labels of what they mention."""
        await self.learn(id_ for mention in mentions for id_ in mention.entity_ids)
        return [self.node(m.event_id, m.interval, m.entity_ids) for m in mentions]
