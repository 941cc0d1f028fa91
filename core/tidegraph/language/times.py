"""When a claim holds: which time expression dates it, at which end, and what else may be said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import (
    DocumentTime,
    EndpointBasis,
    ExpressionKind,
    TimeExpression,
    ValidTime,
    Verb,
)
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Granularity,
    Interval,
    instant,
)
from tidegraph.language.asides import denied_times, is_aside
from tidegraph.language.clauses import Clause
from tidegraph.language.grains import end_grain, grain, start_grain, turned
from tidegraph.language.tenses import Tense, is_background, is_later, tense_of, verb_above
from tidegraph.language.tree import Sentence, Token

CARRIED: Final = "carried:"
"""How the rule of a time begins that a heading or the head of a list item gives."""
_TIMELESS: Final = frozenset({ExpressionKind.DURATION, ExpressionKind.RECURRING, ExpressionKind.VAGUE})
_ENDING_CUE: Final = re.compile(r"\b(?:until|till|through|up to|ending|ends?)\s*$", re.IGNORECASE)
_STARTING_CUE: Final = re.compile(
    r"\b(?:since|from|as of|effective|starting|beginning|as from|with effect from|after)\s*$", re.IGNORECASE
)
_VAGUE_CUE: Final = re.compile(r"\b(?:before|after|by|prior to|earlier than|later than)\s*$", re.IGNORECASE)
# A number like a year beyond it ("a rating of 2744") dates nothing.
_LATEST: Final = instant(2200)
_CUE_WINDOW: Final = 24
# "is now a member": says that it holds, not since when.
_WEAK: Final = frozenset(
    {"now", "currently", "presently", "at present", "nowadays", "at the moment", "right now"}
)


@dataclass(frozen=True, slots=True)
class Frame:
    """Between which instants a sentence without a date plays. ``near``: its anchor stands close by;
    ``sure``: so closely that an event may be dated by it."""

    interval: Interval
    rule: str
    near: bool
    sure: bool


@dataclass(frozen=True, slots=True)
class TimeContext:
    """What dates a sentence from outside: the document's day, a date above it (heading, list item), and
    the frame of the story that it stands in. ``coarse``: where the expressions begin that are longer than a
    month."""

    document: DocumentTime | None
    carried: TimeExpression | None
    frame: Frame | None = None
    coarse: frozenset[int] = frozenset()

    @property
    def day(self) -> int | None:
        """Start of the document's day, microseconds."""
        if self.document is None:
            return None
        return self.document.instant - self.document.instant % MICROS_PER_DAY


def times_of(clause: Clause) -> list[TimeExpression]:
    """The time expressions that date a clause, nearest first.

    Its own, else those of the clause that it shares its sentence's frame with, else the only one of
    the sentence.
    """
    if clause.lemma == "apposition":
        return _inside(clause)
    own = _governed(clause)
    if own:
        return own
    verb = clause.governor or clause.verb
    shared = _shared(clause, verb)
    if shared:
        return shared
    everything = sentence_times(clause.sentence)
    if len(everything) == 1 and not _in_foreign_clause(everything[0], clause):
        return everything
    return []


def sentence_times(sentence: Sentence, *, asides: bool = False) -> list[TimeExpression]:
    """The dated expressions of a sentence in text order; ``asides``: also those that date no clause of it."""
    return _telling(sentence, sentence.tokens, asides=asides)


def _telling(sentence: Sentence, tokens: Sequence[Token], *, asides: bool = False) -> list[TimeExpression]:
    found: list[TimeExpression] = []
    for token in tokens:
        time = token.time
        if time is None or time in found or not _is_telling(time):
            continue
        if asides or not is_aside(sentence, token):
            found.append(time)
    return found


def _inside(clause: Clause) -> list[TimeExpression]:
    """The times within an apposition ("curator of the museum since 2017")."""
    return _telling(clause.sentence, clause.verb.subtree())


def _is_telling(time: TimeExpression) -> bool:
    if time.kind in _TIMELESS or time.text.lower() in _WEAK:
        return False
    span = time.interval
    return span is None or span.has_open_start or span.start < _LATEST


def _governed(clause: Clause) -> list[TimeExpression]:
    anchors = {id(clause.verb)} | ({id(clause.governor)} if clause.governor else set())
    return _below(clause.sentence, anchors)


def _below(sentence: Sentence, anchors: set[int]) -> list[TimeExpression]:
    found: list[TimeExpression] = []
    before, aside = "", None
    for token in sentence.tokens:
        bracketed, before = before == "(", token.text
        if bracketed and token.time is not None:
            # "Wesley Linden (1930-2017)": a life or a term of its own.
            aside = token.time
        if token.time is None or token.time is aside or not _is_telling(token.time) or token.time in found:
            continue
        governor = verb_above(token)
        if governor is not None and id(governor) in anchors and not is_aside(sentence, token):
            found.append(token.time)
    return found


def _shared(clause: Clause, verb: Token) -> list[TimeExpression]:
    """The times of the clauses joined with this one: its head, its conjuncts, its parataxis."""
    current = verb
    for _ in range(4):
        if current.head is current or current.dep not in {
            "conj",
            "xcomp",
            "ccomp",
            "advcl",
            "parataxis",
            "pcomp",
            "dep",
            "acl",
            "relcl",
        }:
            break
        current = current.head
        if current.pos in {"VERB", "AUX"}:
            found = _below(clause.sentence, {id(current)})
            if found:
                return found
    for child in verb.children:
        if is_later(child):
            continue
        if child.dep in {"conj", "ccomp", "parataxis", "advcl", "xcomp"} and child.pos in {"VERB", "AUX"}:
            found = _below(clause.sentence, {id(child)})
            if found:
                return found
    return []


def denied_valid(verb: Verb, clause: Clause) -> list[ValidTime]:
    """The valid times that a clause's sentence denies ("on 1 April, not on 1 March")."""
    found = []
    for time in denied_times(clause.sentence) if times_of(clause) else ():
        assert time.interval is not None
        point = _Endpoint(time.interval.start, grain(time), EndpointBasis.STATED)
        found.append(_valid(_NO_START, point) if verb is Verb.STOP else _valid(point, _NO_END))
    return found


def _in_foreign_clause(time: TimeExpression, clause: Clause) -> bool:
    """Whether the expression belongs to a subordinate clause that says something else."""
    for token in clause.sentence.tokens:
        if token.time is time:
            governor = verb_above(token)
            if governor is None or governor is clause.verb:
                return False
            return governor.dep in {"relcl", "advcl", "acl"} or is_later(governor)
    return False


def valid_time(
    verb: Verb, clause: Clause, text: str, base: int, context: TimeContext, *, over: bool = False
) -> ValidTime | None:
    """When a claim of this verb class holds, or None when nothing can be said of it (see module text).

    ``text`` and ``base``: the part's text and the offset where it begins, to look at the words before
    an expression. ``over``: what the clause tells happened and was over within the time told.
    """
    meant = times_of(clause)
    times = [t for t in meant if t.interval is not None]
    tense = Tense(True, False) if over else tense_of(clause)
    if clause.lemma == "apposition" and not times:
        return _seen(clause, context)
    if not meant and context.carried is not None and context.carried.interval is not None:
        times = [context.carried]
    if not times:
        others = any(t.interval is not None for t in sentence_times(clause.sentence))
        known = others or bool(meant) or is_background(clause, tense)
        if context.frame is not None and context.frame.near and tense.past and not known:
            return _framed(verb, context.frame)
        return _undated(verb, tense, context, known_elsewhere=known)
    if _is_from_then(clause):
        times = [turned(t) for t in times]
    start, end = _endpoints(verb, times, text, base, tense)
    return _assemble(verb, start, end, tense, context)


def _is_from_then(clause: Clause) -> bool:
    """ "until 1955, when Acme bought it": the clause tells what began at the end of the time before it."""
    return any(
        c.lower == "when" and c.dep in {"advmod", "mark"} and c.i <= clause.verb.i
        for c in clause.verb.children
    )


def _seen(clause: Clause, context: TimeContext) -> ValidTime | None:
    """A post beside a name is seen to be held at the sentence's time, else at the document's."""
    times = [t for t in sentence_times(clause.sentence) if t.interval is not None]
    if times:
        interval = times[0].interval
        assert interval is not None
        if interval.has_open_start or interval.has_open_end:
            return None
        start = _Endpoint(interval.start, interval.granularity, EndpointBasis.OBSERVED)
        return _valid(start, _Endpoint(interval.end, interval.granularity, EndpointBasis.OBSERVED))
    return _undated(Verb.STATE, Tense(False, False), context, known_elsewhere=False)


@dataclass(frozen=True, slots=True)
class _Endpoint:
    value: int
    granularity: Granularity
    basis: EndpointBasis


_NO_START: Final = _Endpoint(OPEN_START, Granularity.UNKNOWN, EndpointBasis.NONE)
_NO_END: Final = _Endpoint(OPEN_END, Granularity.UNKNOWN, EndpointBasis.NONE)


def _endpoints(
    verb: Verb, times: Sequence[TimeExpression], text: str, base: int, tense: Tense
) -> tuple[_Endpoint | None, _Endpoint | None]:
    start: _Endpoint | None = None
    end: _Endpoint | None = None
    for time in _by_precision(times):
        interval = time.interval
        assert interval is not None
        before = text[max(0, time.start_char - base - _CUE_WINDOW) : time.start_char - base]
        if time.kind is ExpressionKind.RANGE or (
            interval.granularity is Granularity.RANGE
            and not interval.has_open_start
            and not interval.has_open_end
        ):
            if verb in {Verb.STOP} or not _is_span(time):
                point = _Endpoint(interval.start, start_grain(time), EndpointBasis.STATED)
                start, end = (start, end or point) if verb is Verb.STOP else (start or point, end)
            else:
                start = start or _Endpoint(interval.start, start_grain(time), EndpointBasis.STATED)
                end = end or _Endpoint(interval.end, end_grain(time), EndpointBasis.STATED)
        elif interval.has_open_start:
            if not _VAGUE_CUE.search(before) and not time.text.lower().startswith(
                ("before", "by", "prior", "no later")
            ):
                end = end or _Endpoint(interval.end, grain(time), EndpointBasis.STATED)
        elif interval.has_open_end:
            point = _Endpoint(interval.start, grain(time), EndpointBasis.STATED)
            start, end = (start, end or point) if verb is Verb.STOP else (start or point, end)
        elif _ENDING_CUE.search(before):
            end = end or _Endpoint(interval.end, interval.granularity, EndpointBasis.STATED)
        elif verb is Verb.STOP:
            end = end or _Endpoint(interval.start, interval.granularity, EndpointBasis.STATED)
        elif verb is Verb.STATE and tense.past and not _STARTING_CUE.search(before):
            start = start or _Endpoint(interval.start, interval.granularity, EndpointBasis.OBSERVED)
            end = end or _Endpoint(interval.end, interval.granularity, EndpointBasis.OBSERVED)
        else:
            start = start or _Endpoint(interval.start, interval.granularity, EndpointBasis.STATED)
    return start, end


def _by_precision(times: Sequence[TimeExpression]) -> list[TimeExpression]:
    """Ranges first, then the finest date: it is the anchor (DyG-RAG section 3.3, temporal parsing)."""
    return sorted(
        times,
        key=lambda t: (
            t.kind not in {ExpressionKind.RANGE, ExpressionKind.OPEN_RANGE},
            int(t.interval.granularity) if t.interval else 99,
            t.start_char,
        ),
    )


def _is_span(time: TimeExpression) -> bool:
    """Two named ends, not one fuzzy period ("early 2019")."""
    return not time.fuzzy


def _undated(verb: Verb, tense: Tense, context: TimeContext, *, known_elsewhere: bool) -> ValidTime | None:
    """A sentence without a date of its own: the document's day counts for a change; a state is seen there."""
    if verb is Verb.STATE:
        if tense.past:
            return None
        if context.document is None:
            return _valid(_NO_START, _NO_END)
        return _valid(
            _Endpoint(context.document.instant, context.document.granularity, EndpointBasis.OBSERVED), _NO_END
        )
    if context.day is None or known_elsewhere:
        return None if verb is Verb.STOP else _valid(_NO_START, _NO_END)
    point = _Endpoint(context.day, Granularity.DAY, EndpointBasis.STATED)
    return _valid(_NO_START, point) if verb is Verb.STOP else _valid(point, _NO_END)


def _framed(verb: Verb, frame: Frame) -> ValidTime:
    """A claim without a date inside a story: it is of the frame's first year, or was seen to hold in it."""
    start, end = frame.interval.start, frame.interval.end
    if verb is Verb.STATE:
        seen = EndpointBasis.OBSERVED
        return ValidTime(start, end, Granularity.RANGE, Granularity.RANGE, seen, seen)
    point = _Endpoint(start, Granularity.YEAR, EndpointBasis.STATED)
    return _valid(_NO_START, point) if verb is Verb.STOP else _valid(point, _NO_END)


def _assemble(
    verb: Verb, start: _Endpoint | None, end: _Endpoint | None, tense: Tense, context: TimeContext
) -> ValidTime | None:
    if verb is Verb.STOP and end is None:
        return None
    if verb is Verb.STATE and start is None and end is None:
        return _undated(verb, tense, context, known_elsewhere=True)
    first, last = start or _NO_START, end or _NO_END
    if last.value < first.value:
        return None
    return _valid(first, last)


def _valid(start: _Endpoint, end: _Endpoint) -> ValidTime:
    return ValidTime(start.value, end.value, start.granularity, end.granularity, start.basis, end.basis)


def is_ahead(valid: ValidTime, verb: Verb, context: TimeContext) -> bool:
    """Whether the change lies after the document's day: announced, not yet so."""
    if context.day is None:
        return False
    moment = valid.end if verb is Verb.STOP else valid.start
    return moment not in {OPEN_START, OPEN_END} and moment >= context.day + MICROS_PER_DAY
