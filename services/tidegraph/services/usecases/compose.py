"""Answers in words from chosen facts: the value, its period, what was before, the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.services.usecases.answers import Answer, Cited, Outcome, cite_facts
from tidegraph.services.usecases.matching import Slot, role_of
from tidegraph.services.usecases.phrasing import (
    asked_in_words,
    date_in_words,
    duration_in_words,
    listed,
    period_in_words,
    statement,
)
from tidegraph.services.usecases.question import (
    Order,
    Relation,
)
from tidegraph.services.usecases.work import Work, coalesced

TOLD_MAX: Final = 12
"""Facts that an answer spells out; the rest is counted."""
SURE: Final = 0.95
LIKELY: Final = 0.7


def line(work: Work, fact: FactVersion) -> str:
    """The fact with its period: "Rena Holt was chair of Acme from 2020 until 4 March 2024"."""
    said = statement(fact, work.ports.registry, work.names, work.moment.now)
    return f"{said} {period_in_words(fact, work.moment.now)}".strip()


def scope_in_words(relation: Relation, interval: Interval | None) -> str:
    """The asked time as a step of the reasoning."""
    if interval is None:
        return "no time is asked; all that is known counts"
    return f"{relation.value} {asked_in_words(interval)}"


def value_of(work: Work, fact: FactVersion, slot: Slot) -> str:
    """The bare answer that a fact gives."""
    if slot is Slot.SUBJECT:
        return work.name(fact.subject)
    if slot is Slot.ROLE:
        return role_of(fact.qualifiers)
    return work.name(fact.object) if fact.object_is_entity else fact.object


async def values(
    work: Work,
    chosen: Sequence[FactVersion],
    family: Sequence[FactVersion],
    slot: Slot,
    relation: Relation,
    interval: Interval | None,
) -> Answer:
    """An answer that names things: all of ``chosen``, with the transition that it rests on."""
    told = list(chosen[:TOLD_MAX])
    found = list(dict.fromkeys(value_of(work, fact, slot) for fact in told))
    before = _before(work, told, family) if _is_state(work, relation) else []
    citations = await cite_facts(work.ports, work.moment, [*told, *before], work.names)
    lines = [f"{line(work, fact)}{labels(citations, fact)}" for fact in told]
    said = "; ".join(lines)
    named = all(value in said for value in found)
    text = f"{said}." if named else f"{listed(found)}. {said}."
    if len(chosen) > TOLD_MAX:
        text += f" {len(chosen) - TOLD_MAX} more are not told here."
    if before:
        past = "; ".join(f"{line(work, fact)}{labels(citations, fact)}" for fact in before)
        text += f" Before that: {past}."
    text += caveats(work, told)
    transition = _transition(work, [*before, *told], slot)
    work.step("persistence", transition or _persistence(told))
    return _answer(work, found, text, transition, citations, told, relation, interval)


def _is_state(work: Work, relation: Relation) -> bool:
    """Whether the question asks what holds at a time, not what came first, next or before something."""
    question = work.question
    ordered = question.order is not Order.NONE or question.anchor is not None
    return not ordered and relation in (Relation.NONE, Relation.IN, Relation.SINCE)


def _persistence(told: Sequence[FactVersion]) -> str:
    if len(told) > 1:
        return "the facts told hold side by side"
    return "nothing ends it" if told[0].valid.end == OPEN_END else "it holds until its end"


async def truth(
    work: Work,
    chosen: Sequence[FactVersion],
    family: Sequence[FactVersion],
    relation: Relation,
    interval: Interval | None,
) -> Answer | None:
    """Yes when a fact holds then; no when all that is known of it lies elsewhere and is bounded there."""
    if chosen:
        told = list(chosen[:TOLD_MAX])
        citations = await cite_facts(work.ports, work.moment, told, work.names)
        lines = "; ".join(f"{line(work, fact)}{labels(citations, fact)}" for fact in told)
        text = f"Yes: {lines}.{caveats(work, told)}"
        return _answer(work, ["yes"], text, "", citations, told, relation, interval)
    if interval is None or not excluded(family, interval):
        return not_known(work, family, relation, interval)
    told = list(family[-TOLD_MAX:])
    citations = await cite_facts(work.ports, work.moment, told, work.names)
    lines = "; ".join(f"{line(work, fact)}{labels(citations, fact)}" for fact in told)
    text = f"No, not {_when(relation, interval)}: {lines}."
    return _answer(work, ["no"], text, "", citations, told, Relation.NONE, None)


async def verdict(
    work: Work,
    chosen: Sequence[FactVersion],
    reason: str,
    relation: Relation,
    interval: Interval | None,
    *,
    yes: bool,
) -> Answer:
    """Yes or no with the reason, from the facts that it rests on."""
    told = list(chosen[:TOLD_MAX])
    citations = await cite_facts(work.ports, work.moment, told, work.names)
    lines = "; ".join(f"{line(work, fact)}{labels(citations, fact)}" for fact in told)
    text = f"{'Yes' if yes else 'No'}, {reason}: {lines}.{caveats(work, told)}"
    value, meets = ("yes", relation) if yes else ("no", Relation.NONE)
    return _answer(work, [value], text, "", citations, told, meets, interval if yes else None)


async def count(
    work: Work,
    chosen: Sequence[FactVersion],
    slot: Slot,
    relation: Relation,
    interval: Interval | None,
) -> Answer:
    """How many different values."""
    found = list(dict.fromkeys(value_of(work, fact, slot) for fact in chosen))
    told = list(chosen[:TOLD_MAX])
    citations = await cite_facts(work.ports, work.moment, told, work.names)
    lines = "; ".join(f"{line(work, fact)}{labels(citations, fact)}" for fact in told)
    work.step("aggregate", f"{len(found)} different: {listed(found[:TOLD_MAX])}")
    text = f"{len(found)}. {lines}."
    return _answer(work, [str(len(found))], text, "", citations, told, relation, interval)


async def times(work: Work, chosen: Sequence[FactVersion], asked: Asked) -> Answer | None:
    """When: the start, the end or the period of each chosen fact."""
    told = list(chosen[:TOLD_MAX])
    told = [fact for fact in told if _time_value(fact, asked)] or told  # what goes on answers no "until when"
    found = [value for fact in told if (value := _time_value(fact, asked))]
    found = list(dict.fromkeys(found))
    citations = await cite_facts(work.ports, work.moment, told, work.names)
    lines = "; ".join(f"{line(work, fact)}{labels(citations, fact)}" for fact in told)
    work.step("boundary", listed(found) or "that end is not known")
    if not found:
        side = "end" if asked is Asked.END else "start"
        text = f"Not known as of {_known(work)}: no {side} is recorded. {lines}."
        return _unknown(work, text, told)
    if asked is Asked.START and all(not fact.start_known for fact in told):
        text = f"By {listed(found)} at the latest; an exact start is not recorded. {lines}."
    else:
        text = f"{listed(found)}. {lines}."
    return _answer(work, found, text, "", citations, told, Relation.NONE, None)


async def duration(
    work: Work, chosen: Sequence[FactVersion], unit: str, clip: Interval | None
) -> Answer | None:
    """How long, counted on the calendar; what still holds is counted up to now, to what was known, or to the
    day that is asked about.
    """
    told = list(chosen[:TOLD_MAX])
    now = work.moment.present
    if clip is not None and Granularity.UNKNOWN < clip.granularity <= Granularity.DAY:
        now, clip = min(now, clip.start), None
    open_ended = any(fact.valid.end > now for fact in told)
    spans = [_closed(fact.valid, clip, now) for fact in told]
    known = _disjoint([span for span in spans if span is not None])
    citations = await cite_facts(work.ports, work.moment, told, work.names)
    lines = "; ".join(f"{line(work, fact)}{labels(citations, fact)}" for fact in told)
    if not known:
        text = f"Not known as of {_known(work)}: a start or an end is missing. {lines}."
        return _unknown(work, text, told)
    coarse = max(max(fact.start_granularity, _end_granularity(fact, now)) for fact in told)
    told_length = duration_in_words(known, unit, coarse)
    work.step("duration", f"{len(known)} stretches: {told_length}")
    so_far = " so far" if open_ended and (clip is None or clip.end == OPEN_END) else ""
    about = "about " if coarse > Granularity.DAY and not unit else ""
    text = f"{about}{told_length}{so_far}. {lines}."
    return _answer(work, [told_length], text, "", citations, told, Relation.NONE, None)


def not_known(
    work: Work, family: Sequence[FactVersion], relation: Relation, interval: Interval | None
) -> Answer:
    """The honest end: what was looked for, as of when; what is known of other times is only counted."""
    now = work.moment.valid_defaulted and relation is Relation.IN
    when = f" {_when(relation, interval)}" if interval is not None and not now else ""
    text = f"Not known as of {_known(work)}: nothing recorded answers this{when}."
    if family:
        count = len(family)
        text += f" {count} fact{'s' * (count > 1)} of the kind hold{'s' * (count == 1)} at other times."
    work.step("evidence", "none in scope")
    return _unknown(work, text, [])


def _unknown(work: Work, text: str, told: Sequence[FactVersion]) -> Answer:
    return Answer(
        outcome=Outcome.NOT_KNOWN,
        values=(),
        text=text,
        transition="",
        steps=tuple(work.steps),
        citations=(),
        facts=tuple(told),
        events=(),
        relation=Relation.NONE,
        asked=None,
        confidence=0.0,
    )


def _answer(
    work: Work,
    found: Sequence[str],
    text: str,
    transition: str,
    citations: Sequence[Cited],
    told: Sequence[FactVersion],
    relation: Relation,
    interval: Interval | None,
) -> Answer:
    sure = all(not fact.conflicted and not fact.announced for fact in told)
    return Answer(
        outcome=Outcome.ANSWERED,
        values=tuple(found),
        text=capital(text),
        transition=transition,
        steps=tuple(work.steps),
        citations=tuple(citations),
        facts=tuple(told),
        events=(),
        relation=relation,
        asked=interval,
        confidence=SURE if sure else LIKELY,
    )


def capital(text: str) -> str:
    """A capital at the start of a sentence that begins with one of our own words, never with a name."""
    return text[0].upper() + text[1:] if text.startswith(("the ", "about ")) else text


def _known(work: Work) -> str:
    return date_in_words(work.moment.known_at, Granularity.DAY)


def _when(relation: Relation, interval: Interval) -> str:
    words = asked_in_words(interval)
    if relation is Relation.IN:
        at_day = interval.granularity is not Granularity.UNKNOWN and interval.granularity <= Granularity.DAY
        return f"on {words}" if at_day else f"in {words}"
    return f"{relation.value} {words}"


def labels(citations: Sequence[Cited], fact: FactVersion) -> str:
    labels = [cited.label for cited in citations if cited.fact_id == fact.version_id]
    return "".join(f" [{label}]" for label in labels)


def _before(work: Work, told: Sequence[FactVersion], family: Sequence[FactVersion]) -> list[FactVersion]:
    """What an exclusive fact took the place of, when one fact is told."""
    registry = work.ports.registry
    if len(told) != 1 or not registry.policy(told[0].predicate).is_exclusive(told[0].qualifiers):
        return []
    ended = [
        fact
        for fact in coalesced(family)
        if fact.key == told[0].key and fact.valid.end <= told[0].valid.start
    ]
    return ended[-1:]


def _transition(work: Work, facts: Sequence[FactVersion], slot: Slot) -> str:
    """ "until D: A; since D: B": facts of one key in order of time."""
    ordered = sorted(facts, key=lambda fact: fact.valid.start)
    if len(ordered) < 2 or len({fact.key for fact in ordered}) != 1:
        return ""
    turns = (_turn(work, fact, slot, first=index == 0) for index, fact in enumerate(ordered))
    return "; ".join(turns)


def _turn(work: Work, fact: FactVersion, slot: Slot, *, first: bool) -> str:
    name = value_of(work, fact, slot)
    since = date_in_words(fact.valid.start, fact.start_granularity)
    until = date_in_words(fact.valid.end, fact.end_granularity)
    if fact.valid.end == OPEN_END:
        return f"{'from' if fact.valid.start > work.moment.now else 'since'} {since}: {name}"
    return f"until {until}: {name}" if first else f"from {since} until {until}: {name}"


def caveats(work: Work, told: Sequence[FactVersion]) -> str:
    """What is to be said of how well the told facts are known, as sentences with a space before each."""
    parts = []
    if any(fact.conflicted for fact in told):
        parts.append("Other sources of equal rank say otherwise.")
    if any(fact.announced and fact.valid.end > work.moment.now for fact in told):
        parts.append("It was announced and is not confirmed.")
    return "".join(f" {part}" for part in parts)


def excluded(family: Sequence[FactVersion], interval: Interval) -> bool:
    """Whether the known facts say that it did not hold then: each ended before it or began after it."""
    return bool(family) and all(
        fact.valid.end <= interval.start or (fact.start_known and fact.valid.start >= interval.end)
        for fact in family
    )


def _time_value(fact: FactVersion, asked: Asked) -> str:
    start = date_in_words(fact.valid.start, fact.start_granularity) if _told(fact.valid.start) else ""
    end = date_in_words(fact.valid.end, fact.end_granularity) if _told(fact.valid.end) else ""
    if asked is Asked.START:
        return start
    if asked is Asked.END:
        return end
    if start and end and start != end:
        return f"from {start} until {end}"
    return f"since {start}" if start and not end else end or start


def _told(instant: int) -> bool:
    return instant not in (OPEN_START, OPEN_END)


def _closed(span: Interval, clip: Interval | None, now: int) -> Interval | None:
    """The stretch that counts, or None when a side of it is not known."""
    end = min(span.end, now) if span.end == OPEN_END or span.end > now else span.end
    if clip is not None:
        start, end = max(span.start, clip.start), min(end, clip.end)
    else:
        start = span.start
    return Interval(start, end) if OPEN_START < start < end < OPEN_END else None


def _disjoint(spans: Sequence[Interval]) -> list[Interval]:
    found: list[Interval] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Interval(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def _end_granularity(fact: FactVersion, now: int) -> Granularity:
    return fact.end_granularity if fact.valid.end <= now else Granularity.DAY
