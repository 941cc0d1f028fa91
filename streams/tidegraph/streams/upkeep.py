"""Decisions about a whole graph that the writer carries out between its commits, in their turn.

They are rare, take long, and work on the log as well as on the store. Whatever is written to the graph
meanwhile waits in ``resolved``; readers are served all the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tidegraph.domain.errors import Rejected
from tidegraph.events.v1 import records_pb2
from tidegraph.log.codecs import decode_control, decode_resolved
from tidegraph.log.headers import DECISION, first
from tidegraph.log.topics import Topic
from tidegraph.ports import GraphStore, Log
from tidegraph.streams.flow import Input
from tidegraph.streams.rebuild import Rebuilder


class Task(Protocol):
    """What is done for one kind of decision."""

    async def carry_out(
        self, graph: str, fences: Mapping[str, int], decision: records_pb2.ControlRecord
    ) -> str:
        """Do it, and leave the graph with the fences applied; in words what was done.

        Raises:
            Rejected: it cannot be done. Retryable: not now.
        """
        ...

    async def is_complete(self, decision: records_pb2.ControlRecord) -> bool:
        """False where something remains to be done once the graph has the fences."""
        ...


@dataclass(frozen=True, slots=True)
class RebuildTask:
    """The graph is built anew from the record of belief."""

    rebuilder: Rebuilder

    async def carry_out(
        self, graph: str, fences: Mapping[str, int], decision: records_pb2.ControlRecord
    ) -> str:
        """As the protocol says."""
        return str(await self.rebuilder.rebuild(graph, fences))

    async def is_complete(self, decision: records_pb2.ControlRecord) -> bool:
        """Always: nothing follows."""
        return True


class Upkeep:
    """The kinds that are carried out here, by their name in ControlRecord."""

    def __init__(self, store: GraphStore, tasks: dict[str, Task], log: Log) -> None:
        self._store = store
        self._log = log
        self._tasks = tasks

    def runs(self, batch: Sequence[Input]) -> list[list[Input]]:
        """The batch cut before and after each decision that is carried out here."""
        runs: list[list[Input]] = []
        is_open = False
        for item in batch:
            alone = self.concerns(item)
            if alone or not is_open:
                runs.append([])
            runs[-1].append(item)
            is_open = not alone
        return runs

    def concerns(self, item: Input) -> bool:
        """True for a decision that is carried out here."""
        return first(item.record.headers, DECISION) in self._tasks

    async def rebuild_that_waits(self, graph: str) -> bool:
        """Carry out a rebuild that was decided on and waits behind records that this graph cannot take.

        A graph of another encoder or schema takes no record, and so would never come to the decision.

        Raises:
            Retryable: not now.
        """
        known = await self._store.writers(graph)
        asked: dict[str, records_pb2.ControlRecord] = {}
        async for record in self._log.read(Topic.CONTROL):
            try:
                decision = decode_control(record.value or b"")
            except Rejected:
                continue
            if decision.graph == graph and decision.WhichOneof("decision") == "rebuild":
                asked[f"decided/{decision.control_id}"] = decision
        waiting = {name: decision for name, decision in asked.items() if name not in known}
        for decision in list(waiting.values())[-1:]:
            await self._tasks["rebuild"].carry_out(graph, dict.fromkeys(waiting, 0), decision)
        return bool(waiting)

    async def carry_out(self, graph: str, fence: tuple[str, int], item: Input) -> str:
        """Carry a decision out, once; "" where the graph has it behind it.

        A restarted stage hands a decision on twice: the graph keeps which ones it has carried out. One that
        is the last that the graph took, and was interrupted after that, is carried out again.

        Raises:
            Rejected: it cannot be read or done. Retryable: not now.
        """
        decision = decode_resolved(item.record.value or b"")
        assert isinstance(decision, records_pb2.ControlRecord)
        done, known = f"decided/{decision.control_id}", await self._store.writers(graph)
        task = self._tasks[decision.WhichOneof("decision") or ""]
        at = known.get(fence[0], -1)
        if (at >= fence[1] or done in known) and (at != fence[1] or await task.is_complete(decision)):
            return ""
        return await task.carry_out(graph, {fence[0]: fence[1], done: fence[1]}, decision)
