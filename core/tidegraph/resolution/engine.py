"""Scoring pairs and clustering sets: the entry to entity resolution.

``cluster`` is a function of the sets it is given. It works in passes: mentions of one document among
themselves, then what is nearly certain, then the rest; after each pass groups are profiles of their own,
so that what one mention says speaks for all. In a pass the pairs that share a blocking key are scored and
groups joined by the mean log-odds between them (average linkage), the likeliest first, ties by id.
Decisions bind before anything is scored. What fits two groups about equally well is left undecided.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.resolution.blocking import blocking_keys, candidate_pairs
from tidegraph.resolution.evidence import merge_profiles
from tidegraph.resolution.features import MERGED, pair_features
from tidegraph.resolution.grades import GROUPS
from tidegraph.resolution.linkage import Linkage, decided_pairs
from tidegraph.resolution.model import Model, fitted
from tidegraph.resolution.profiles import Candidate, Clusters, Decision, Link, Profile, Reason, Score, Verdict
from tidegraph.resolution.statistics import Statistics

__all__ = ["blocking_keys", "cluster", "score"]

VETO: Final = -9.0
"""The most that names in conflict (Jr. and Sr., version 3 and version 4) can score, or a company and the
one that it was merged into."""
SHORT_NAME: Final = -0.5
"""The most that a bare surname or given name can score outside its document when no slot agrees."""
BACKING: Final = 0.7
"""How telling a fact must be that agrees, for names not to stand alone."""
_BACKED: Final = frozenset({"short*document", "short*agree", "alias"})
_LOWEST: Final = -12.0
_HIGHEST: Final = 8.0


@dataclass(frozen=True, slots=True)
class _Pass:
    """One pass: the least mean log-odds of a join, and whether a shared document is asked for."""

    floor: float
    in_document: bool


def score(a: Profile, b: Profile, statistics: Statistics, model: Model | None = None) -> Score:
    """How sure it is that two profiles are one; symmetric in them.

    Profiles of different types are rejected without a look at their names.
    """
    model = model or fitted()
    if a.type is not b.type:
        return Score(_LOWEST, Verdict.REJECT, (Reason("types differ", _LOWEST),))
    weights = model.weights.get(a.type, {})
    features = pair_features(a, b, statistics)
    parts = [
        Reason(feature, value * weights[feature]) for feature, value in features.items() if feature in weights
    ]
    if model.names_alone and not _is_backed(features):
        parts.append(Reason("names alone", -model.names_alone))
    total = min(_HIGHEST, max(_LOWEST, sum(part.weight for part in parts)))
    veto = next((name for name in ("conflict", MERGED) if name in features), "")
    if veto and total > VETO:
        parts.append(Reason(f"veto: {veto}", VETO - total))
        total = VETO
    if total > SHORT_NAME and "short" in features and not features.keys() & _BACKED:
        parts.append(Reason("short name, nothing else", SHORT_NAME - total))
        total = SHORT_NAME
    verdict = Verdict.ACCEPT if total >= model.accept else Verdict.ABSTAIN
    if total < model.reject:
        verdict = Verdict.REJECT
    ranked = sorted(parts, key=lambda part: (-abs(part.weight), part.feature))
    return Score(total, verdict, tuple(ranked))


def _is_backed(features: Mapping[str, float]) -> bool:
    """True when more than the names says that two profiles are one: a fact that agrees, a statement, or a
    document that has both."""
    agree = max(features.get(f"{group}*agree", 0.0) for group in GROUPS)
    together = any(f"{group}*document" in features for group in GROUPS)
    return together or agree >= BACKING or "alias" in features


def cluster(
    profiles: Iterable[Profile],
    links: Sequence[Link] = (),
    decisions: Sequence[Decision] = (),
    model: Model | None = None,
) -> Clusters:
    """Groups of profiles that are one entity.

    Args:
        profiles: the component; ids must be unique.
        links: statements about names that hold for it.
        decisions: what operators and judges decided; they override every score.
        model: other weights than those of the package.
    """
    by_id = {profile.entity_id: profile for profile in profiles}
    model = model or fitted()
    statistics = Statistics.of(links, by_id)
    members: dict[str, tuple[str, ...]] = {entity_id: (entity_id,) for entity_id in sorted(by_id)}
    units: Mapping[str, Profile] = by_id
    undecided: Mapping[str, tuple[Candidate, ...]] = {}
    for step in (_Pass(model.document, True), _Pass(model.sure, False), _Pass(model.accept, False)):
        scored = _scored(units, step, links, statistics, model)
        linkage = Linkage(sorted(units), scored, decided_pairs(decisions, members))
        joined = linkage.join(step.floor)
        undecided = linkage.undecided(model.reject, model.margin, members)
        members = _next_units(joined, members, undecided)
        units = {first: merge_profiles(first, [by_id[m] for m in group]) for first, group in members.items()}
    return Clusters(tuple(sorted(members.values())), undecided)


def _next_units(
    joined: Iterable[tuple[str, ...]], members: Mapping[str, tuple[str, ...]], undecided: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """The ids of each group by its first, with what fits two groups put back on its own."""
    found: dict[str, tuple[str, ...]] = {}
    for group in joined:
        settled = [m for unit in group for m in members[unit] if m not in undecided]
        if settled:
            found[min(settled)] = tuple(sorted(settled))
        found |= {m: (m,) for unit in group for m in members[unit] if m in undecided}
    return dict(sorted(found.items()))


def _scored(
    units: Mapping[str, Profile], step: _Pass, links: Sequence[Link], statistics: Statistics, model: Model
) -> dict[tuple[str, str], float]:
    return {
        (a, b): score(units[a], units[b], statistics, model).log_odds
        for a, b in candidate_pairs(units, links)
        if not step.in_document or units[a].documents & units[b].documents
    }
