"""What a component of entity ids is at one instant of the recorded axis.

Everything here is a function of the evidence told by then: what documents told of each id (sightings),
statements that a thing is called otherwise, and decisions. Who reads a component out of a store, and when
it is looked at again, is not said here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.identity import (
    APART,
    CALLED,
    SIGNED,
    PairDecision,
    Rule,
    Sighting,
    Tie,
    Tied,
    called_key,
    components,
    decided_groups,
    in_force,
    told_at,
)
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval, format_instant
from tidegraph.domain.naming import normalise
from tidegraph.resolution.engine import blocking_keys, cluster, log_odds
from tidegraph.resolution.model import Model, fitted
from tidegraph.resolution.profiles import Candidate, Decision, DecisionKind, Profile
from tidegraph.resolution.statistics import Statistics

MAX_COMPONENT: Final = 64
"""A component of more ids is not clustered: only decisions join any of them."""
MAX_CANDIDATES: Final = 3
NAMES_ALONE: Final = 2.2
"""Log-odds that names of which nothing else agrees are worth less than the weights say. The weights were
fitted on names that people had picked; what is read out of running text as a name is often a part of one, or
none ("final of Belgian Cup"), and a wrong merge turns the facts of two things into those of one.
"""
_NO_STATISTICS: Final = Statistics.of()
_SAME: Final = "names and evidence agree"
_UNDECIDED: Final = "names and evidence do not decide"


@dataclass(frozen=True, slots=True)
class Statement:
    """A document says that the thing is called ``name`` (in normal form); it counts while recorded.

    ``at``: since when, microseconds of valid time, OPEN_START when that is not known.
    """

    subject: str
    name: str
    at: int
    document_id: str
    labels: tuple[str, ...]
    recorded_at: int
    withdrawn_at: int

    def counts(self, known_at: int) -> bool:
        """True when the statement was known and not withdrawn."""
        return self.recorded_at <= known_at < self.withdrawn_at


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of some ids: sightings by id in the order of recorded_at, the rest as sets."""

    sightings: Mapping[str, Sequence[Sighting]]
    statements: tuple[Statement, ...] = ()
    decisions: tuple[PairDecision, ...] = ()


REVIEW: Final = 0.0
"""Log-odds from which an operator is asked: of what scores lower, few pairs are one."""


@cache
def model() -> Model:
    """The weights of the package and its thresholds of a join, with what names alone are worth in a graph."""
    return replace(fitted(), names_alone=NAMES_ALONE, reject=max(REVIEW, fitted().reject))


def near(one: Profile, other: Profile) -> bool:
    """True when the score of two ids may join them, or is a question for an operator.

    What is not known to be a person, an organisation, a place or a thing is not scored.
    """
    if one.type is not other.type or one.type is EntityType.UNSPECIFIED:
        return False
    return log_odds(one, other, _NO_STATISTICS, model()) >= model().reject


def profile_at(entity_id: str, sightings: Iterable[Sighting], known_at: int) -> Profile | None:
    """What an id is known as at an instant; None before its first sighting."""
    told = told_at(sightings, known_at)
    if not told:
        return None
    names = dict.fromkeys(name for one in told for _, name in one.names)
    slots: dict[str, set[str]] = {}
    for one in told:
        for slot, value in one.slots:
            if slot not in (APART, CALLED, SIGNED):
                slots.setdefault(slot, set()).add(value)
    times = [one.time for one in told if one.time != OPEN_START]
    return Profile(
        entity_id=entity_id,
        names=tuple(names),
        type=kind_of(told),
        slots={slot: tuple(sorted(values)) for slot, values in sorted(slots.items())},
        context=tuple(sorted({word for one in told for word in one.words})),
        # Two names in one document: its own reading has told whether they are one.
        documents=frozenset(),
        active=Interval(min(times), max(times) + 1) if times else None,
    )


def kind_of(sightings: Iterable[Sighting]) -> EntityType:
    """The type that the first sighting tells that tells any."""
    told = (kind for one in sightings for kind, _ in one.names if kind)
    return EntityType(next(told, 0))


def keys_of(seen: Sighting) -> tuple[str, ...]:
    """The keys under which candidates of a sighting are found: blocking keys, and its names exactly."""
    profile = profile_at(seen.entity_id, (seen,), OPEN_END)
    keys = set(blocking_keys(profile)) if profile else set()
    keys |= {called_key(name) for name in exact_names((seen,))}
    keys |= {called_key(normalise(value)) for slot, value in seen.slots if slot == CALLED}
    return tuple(sorted(keys))


def exact_names(sightings: Iterable[Sighting]) -> frozenset[str]:
    """The normal forms of the names that an id was seen under."""
    return frozenset(normalise(name, EntityType(kind)) for one in sightings for kind, name in one.names)


def canonical_at(sightings: Iterable[Sighting], known_at: int) -> str:
    """The normal form of the full name of an id, "" before its first sighting."""
    told = (one.names[0] for one in sightings if one.recorded_at <= known_at and one.names)
    kind, name = next(told, (0, ""))
    return normalise(name, EntityType(kind))


def renamed(one: str, other: str, evidence: Evidence, known_at: int) -> list[Statement]:
    """The statements that give one of two ids a name of the other."""
    found = []
    for subject, object_ in ((one, other), (other, one)):
        names = exact_names(told_at(evidence.sightings.get(object_, ()), known_at))
        own = canonical_at(evidence.sightings.get(subject, ()), known_at)
        found += [
            s
            for s in evidence.statements
            if s.subject == subject and s.counts(known_at) and s.name in names and s.name != own
        ]
    return found


def ties_at(ids: Iterable[str], evidence: Evidence, known_at: int, *, automatic: bool = True) -> list[Tied]:
    """What is to be believed of a component at an instant: rows that join its sets, and reviews.

    Args:
        ids: a whole component; more than ``MAX_COMPONENT`` are joined by decisions alone.
        automatic: False leaves everything to decisions and statements.
    """
    held = in_force(evidence.decisions, known_at)
    profiles = {
        id_: profile
        for id_ in sorted(set(ids))
        if (profile := profile_at(id_, evidence.sightings.get(id_, ()), known_at)) is not None
    }
    if len(profiles) > MAX_COMPONENT:
        return _decided(held, profiles.keys(), known_at)
    stated = _stated(sorted(profiles), evidence, known_at)
    told = {id_: told_at(evidence.sightings[id_], known_at) for id_ in profiles}
    alike, ambiguous = _of_one_name(told)
    apart = _passed_on(told, evidence, known_at) | (_related(told) - stated.keys())
    if not automatic:
        return _rows(_by_hand(held, stated, profiles.keys(), known_at), held, stated)
    joined = [_rule(DecisionKind.MUST_LINK, pair) for pair in {*stated, *alike} - apart - ambiguous]
    parted = [_rule(DecisionKind.CANNOT_LINK, pair) for pair in apart | ambiguous]
    said = [*_chosen(held, profiles.keys(), known_at), *(_decision(one) for one in held)]
    found = cluster(profiles.values(), (), [*joined, *parted, *said], model())
    rows = _rows([group for group in found.groups if len(group) > 1], held, stated)
    abstained = {
        id_: [c for c in candidates if near(profiles[id_], profiles[c.entity_id])]
        for id_, candidates in found.abstained.items()
    }
    open_pairs = ambiguous - apart - {(row.left, row.right) for row in rows}
    return rows + _reviews(abstained, held, open_pairs)


def _chosen(held: Sequence[PairDecision], ids: Iterable[str], known_at: int) -> list[Decision]:
    """Every pair of what merges make one, so that no rule parts the ends of two merges."""
    groups = _by_hand(held, {}, ids, known_at)
    return [
        Decision(DecisionKind.MUST_LINK, one, other, OPEN_START + 1, "", "")
        for group in groups
        for place, one in enumerate(group)
        for other in group[place + 1 :]
    ]


def _rule(kind: DecisionKind, pair: tuple[str, str]) -> Decision:
    """What a rule says of a pair: any decision overrides it."""
    return Decision(kind, *pair, OPEN_START, "", "")


_Pairs = set[tuple[str, str]]


def _of_one_name(told: Mapping[str, Sequence[Sighting]]) -> tuple[_Pairs, _Pairs]:
    """Pairs of ids of one full name: those that are one unless something speaks against it, and those of
    which it is not known.

    An id without a signature is the only holder of its name whom documents describe, or, where there are
    several, nobody knows which one.
    """
    by_name: dict[str, list[str]] = {}
    for id_ in sorted(told):
        by_name.setdefault(canonical_at(told[id_], OPEN_END), []).append(id_)
    alike: _Pairs = set()
    ambiguous: _Pairs = set()
    for name, ids in by_name.items():
        signed = [id_ for id_ in ids if any(slot == SIGNED for one in told[id_] for slot, _ in one.slots)]
        plain = [id_ for id_ in ids if id_ not in signed]
        if name and signed and len(plain) == 1:
            found = {(min(plain[0], id_), max(plain[0], id_)) for id_ in signed}
            if len(signed) == 1:
                alike |= found
            else:
                ambiguous |= found
    return alike, ambiguous


def _related(told: Mapping[str, Sequence[Sighting]]) -> _Pairs:
    """Pairs of ids that a document relates to each other: one firm that bought another, say."""
    return {
        (min(id_, other), max(id_, other))
        for id_, sightings in told.items()
        for one in sightings
        for slot, other in one.slots
        if slot == APART and other in told
    }


def _passed_on(told: Mapping[str, Sequence[Sighting]], evidence: Evidence, known_at: int) -> _Pairs:
    """Pairs of ids of one name of which the one gave the name up before the other came to be."""
    found: _Pairs = set()
    for statement in evidence.statements:
        former = canonical_at(told.get(statement.subject, ()), OPEN_END)
        if not former or statement.at == OPEN_START or not statement.counts(known_at):
            continue
        for id_, sightings in told.items():
            if id_ != statement.subject and former in exact_names(sightings):
                begun = [v for one in sightings for slot, v in one.slots if slot == "established"]
                if begun and min(begun) >= format_instant(statement.at)[:4]:
                    found.add((min(id_, statement.subject), max(id_, statement.subject)))
    return found


def _decided(held: Sequence[PairDecision], ids: Iterable[str], known_at: int) -> list[Tied]:
    known = set(ids)
    among = [one for one in held if one.left in known and one.right in known]
    return [_by_decision(one) for group in decided_groups(among, known_at) for one in group]


def _by_hand(
    held: Sequence[PairDecision],
    stated: Mapping[tuple[str, str], Sequence[Statement]],
    ids: Iterable[str],
    known_at: int,
) -> list[tuple[str, ...]]:
    """Groups of decisions, and of statements that no decision contradicts."""
    known = set(ids)
    told = [
        PairDecision("", a, b, True, Rule.RENAME, "", "", OPEN_START)
        for a, b in stated
        if not any((one.left, one.right) == (a, b) for one in held)
    ]
    among = [one for one in (*held, *told) if one.left in known and one.right in known]
    groups = decided_groups(among, known_at)
    return [tuple(sorted({id_ for one in group for id_ in (one.left, one.right)})) for group in groups]


def _stated(ids: Sequence[str], evidence: Evidence, known_at: int) -> dict[tuple[str, str], list[Statement]]:
    """Pairs that a statement says are one: those where only one id answers to the name told."""
    found: dict[tuple[str, str], list[Statement]] = {}
    names = {id_: exact_names(told_at(evidence.sightings.get(id_, ()), known_at)) for id_ in ids}
    for statement in evidence.statements:
        if not statement.counts(known_at) or statement.subject not in names:
            continue
        if statement.name == canonical_at(evidence.sightings.get(statement.subject, ()), known_at):
            continue
        bearers = [id_ for id_ in ids if statement.name in names[id_] and id_ != statement.subject]
        if len(bearers) == 1:
            pair = (min(bearers[0], statement.subject), max(bearers[0], statement.subject))
            found.setdefault(pair, []).append(statement)
    return found


def _rows(
    groups: Iterable[Sequence[str]],
    held: Sequence[PairDecision],
    stated: Mapping[tuple[str, str], Sequence[Statement]],
) -> list[Tied]:
    """Rows that join each group: by decisions first, then by statements, the rest to the first id."""
    rows: list[Tied] = []
    for group in groups:
        members = set(group)
        made: list[Tied] = []
        merges = [one for one in held if one.same and {one.left, one.right} <= members]
        for decision in merges:
            _join(made, group, _by_decision(decision))
        for pair, statements in sorted(stated.items()):
            if set(pair) <= members:
                _join(made, group, _by_statements(pair, statements))
        for entity_id in sorted(members)[1:]:
            first = min(members)
            _join(made, group, Tied(first, entity_id, Tie.SAME, Rule.PROFILE, "", _SAME, ()))
        rows += made
    return rows


def _join(made: list[Tied], group: Sequence[str], tied: Tied) -> None:
    """Add a row unless the rows so far join its ids already."""
    sets = components(group, ((one.left, one.right) for one in made))
    if sets[tied.left] != sets[tied.right]:
        made.append(tied)


def _by_decision(one: PairDecision) -> Tied:
    return Tied(one.left, one.right, Tie.SAME, one.rule, one.actor, one.reason, ())


def _by_statements(pair: tuple[str, str], statements: Sequence[Statement]) -> Tied:
    told = sorted({(s.subject, s.name) for s in statements})
    # Whoever may see one of the documents may see that it says so.
    open_to_all = any(not s.labels for s in statements)
    labels = () if open_to_all else tuple(sorted({label for s in statements for label in s.labels}))
    reason = "; ".join(f"a document says that it is called {name}" for _, name in told)
    return Tied(pair[0], pair[1], Tie.SAME, Rule.RENAME, "", reason, labels)


def _reviews(
    abstained: Mapping[str, Sequence[Candidate]],
    held: Sequence[PairDecision],
    more: Iterable[tuple[str, str]],
) -> list[Tied]:
    settled = {(one.left, one.right) for one in held}
    pairs = {
        (min(id_, candidate.entity_id), max(id_, candidate.entity_id))
        for id_, candidates in abstained.items()
        for candidate in candidates[:MAX_CANDIDATES]
    } | set(more)
    return [
        Tied(left, right, Tie.REVIEW, Rule.PROFILE, "", _UNDECIDED, ())
        for left, right in sorted(pairs - settled)
    ]


def _decision(one: PairDecision) -> Decision:
    kind = DecisionKind.MUST_LINK if one.same else DecisionKind.CANNOT_LINK
    return Decision(kind, one.left, one.right, one.recorded_at, one.actor, one.reason)
