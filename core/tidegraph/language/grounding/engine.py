"""Find and resolve every time expression of a text (design section 5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tidegraph.domain.documents import DocumentTime, ExpressionKind, TimeExpression
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Granularity, civil_from_days
from tidegraph.language.grounding.calendar import unit_days
from tidegraph.language.grounding.lexer import lex
from tidegraph.language.grounding.lexicon import Grammar, load_grammar
from tidegraph.language.grounding.nodes import (
    At,
    Date,
    Edge,
    EventAnchored,
    Node,
    Numeric,
    Open,
    Part,
    Period,
    Range,
    Recurring,
    Relative,
    Same,
    Shift,
    Span,
    Token,
    Vague,
    Window,
)
from tidegraph.language.grounding.reduce import Reducer
from tidegraph.language.grounding.resolve import Resolver
from tidegraph.language.grounding.tense import Cues, TenseCues
from tidegraph.language.grounding.values import State, Value, from_days
from tidegraph.settings import GroundingSettings

_EMITTED: Final = (
    "DAY MON YR QH QHY DEC SEAS HOL WD REL RELD INST SAME SAMEDAY PART SHIFT RNG RNGW OPEN DUR REC EVT VAG"
    " TIME POD TRANGE"
)
_STORY_YEARS: Final = 3
_STORY_RATIO: Final = 3
_MONTH_DAYS: Final = 31
_MONEY_REACH: Final = 120
_ANCHORS: Final = frozenset(
    (
        Granularity.DAY,
        Granularity.WEEK,
        Granularity.MONTH,
        Granularity.QUARTER,
        Granularity.HALF_YEAR,
        Granularity.YEAR,
    )
)
_DAY_SYMBOLS: Final = frozenset(("I12", "I24", "I31", "ORD", "FIRST", "SECOND"))
_KINDS: Final[tuple[tuple[type[object], ExpressionKind], ...]] = (
    (Span, ExpressionKind.DURATION),
    (Recurring, ExpressionKind.RECURRING),
    (EventAnchored, ExpressionKind.EVENT_ANCHORED),
    (Vague, ExpressionKind.VAGUE),
    (Open, ExpressionKind.OPEN_RANGE),
    (Range, ExpressionKind.RANGE),
    (Relative, ExpressionKind.DEICTIC),
    (Shift, ExpressionKind.DEICTIC),
    (Window, ExpressionKind.DEICTIC),
    (Same, ExpressionKind.ANAPHORIC),
)


_HEAD: Final = re.compile(r"[.!?\n][\"'\u201d)]*\s+(?:[^\W\d_]+\s+(?:the\s+)?)?$|^\s*(?:[^\W\d_]+\s+)?$")


@dataclass(frozen=True, slots=True)
class Grounded:
    """An expression with the expressions that it is built from ("since March 2021" and "March 2021")."""

    expression: TimeExpression
    operands: tuple[TimeExpression, ...]
    span: Span | None = None
    """The length of time that it states, when it is a duration or counted from an event."""


def ground(
    text: str,
    document_time: DocumentTime | None,
    settings: GroundingSettings,
    tenses: TenseCues | None = None,
) -> tuple[TimeExpression, ...]:
    """The time expressions of a whole document, in reading order, none inside another.

    Args:
        text: the document; offsets in the result are code points of it.
        document_time: when it was written. Without one, deictic expressions stay unresolved.
        settings: fiscal start, day/month order, week start, time zone, hemisphere, language.
        tenses: verbs of a parse; without them cue words of the sentence decide the side.

    Raises:
        Rejected: UNKNOWN_LANGUAGE, when there is no grammar for ``settings.language``; INVALID_SETTING.
    """
    return tuple(found.expression for found in ground_with_operands(text, document_time, settings, tenses))


def ground_with_operands(
    text: str,
    document_time: DocumentTime | None,
    settings: GroundingSettings,
    tenses: TenseCues | None = None,
) -> tuple[Grounded, ...]:
    """As :func:`ground`, each expression with its operands: the ends of a range, what an open range
    opens from, the date that an offset counts from."""
    _check(settings)
    grammar, reducer = _language(settings.language)
    tokens = lex(text, grammar)
    runs = reducer.runs(tokens)
    return tuple(_Document(text, document_time, settings, grammar, tenses).ground(runs, tokens))


@lru_cache(maxsize=32)
def _check(settings: GroundingSettings) -> None:
    """Refuse settings that no calendar knows, naming the one to change."""
    if not 1 <= settings.fiscal_start_month <= 12:
        raise Rejected("INVALID_SETTING", "fiscal_start_month must be 1 to 12", name="fiscal_start_month")
    if not 1 <= settings.week_start <= 7:
        raise Rejected("INVALID_SETTING", "week_start must be 1 (Monday) to 7 (Sunday)", name="week_start")
    try:
        ZoneInfo(settings.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        message = f"timezone {settings.timezone!r} is no name of the tz database, such as Europe/Berlin"
        raise Rejected("INVALID_SETTING", message, name="timezone") from None


@lru_cache(maxsize=8)
def _language(language: str) -> tuple[Grammar, Reducer]:
    grammar = load_grammar(language)
    return grammar, Reducer(grammar)


class _Document:
    def __init__(
        self,
        text: str,
        document_time: DocumentTime | None,
        settings: GroundingSettings,
        grammar: Grammar,
        tenses: TenseCues | None,
    ) -> None:
        self._text = text
        self._settings = settings
        self._grammar = grammar
        self._names = grammar.symbols.names
        self._emitted = frozenset(grammar.symbols.char(n) for n in _EMITTED.split())
        self._document = document_time.instant if document_time else None
        self._cues = Cues(text, grammar, tenses)

    def ground(self, runs: list[list[Token]], tokens: list[Token]) -> Iterator[Grounded]:
        found = [t for run in runs for t in self._candidates(self._shared_years(run))]
        nodes = [t.value for t in found]
        state = State(
            settings=self._settings,
            document=self._document,
            narrative=_is_narrative(found, self._document),
            day_first=_day_first(nodes, self._settings.day_first),
        )
        resolver = Resolver(state, self._grammar)
        char = self._grammar.symbols.char("BREAK")
        breaks = iter([t.start for t in tokens if t.symbol == char] + [len(self._text) + 1])
        limit = next(breaks)
        for token in found:
            while token.start > limit:
                state.next_paragraph()
                limit = next(breaks)
            yield self._resolved(token, resolver)

    def _candidates(self, run: list[Token]) -> Iterator[Token]:
        """What a run's tokens are worth on their own."""
        for place, token in enumerate(run):
            if token.symbol not in self._emitted or not token.rule:
                continue
            if token.rule == "half.ordinal" and not self._financial(token):
                continue
            if isinstance(token.value, Numeric) and token.value.doubtful and not self._supported(run, place):
                continue
            yield token

    def _financial(self, token: Token) -> bool:
        """A half without a year is one of a match as often as one of a year: money must be near."""
        near = self._text[max(0, token.start - _MONEY_REACH) : token.end + _MONEY_REACH].lower()
        return not self._grammar.cues["finance"].isdisjoint(re.findall(r"[^\W\d_]+", near))

    def _shared_years(self, run: list[Token]) -> list[Token]:
        """ "in May, June and July 1944": a date takes the year of the one that it is listed with."""
        result = list(run)
        for place in range(len(run) - 3, -1, -1):
            link = self._names[run[place + 1].symbol]
            skip = 2
            if link == "COMMA" and self._names[run[place + 2].symbol] in ("AND", "OR"):
                skip = 3
            if link not in ("AND", "OR", "COMMA") or place + skip >= len(result):
                continue
            left, right = result[place].value, result[place + skip].value
            if isinstance(left, Period) and isinstance(right, Period) and left.unit == right.unit == "season":
                if left.year is None and isinstance(right.year, int):
                    result[place] = replace(result[place], value=replace(left, year=right.year))
                continue
            if not (isinstance(left, Date) and isinstance(right, Date) and left.month and right.month):
                continue
            if left.year is None and right.year is not None and bool(left.day) == bool(right.day):
                year = right.year - (1 if left.month > right.month else 0)
                result[place] = replace(result[place], value=replace(left, year=year))
        return result

    def _supported(self, run: list[Token], place: int) -> bool:
        """A doubtful numeric date needs a preposition of dates before it, or to stand alone."""
        token = run[place]
        if token.end - token.start == len(self._text.strip()):
            return True
        before = self._names[run[place - 1].symbol] if place else ""
        return before in ("ON", "BY", "UNTIL", "SINCE", "FROM", "EARLYCMP")

    def _resolved(self, token: Token, resolver: Resolver) -> Grounded:
        node: Node = token.value  # type: ignore[assignment]
        state = resolver.state
        state.tense = self._cues.at(token.start, token.end)
        untold = token.rule == "relative.now" and state.narrative
        value = None if untold else resolver.resolve(node)
        if value is not None:
            self._remember(node, value, token, resolver)
        span = (
            node if isinstance(node, Span) else node.span if isinstance(node, EventAnchored | Shift) else None
        )
        return Grounded(self._expression(token, node, value), tuple(self._operands(token, value)), span)

    def _remember(self, node: Node, value: Value, token: Token, resolver: Resolver) -> None:
        """Push what later expressions may refer to: the value, or the whole that it is a part or end of."""
        state = resolver.state
        topical = self._topical(token.start)
        aside = isinstance(node, Open) and node.op in ("until", "before")
        inner: Node | str = node
        while isinstance(inner, Open | Part | At):
            inner = inner.date if isinstance(inner, At) else inner.of
        if isinstance(inner, Range):
            ends = value.operands or (value,)
            years = ends[0].granularity is Granularity.YEAR
            found = [_coarse(e) for e in (ends[:1] if years else ends)]
        elif isinstance(inner, Period) and inner.unit == "season" and isinstance(inner.year, int):
            found = [_last_month(resolver.resolve(inner) or value)]
        elif inner is node:
            found = [value]
        else:
            whole = None if isinstance(inner, str) else resolver.resolve(inner)
            found = [] if whole is None else [whole]
        for one in found:
            holiday = isinstance(inner, Period) and inner.unit == "holiday" and inner.year is None
            told = state.narrative and one.kind is ExpressionKind.DEICTIC
            anchors = one.granularity in _ANCHORS or isinstance(inner, Edge)
            if anchors and not holiday and not told:
                state.push(one, token.start, topical, aside)

    def _topical(self, start: int) -> bool:
        """Whether an expression stands at the head of its sentence."""
        left = self._text[max(0, start - 14) : start]
        return bool(_HEAD.search(left))

    def _operands(self, token: Token, value: Value | None) -> Iterator[TimeExpression]:
        if value is None or not value.operands:
            return
        parts = [p for p in token.parts if p.symbol in self._emitted and p.rule]
        spans = [(p.start, p.end, p.value, p.rule) for p in parts]
        if len(parts) != len(value.operands) and isinstance(token.value, Range):
            ends = (token.value.start, token.value.end)
            spans = [(*s, n, token.rule) for s, n in zip(self._end_spans(token), ends, strict=False)]
        if len(spans) == len(value.operands):
            for (start, end, node, rule), operand in zip(spans, value.operands, strict=True):
                part = Token(token.symbol, start, end, node, rule)
                yield self._expression(part, node, operand)  # type: ignore[arg-type]

    def _end_spans(self, token: Token) -> list[tuple[int, int]]:
        """Where the two ends of a range stand that one rule read at once: "1957-58", "10 to 22 August"."""
        parts = token.parts
        if len(parts) == 1:
            text = self._text[token.start : token.end]
            at = next((i for i, c in enumerate(text) if not c.isdigit()), len(text))
            return [(token.start, token.start + at), (token.start + at + 1, token.end)]
        days = [p for p in parts if self._names[p.symbol] in _DAY_SYMBOLS]
        months = [p for p in parts if self._names[p.symbol].startswith("MONTH")]
        years = [p for p in parts if self._names[p.symbol] in ("YA", "YB")]
        if len(years) == 2 and not days:
            return [(p.start, p.end) for p in years]
        if len(days) < 2:
            return (
                [(months[0].start, months[0].end), (months[1].start, token.end)] if len(months) == 2 else []
            )
        first = min(days[0].start, months[0].start) if months else days[0].start
        return [(first, days[0].end), (days[1].start, token.end)]

    def _expression(self, token: Token, node: Node, value: Value | None) -> TimeExpression:
        if value is None:
            kind = next((k for cls, k in _KINDS if isinstance(node, cls)), ExpressionKind.UNDERSPECIFIED)
            return TimeExpression(
                text=self._text[token.start : token.end],
                start_char=token.start,
                end_char=token.end,
                kind=kind,
                interval=None,
                start_latest=OPEN_START,
                end_earliest=OPEN_END,
                anchor="",
                rule_id=token.rule,
                confidence=0.5,
                fuzzy=False,
                alternatives=(),
            )
        return TimeExpression(
            text=self._text[token.start : token.end],
            start_char=token.start,
            end_char=token.end,
            kind=value.kind,
            interval=value.interval,
            start_latest=value.start if value.start_latest is None else value.start_latest,
            end_earliest=value.end if value.end_earliest is None else value.end_earliest,
            anchor=value.anchor,
            rule_id=token.rule,
            confidence=value.confidence,
            fuzzy=value.fuzzy,
            alternatives=value.alternatives,
        )


def _coarse(end: Value) -> Value:
    """The month that holds the end of a range, when that is no single day or month itself."""
    if end.granularity in _ANCHORS or end.start == OPEN_START or end.end_day - end.first_day > _MONTH_DAYS:
        return end
    return from_days(unit_days("month", end.first_day, 1), Granularity.MONTH, end.kind, end.anchor) or end


def _last_month(season: Value) -> Value:
    """The month that a season ends in: what follows is told from there."""
    days = unit_days("month", season.end_day - 1, 1)
    return from_days(days, Granularity.MONTH, season.kind, season.anchor) or season


def _is_narrative(tokens: Iterable[Token], document: int | None) -> bool:
    """Whether a text tells of other years: many dates with a year, few words that count from its own day."""
    if document is None:
        return True
    year = civil_from_days(document // MICROS_PER_DAY)[0]
    other = own = deictic = 0
    for token in tokens:
        node = token.value
        if isinstance(node, Date) and node.year is not None:
            other += node.year != year
            own += node.year == year
        elif isinstance(node, Date) and node.weekday is not None and node.day is None:
            deictic += 1
        elif isinstance(node, Relative | Shift | Window) and node.base == "document":
            deictic += token.rule != "relative.now"
    if deictic == 0 and own == 0:
        return other >= _STORY_YEARS - 1
    return other >= _STORY_YEARS and other > _STORY_RATIO * deictic


def _day_first(nodes: Iterable[object], default: bool) -> bool:
    """The order of numeric dates: what the document's unambiguous ones use, else the setting."""
    votes = 0
    for node in nodes:
        if isinstance(node, Numeric):
            votes += (node.first > 12) - (node.second > 12)
    return votes > 0 if votes else default
