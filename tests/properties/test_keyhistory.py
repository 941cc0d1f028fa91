"""A key kept up to date claim by claim against the whole computed anew."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from tests.properties.scale import SLOW
from tests.properties.test_belief import apply
from tests.properties.worlds import busy_world, seeded_world
from tests.unit.domain.claims import MANY, ONE, World

from tidegraph.domain import keyhistory
from tidegraph.domain.belief import history, plan
from tidegraph.domain.canonical import dump
from tidegraph.domain.documents import EndpointBasis, Verb
from tidegraph.domain.errors import Bug
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END
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


def keeps_up(claims: list[Assertion], policy: KeyPolicy) -> int:
    """Feed claims that were recorded one by one: what was believed after each is what the whole gives, in
    every mark.

    The most blocks that the key was cut into.
    """
    keeper = KeyHistory([], [], policy, [])
    most = 0
    for claim in claims:
        keeper.add(claim)
        most = max(most, keeper.block_count)
    assert dump(keeper.versions()) == dump(history(claims, [], policy))
    return most


@pytest.mark.parametrize("count", [84, pytest.param(20_000, marks=pytest.mark.slow)])
def test_keeping_up_holds_however_finely_a_key_is_cut(
    seed: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 0
    for number in range(seed, seed + count):
        monkeypatch.setattr(keyhistory, "BLOCK_CLAIMS", 2 + number % 7)
        most = max(most, keeps_up(*busy_world(number)))
    assert most > 2


@pytest.mark.parametrize(("size", "number"), [(3, 359), (3, 484), (3, 543), (3, 585)])
def test_keys_that_were_once_cut_wrongly(size: int, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyhistory, "BLOCK_CLAIMS", size)
    assert keeps_up(*busy_world(number)) > 1


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


def test_evidence_must_come_in_recorded_order() -> None:
    world = World()
    newer, older = world.tell("a", "2010", recorded=5), world.tell("b", "2011", recorded=4)
    keeper = KeyHistory([], [], ONE, [])
    keeper.add(newer)
    with pytest.raises(Bug):
        keeper.add(older)


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_newest_claim_of_a_busy_key_costs_little(rng: random.Random, count: int) -> None:
    claims = [
        replace(claim, object=f"v{number}", recorded_at=max(1, number - count))
        for number, claim in enumerate(busy_key(rng, count + 20, ONE, 9, 0))
        if claim.verb is Verb.START or number < count
    ]
    known = [claim for claim in claims if claim.recorded_at == 1]
    keeper = KeyHistory(known, [], ONE, history(known, [], ONE))
    spent = []
    for claim in claims[len(known) :]:
        started = time.thread_time()
        assert not keeper.add(claim).is_empty
        spent.append(time.thread_time() - started)
    assert spent
    assert sorted(spent)[len(spent) // 2] < 0.005  # a millisecond or less on an idle machine
