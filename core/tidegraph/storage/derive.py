"""Facts for a caller who may not see all evidence under their conflict key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from tidegraph.domain.belief import history
from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.ports import FactFilter, Visibility
from tidegraph.storage import visibility
from tidegraph.storage.fact_rows import version_order
from tidegraph.storage.rulebook import Rulebook


def derive_for(
    rulebook: Rulebook,
    evidence: Sequence[Assertion],
    revisions: Sequence[Revision],
    which: FactFilter,
    seen: Visibility,
) -> list[FactVersion]:
    """Versions that follow from the evidence the caller may see, as the filter wants them.

    ``evidence`` and ``revisions`` are what the caller sees of them, as of known_at. Their ids are those of
    the versions derived here, so that a version asked for by its id is found again.
    """
    by_key: dict[str, list[Assertion]] = defaultdict(list)
    for assertion in evidence:
        by_key[assertion.key].append(assertion)
    found = []
    for key in sorted(by_key):
        for version in history(by_key[key], revisions, rulebook.rules_of(by_key[key])):
            masked = visibility.mask_version(version, seen)
            if matches(masked, which, seen):
                found.append(masked)
    return found


def matches(version: FactVersion, which: FactFilter, seen: Visibility) -> bool:
    """True when the version passes the filter: the rule that ``queries.facts`` spells in Cypher."""
    known = visibility.known_bound(seen)
    if not version.recorded_at <= known or version.recorded_at >= version.invalidated_at:
        return False
    if not which.history and version.invalidated_at <= known:
        return False
    if which.conflicted and not version.conflicted:
        return False
    if which.begun_before is not None and version.valid.start >= which.begun_before:
        return False
    if which.valid is not None and not visibility.overlaps(version.valid, which.valid):
        return False
    return (
        _among(version.version_id, which.version_ids)
        and _among(version.key, which.keys)
        and _among(version.subject, which.subject_ids)
        and _among(version.object, which.object_ids)
        and _among(version.predicate, which.predicates)
        and (
            not which.entity_ids or version.subject in which.entity_ids or version.object in which.entity_ids
        )
    )


def first(versions: Iterable[FactVersion], which: FactFilter) -> list[FactVersion]:
    """As many as the filter asks for, in the order of reads: the first of it, or those that began last."""
    limit = max(0, which.limit)
    if which.begun_before is not None:
        versions = sorted(versions, key=lambda v: (-v.valid.start, v.version_id))[:limit]
    return sorted(versions, key=version_order)[:limit]


def _among(value: str, allowed: Sequence[str]) -> bool:
    return not allowed or value in allowed


def merge_versions(
    stored: Iterable[FactVersion], hidden: set[str], derived: Iterable[FactVersion]
) -> list[FactVersion]:
    """Stored versions of fully visible keys, and derived ones of the others."""
    return [version for version in stored if version.key not in hidden] + list(derived)
