"""The Protocols that the shell implements: store, models, log, clock.

The domain and the stages know the outside only by these. Each has an in-memory twin that passes the
same contract tests. Every call that does I/O is a coroutine and raises the typed errors of
``tidegraph.domain.errors`` only.
"""

from tidegraph.ports.extraction import (
    AnswerCache,
    Completion,
    Extractor,
    NameFound,
    Recogniser,
    StructuredModel,
)
from tidegraph.ports.outside import (
    ChatModel,
    Clock,
    DocumentStatus,
    Encoder,
    Log,
    LogRecord,
    Reranker,
    StatusStore,
)
from tidegraph.ports.records import (
    ChangeRow,
    ChunkRecord,
    Commit,
    DecisionRecord,
    DocumentRecord,
    DocumentWrite,
    EntityRecord,
    EntityWrite,
    EventMention,
    EventRecord,
    EventSketch,
    FactFilter,
    Fence,
    Neighbour,
    NewVector,
    Ranked,
    Scored,
    Vector,
    Visibility,
    WriterState,
)
from tidegraph.ports.store import GraphReader, GraphStore, GraphWriter

__all__ = [
    "AnswerCache",
    "ChangeRow",
    "ChatModel",
    "ChunkRecord",
    "Clock",
    "Commit",
    "Completion",
    "DecisionRecord",
    "DocumentRecord",
    "DocumentStatus",
    "DocumentWrite",
    "Encoder",
    "EntityRecord",
    "EntityWrite",
    "EventMention",
    "EventRecord",
    "EventSketch",
    "Extractor",
    "FactFilter",
    "Fence",
    "GraphReader",
    "GraphStore",
    "GraphWriter",
    "Log",
    "LogRecord",
    "NameFound",
    "Neighbour",
    "NewVector",
    "Ranked",
    "Recogniser",
    "Reranker",
    "Scored",
    "StatusStore",
    "StructuredModel",
    "Vector",
    "Visibility",
    "WriterState",
]
