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

__all__ = ["blocking_keys", "cluster", "log_odds", "score"]

VETO: Final = -9.0
"""The most that names in conflict (Jr. and Sr., version 3 and version 4) can score, or a company and the
one that it was merged into."""
SHORT_NAME: Final = -0.5
"""The most that a bare surname or given name can score outside its document when no slot agrees."""
BACKING: Final = 0.7
"""How telling a fact must be that agrees, for names not to stand alone."""
_BACKED: Final = frozenset({"short*document", "short*agree", "alias"})
_AGREE: Final = tuple(f"{group}*agree" for group in GROUPS)
_TOGETHER: Final = frozenset(f"{group}*document" for group in GROUPS)
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
    total, parts = _weighed(a, b, statistics, model)
    verdict = Verdict.ACCEPT if total >= model.accept else Verdict.ABSTAIN
    if total < model.reject:
        verdict = Verdict.REJECT
    ranked = sorted(parts, key=lambda part: (-abs(part[1]), part[0]))
    return Score(total, verdict, tuple(Reason(feature, weight) for feature, weight in ranked))


def log_odds(a: Profile, b: Profile, statistics: Statistics, model: Model) -> float:
    """The log-odds of ``score`` without its reasons: many pairs are scored, few are shown."""
    return _weighed(a, b, statistics, model)[0]


def _weighed(
    a: Profile, b: Profile, statistics: Statistics, model: Model
) -> tuple[float, list[tuple[str, float]]]:
    """The log-odds of a pair, and (feature, what it added)."""
    if a.type is not b.type:
        return _LOWEST, [("types differ", _LOWEST)]
    weights = model.weights.get(a.type, {})
    features = pair_features(a, b, statistics)
    parts = [(feature, value * weights[feature]) for feature, value in features.items() if feature in weights]
    if model.names_alone and not _is_backed(features):
        parts.append(("names alone", -model.names_alone))
    total = min(_HIGHEST, max(_LOWEST, sum([weight for _, weight in parts])))
    veto = next((name for name in ("conflict", MERGED) if name in features), "")
    if veto and total > VETO:
        parts.append((f"veto: {veto}", VETO - total))
        total = VETO
    if total > SHORT_NAME and "short" in features and not features.keys() & _BACKED:
        parts.append(("short name, nothing else", SHORT_NAME - total))
        total = SHORT_NAME
    return total, parts


def _is_backed(features: Mapping[str, float]) -> bool:
    """True when more than the names says that two profiles are one: a fact that agrees, a statement, or a
    document that has both."""
    if "alias" in features or not _TOGETHER.isdisjoint(features):
        return True
    return any(features.get(agree, 0.0) >= BACKING for agree in _AGREE)


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
    scores = _Scores(links, statistics, model)
    for step in (_Pass(model.document, True), _Pass(model.sure, False), _Pass(model.accept, False)):
        scored = scores.of(units, step)
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


class _Scores:
    """Scores of pairs of units; what a pass has left as it was is not worked out again in the next one."""

    def __init__(self, links: Sequence[Link], statistics: Statistics, model: Model) -> None:
        self._links = links
        self._statistics = statistics
        self._model = model
        self._units: Mapping[str, Profile] = {}
        self._pairs: list[tuple[str, str]] = []
        self._known: dict[tuple[str, str], float] = {}

    def of(self, units: Mapping[str, Profile], step: _Pass) -> dict[tuple[str, str], float]:
        """By pair of ids the log-odds of those that are compared in a pass."""
        before, self._units = self._units, units
        moved = {id_ for id_, unit in units.items() if before.get(id_) is not unit}
        if moved or len(before) != len(units):
            self._pairs = candidate_pairs(units, self._links)
        self._known = {pair: known for pair, known in self._known.items() if moved.isdisjoint(pair)}
        return {
            (a, b): self._log_odds(a, b)
            for a, b in self._pairs
            if not step.in_document or units[a].documents & units[b].documents
        }

    def _log_odds(self, a: str, b: str) -> float:
        if (a, b) not in self._known:
            left, right = self._units[a], self._units[b]
            self._known[a, b] = log_odds(left, right, self._statistics, self._model)
        return self._known[a, b]
