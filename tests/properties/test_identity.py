"""Which ids are one: rows against the intervals that were wanted, decisions and components in any order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from tidegraph.domain import identity
from tidegraph.domain.documents import EntityType
from tidegraph.domain.identity import PairDecision, Rule, SameAs, Sighting, Tie, Tied
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.resolution.standing import Evidence, Statement, ties_at

IDS = "abcd"
pairs = st.sampled_from(list(combinations(IDS, 2)))
tieds = pairs.map(lambda p: Tied(*p, Tie.SAME, Rule.PROFILE, "", "told", ()))
wishes = st.lists(st.tuples(st.integers(0, 9), st.frozensets(tieds, max_size=4)), min_size=1, max_size=6)


def wanted_from(wish: Sequence[tuple[int, frozenset[Tied]]], since: int) -> list[tuple[Tied, Interval]]:
    """What is to be believed from each instant to the next, from ``since`` on."""
    steps = sorted(dict(wish).items())
    found = []
    for (start, rows), (end, _) in pairwise([*steps, (OPEN_END, frozenset())]):
        if end > since:
            found += [(tied, Interval(max(start, since), end)) for tied in rows]
    return found


@given(wishes, wishes)
def test_rows_say_what_is_wanted_and_planning_again_changes_nothing(
    before: list[tuple[int, frozenset[Tied]]], after: list[tuple[int, frozenset[Tied]]]
) -> None:
    stored: dict[str, SameAs] = {}
    for wish in (before, after):
        insert, close = identity.plan(stored.values(), wanted_from(wish, 0), 0)
        assert all(at <= stored[row_id].invalidated_at for row_id, at in close)
        stored = identity.apply(stored, insert, close)
        said = identity.coalesced(stored.values())
        aim = identity.coalesced([identity.row(t, i) for t, i in wanted_from(wish, 0)])
        assert said == aim
        assert identity.plan(stored.values(), wanted_from(wish, 0), 0) == ((), ())


@given(wishes, wishes, st.integers(0, 9))
def test_what_was_believed_before_a_change_stays(
    before: list[tuple[int, frozenset[Tied]]], after: list[tuple[int, frozenset[Tied]]], since: int
) -> None:
    first = identity.apply({}, *identity.plan((), wanted_from(before, 0), 0))
    second = identity.apply(first, *identity.plan(first.values(), wanted_from(after, since), since))
    for instant in range(10):
        told = {row.tied for row in identity.believed(second.values(), instant)}
        rows = first if instant < since else second
        assert told == {row.tied for row in identity.believed(rows.values(), instant)}


decisions = st.lists(
    st.builds(
        lambda pair, same, at, number: PairDecision(
            f"c{number}", *pair, same, Rule.OPERATOR, "ann", "because", at
        ),
        pairs,
        st.booleans(),
        st.integers(0, 5),
        st.integers(0, 99),
    ),
    max_size=8,
)


@given(decisions, st.randoms(use_true_random=False), st.integers(0, 6))
def test_decisions_hold_in_any_order_and_never_join_what_they_part(
    told: list[PairDecision], rng: object, known_at: int
) -> None:
    shuffled = list(told)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    groups = identity.decided_groups(told, known_at)
    assert groups == identity.decided_groups(shuffled, known_at)
    sets = identity.components(IDS, [(one.left, one.right) for group in groups for one in group])
    for decision in identity.in_force(told, known_at):
        if not decision.same:
            assert sets[decision.left] != sets[decision.right]


NAMES = {"a": "Acme", "b": "Acme Works", "c": "Birch", "d": "Birch Limited Works"}


def sighting(entity_id: str, at: int) -> Sighting:
    named = ((int(EntityType.ORGANISATION), NAMES[entity_id]),)
    return Sighting(entity_id, f"d{at}", named, (), (), (), OPEN_START, at)


statements = st.lists(
    st.builds(
        lambda pair, start, length: Statement(
            pair[0], NAMES[pair[1]].lower(), OPEN_START, "doc", (), start, start + length
        ),
        pairs,
        st.integers(0, 5),
        st.integers(1, 5),
    ),
    max_size=4,
)


@given(decisions, statements, st.integers(0, 9), st.randoms(use_true_random=False))
def test_a_component_is_a_function_of_its_evidence(
    told: list[PairDecision], said: list[Statement], known_at: int, rng: object
) -> None:
    sightings = {id_: [sighting(id_, place)] for place, id_ in enumerate(IDS)}
    first = ties_at(IDS, Evidence(sightings, tuple(said), tuple(told)), known_at)
    for listed in (told, said):
        rng.shuffle(listed)  # type: ignore[attr-defined]
    again = dict(sorted(sightings.items(), reverse=True))
    second = ties_at(reversed(IDS), Evidence(again, tuple(said), tuple(told)), known_at)
    assert sorted(map(repr, first)) == sorted(map(repr, second))
    known = {id_ for place, id_ in enumerate(IDS) if place <= known_at}
    assert {side for tied in first for side in (tied.left, tied.right)} <= known
    same = [(tied.left, tied.right) for tied in first if tied.tie is Tie.SAME]
    sets = identity.components(IDS, same)
    for decision in identity.in_force(told, known_at):
        if not decision.same:
            assert sets[decision.left] != sets[decision.right]
