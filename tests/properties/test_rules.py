"""Belief under policies and decisions that change over recorded time, in random worlds."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.properties.test_belief import apply
from tests.properties.worlds import seeded_world
from tests.unit.domain.claims import MANY, ONE, SETTING

from tidegraph.domain.belief import history, plan, replan
from tidegraph.domain.canonical import content_of, dump
from tidegraph.domain.evidence import value_of
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import OPEN_START
from tidegraph.domain.policies import KeyPolicy
from tidegraph.domain.rules import Choice, KeyRules, choices_over_time
from tidegraph.domain.slots import resolve

INSTANTS = range(12)


def rules(rng: random.Random, ids: list[str], policy: object) -> tuple[KeyRules, list[Choice]]:
    """A policy that may change twice, and some decisions, some of them taken back."""
    changes = sorted(rng.sample(range(2, 10), rng.randrange(3)))
    kinds = [policy, *(rng.choice([ONE, SETTING, MANY]) for _ in changes)]
    choices = [
        Choice(rng.randrange(1, 11), f"c{number}", rng.choice([*ids, ""]), rng.random() < 0.3)
        for number in range(rng.randrange(4))
    ]
    policies = tuple(zip((OPEN_START, *changes), kinds, strict=True))
    return KeyRules(policies, choices_over_time(choices)), choices  # type: ignore[arg-type]


def standing_for(choice: str, claims: list[Assertion], policy: KeyPolicy, known_at: int) -> list[str]:
    """The chosen claim, or once that is withdrawn what its document says in the same words."""
    counting = [claim for claim in claims if claim.recorded_at <= known_at < claim.withdrawn_at]
    for claim in claims:
        if claim.assertion_id == choice and claim in counting:
            return [choice]
        if claim.assertion_id == choice and claim.recorded_at <= known_at:
            same = (claim.document_id, claim.valid.start, value_of(claim, policy))
            return sorted(
                other.assertion_id
                for other in counting
                if (other.document_id, other.valid.start, value_of(other, policy)) == same
            )
    return []


@pytest.mark.parametrize("count", [250, pytest.param(20_000, marks=pytest.mark.slow)])
def test_at_every_instant_belief_is_what_the_rules_of_that_instant_make_of_it(seed: int, count: int) -> None:
    for number in range(seed, seed + count):
        rng = random.Random(number)
        claims, turns, policy = seeded_world(number)
        found, _ = rules(rng, [claim.assertion_id for claim in claims], policy)
        versions = history(claims, turns, found)
        for known_at in INSTANTS:
            at, choices = found.at(known_at)
            chosen = [id_ for choice in choices for id_ in standing_for(choice, claims, at, known_at)]
            wanted = resolve(
                [claim for claim in claims if claim.recorded_at <= known_at < claim.withdrawn_at],
                [turn for turn in turns if turn.recorded_at <= known_at < turn.withdrawn_at],
                at,
                chosen,
            )
            known = [content_of(version)[1] for version in versions if version.recorded.contains(known_at)]
            assert sorted(map(repr, known)) == sorted(map(repr, wanted)), (number, known_at)


@pytest.mark.parametrize("count", [250, pytest.param(10_000, marks=pytest.mark.slow)])
def test_decisions_in_any_order_end_in_the_same_history(seed: int, count: int) -> None:
    for number in range(seed, seed + count):
        rng = random.Random(number)
        claims, turns, policy = seeded_world(number)
        whole, choices = rules(rng, [claim.assertion_id for claim in claims], policy)
        stored: dict[str, FactVersion] = {}
        steps = [*choices, *range(len(whole.policies) - 1)]
        rng.shuffle(steps)
        policies, made = [whole.policies[0]], []
        for step in [None, *steps]:
            since = OPEN_START
            if isinstance(step, Choice):
                made.append(step)
                since = step.recorded_at
            elif step is not None:
                policies = sorted([*policies, whole.policies[step + 1]], key=lambda each: each[0])
                since = whole.policies[step + 1][0]
            now = KeyRules(tuple(policies), choices_over_time(made))
            apply(stored, replan(stored.values(), claims, turns, now, since))
            assert plan(stored.values(), history(claims, turns, now)).is_empty
        assert dump(stored.values()) == dump(history(claims, turns, whole))


def test_a_choice_wins_its_slot_at_its_own_start(seed: int) -> None:
    """Whatever else is told, a claim that states its start and is chosen holds where it begins."""
    held = 0
    for number in range(seed, seed + 300):
        claims, turns, policy = seeded_world(number)
        if not policy.exclusive:
            continue
        told = [
            claim
            for claim in claims
            if claim.object and not claim.register and claim.valid.start > OPEN_START
        ]
        told = [claim for claim in told if claim.verb.name in ("START", "CHANGE")]
        # A period that ends before it begins holds nowhere, chosen or not.
        told = [c for c in told if c.status.name == "ASSERTED" and c.valid.end > c.valid.start]
        if not told:
            continue
        chosen = replace(told[0], withdrawn_at=1 << 62, recorded_at=0, qualifiers=())
        others = [claim for claim in claims if claim.assertion_id != chosen.assertion_id]
        spans = resolve([*others, chosen], turns, policy, [chosen.assertion_id])
        mine = [span for span in spans if span.object == chosen.object]
        opened = [span for span in mine if span.valid.start == chosen.valid.start]
        held += bool(opened)
        assert not any(span.conflicted for span in opened), number
    assert held > 50
