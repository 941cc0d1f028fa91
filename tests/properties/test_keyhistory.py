"""A key kept up to date claim by claim against the whole computed anew."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.properties.scale import SLOW
from tests.properties.test_belief import apply
from tests.properties.worlds import busy_world, long_world, seeded_world
from tests.unit.domain.claims import MANY, ONE, World, spans

from tidegraph.domain import keyhistory
from tidegraph.domain.belief import history, plan
from tidegraph.domain.canonical import dump
from tidegraph.domain.documents import EndpointBasis, Status, Verb
from tidegraph.domain.errors import Bug
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START
from tidegraph.domain.keyhistory import KeyHistory
from tidegraph.domain.policies import KeyPolicy


def busy_key(rng: random.Random, count: int, policy: KeyPolicy, values: int, spread: int) -> list[Assertion]:
    """Claims as a busy key gets them: mostly in the order of time, some late, some restated, some ended."""
    world = World(policy)
    model = world.tell("v0", "2000-01-01")
    claims = []
    for number in range(count):
        day = number * 3 + rng.randint(-spread, spread)
        start = model.valid.start + day * MICROS_PER_DAY
        verb = rng.choice([Verb.START] * 5 + [Verb.STATE, Verb.STOP])
        valid = replace(model.valid, start=start)
        if verb is Verb.STATE:
            valid = replace(valid, start_basis=EndpointBasis.OBSERVED)
        if verb is Verb.STOP:
            valid = replace(
                model.valid, start=-(1 << 62), end=start, start_basis=EndpointBasis.NONE,
                end_basis=EndpointBasis.STATED, end_granularity=model.valid.start_granularity,
            )  # fmt: skip
        elif rng.random() < 0.1:
            end = start + rng.randint(1, 9) * MICROS_PER_DAY
            grain = model.valid.start_granularity
            valid = replace(valid, end=end, end_basis=EndpointBasis.STATED, end_granularity=grain)
        claims.append(
            replace(
                model,
                assertion_id=f"b{number:05d}",
                object=f"v{rng.randrange(values)}",
                valid=valid,
                verb=verb,
                document_time=start,
                source_priority=rng.choice([0, 0, 0, 1]),
                recorded_at=10 + number - (number % 3 == 0),
            )
        )
    return sorted(claims, key=lambda claim: claim.recorded_at)


def check(claims: list[Assertion], policy: KeyPolicy, step: int) -> None:
    """Feed claims one by one and compare with the whole at every ``step`` and at the end."""
    keeper = KeyHistory([], [], policy, [])
    stored: dict[str, FactVersion] = {}
    for number, claim in enumerate(claims, start=1):
        apply(stored, keeper.add(claim))
        if number % step == 0 or number == len(claims):
            target = history(claims[:number], [], policy)
            assert dump(stored.values()) == dump(target)
            assert dump(keeper.versions()) == dump(target)
            assert plan(stored.values(), target).is_empty


@pytest.mark.parametrize("values", [1, 3, 40])
@pytest.mark.parametrize("spread", [0, 4, 60])
def test_keeping_up_equals_computing_anew(seed: int, values: int, spread: int) -> None:
    policy = MANY if values == 1 else ONE
    for number in range(seed, seed + (60 if SLOW else 3)):
        rng = random.Random(number)
        check(busy_key(rng, 50, policy, values, spread), policy, 9 if not SLOW else 3)


@pytest.mark.parametrize("count", [200, pytest.param(20_000, marks=pytest.mark.slow)])
def test_keeping_up_holds_in_worlds_of_every_kind(seed: int, count: int) -> None:
    for number in range(seed, seed + count):
        claims, _, policy = seeded_world(number)
        claims = [replace(claim, withdrawn_at=OPEN_END) for claim in claims]
        check(sorted(claims, key=lambda claim: claim.recorded_at), policy, 1)


@pytest.mark.parametrize("number", [808239244])
def test_keeping_up_holds_in_worlds_that_once_failed(number: int) -> None:
    claims, _, policy = seeded_world(number)
    claims = [replace(claim, withdrawn_at=OPEN_END) for claim in claims]
    check(sorted(claims, key=lambda claim: claim.recorded_at), policy, 1)


def keeps_up(claims: list[Assertion], policy: KeyPolicy, known: int = 0) -> int:
    """Feed claims that were recorded one by one: what was believed after each is what the whole gives, in
    every mark. The first of them are ``known`` from the start.

    The most blocks that the key was cut into.
    """
    claims = sorted(claims, key=lambda claim: claim.recorded_at)
    keeper = KeyHistory(claims[:known], [], policy, history(claims[:known], [], policy))
    most = 0
    for claim in claims[known:]:
        keeper.add(claim)
        most = max(most, keeper.block_count)
    assert dump(keeper.versions()) == dump(history(claims, [], policy))
    return most


@pytest.mark.parametrize(
    ("made", "count"),
    [
        (busy_world, 70),
        (long_world, 70),
        pytest.param(busy_world, 5_000, marks=pytest.mark.slow),
        pytest.param(long_world, 2_000, marks=pytest.mark.slow),
    ],
)
def test_keeping_up_holds_however_finely_a_key_is_cut(
    seed: int,
    made: Callable[[int], tuple[list[Assertion], KeyPolicy]],
    count: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = 0
    for number in range(seed, seed + count):
        monkeypatch.setattr(keyhistory, "BLOCK_CLAIMS", 2 + number % 7)
        claims, policy = made(number)
        most = max(most, keeps_up(claims, policy, number % 3 * len(claims) // 4))
    assert most > 2


@pytest.mark.parametrize(
    ("made", "size", "number"),
    [
        (busy_world, 3, 359),
        (busy_world, 3, 484),
        (busy_world, 3, 543),
        (busy_world, 3, 585),
        (long_world, 8, 1441),
    ],
)
def test_keys_that_were_once_cut_wrongly(
    made: Callable[[int], tuple[list[Assertion], KeyPolicy]],
    size: int,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keyhistory, "BLOCK_CLAIMS", size)
    assert keeps_up(*made(number)) > 1


@pytest.mark.parametrize("observed", [True, False])
def test_what_is_seen_for_a_while_goes_on_as_it_had_before(
    observed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That c held in 2005 says less than that it had begun: it goes on, however far back that was told."""
    monkeypatch.setattr(keyhistory, "BLOCK_CLAIMS", 2)
    world = World(ONE)
    for year, value in enumerate("bcaxyzw", start=2001):
        world.tell(value, str(year))
    if observed:
        world.tell("c", "2015", seen_until="2016")
    else:
        world.tell("w", "2014", "2020")
        world.tell("c", "2015", "2018")
        world.tell("x", "2016")
        world.tell("c", "2017")
    assert keeps_up(world.assertions, ONE) > 1


def test_a_plan_is_called_off_however_far_back_its_value_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """An end of v before anybody knew it to begin calls off a plan for it: the two are never cut apart."""
    monkeypatch.setattr(keyhistory, "BLOCK_CLAIMS", 2)
    world = World(ONE)
    world.tell("v", end="2001", verb=Verb.STOP, told="2020")
    for year, value in enumerate("abcvw", start=2002):
        world.tell(value, str(year), told="2006")
    world.tell("v", "2008", told="2006", status=Status.PLANNED)
    world.tell("x", "2010", told="2006")
    world.tell("", end="2009", verb=Verb.STOP)
    world.tell("y", "2012")
    keeps_up(world.assertions, ONE)
    assert [value for value, since, _ in spans(world.now()) if since >= "2005"] == ["v", "w", "x", "y"]


def test_evidence_must_come_in_recorded_order() -> None:
    world = World()
    newer, older = world.tell("a", "2010", recorded=5), world.tell("b", "2011", recorded=4)
    keeper = KeyHistory([], [], ONE, [])
    keeper.add(newer)
    with pytest.raises(Bug):
        keeper.add(older)


ODD = {
    "plain": lambda claim: claim,
    "planned": lambda claim: replace(claim, status=Status.PLANNED),
    "denied": lambda claim: replace(claim, status=Status.DENIED),
    "unnamed": lambda claim: replace(
        claim,
        object="",
        verb=Verb.STOP,
        valid=replace(
            claim.valid, start=OPEN_START, end=claim.valid.start, start_basis=EndpointBasis.NONE,
            end_basis=EndpointBasis.STATED, end_granularity=claim.valid.start_granularity,
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_newest_claim_of_a_busy_key_costs_little(rng: random.Random, count: int, kind: str) -> None:
    """However many there are, and whatever kind a few of them are of."""
    claims = [
        replace(claim, object=f"v{number}", recorded_at=max(1, number - count))
        for number, claim in enumerate(busy_key(rng, count + 20, ONE, 9, 0))
        if claim.verb is Verb.START or number < count
    ]
    known = [claim for claim in claims if claim.recorded_at == 1]
    starts = [place for place, claim in enumerate(known) if claim.verb is Verb.START]
    for place in starts[:: len(starts) // 3]:
        known[place] = ODD[kind](known[place])
    keeper = KeyHistory(known, [], ONE, history(known, [], ONE))
    spent = []
    for claim in claims[len(known) :]:
        started = time.thread_time()
        assert not keeper.add(claim).is_empty
        spent.append(time.thread_time() - started)
    assert spent
    assert sorted(spent)[len(spent) // 2] < 0.005  # a millisecond or less on an idle machine
