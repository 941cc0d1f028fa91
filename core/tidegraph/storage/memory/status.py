"""The in-memory twin of the status store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidegraph.domain.documents import Position
from tidegraph.domain.interval import OPEN_START
from tidegraph.ports import DocumentStatus
from tidegraph.storage.status import MAX_LISTED, OUTCOMES, STAGES


class MemoryStatusStore:
    """``ports.StatusStore`` in this process."""

    def __init__(self) -> None:
        self._lines: dict[Position, DocumentStatus] = {}
        self._read_to: dict[str, int] = {}
        self._certificates: dict[Position, str] = {}

    async def put(self, statuses: Sequence[DocumentStatus]) -> None:
        """Fold status lines; a repeated or overtaken line changes nothing."""
        for status in statuses:
            kept = self._lines.get(status.position)
            if kept is None or _rank(kept) < _rank(status):
                self._lines[status.position] = status

    async def get(self, positions: Sequence[Position]) -> list[DocumentStatus]:
        """The lines of the positions that are known, in the order asked for."""
        return [self._lines[position] for position in positions if position in self._lines]

    async def by_document(self, graph: str, document_id: str) -> list[DocumentStatus]:
        """Every submission of a document, by recorded time."""
        found = [line for line in self._of(graph) if line.document_id == document_id]
        return sorted(found, key=lambda line: (line.recorded_at, line.position))

    async def dead_letters(self, graph: str, limit: int) -> list[DocumentStatus]:
        """Dead letters of the graph, the newest first."""
        found = [line for line in self._of(graph) if line.outcome == "dead_letter"]
        return sorted(found, key=lambda line: (-line.updated_at, line.position))[: max(0, limit)]

    async def summary(self, graph: str) -> Mapping[str, int]:
        """Number of documents by outcome, and ``in_progress``."""
        outcomes = [line.outcome for line in self._of(graph)]
        return {name: outcomes.count(name) for name in OUTCOMES} | {"in_progress": outcomes.count("")}

    async def in_progress(self, graph: str) -> list[DocumentStatus]:
        """Lines without an outcome, the oldest first, at most ``MAX_LISTED``."""
        found = [line for line in self._of(graph) if not line.outcome]
        return sorted(found, key=lambda line: (line.recorded_at, line.position))[:MAX_LISTED]

    async def erase(self, graph: str, document_id: str, until: int) -> int:
        """Forget the lines of a document that were recorded up to an instant; how many there were."""
        found = [line for line in await self.by_document(graph, document_id) if line.recorded_at <= until]
        return await self.forget([line.position for line in found])

    async def forget(self, positions: Sequence[Position]) -> int:
        """Forget the lines of the positions; how many there were."""
        return sum(self._lines.pop(position, None) is not None for position in positions)

    async def keep_certificate(self, position: Position, text: str) -> None:
        """Keep the certificate of an erasure under the position of its decision."""
        self._certificates[position] = text

    async def certificate(self, position: Position) -> str:
        """The certificate of an erasure, or ""."""
        return self._certificates.get(position, "")

    async def advance(self, graph: str, ground_read_to: int) -> None:
        """How far (recorded stamp) the ground stage has read for this graph; never back."""
        self._read_to[graph] = max(ground_read_to, self._read_to.get(graph, OPEN_START))

    async def watermark(self, graph: str) -> int:
        """How far ground has read, held just below the oldest accepted document without an outcome."""
        read_to = self._read_to.get(graph, OPEN_START)
        waiting = [line.recorded_at - 1 for line in self._of(graph) if not line.outcome]
        return min([read_to, *waiting])

    def _of(self, graph: str) -> list[DocumentStatus]:
        return [line for line in self._lines.values() if line.graph == graph]


def _rank(line: DocumentStatus) -> tuple[int, int, int, int, str]:
    final = int(bool(line.outcome))
    stage = STAGES.index(line.stage) if line.stage in STAGES else 0
    return final, line.updated_at if final else stage, stage, line.updated_at, line.cause
