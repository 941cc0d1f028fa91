"""Belief against the oracle, on both axes, and the laws that hold of every history."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.oracle import Oracle
from tests.properties.scale import examples
from tests.properties.worlds import World, register_world, seeded_world, worlds

from tidegraph.domain.belief import Plan, history, plan, replan
from tidegraph.domain.canonical import coalesce, content_hash, dump, valid_time_dump
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START

FIRST_WORLD = os.environ.get("ORACLE_SEED")
WORLDS = int(os.environ.get("ORACLE_WORLDS", "40000"))
"""Of each of four shards in the slow suite: about 130 seconds of CPU time."""


def instants(world: World, versions: tuple[FactVersion, ...]) -> list[int]:
    """Every instant of the world at which something could change, and one beside each."""
    claims, turns, _ = world
    edges = {edge for claim in claims for edge in (claim.valid.start, claim.valid.end)}
    edges |= {turn.document_time for turn in turns}
    edges |= {edge for version in versions for edge in (version.valid.start, version.valid.end)}
    edges -= {OPEN_START, OPEN_END}
    return sorted({at for edge in edges for at in (edge - 1, edge, edge + 1)} | {0, 1 << 55})


def disagreement(world: World) -> tuple[int, int, list[str], set[str]] | None:
    """The first pair of instants (known_at, valid_at) at which history and oracle differ."""
    claims, turns, policy = world
    versions = history(claims, turns, policy)
    edges = {edge for item in (*claims, *turns) for edge in (item.recorded_at, item.withdrawn_at)}
    for known_at in sorted(edges - {OPEN_END}):
        live = [claim for claim in claims if claim.recorded_at <= known_at < claim.withdrawn_at]
        shown = [turn for turn in turns if turn.recorded_at <= known_at < turn.withdrawn_at]
        oracle = Oracle(live, shown, policy)
        believed = [version for version in versions if version.recorded.contains(known_at)]
        for valid_at in instants(world, versions):
            held = sorted(version.object for version in believed if version.valid.contains(valid_at))
            if held != sorted(oracle.values_at(valid_at)):
                return known_at, valid_at, held, oracle.values_at(valid_at)
    return None


@examples(200, 100_000)
@given(worlds())
def test_history_is_what_the_definition_says_at_every_pair_of_instants(world: World) -> None:
    assert disagreement(world) is None


def test_history_is_what_the_definition_says_in_dense_worlds(seed: int) -> None:
    for number in range(seed, seed + 1_000):
        assert disagreement(seeded_world(number)) is None, f"seeded_world({number})"


def test_history_is_what_the_definition_says_of_registers(seed: int) -> None:
    for number in range(seed, seed + 400):
        assert disagreement(register_world(number)) is None, f"register_world({number})"


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(4))
def test_history_is_what_the_definition_says_in_very_many_worlds(seed: int, shard: int) -> None:
    first = (seed if FIRST_WORLD is None else int(FIRST_WORLD)) + shard * WORLDS
    for number in range(first, first + WORLDS):
        assert disagreement(seeded_world(number)) is None, f"seeded_world({number})"


@pytest.mark.parametrize("number", [127991, 1220, 1283, 20002914])
def test_worlds_that_once_went_wrong(number: int) -> None:
    assert disagreement(seeded_world(number)) is None


@examples(300, 100_000)
@given(worlds(), st.randoms(use_true_random=False))
def test_order_and_repeats_do_not_matter(world: World, rng) -> None:
    claims, turns, policy = world
    once = history(claims, turns, policy)
    shuffled = rng.sample(claims, len(claims)) + rng.sample(claims, len(claims) // 2)
    assert history(shuffled, rng.sample(turns, len(turns)), policy) == once
    assert content_hash(once) == content_hash(reversed(once))


@examples(300, 100_000)
@given(worlds(), st.randoms(use_true_random=False))
def test_recorded_times_do_not_change_what_is_believed_in_the_end(world: World, rng) -> None:
    claims, turns, policy = world
    claims = [replace(claim, withdrawn_at=OPEN_END) for claim in claims]
    turns = [replace(turn, withdrawn_at=OPEN_END) for turn in turns]
    later = [replace(claim, recorded_at=rng.randint(1, 9)) for claim in claims]
    seen = [replace(turn, recorded_at=rng.randint(1, 9)) for turn in turns]
    assert valid_time_dump(history(later, seen, policy)) == valid_time_dump(history(claims, turns, policy))


@examples(300, 100_000)
@given(worlds(), st.integers(0, 8))
def test_nothing_recorded_later_shows_earlier(world: World, known_at: int) -> None:
    claims, turns, policy = world
    versions = history(claims, turns, policy)

    def cut(at: int) -> int:
        return at if at <= known_at else OPEN_END

    past = [replace(c, withdrawn_at=cut(c.withdrawn_at)) for c in claims if c.recorded_at <= known_at]
    turned = [replace(t, withdrawn_at=cut(t.withdrawn_at)) for t in turns if t.recorded_at <= known_at]
    before = history(past, turned, policy)

    def view(found: tuple[FactVersion, ...]) -> list[FactVersion]:
        return [replace(v, invalidated_at=0) for v in found if v.recorded.contains(known_at)]

    assert view(versions) == view(before)


@examples(200, 50_000)
@given(worlds(), st.data())
def test_a_withdrawn_source_leaves_what_would_be_without_it(world: World, data: st.DataObject) -> None:
    claims, turns, policy = world
    if not claims:
        return
    gone = data.draw(st.sampled_from(claims))
    without = [claim for claim in claims if claim is not gone]
    told = history([*without, replace(gone, withdrawn_at=20)], turns, policy)
    assert valid_time_dump(told) == valid_time_dump(history(without, turns, policy))


@examples(200, 50_000)
@given(worlds(), st.data())
def test_telling_a_claim_again_adds_no_fact(world: World, data: st.DataObject) -> None:
    claims, turns, policy = world
    if not claims:
        return
    again = replace(data.draw(st.sampled_from(claims)), assertion_id="z", withdrawn_at=OPEN_END)
    claims = [replace(claim, withdrawn_at=OPEN_END) for claim in claims]
    told = history([*claims, again], turns, policy)
    assert valid_time_dump(told) == valid_time_dump(history(claims, turns, policy))


def apply(stored: dict[str, FactVersion], writes: Plan) -> None:
    """What a store does with a plan; it refuses what would rewrite the past."""
    for version_id, at in writes.close:
        row = stored[version_id]
        assert row.recorded_at <= at < row.invalidated_at
        stored[version_id] = replace(row, invalidated_at=at)
    for version in writes.insert:
        assert version.version_id not in stored
        stored[version.version_id] = version


@examples(300, 100_000)
@given(worlds(), st.randoms(use_true_random=False))
def test_planning_step_by_step_in_any_order_arrives_at_the_history(world: World, rng) -> None:
    claims, turns, policy = world
    stored: dict[str, FactVersion] = {}
    known: dict[str, Assertion] = {}
    arrivals = [(claim, withdrawn) for claim in claims for withdrawn in (False, True)]
    for claim, withdrawn in rng.sample(arrivals, len(arrivals)):
        if withdrawn or claim.assertion_id not in known:
            known[claim.assertion_id] = claim if withdrawn else replace(claim, withdrawn_at=OPEN_END)
        target = history(known.values(), turns, policy)
        apply(stored, plan(stored.values(), target))
        assert dump(stored.values()) == dump(target)
        assert plan(stored.values(), target).is_empty
    assert dump(stored.values()) == dump(history(claims, turns, policy))


@examples(200, 50_000)
@given(worlds(), st.integers(0, 8))
def test_replanning_from_an_instant_equals_planning_all(world: World, since: int) -> None:
    claims, turns, policy = world

    def cut(at: int) -> int:
        return at if at < since else OPEN_END

    past = [replace(c, withdrawn_at=cut(c.withdrawn_at)) for c in claims if c.recorded_at < since]
    turned = [replace(t, withdrawn_at=cut(t.withdrawn_at)) for t in turns if t.recorded_at < since]
    stored = history(past, turned, policy)
    assert replan(stored, claims, turns, policy, since) == plan(stored, history(claims, turns, policy))


@examples(300, 100_000)
@given(worlds())
def test_histories_are_coalesced_and_never_contradict_themselves(world: World) -> None:
    claims, turns, policy = world
    versions = history(claims, turns, policy)
    assert coalesce(versions) == versions
    for place, one in enumerate(versions):
        assert not one.valid.is_empty
        assert one.recorded_at < one.invalidated_at
        for other in versions[place + 1 :]:
            both = one.recorded.overlaps(other.recorded) and one.valid.overlaps(other.valid)
            assert not both or one.object != other.object
