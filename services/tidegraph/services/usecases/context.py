"""What every use case is handed: the ports, who reads, and as of when."""

from __future__ import annotations

from dataclasses import dataclass, field

from tidegraph.domain.eventgraph import EventGraphParameters
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.ports import (
    ChatModel,
    Clock,
    Encoder,
    GraphMade,
    GraphReader,
    Log,
    QuestionReader,
    Reranker,
    StatusStore,
    Visibility,
)
from tidegraph.settings import GroundingSettings, load
from tidegraph.storage.merged import merged


@dataclass(frozen=True, slots=True)
class ChatLimits:
    """Bounds of one language model call."""

    max_tokens: int
    timeout_seconds: float


@dataclass(frozen=True, slots=True)
class Ports:
    """The outside of the service. ``chat`` None: the built-in reasoner answers.

    ``store`` is read with the ids of one set taken for one entity, whatever store is given.
    """

    store: GraphReader
    status: StatusStore
    log: Log
    encoder: Encoder
    clock: Clock
    registry: Registry
    chat: ChatModel | None
    chat_limits: ChatLimits
    grounding: GroundingSettings
    max_document_bytes: int
    former_encoder: Encoder | None = None
    """Reads the graphs that were made with it and are not rebuilt yet."""
    reranker: Reranker | None = None
    question_reader: QuestionReader | None = None
    """Reads what the rules leave open in a question; None: the rules alone."""
    event_graph: EventGraphParameters = field(default_factory=lambda: load({}).event_graph.parameters)
    """Those that the writer makes the event graph by."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "store", merged(self.store, self.registry))


@dataclass(frozen=True, slots=True)
class Moment:
    """The as-of of one read, resolved: what its basis quotes.

    ``valid`` is the asked valid time with its granularity (an instant t is ``[t, t + 1)``);
    ``valid_defaulted`` when it was neither asked nor read off a question and is ``now``.
    ``valid_asked`` when the caller gave it. ``read_at``: the clock's time; ``now`` is that or, where an
    earlier answer is asked for again, what it was then. All in microseconds; ``watermark`` is OPEN_START
    when nothing was applied yet. ``made``: by what the graph was made.
    """

    graph: str
    valid: Interval
    valid_defaulted: bool
    seen: Visibility
    now: int
    watermark: int
    made: GraphMade
    valid_asked: bool = False
    read_at: int = OPEN_END

    @property
    def graph_version(self) -> int:
        """Number of the commit up to which the graph was read."""
        return self.made.sequence

    @property
    def known_at(self) -> int:
        return self.seen.known_at

    @property
    def present(self) -> int:
        """Up to when what goes on is counted: now, or what was known then."""
        return min(self.now, self.known_at)

    @property
    def final(self) -> bool:
        """Whether no document that is still under way can change the answer."""
        return self.known_at <= self.watermark
