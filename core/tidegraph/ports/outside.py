"""Status, log, models, clock."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.documents import Position

# --- status -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """Where a document is. ``outcome`` is "" while it is under way."""

    position: Position
    graph: str
    document_id: str
    revision: str
    stage: str
    outcome: str
    """committed, dead_letter or retracted"""
    cause: str
    recorded_at: int
    updated_at: int


class StatusStore(Protocol):
    """What the track stage folds ``status`` into (redis), and what status commands read."""

    async def put(self, statuses: Sequence[DocumentStatus]) -> None: ...

    async def get(self, positions: Sequence[Position]) -> list[DocumentStatus]: ...

    async def by_document(self, graph: str, document_id: str) -> list[DocumentStatus]: ...

    async def dead_letters(self, graph: str, limit: int) -> list[DocumentStatus]: ...

    async def summary(self, graph: str) -> Mapping[str, int]:
        """Number of documents by outcome, and ``in_progress``."""
        ...

    async def in_progress(self, graph: str) -> list[DocumentStatus]:
        """Lines without an outcome, the oldest first; not all of very many."""
        ...

    async def erase(self, graph: str, document_id: str, until: int) -> int:
        """Forget the lines of a document that were recorded up to an instant; how many there were."""
        ...

    async def forget(self, positions: Sequence[Position]) -> int:
        """Forget the lines of the positions; how many there were."""
        ...

    async def keep_certificate(self, position: Position, text: str) -> None:
        """Keep the certificate of an erasure under the position of its decision."""
        ...

    async def certificate(self, position: Position) -> str:
        """The certificate of an erasure, or ""."""
        ...

    async def advance(self, graph: str, ground_read_to: int) -> None:
        """How far (recorded stamp) the ground stage has read for this graph."""
        ...

    async def watermark(self, graph: str) -> int:
        """The applied watermark: answers at a known_at up to it, inclusive, are final.

        Microseconds on the recorded axis, OPEN_START when nothing was read.
        """
        ...


# --- log, models, clock -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A record of a topic as raw bytes. ``timestamp`` is microseconds; headers may repeat."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]


class Log(Protocol):
    """What a producer of documents or control records needs of the log."""

    async def append(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes]],
        timestamp: int | None,
        partition: int | None = None,
    ) -> Position:
        """Write one record and wait until the broker has it; ``partition`` overrides what the key chooses."""
        ...

    def read(self, topic: str) -> AsyncIterator[LogRecord]:
        """All records of a topic from its beginning to its present end."""
        ...


class Encoder(Protocol):
    """Text to unit vectors. ``model_id`` and ``dimensions`` are stored with the index."""

    model_id: str
    dimensions: int

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions), rows of L2 norm 1. Blocking: call it in a thread."""
        ...


class Reranker(Protocol):
    """How well texts answer a question, read together (a cross-encoder)."""

    model_id: str

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts),), higher is better, as logits. Blocking: call it in a thread."""
        ...


class ChatModel(Protocol):
    """A chat completion, streamed; an LLM behind an OpenAI-compatible API."""

    model_id: str

    def stream(
        self, system: str, user: str, max_tokens: int, timeout_seconds: float
    ) -> AsyncIterator[str]: ...


class Clock(Protocol):
    """The only way to today: microseconds since 1970, UTC."""

    def now(self) -> int: ...
