"""Candidates and clusters: which pairs meet, what joins, what stays undecided."""

from __future__ import annotations

import itertools

import pytest
from tests.unit.resolution.mentions import ORGANISATION, OTHER, PERSON, PLACE, Seen, profiles_of, resolved

from tidegraph.domain.interval import OPEN_START
from tidegraph.resolution.blocking import MAX_KEYS, Blocks, blocking_keys, candidate_pairs
from tidegraph.resolution.engine import VETO, score
from tidegraph.resolution.linkage import Linkage, decided_pairs
from tidegraph.resolution.profiles import Decision, DecisionKind, Link, LinkKind, Verdict
from tidegraph.resolution.statistics import Statistics


@pytest.mark.parametrize(
    ("kind", "a", "b", "facts"),
    [
        (PERSON, "Osric Fennell", "FENNELL, O.", {}),
        (PERSON, "Tsai Shih-ying", "蔡適應", {"since": "2014-12-25"}),
        (ORGANISATION, "Northern Valdor University", "NVU", {}),
        (ORGANISATION, "富士山研究所", "Fuji Institute", {"city": "Gotemba"}),
        (PLACE, "Москва", "Moskwa", {}),
        (PLACE, "Aix", "Unlike", {"lat": "10.04", "lon": "20.04"}),
        (PLACE, "Tarvenesh", "Тарвинеш", {"country": "India"}),
        (PLACE, "Karvonel", "Куоверу", {"country": "JP", "region_code": "20"}),
        (OTHER, "vendor:opal", "Opal", {}),
        (OTHER, "opalworks", "opalserver", {}),
    ],
)
def test_likely_pairs_share_a_key(kind, a: str, b: str, facts: dict[str, str]) -> None:
    left, right = profiles_of([Seen("a", a, kind, facts=facts), Seen("b", b, kind, facts=facts)])
    assert set(blocking_keys(left)) & set(blocking_keys(right))


def test_how_a_place_begins_tells_nothing_of_a_place_elsewhere() -> None:
    here = Seen("a", "Tarvenesh", PLACE, facts={"country": "India"})
    for country in ({"country": "Japan"}, {}):
        left, right = profiles_of([here, Seen("b", "Тарвикант", PLACE, facts=country)])
        assert not set(blocking_keys(left)) & set(blocking_keys(right))


def test_keys_are_sorted_and_bounded() -> None:
    (profile,) = profiles_of([Seen("a", " ".join(f"Word{n}" for n in range(300)), ORGANISATION)])
    keys = blocking_keys(profile)
    assert list(keys) == sorted(keys)
    assert len(keys) <= MAX_KEYS


def test_a_statement_brings_unlike_names_together() -> None:
    mentions = [Seen("a", "Quill Corp", ORGANISATION), Seen("b", "Ostrel Inc", ORGANISATION)]
    profiles = {p.entity_id: p for p in profiles_of(mentions)}
    link = Link(LinkKind.RENAMED, ORGANISATION, "QUILL CORP", "Ostrel", None, "", "d")
    assert candidate_pairs(profiles) == []
    assert candidate_pairs(profiles, [link]) == [("a", "b")]
    blocks = Blocks([link])
    for profile in profiles.values():
        blocks.add(profile)
    assert blocks.candidates(profiles["a"]) == ("b",)


def test_the_index_ranks_and_bounds_candidates() -> None:
    crowd = [Seen(f"c{n:03}", f"Given{n} Walder", facts={"state": "Ohio"}) for n in range(90)]
    blocks = Blocks()
    for profile in profiles_of([*crowd, Seen("right", "Osric Walder", facts={"state": "Utah"})]):
        blocks.add(profile)
    (asked,) = profiles_of([Seen("m", "WALDER, OSRIC")])
    found = blocks.candidates(asked, limit=10)
    assert found[0] == "right"
    assert len(found) == 10


def test_average_linkage_does_not_chain() -> None:
    pairs = {("a", "b"): 5.0, ("b", "c"): 5.0, ("a", "c"): -12.0}
    assert Linkage(["a", "b", "c"], pairs, {}).join(0.0) == [("a", "b"), ("c",)]


def test_what_fits_two_groups_is_undecided() -> None:
    pairs = {("a", "x"): 3.0, ("b", "x"): 2.5, ("a", "b"): -12.0}
    linkage = Linkage(["a", "b", "x"], pairs, {})
    linkage.join(0.0)
    members = {name: (name,) for name in "abx"}
    found = linkage.undecided(-2.0, 1.0, members)
    assert [candidate.entity_id for candidate in found["x"]] == ["a", "b"]
    assert "x" not in linkage.undecided(-2.0, 0.2, members)


def test_the_last_decision_about_a_pair_holds_and_a_refusal_outweighs() -> None:
    yes = Decision(DecisionKind.MUST_LINK, "a", "b", 1, "op", "")
    no = Decision(DecisionKind.CANNOT_LINK, "b", "a", 2, "op", "")
    members = {"a": ("a", "c"), "b": ("b",)}
    assert decided_pairs([yes, no], members)["a", "b"] < 0
    assert decided_pairs([no, Decision(DecisionKind.MUST_LINK, "a", "b", 3, "op", "")], members)["a", "b"] > 0
    with_other = [Decision(DecisionKind.MUST_LINK, "c", "b", 9, "op", ""), no]
    assert decided_pairs(with_other, members)["a", "b"] < 0


@pytest.mark.parametrize("count", [3, 13, 100])
def test_one_refusal_parts_what_was_merged_however_many(count: int) -> None:
    names = [f"n{number:03}" for number in range(count)]
    members = {name: (name,) for name in names}
    merged = [
        Decision(DecisionKind.MUST_LINK, a, b, 1, "op", "") for a, b in itertools.combinations(names, 2)
    ]
    refused = Decision(DecisionKind.CANNOT_LINK, names[0], names[-1], 2, "op", "")
    groups = Linkage(names, {}, decided_pairs([*merged, refused], members)).join(0.0)
    assert len(groups) == 2
    assert not any({names[0], names[-1]} <= set(group) for group in groups)


def test_scores_say_why() -> None:
    a, b, c = profiles_of(
        [
            Seen("a", "Osric Fennell", facts={"state": "Utah", "born": "1901"}),
            Seen("b", "FENNELL, OSRIC", facts={"state": "Utah", "born": "1901"}),
            Seen("c", "Osric Fennell Jr.", facts={"state": "Utah"}),
        ]
    )
    same = score(a, b, Statistics.of())
    assert same.decision is Verdict.ACCEPT
    assert {"same born", "strong"} <= {reason.feature for reason in same.reasons}
    other = score(c, profiles_of([Seen("d", "Osric Fennell Sr.")])[0], Statistics.of())
    assert other.decision is Verdict.REJECT
    assert other.log_odds <= VETO
    organisation = profiles_of([Seen("o", "Osric Fennell", ORGANISATION)])[0]
    assert score(a, organisation, Statistics.of()).decision is Verdict.REJECT


def test_an_undecided_mention_names_its_candidates() -> None:
    facts = {"office": "Representative", "state": "Georgia"}
    found = resolved(
        Seen("m", "John Moore Tarrant", facts=facts),
        Seen("k", "John Kemp Tarrant", facts=facts),
        Seen("short", "Tarrant, J.", facts=facts),
    )
    assert ("short",) in found.groups
    assert {candidate.entity_id for candidate in found.abstained["short"]} == {"m", "k"}


def test_what_somebody_chose_is_joined_before_what_rules_require() -> None:
    """Rules make "b" both "a" and "c", which are apart; that somebody said "b" is "d" stays as said."""
    members = {name: (name,) for name in "abcd"}
    rules = [
        Decision(DecisionKind.MUST_LINK, "a", "b", OPEN_START, "", ""),
        Decision(DecisionKind.MUST_LINK, "b", "c", OPEN_START, "", ""),
        Decision(DecisionKind.CANNOT_LINK, "a", "c", OPEN_START, "", ""),
        Decision(DecisionKind.CANNOT_LINK, "a", "d", OPEN_START, "", ""),
    ]
    chosen = Decision(DecisionKind.MUST_LINK, "b", "d", 5, "op", "")
    linkage = Linkage(sorted(members), {}, decided_pairs([*rules, chosen], members))
    groups = linkage.join(0.0)
    assert any({"b", "d"} <= set(group) for group in groups)
    assert "b" not in linkage.undecided(0.0, 1.0, members)
    alone = Linkage(sorted(members), {}, decided_pairs(rules, members))
    alone.join(0.0)
    assert "b" in alone.undecided(0.0, 1.0, members), "fits two, and nobody chose"
