"""Assertions and events of tables and "key: value" lines: what holds when it was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from tidegraph.domain.documents import (
    EndpointBasis,
    EntityType,
    Status,
    TimeExpression,
    TimeState,
    ValidTime,
    Verb,
)
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.language.assertions import Builder
from tidegraph.language.claims import FULL, Claim, Side
from tidegraph.language.events import Draft
from tidegraph.language.passages import Passage, Table
from tidegraph.language.status import addresses_software
from tidegraph.language.tables import (
    Cell,
    RoleCell,
    ValueCell,
    is_told,
    pair,
    pair_reading,
    plain,
    readings,
    rows,
)
from tidegraph.language.times import TimeContext
from tidegraph.language.words import words

_OWNING: Final = frozenset({"owner", "maintainer", "custodian"})


EventMaker: TypeAlias = Callable[[Draft, Builder], str]
"""Turns a draft into an event of the document and returns its id."""


@dataclass(frozen=True, slots=True)
class About:
    """What a table or line speaks of: the heading above it, else the document's title."""

    name: str
    start: int
    end: int

    def named(self, name: str, builder: Builder) -> About:
        """The same for another name, at its first place in the text, else where this one stands."""
        at = builder.document.text.find(name)
        if at < 0:
            return About(name, self.start, self.end)
        return About(name, builder.base + at, builder.base + at + len(name))

    def side(self) -> Side:
        """As the side of a claim."""
        return Side(None, self.name, (self.start, self.end), EntityType.ORGANISATION)


def read_table(
    table: Table, builder: Builder, context: TimeContext, about: About, event_of: EventMaker
) -> None:
    """One event a row, one assertion a person or value."""
    text = builder.document.text
    header, body = rows(text, table.rows)
    for row in body:
        said = list(readings(header, [row]))
        if not row or addresses_software(" ".join(cell.text for cell in row)):
            continue
        event_id = event_of(_row_draft(header, row, said, builder, context, about), builder)
        valid = _row_time(header, row, builder, context)
        for reading in said:
            if valid is None:
                break
            _assert(reading, builder, valid, about, event_id)


def _row_time(
    header: list[Cell], row: list[Cell], builder: Builder, context: TimeContext
) -> ValidTime | None:
    """When a row holds: as its columns "since" and "until" say, else as it is seen; None if unclear."""
    valid = _seen(context)
    for title, cell in zip(header, row, strict=False):
        column = plain(title.text).lower()
        since, until = column in words("tables", "since_columns"), column in words("tables", "until_columns")
        if not (since or until) or not is_told(cell.text):
            continue
        times = [t for t in builder.document.expressions if _inside(t, cell, builder)]
        if len(times) != 1 or (span := times[0].interval) is None or span.has_open_start or span.has_open_end:
            return None
        if since:
            valid = replace(
                valid, start=span.start, start_granularity=span.granularity, start_basis=EndpointBasis.STATED
            )
        else:
            begins = valid.start if valid.start_basis is EndpointBasis.STATED else OPEN_START
            basis = valid.start_basis if begins != OPEN_START else EndpointBasis.NONE
            valid = replace(valid, start=begins, start_basis=basis, end=span.end)
            valid = replace(valid, end_granularity=span.granularity, end_basis=EndpointBasis.STATED)
    return valid if valid.start < valid.end else None


def _inside(time: TimeExpression, cell: Cell, builder: Builder) -> bool:
    return builder.base + cell.start <= time.start_char and time.end_char <= builder.base + cell.end


def read_pair(passage: Passage, builder: Builder, context: TimeContext, about: About, event_id: str) -> None:
    """The assertions of a "key: value" line."""
    found = pair(builder.document.text, passage.block.start, passage.block.end)
    if found is None:
        return
    for reading in pair_reading(*found):
        _assert(reading, builder, _seen(context), about, event_id)


def _assert(
    reading: RoleCell | ValueCell, builder: Builder, valid: ValidTime, about: About, event_id: str
) -> None:
    base = builder.base
    if isinstance(reading, RoleCell):
        span = (base + reading.person.start, base + reading.person.end)
        builder.put(_role_claim(reading, base, about), Status.ASSERTED, valid, event_id, span)
        return
    span = (base + reading.attribute.start, base + reading.value.end)
    if _is_dated(reading.value, builder):
        return
    builder.put(_value_claim(reading, base, about), Status.ASSERTED, valid, event_id, span)


def _role_claim(reading: RoleCell, base: int, about: About) -> Claim:
    person = _side(reading.person, base, EntityType.PERSON)
    what = _side(reading.what, base, EntityType.ORGANISATION) if reading.what is not None else about.side()
    if reading.role in _OWNING:
        return Claim(what, "owner", person, (), Verb.STATE, None, "layout.owner", FULL)
    if reading.role == "member":
        return Claim(person, "member_of", what, (), Verb.STATE, None, "layout.member", FULL)
    return Claim(person, "holds_role", what, (("role", reading.role),), Verb.STATE, None, "layout.role", FULL)


def _value_claim(reading: ValueCell, base: int, about: About) -> Claim:
    what = _side(reading.what, base, EntityType.OTHER) if reading.what is not None else about.side()
    attribute, value = plain(reading.attribute.text).lower(), Side(None, plain(reading.value.text))
    if attribute in {"status", "state", "version", "price"}:
        predicate = "status" if attribute == "state" else attribute
        return Claim(what, predicate, value, (), Verb.STATE, None, f"layout.{predicate}", FULL)
    return Claim(
        what, "has_value", value, (("attribute", attribute),), Verb.STATE, None, "layout.value", FULL
    )


def _side(cell: Cell, base: int, kind: EntityType) -> Side:
    return Side(None, plain(cell.text), (base + cell.start, base + cell.end), kind)


def _is_dated(value: Cell, builder: Builder) -> bool:
    """Whether the value is a date: it tells when, not what."""
    start, end = builder.base + value.start, builder.base + value.end
    return any(
        t.interval is not None
        and t.start_char < end
        and start < t.end_char
        and (t.end_char - t.start_char) * 2 > end - start
        for t in builder.document.expressions
    )


def _seen(context: TimeContext) -> ValidTime:
    carried = context.carried.interval if context.carried is not None else None
    if carried is not None and not carried.has_open_start:
        return _open(carried.start, carried.granularity, EndpointBasis.STATED)
    if context.document is None:
        return _open(OPEN_START, Granularity.UNKNOWN, EndpointBasis.NONE)
    return _open(context.document.instant, context.document.granularity, EndpointBasis.OBSERVED)


def _open(start: int, granularity: Granularity, basis: EndpointBasis) -> ValidTime:
    return ValidTime(start, OPEN_END, granularity, Granularity.UNKNOWN, basis, EndpointBasis.NONE)


def _row_draft(
    header: list[Cell],
    row: list[Cell],
    said: list[RoleCell | ValueCell],
    builder: Builder,
    context: TimeContext,
    about: About,
) -> Draft:
    """ "Title: Role: Docs; Lead: Ada Poll": a row that stands alone."""
    parts = [
        f"{plain(title.text)}: {plain(cell.text)}" if plain(title.text) else plain(cell.text)
        for title, cell in zip(header, row, strict=False)
        if plain(cell.text)
    ]
    start, end = builder.base + row[0].start, builder.base + row[-1].end
    interval: Interval | None = context.carried.interval if context.carried is not None else None
    reasons = ["entity"] if said else []
    reasons += ["quantity"] if any(c.isdigit() for cell in row for c in cell.text) else []
    state = TimeState.DATED if interval is not None else TimeState.STATIC
    rule = (
        f"carried:{context.carried.rule_id}" if interval is not None and context.carried is not None else ""
    )
    prefix = f"{about.name}: " if about.name else ""
    return Draft(prefix + "; ".join(parts), start, end, state, interval, rule, [], reasons, Status.ASSERTED)
