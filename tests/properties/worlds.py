"""Small worlds of claims under one key, for hypothesis."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import strategies as st
from tests.unit.domain.claims import MANY, ONE, SETTING, when
from tests.unit.domain.claims import World as Told

from tidegraph.domain.documents import EndpointBasis, Status, ValidTime, Verb
from tidegraph.domain.facts import Assertion, Revision
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Granularity
from tidegraph.domain.policies import KeyPolicy

DATES = (
    "2000",
    "2000-02",
    "2000-02-10",
    "2001",
    "2001-06",
    "2001-06-15",
    "2002",
    "2002-01-01",
    "2003",
    "2003-05",
)
BUSY_DATES = tuple(
    f"{year}{rest}"
    for year in range(1999, 2007)
    for rest in ("", "-01", "-02", "-06", "-12", "-01-01", "-01-10", "-02-10", "-06-01", "-06-10")
)
STATUSES = (Status.ASSERTED,) * 6 + (Status.PLANNED, Status.DENIED, Status.REPORTED, Status.CEASED)
VERBS = (Verb.START,) * 4 + (Verb.STOP, Verb.STOP, Verb.STATE, Verb.STATE, Verb.CHANGE, Verb.CORRECTION)

World = tuple[list[Assertion], list[Revision], KeyPolicy]


@st.composite
def valid_times(draw: st.DrawFn, stop: bool) -> ValidTime:
    start, end = OPEN_START, OPEN_END
    start_grain = end_grain = Granularity.UNKNOWN
    start_basis = end_basis = EndpointBasis.NONE
    if draw(st.integers(0, 9)) < (3 if stop else 9):
        start, start_grain = when(draw(st.sampled_from(DATES)))
        start_basis = draw(
            st.sampled_from([EndpointBasis.STATED, EndpointBasis.STATED, EndpointBasis.OBSERVED])
        )
    if draw(st.integers(0, 9)) < (9 if stop else 3):
        end, end_grain = when(draw(st.sampled_from(DATES)))
        end_basis = draw(
            st.sampled_from([EndpointBasis.STATED, EndpointBasis.STATED, EndpointBasis.OBSERVED])
        )
    if start != OPEN_START and end != OPEN_END and end_basis is EndpointBasis.OBSERVED and end <= start:
        end = start + 1  # seen until is never before seen
    return ValidTime(start, end, start_grain, end_grain, start_basis, end_basis)


@st.composite
def assertions(draw: st.DrawFn, number: int, values: str) -> Assertion:
    verb, status = draw(st.sampled_from(VERBS)), draw(st.sampled_from(STATUSES))
    document = draw(st.sampled_from(["news", "blog", "register"]))
    told = (
        draw(st.sampled_from([*DATES[::3], None]))
        if document != "register"
        else draw(st.sampled_from(DATES[::3]))
    )
    nameless = verb is Verb.STOP and draw(st.integers(0, 3)) == 0
    return Assertion(
        assertion_id=f"a{number}",
        key="k",
        subject="acme",
        predicate="p",
        object="" if nameless else draw(st.sampled_from(values)),
        object_is_entity=True,
        qualifiers=(("shared", "yes"),) if draw(st.integers(0, 5)) == 0 else (),
        valid=draw(valid_times(verb is Verb.STOP or status is Status.CEASED)),
        verb=verb,
        status=status,
        confidence=draw(st.sampled_from([0.5, 1.0])),
        source="s",
        source_priority=draw(st.sampled_from([0, 0, 1])),
        document_id=document,
        revision=str(told),
        document_time=when(told)[0],
        register=document == "register",
        labels=(),
        event_id="",
        start_char=0,
        end_char=0,
        rule_id="",
        recorded_at=0,
        withdrawn_at=OPEN_END,
    )


@st.composite
def lifetimes(draw: st.DrawFn) -> tuple[int, int]:
    start = draw(st.integers(1, 6))
    return start, draw(st.sampled_from([OPEN_END] * 4 + [start, start + 1, start + 3]))


@st.composite
def worlds(draw: st.DrawFn, most: int = 7) -> World:
    """Claims with recorded lifetimes, the register's revisions, and a policy."""
    policy = draw(st.sampled_from([ONE, ONE, SETTING, MANY]))
    values = "abc" if policy.exclusive else "a"
    claims = []
    for number in range(draw(st.integers(0, most))):
        born, gone = draw(lifetimes())
        claims.append(replace(draw(assertions(number, values)), recorded_at=born, withdrawn_at=gone))
    turns = []
    for told in draw(st.lists(st.sampled_from(DATES[::3]), max_size=3, unique=True)):
        born, gone = draw(lifetimes())
        turns.append(Revision("register", told, when(told)[0], True, born, gone))
    return claims, turns, policy


def seeded_world(seed: int) -> World:
    """A world that follows from a seed alone: quicker to make than by hypothesis, and denser.

    One in three is plain (starts and stops that are simply told), one in three is told at one go.
    """
    rng = random.Random(seed)
    plain, at_once = rng.random() < 0.33, rng.random() < 0.33
    policy = rng.choice([ONE, ONE, SETTING, MANY])
    values = "abc" if policy.exclusive else "a"
    count = rng.randint(2, 9)
    claims = []
    for number in range(count):
        claim = _seeded_claim(rng, number, rng.choice(values), plain)
        if not at_once:
            born = rng.randint(1, 6)
            gone = rng.choice([OPEN_END] * 4 + [born, born + 1, born + 3])
            claim = replace(claim, recorded_at=born, withdrawn_at=gone)
        claims.append(claim)
    turns = []
    for told in rng.sample(DATES[::3], 0 if plain else rng.randint(0, 3)):
        born = rng.randint(1, 6)
        gone = rng.choice([OPEN_END] * 4 + [born + 2])
        turns.append(Revision("register", told, when(told)[0], True, born, gone))
    return claims, turns, policy


def register_world(seed: int) -> World:
    """A seeded world in which a register with all its revisions says everything, and seldom denies."""
    claims, _, policy = seeded_world(seed)
    rng = random.Random(seed)
    pages = DATES[::3]
    claims = [
        replace(
            claim, document_id="register", register=True, document_time=when(rng.choice(pages))[0],
            status=rng.choice([Status.ASSERTED, Status.PLANNED, Status.PLANNED, claim.status]),
        )
        for claim in claims
    ]  # fmt: skip
    return claims, [Revision("register", told, when(told)[0], True, 1, OPEN_END) for told in pages], policy


def _seeded_claim(rng: random.Random, number: int, value: str, plain: bool) -> Assertion:
    verb = rng.choice([Verb.START, Verb.START, Verb.STOP] if plain else VERBS)
    status = Status.ASSERTED if plain else rng.choice(STATUSES)
    document = "news" if plain else rng.choice(["news", "blog", "register"])
    told = rng.choice([*DATES[::3], *([] if document == "register" else [None])])
    stop = verb is Verb.STOP or status is Status.CEASED
    return Assertion(
        assertion_id=f"a{number}",
        key="k",
        subject="acme",
        predicate="p",
        object="" if verb is Verb.STOP and rng.random() < 0.2 else value,
        object_is_entity=True,
        qualifiers=(("shared", "yes"),) if rng.random() < (0.05 if plain else 0.15) else (),
        valid=_seeded_time(rng, stop, plain),
        verb=verb,
        status=status,
        confidence=rng.choice([0.5, 1.0]),
        source="s",
        source_priority=rng.choice([0, 0, 1]),
        document_id=document,
        revision=str(told),
        document_time=when(told)[0],
        register=document == "register",
        labels=(),
        event_id="",
        start_char=0,
        end_char=0,
        rule_id="",
        recorded_at=1,
        withdrawn_at=OPEN_END,
    )


def _seeded_time(rng: random.Random, stop: bool, plain: bool) -> ValidTime:
    start, end = OPEN_START, OPEN_END
    start_grain = end_grain = Granularity.UNKNOWN
    start_basis = end_basis = EndpointBasis.NONE
    bases = [EndpointBasis.STATED] * 3 + [EndpointBasis.OBSERVED] * (not plain)
    if rng.random() < (0.1 if stop else 0.95):
        start, start_grain = when(rng.choice(DATES))
        start_basis = rng.choice(bases)
    if rng.random() < (0.95 if stop else 0.2):
        end, end_grain = when(rng.choice(DATES))
        end_basis = rng.choice(bases)
    if start != OPEN_START and end != OPEN_END and end_basis is EndpointBasis.OBSERVED:
        end = max(end, start + 1)
    return ValidTime(start, end, start_grain, end_grain, start_basis, end_basis)


def busy_world(seed: int) -> tuple[list[Assertion], KeyPolicy]:
    """Many claims about one key, in the order in which they are recorded, most of them simply told.

    Starts are stated or seen, ends stated or seen, alone or with a start; times tie and periods nest.
    """
    rng = random.Random(seed)
    policy = rng.choice([ONE, ONE, SETTING, MANY])
    values = "abcdefghijklmnopqrst"[: rng.choice([3, 5, 10, 20])] if policy.exclusive else "a"
    dates = rng.choice([DATES, BUSY_DATES, BUSY_DATES])
    odd = rng.choice([0, 0, 0.04, 0.15])
    count = rng.randint(6, 24)
    return [_busy_claim(rng, number, rng.choice(values), dates, odd) for number in range(count)], policy


def _busy_claim(rng: random.Random, number: int, value: str, dates: tuple[str, ...], odd: float) -> Assertion:
    """One claim; with the probability ``odd`` of a kind that works beyond its own times."""
    verb = rng.choice([Verb.START] * 5 + [Verb.STOP] * 3 + [Verb.STATE, Verb.CHANGE])
    status = rng.choice([Status.ASSERTED] * 6 + [Status.REPORTED, Status.CEASED])
    kind = rng.choice(["planned", "denied", "unnamed", "shared", "other"]) if rng.random() < odd else ""
    if kind in ("planned", "denied"):
        status = Status.PLANNED if kind == "planned" else Status.DENIED
    if kind == "unnamed":
        value, verb = "", Verb.STOP
    if kind == "other":
        verb = rng.choice([Verb.CORRECTION, Verb.STATE])
    claim = Told().tell(
        value,
        verb=verb,
        status=status,
        told=rng.choice(dates) if rng.random() < 0.8 else None,
        document=rng.choice(["news", "blog"]),
        shared=kind == "shared",
        priority=rng.choice([0, 0, 1]),
        confidence=rng.choice([0.4, 0.5, 1.0]),
        recorded=number + 1,
    )
    valid = _busy_time(rng, dates, verb is Verb.STOP or status is Status.CEASED)
    if kind == "other" and verb is Verb.STATE:
        valid = ValidTime(
            OPEN_START,
            OPEN_END,
            Granularity.UNKNOWN,
            Granularity.UNKNOWN,
            EndpointBasis.NONE,
            EndpointBasis.NONE,
        )
    return replace(claim, assertion_id=f"a{number:03d}", valid=valid)


def _busy_time(rng: random.Random, dates: tuple[str, ...], stop: bool) -> ValidTime:
    start, end = OPEN_START, OPEN_END
    start_grain = end_grain = Granularity.UNKNOWN
    start_basis = end_basis = EndpointBasis.NONE
    if not stop or rng.random() < 0.15:
        start, start_grain = when(rng.choice(dates))
        start_basis = rng.choice([EndpointBasis.STATED] * 4 + [EndpointBasis.OBSERVED])
    if stop or rng.random() < 0.25:
        end, end_grain = when(rng.choice(dates))
        end_basis = rng.choice([EndpointBasis.STATED] * 3 + [EndpointBasis.OBSERVED])
        if end <= start and rng.random() < 0.8:
            end = start + MICROS_PER_DAY * rng.choice([1, 30, 400])
        if end <= start and end_basis is EndpointBasis.OBSERVED:
            end = start + 1
    return ValidTime(start, end, start_grain, end_grain, start_basis, end_basis)


def long_world(seed: int) -> tuple[list[Assertion], KeyPolicy]:
    """Many claims about one key, spread over a year: a value is mostly told near its own time.

    Among what is simply told are plans, denials and stops that do not say whose they are.
    """
    rng = random.Random(seed)
    policy = rng.choice([ONE, ONE, SETTING, MANY])
    spread, reach, odd = rng.choice([2, 8]), rng.choice([2, 4, 40]), rng.choice([0.05, 0.15, 0.3])
    first = when("2001-01-01")[0]
    claims = []
    for number in range(rng.randint(12, 36)):
        day = number * 4 + rng.randint(-spread, spread)
        value = f"v{max(0, number - rng.randrange(reach)) // 2}"
        told = first + (day + rng.choice([-9, 0, 0, 0, 9])) * MICROS_PER_DAY
        kind = rng.choice(["planned", "denied", "unnamed"]) if rng.random() < odd else ""
        verb = rng.choice([Verb.START] * 6 + [Verb.STOP] * 2 + [Verb.STATE])
        verb = Verb.STOP if kind == "unnamed" else verb
        status = rng.choice([Status.ASSERTED] * 6 + [Status.REPORTED])
        status = {"planned": Status.PLANNED, "denied": Status.DENIED}.get(kind, status)
        nameless = kind == "unnamed" or (kind == "denied" and rng.random() < 0.2)
        claims.append(
            replace(
                Told().tell("" if nameless else value, verb=verb, status=status, recorded=number + 1),
                assertion_id=f"a{number:03d}",
                valid=_near(rng, first + day * MICROS_PER_DAY, verb is Verb.STOP),
                source_priority=rng.choice([0, 0, 1]),
                confidence=rng.choice([0.4, 1.0]),
                document_time=told,
            )
        )
    if rng.random() < 0.5:
        order = rng.sample(range(len(claims)), len(claims))
        claims = [replace(claims[place], recorded_at=at) for at, place in enumerate(order, start=1)]
    return claims, policy


def _near(rng: random.Random, time: int, stop: bool) -> ValidTime:
    """A start at a time, now and then with an end soon after it; or an end alone."""
    grain = rng.choice([Granularity.DAY] * 6 + [Granularity.MONTH, Granularity.MICROSECOND])
    basis = rng.choice([EndpointBasis.STATED] * 5 + [EndpointBasis.OBSERVED])
    if stop:
        return ValidTime(OPEN_START, time, Granularity.UNKNOWN, grain, EndpointBasis.NONE, basis)
    if rng.random() < 0.8:
        return ValidTime(time, OPEN_END, grain, Granularity.UNKNOWN, basis, EndpointBasis.NONE)
    end = time + rng.randint(1, 9) * MICROS_PER_DAY
    return ValidTime(time, end, grain, Granularity.DAY, basis, rng.choice([EndpointBasis.STATED, basis]))
