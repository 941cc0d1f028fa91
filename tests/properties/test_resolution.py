"""Clusters are a function of the set: no order, no cut into batches of links, no repetition shows in them."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.resolution.mentions import ORGANISATION, OTHER, PLACE, Seen, profiles_of

from tidegraph.resolution.engine import cluster, log_odds, score
from tidegraph.resolution.model import fitted
from tidegraph.resolution.profiles import Decision, DecisionKind, Link, LinkKind
from tidegraph.resolution.statistics import Statistics

_GIVEN = ("James", "Jim", "J.", "Mary", "Yi-fan", "रमेश", "")
_SURNAMES = ("Walder", "WALDER", "Corben Jr.", "Shih", "गुप्ता")
_BODIES = (
    "Horizon Bank",
    "HB",
    "Horizon Bank of Calder",
    "Banque Horizon",
    "Merrow Trust II",
    "Merrow Trust",
)
_THINGS = ("Opal 4.2", "opal-4.2", "Opal 4.3", "Opal", "vendor:opal")
_FACTS = ({}, {"city": "Calder", "country": "US"}, {"city": "Brenn", "country": "AT"}, {"born": "1931"})


@st.composite
def mentions(draw: st.DrawFn, number: int) -> Seen:
    kind = draw(st.sampled_from(("person", "body", "thing", "place")))
    name, entity_type = {
        "person": (f"{draw(st.sampled_from(_GIVEN))} {draw(st.sampled_from(_SURNAMES))}".strip(), Seen.type),
        "body": (draw(st.sampled_from(_BODIES)), ORGANISATION),
        "thing": (draw(st.sampled_from(_THINGS)), OTHER),
        "place": (
            draw(st.sampled_from(("Vaudreuil", "VAUDREUIL", "Vaudreuil-sur-Orne", "ヴォードルイユ"))),
            PLACE,
        ),
    }[kind]
    return Seen(
        f"m{number}",
        name,
        entity_type,
        document=draw(st.sampled_from(("", "d1", "d2"))),
        year=draw(st.sampled_from((None, 1990, 2015))),
        facts=draw(st.sampled_from(_FACTS)),
    )


@st.composite
def worlds(draw: st.DrawFn) -> list[Seen]:
    return [draw(mentions(number)) for number in range(draw(st.integers(2, 14)))]


_LINKS = (
    Link(LinkKind.RENAMED, ORGANISATION, "Horizon Bank", "Merrow Trust", 1_000_000_000_000_000, "m0", "d1"),
    Link(LinkKind.ALIAS, OTHER, "Opal", "vendor:opal", None, "", "d2"),
)


@settings(max_examples=60, deadline=None)
@given(worlds(), st.integers(0, 2**32 - 1))
def test_order_does_not_show(world: list[Seen], seed: int) -> None:
    profiles = profiles_of(world)
    decisions = [
        Decision(DecisionKind.CANNOT_LINK, "m0", "m1", 5, "operator", "two people"),
        Decision(DecisionKind.MUST_LINK, world[-1].id, "m0", 7, "operator", "same"),
    ]
    expected = cluster(profiles, _LINKS, decisions)
    rng = random.Random(seed)
    shuffled, links = list(profiles), list(_LINKS)
    rng.shuffle(shuffled)
    rng.shuffle(links)
    rng.shuffle(decisions)
    found = cluster(shuffled, [*links, links[0]], [*decisions, decisions[0]])
    assert found.groups == expected.groups
    assert dict(found.abstained) == dict(expected.abstained)


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_groups_partition_the_ids_and_the_undecided_stand_alone(world: list[Seen]) -> None:
    found = cluster(profiles_of(world))
    ids = [member for group in found.groups for member in group]
    assert sorted(ids) == sorted(m.id for m in world)
    assert all((member,) in found.groups for member in found.abstained)
    assert all({candidate.entity_id for candidate in near} <= set(ids) for near in found.abstained.values())


@settings(max_examples=60, deadline=None)
@given(worlds())
def test_a_score_is_symmetric_and_explained(world: list[Seen]) -> None:
    a, b = profiles_of(world)[:2]
    statistics = Statistics.of(_LINKS)
    there, back = score(a, b, statistics), score(b, a, statistics)
    assert there == back
    assert log_odds(a, b, statistics, fitted()) == there.log_odds
    if -12.0 < there.log_odds < 8.0:
        assert abs(sum(reason.weight for reason in there.reasons) - there.log_odds) < 1e-6


@settings(max_examples=40, deadline=None)
@given(worlds(), st.data())
def test_decisions_bind(world: list[Seen], data: st.DataObject) -> None:
    profiles = [p for p in profiles_of(world) if p.type is profiles_of(world[:1])[0].type]
    if len(profiles) < 2:
        return
    a, b = (p.entity_id for p in data.draw(st.sampled_from([profiles[:2], profiles[-2:]])))
    kind = data.draw(st.sampled_from(list(DecisionKind)))
    found = cluster(profiles, (), [Decision(kind, a, b, 1, "operator", "checked")])
    joined = any({a, b} <= set(group) for group in found.groups)
    assert joined == (kind is DecisionKind.MUST_LINK)
