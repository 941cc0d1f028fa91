"""How a question is read: its form, what it asks for, order, anchor clause and words of content.

Pure: the time constraint and the linked entities are given. Forms are data (question_forms.toml).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any, Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.documents import EntityType
from tidegraph.domain.interval import Interval
from tidegraph.ports import EntityRecord
from tidegraph.services.usecases.pairs import Chain, Pair
from tidegraph.services.usecases.words import load, stem, tables, tokens

DESCRIPTION_WEIGHT: Final = 0.25
_RELATING: Final = frozenset({"of", "at", "in", "for", "to", "by", "and", "with", "from"})


class Relation(StrEnum):
    """How the asked time stands to the time that is named."""

    NONE = "none"
    IN = "in"
    BEFORE = "before"
    AFTER = "after"
    BETWEEN = "between"
    SINCE = "since"
    UNTIL = "until"


class Order(StrEnum):
    """Which of several is asked for."""

    NONE = "none"
    FIRST = "first"
    LAST = "last"
    NEXT = "next"
    PREVIOUS = "previous"


@dataclass(frozen=True, slots=True)
class TimeConstraint:
    """The time of a question. ``start`` and ``end`` bound its words in the question, also "after"."""

    relation: Relation
    interval: Interval | None
    text: str
    start: int
    end: int


NO_TIME: Final = TimeConstraint(Relation.NONE, None, "", 0, 0)


@dataclass(frozen=True, slots=True)
class Linked:
    """A name in the question with the entities that carry it, likeliest first."""

    text: str
    start: int
    end: int
    candidates: tuple[EntityRecord, ...]
    scores: tuple[float, ...] = ()
    """How near each candidate's name is, in [0, 1]; () where all carry the very name."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(record.entity_id for record in self.candidates)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A clause that sets the time by something that happened ("after she left Acme").

    ``event_id``: what it speaks of, where the caller says so. ``found``: what it was taken to speak of.
    """

    relation: Relation
    near: bool
    clause: Question
    event_id: str = ""
    found: AnchorFound | None = None


@dataclass(frozen=True, slots=True)
class AnchorFound:
    """What sets the time of a question: an event with its sentence, or facts; ``interval`` is its own."""

    interval: Interval
    event_id: str = ""
    sentence: str = ""
    fact_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question as read. ``words`` are those of content, in order; entities and time are apart.

    ``masked`` is the text in lower case without its time, entities written as §0, §1, ...
    ``neighbour_of`` is the entity whose predecessor or successor is asked for (an index).
    """

    text: str
    masked: str
    semantic: str
    asked: Asked
    question_class: str
    unit: str
    order: Order
    plural: bool
    past: bool
    answer_type: EntityType
    time: TimeConstraint
    entities: tuple[Linked, ...]
    words: tuple[str, ...]
    neighbour_of: int | None
    anchor: Anchor | None
    unknown: tuple[Linked, ...] = ()
    """Names that no entity carries, with those that come near."""
    whole: bool = False
    """Whether it must hold during all of the asked time."""
    unbroken: bool = False
    """Whether, without an asked time, all of its own time is meant, whenever it began."""
    each: str = ""
    """The unit of the asked time in each of which it must hold for a while instead, or ""."""
    evolves: bool = False
    """Whether all that held over a stretch of time is asked for, in order."""
    bounds: tuple[Linked, ...] = ()
    """The first and the last of what is asked for, where they are named."""
    pair: Pair | None = None
    chain: Chain | None = None

    @property
    def entity_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entity_id for link in self.entities for entity_id in link.ids))

    def weight(self, word: str) -> float:
        """How much a word of content says: nothing when it names the kind of answer, little when it
        only describes an entity ("the filter maker §0").
        """
        if word in tables().answer_nouns:
            return 0.0
        return DESCRIPTION_WEIGHT if word in _descriptions(self.masked) else 1.0


@lru_cache(maxsize=256)
def _descriptions(masked: str) -> frozenset[str]:
    """Words between an article and an entity, when nothing relates them to it."""
    found: set[str] = set()
    listed = [token.lower for token in tokens(masked)]
    for index, word in enumerate(listed):
        before = listed[max(0, index - 4) : index]
        if not word.startswith("§") or "the" not in before:
            continue
        after_article = before[len(before) - before[::-1].index("the") :]
        if not _RELATING & set(after_article):
            found.update(after_article)
    return frozenset(found)


def read(text: str, time: TimeConstraint, entities: tuple[Linked, ...], masked: str = "") -> Question:
    """The reading of a question whose time and entities are known. ``masked``: what of it is read."""
    masked = masked or mask(text, time, entities)
    question = read_clause(text, masked, time, entities)
    if question.neighbour_of is not None or question.time.interval is not None:
        return question
    main, anchor = _split(text, masked, entities)
    if anchor is None:
        return question
    return replace(read_clause(text, main, time, entities), anchor=anchor)


def with_meaning(question: Question, semantic: str) -> Question:
    """The question looking for other words; its form, time and entities stay."""
    masked = semantic.casefold()
    for index, link in enumerate(question.entities):
        masked = re.sub(rf"(?<!\w){re.escape(link.text.casefold())}(?!\w)", f"\u00a7{index}", masked)
    words = [token.lower for token in tokens(masked) if not token.text.startswith("§")]
    return replace(question, masked=masked, semantic=semantic, words=_content(words, question.asked))


def with_asked(question: Question, asked: Asked) -> Question:
    """The question asking for something else, with the class of such questions."""
    words = [token.lower for token in tokens(question.masked) if not token.text.startswith("§")]
    return replace(
        question,
        asked=asked,
        question_class=next(name for kind, name, _ in _tables().forms if kind is asked),
        answer_type=_answer_type(asked, words),
        words=_content(words, asked),
    )


def read_clause(text: str, masked: str, time: TimeConstraint, entities: tuple[Linked, ...]) -> Question:
    """The reading of a masked clause without clauses of time in it."""
    asked, question_class, unit = _form(masked)
    own = tuple(link for index, link in enumerate(entities) if re.search(rf"§{index}\b", masked))
    order, neighbour = _succession(masked)
    words = [token.lower for token in tokens(masked) if not token.text.startswith("§")]
    return Question(
        text=text,
        masked=masked,
        semantic=in_words(masked, entities),
        asked=asked,
        question_class="order" if order is not Order.NONE else question_class,
        unit=unit,
        order=order if order is not Order.NONE else _order(words),
        plural=_plural(masked, words),
        past=_past(words),
        answer_type=_answer_type(asked, words),
        time=time,
        entities=own if neighbour is None else entities,
        words=_content(words, asked),
        neighbour_of=neighbour,
        anchor=None,
    )


def _content(words: list[str], asked: Asked) -> tuple[str, ...]:
    """The words that carry content: no words of grammar, none that only name the kind of time asked."""
    dropped = tables().stop
    if asked in (Asked.WHEN, Asked.START, Asked.END, Asked.DURATION):
        dropped = dropped | tables().time_nouns
    return tuple(word for word in words if word not in dropped)


def _past(words: list[str]) -> bool:
    """Whether the question speaks of the past: by its auxiliary, or else by its verb."""
    found = set(words)
    if found & _tables().present_only:
        return False
    if found & (_tables().past | _tables().present):
        return bool(found & _tables().past)
    return any(word in tables().irregular or word.endswith("ed") for word in words)


@dataclass(frozen=True, slots=True)
class _Tables:
    lead_in: re.Pattern[str]
    forms: tuple[tuple[Asked, str, re.Pattern[str]], ...]
    succession: tuple[tuple[Order, re.Pattern[str], re.Pattern[str] | None], ...]
    trailing: re.Pattern[str]
    leading: re.Pattern[str]
    relations: dict[str, str]
    order: tuple[tuple[Order, frozenset[str]], ...]
    past: frozenset[str]
    present: frozenset[str]
    present_only: frozenset[str]
    plural: frozenset[str]
    start_verbs: frozenset[str]
    end_verbs: frozenset[str]
    answer_types: tuple[tuple[EntityType, frozenset[str]], ...]


@cache
def _tables() -> _Tables:
    data: dict[str, Any] = load("question_forms.toml")
    anchor = data["anchor"]
    succession = (
        (
            Order(row["order"]),
            re.compile(row["pattern"]),
            re.compile(row["not_after"]) if "not_after" in row else None,
        )
        for row in data["succession"]
    )
    return _Tables(
        lead_in=re.compile(data["lead_in"]),
        forms=tuple((Asked(f["asked"]), f["class"], re.compile(f["pattern"])) for f in data["form"]),
        succession=tuple(succession),
        trailing=re.compile(anchor["trailing"]),
        leading=re.compile(anchor["leading"]),
        relations=anchor["relations"],
        order=tuple((Order(name), frozenset(words)) for name, words in data["order"].items()),
        past=frozenset(data["tense"]["past"]),
        present=frozenset(data["tense"]["present"]),
        present_only=frozenset(data["tense"]["now"]),
        plural=frozenset(data["tense"]["plural"]),
        start_verbs=frozenset(stem(verb) for verb in data["verbs"]["start"]),
        end_verbs=frozenset(stem(verb) for verb in data["verbs"]["end"]),
        answer_types=tuple(
            (EntityType[name.upper()], frozenset(words)) for name, words in data["answer_types"].items()
        ),
    )


def mask(text: str, time: TimeConstraint, entities: tuple[Linked, ...]) -> str:
    """The text in lower case, spans replaced from the right so that offsets stay true."""
    spans = [(link.start, link.end, f" §{index} ") for index, link in enumerate(entities)]
    if time.end > time.start:
        spans.append((time.start, time.end, " "))
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    text = re.sub(r"(§\d+) ['\u2019]s\b", r"\1", text.lower())
    text = re.sub(r"\s+([?.!,;:])", r"\1", " ".join(text.split())).strip(" ?.!,;:")
    return _tables().lead_in.sub("", text)


def in_words(masked: str, entities: tuple[Linked, ...]) -> str:
    """A masked text with the words of the entities."""
    return re.sub(r"§(\d+)", lambda match: entities[int(match[1])].text, masked)


def _form(masked: str) -> tuple[Asked, str, str]:
    for asked, question_class, pattern in _tables().forms:
        match = pattern.search(masked)
        if match:
            unit = match.groupdict().get("unit") or ""
            return _boundary(asked, masked), question_class, unit
    raise AssertionError("the last form matches everything")


def _boundary(asked: Asked, masked: str) -> Asked:
    """WHEN narrowed to START or END by the verb."""
    if asked is not Asked.WHEN:
        return asked
    stems = [stem(token.text) for token in tokens(masked)]
    if any(s in _tables().end_verbs for s in stems):
        return Asked.END
    return Asked.START if any(s in _tables().start_verbs for s in stems) else Asked.WHEN


def verb_side(words: tuple[str, ...]) -> Asked:
    """START, END or WHEN (both): which moment of a fact a clause with these words speaks of."""
    stems = {stem(word) for word in words}
    if stems & _tables().end_verbs:
        return Asked.END
    return Asked.START if stems & _tables().start_verbs else Asked.WHEN


def turning_words(words: tuple[str, ...]) -> frozenset[str]:
    """Stems of the words that begin or end something."""
    return frozenset(stem(word) for word in words) & (_tables().start_verbs | _tables().end_verbs)


def _succession(masked: str) -> tuple[Order, int | None]:
    for order, pattern, not_after in _tables().succession:
        match = pattern.search(masked)
        if match and not (not_after and not_after.search(masked[: match.start()])):
            return order, int(match["entity"])
    return Order.NONE, None


def _order(words: list[str]) -> Order:
    return next((order for order, listed in _tables().order if listed & set(words)), Order.NONE)


def _plural(masked: str, words: list[str]) -> bool:
    if set(words) & _tables().plural:
        return True
    match = re.match(r"(?:\w+ )?(?:which|what) (?:[\w§]+ )?(?P<noun>\w+)", masked)
    noun = match["noun"] if match else ""
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and noun not in ("was", "does", "has")


def _answer_type(asked: Asked, words: list[str]) -> EntityType:
    if asked is Asked.WHO:
        return EntityType.PERSON
    if asked is Asked.WHERE:
        return EntityType.PLACE
    if asked is not Asked.WHAT:
        return EntityType.UNSPECIFIED
    auxiliaries = _tables().past | _tables().present
    for index, word in enumerate(words[:5]):
        if word in ("which", "what"):
            for noun in takewhile(lambda word: word not in auxiliaries, words[index + 1 : index + 4]):
                for kind, nouns in _tables().answer_types:
                    if noun in nouns:
                        return kind
    return EntityType.UNSPECIFIED


def _split(text: str, masked: str, entities: tuple[Linked, ...]) -> tuple[str, Anchor | None]:
    """(main clause, anchor) of a question with a clause of time; the anchor is read like a question."""
    match = _tables().leading.search(masked)
    main = match["main"] if match else ""
    if match is None:
        match = _tables().trailing.search(masked)
        if match is None or not match.start():
            return masked, None
        main = masked[: match.start()].strip(" ,")
    clause = read_clause(text, match["clause"], NO_TIME, entities)
    if not clause.entities and not clause.words:
        return masked, None
    relation = Relation(_tables().relations[match["word"]])
    return main, Anchor(relation=relation, near=bool(match["near"]), clause=clause)
