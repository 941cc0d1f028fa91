"""What the rules leave open about identity, put to a judge: a decision of ``control`` for each answer.

It runs beside the writer, never in a commit, and decides nothing itself: what a judge says enters the log
like the decision of an operator, under the actor ``judge:<model>``, and is carried out in its turn, also by
a rebuild, which asks nobody. Pairs of which a document with access labels tells are left to operators: a
reason would tell everybody what the document says.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.errors import NotFound
from tidegraph.domain.identity import SameAs, Sighting, Tied
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import OPEN_END
from tidegraph.events.v1 import records_pb2
from tidegraph.log.keys import graph_key
from tidegraph.log.topics import Topic
from tidegraph.ports import GraphReader, Judgement, Log, PairJudge, Ruling, Visibility
from tidegraph.streams.writing.merging import JUDGE

logger = logging.getLogger(__name__)

PAGE: Final = 200
HOUR_SECONDS: Final = 3_600.0
PAUSE_SECONDS: Final = 15.0
MAX_REMEMBERED: Final = 100_000
_PUBLIC: Final = Visibility(OPEN_END - 1, frozenset())


@dataclass(slots=True)
class Judging:
    """Asks about pairs under review, at most ``per_round`` of a graph at a time and ``per_hour`` in all."""

    reader: GraphReader
    log: Log
    judge: PairJudge
    per_round: int
    per_hour: int
    now: Callable[[], float] = time.monotonic
    _asked: set[tuple[str, str, int]] = field(default_factory=set)
    _times: deque[float] = field(default_factory=deque)
    _waiting: dict[str, None] = field(default_factory=dict)
    _noticed: asyncio.Event = field(default_factory=asyncio.Event)

    def notice(self, graph: str) -> None:
        """Something of the graph was written."""
        self._waiting[graph] = None
        self._noticed.set()

    async def run(self) -> None:
        """Look at the graphs that were noticed, for ever."""
        while True:
            await self._noticed.wait()
            self._noticed.clear()
            for graph in list(self._waiting):
                del self._waiting[graph]
                try:
                    if await self.look(graph) == self.per_round:
                        self.notice(graph)  # more may wait
                except Exception as error:
                    logger.warning("pairs of graph %s could not be judged: %s", graph, error)
                    self.notice(graph)
                    await asyncio.sleep(PAUSE_SECONDS)

    async def look(self, graph: str) -> int:
        """One round over the pairs of a graph that wait; how many were put to the judge.

        Raises:
            Retryable: the model, the store or the log is away; what was not decided is asked again.
        """
        asked = 0
        after = ""
        while rows := await self._page(graph, after):
            after = rows[-1].row_id
            for row in rows:
                known = graph, row.row_id, row.recorded_at
                if known in self._asked:
                    continue
                if asked == self.per_round or not self._may_ask():
                    return asked
                sides = await self._told(graph, row.tied)
                if sides is not None:
                    asked += 1
                    self._times.append(self.now())
                    said = await asyncio.to_thread(self.judge.judge, graph, *sides)
                    await self._decide(graph, row.tied, said)
                self._remember(known)
        return asked

    async def _page(self, graph: str, after: str) -> list[SameAs]:
        try:
            return await self.reader.reviews(graph, after, PAGE, _PUBLIC)
        except NotFound:
            return []

    def _may_ask(self) -> bool:
        while self._times and self._times[0] <= self.now() - HOUR_SECONDS:
            self._times.popleft()
        return len(self._times) < self.per_hour

    def _remember(self, known: tuple[str, str, int]) -> None:
        if len(self._asked) >= MAX_REMEMBERED:
            self._asked.clear()  # the answers are in the cache
        self._asked.add(known)

    async def _told(self, graph: str, tied: Tied) -> tuple[Sequence[Sighting], Sequence[Sighting]] | None:
        """What is known of both sides; None where a document with labels tells of one of them."""
        told = await self.reader.sightings(graph, [tied.left, tied.right])
        sightings = [one for one in told if one.stands(OPEN_END - 1)]
        names = sorted({one.document_id for one in sightings})
        known = await self.reader.documents(graph, names, _PUBLIC)
        if {record.header.document_id for record in known} != set(names):
            return None
        left = [one for one in sightings if one.entity_id == tied.left]
        right = [one for one in sightings if one.entity_id == tied.right]
        return (left, right) if left and right else None

    async def _decide(self, graph: str, tied: Tied, said: Judgement) -> None:
        if said.ruling is Ruling.CANNOT_TELL:
            return
        actor = JUDGE + await asyncio.to_thread(lambda: self.judge.name)
        record = records_pb2.ControlRecord(
            # The same answer of several workers is one decision.
            control_id=make_id("judged", graph, tied.left, tied.right, actor, said.ruling, said.reason),
            graph=graph,
            actor=actor,
            reason=said.reason,
        )
        if said.ruling is Ruling.SAME:
            record.merge.entity_ids.extend((tied.left, tied.right))
        else:
            record.split.entity_ids.append(tied.left)
            record.split.from_ids.append(tied.right)
        value = record.SerializeToString(deterministic=True)
        await self.log.append(str(Topic.CONTROL), graph_key(graph), value, (), None)
