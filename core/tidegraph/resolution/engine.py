"""Scoring pairs and clustering sets: the entry to entity resolution.

``cluster`` is a function of the sets it is given. Pairs that share a blocking key are scored; groups are
joined by the mean log-odds between them (average linkage), the likeliest first, ties by id; decisions
bind before anything is scored. What fits two groups about equally well is left undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tidegraph.resolution.blocking import blocking_keys, candidate_pairs
from tidegraph.resolution.features import pair_features
from tidegraph.resolution.linkage import Linkage
from tidegraph.resolution.model import Model, fitted
from tidegraph.resolution.profiles import Clusters, Decision, Link, Profile, Reason, Score, Verdict
from tidegraph.resolution.statistics import Statistics

__all__ = ["blocking_keys", "cluster", "score"]

_LOWEST, _HIGHEST = -12.0, 8.0


def score(a: Profile, b: Profile, statistics: Statistics, model: Model | None = None) -> Score:
    """How sure it is that two profiles are one; symmetric in them.

    Profiles of different types are rejected without a look at their names.
    """
    model = model or fitted()
    if a.type is not b.type:
        return Score(_LOWEST, Verdict.REJECT, (Reason("types differ", _LOWEST),))
    features = pair_features(a, b, statistics)
    weights = model.weights.get(a.type, {})
    parts = [
        Reason(feature, value * weights[feature]) for feature, value in features.items() if feature in weights
    ]
    total = min(_HIGHEST, max(_LOWEST, sum(part.weight for part in parts)))
    verdict = Verdict.ACCEPT if total >= model.accept else Verdict.ABSTAIN
    if total < model.reject:
        verdict = Verdict.REJECT
    ranked = sorted(parts, key=lambda part: (-abs(part.weight), part.feature))
    return Score(total, verdict, tuple(ranked))


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
    statistics = Statistics.of(links)
    model = model or fitted()
    pairs = {(a, b): score(by_id[a], by_id[b], statistics, model).log_odds for a, b in candidate_pairs(by_id)}
    return Linkage(sorted(by_id), pairs, decisions, model).clusters()
