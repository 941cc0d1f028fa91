"""What reads documents: extractors, and the models that they ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from tidegraph.domain.documents import EntityType, ExtractedDocument, GroundedDocument
from tidegraph.domain.identity import Sighting


class Extractor(Protocol):
    """Events and assertions of grounded documents (design section 6).

    An extractor by rules and one by a language model give the same records, held by the same tests.
    """

    @property
    def epoch(self) -> str:
        """What the reading depends on besides the document (``language.epochs``); a part of every id.

        Blocking the first time, when models are loaded.

        Raises:
            Rejected: what the settings name cannot be used. Retryable: a model server is away.
        """
        ...

    def extract(self, document: GroundedDocument) -> ExtractedDocument:
        """What one document, or part of one, says. Blocking: call it in a thread. Thread-safe.

        Raises:
            Rejected: the document cannot be read. Retryable: a model server is away.
        """
        ...


@dataclass(frozen=True, slots=True)
class NameFound:
    """A name in a text: code points ``[start, end)`` of that text, and the kind of thing named.

    ``UNSPECIFIED``: a word that names no thing of which facts are told, such as a people.
    """

    start: int
    end: int
    type: EntityType


class Recogniser(Protocol):
    """Finds names in text (NER)."""

    model_id: str

    def recognise(self, texts: Sequence[str]) -> list[list[NameFound]]:
        """The names of each text, in order and without overlap. Blocking; thread-safe.

        Raises:
            Rejected: the model cannot be used.
        """
        ...


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer of a language model. ``finish`` is "stop" where the model came to its own end.

    Token counts are those of the server, or estimated from the lengths where it gave none.
    """

    text: str
    finish: str
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """What a question asks: names that stand in it, what is asked for, and the named time.

    ``relation``: how the asked time stands to the named one; ``date``: that one, as dates are written in the
    API, a span as ``from/to``. Both may be empty.
    """

    names: tuple[str, ...]
    asked_for: str
    relation: str
    date: str


class QuestionReader(Protocol):
    """Reads questions beside the rules."""

    def read(self, question: str, today: str) -> QuestionParts | None:
        """The parts of a question; None when it could not be read, for whatever reason. Blocking."""
        ...


class StructuredModel(Protocol):
    """A language model that answers in JSON of a given schema."""

    model_id: str

    def resolve(self) -> str:
        """The id of the served model; taken from the server where none was configured. Blocking.

        Raises:
            Retryable: the server is away. Rejected: it does not serve the configured model.
        """
        ...

    def complete(self, system: str, user: str, schema: Mapping[str, Any], max_tokens: int) -> Completion:
        """One answer, at temperature 0. Blocking; thread-safe; waits for its share of the budget.

        Raises:
            Retryable: the server is away, busy, or not set up for us: nothing was answered, ask again later.
            Rejected: this request cannot be answered, too slowly included: ask for less.
        """
        ...


class AnswerCache(Protocol):
    """Answers of a language model, kept by what they were an answer to."""

    def get(self, key: str) -> bytes | None:
        """What is kept under a key. Blocking; a cache that is away has nothing."""
        ...

    def put(self, key: str, value: bytes, owner: tuple[str, str], *, briefly: bool) -> None:
        """Keep an answer for a while, or ``briefly`` (about an hour).

        ``owner`` is the (graph, document id) that it was made for. Blocking; a cache that is away keeps
        nothing.
        """
        ...

    def forget(self, owner: tuple[str, str]) -> int:
        """Drop every answer that was made for an owner; how many. Blocking.

        Raises:
            Retryable: the cache is away.
        """
        ...


class Ruling(StrEnum):
    """What a judge says of two ids."""

    SAME = "same"
    DIFFERENT = "different"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A ruling with its reason in a few words, "" where there is none."""

    ruling: Ruling
    reason: str


class PairJudge(Protocol):
    """Says of two ids that the rules leave open whether they are one."""

    @property
    def name(self) -> str:
        """Who judges. Blocking.

        Raises:
            Retryable: the judge is away.
        """
        ...

    def judge(self, graph: str, left: Sequence[Sighting], right: Sequence[Sighting]) -> Judgement:
        """Judge by what documents told of either id. Blocking; thread-safe.

        Raises:
            Retryable: the judge is away.
        """
        ...
