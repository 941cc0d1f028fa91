"""What was believed at one known date and is not, or otherwise, at another.

Both sides are read through the same as-of as every other read; what changes twice in between shows once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from tidegraph.domain.canonical import Content, content_of
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import Granularity
from tidegraph.ports import FactFilter
from tidegraph.services.usecases.compose import line
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.facts import known_key
from tidegraph.services.usecases.linking import named
from tidegraph.services.usecases.phrasing import date_in_words
from tidegraph.services.usecases.question import NO_TIME, read
from tidegraph.services.usecases.work import Work

DIFF_MAX: Final = 10_000
"""Facts that are compared on each side."""


class ChangeKind(StrEnum):
    """How a belief changed from the earlier known date to the later one."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class BeliefChange:
    """One fact that is believed at one of the two dates only, or otherwise."""

    kind: ChangeKind
    before: FactVersion | None
    after: FactVersion | None
    reason: str


@dataclass(frozen=True, slots=True)
class BeliefDiff:
    """All changes, by conflict key, then in order of valid time."""

    changes: tuple[BeliefChange, ...]
    work: Work


async def diff_beliefs(
    ports: Ports, earlier: Moment, later: Moment, *, entity: str = "", key: str = "", predicate: str = ""
) -> BeliefDiff:
    """Compare belief at two known dates about an entity, under a key, or in the whole graph.

    Raises:
        Rejected: KNOWN_ORDER, the first date is not before the second.
        NotFound: ENTITY_NOT_FOUND or KEY_NOT_FOUND. LimitExceeded: TOO_MANY_FACTS.
    """
    if earlier.known_at >= later.known_at:
        message = "the first known date must lie before the second one"
        raise Rejected("KNOWN_ORDER", message, field="known_from")
    work = Work(ports, later, read("facts", NO_TIME, ()))
    which = await _filter(work, entity, key, predicate)
    before, after = await _believed(work, which, earlier), await _believed(work, which, later)
    await work.learn_names([*before.values(), *after.values()])
    gone = [version for content, version in before.items() if content not in after]
    come = [version for content, version in after.items() if content not in before]
    ended = await _ends(work, gone)
    changes = _paired(work, gone, come, ended)
    return BeliefDiff(tuple(sorted(changes, key=_order)), work)


async def _filter(work: Work, entity: str, key: str, predicate: str) -> FactFilter:
    which = FactFilter(limit=DIFF_MAX)
    if predicate:
        which = replace(which, predicates=(work.ports.registry.policy(predicate).name,))
    if key:
        await known_key(work.ports, work.moment, key)
        return replace(which, keys=(key,))
    if entity:
        found = await named(work.ports, work.moment, entity)
        return replace(which, entity_ids=tuple(record.entity_id for record in found))
    return which


async def _believed(work: Work, which: FactFilter, moment: Moment) -> dict[Content, FactVersion]:
    found = await work.ports.store.facts(moment.graph, which, moment.seen)
    if len(found) >= DIFF_MAX:
        message = f"more than {DIFF_MAX} facts to compare; name an entity, a key or a predicate"
        raise LimitExceeded("TOO_MANY_FACTS", message)
    return {content_of(version): version for version in found if not version.valid.is_empty}


async def _ends(work: Work, gone: Sequence[FactVersion]) -> Mapping[str, int]:
    """When each version ceased to be believed, by its id."""
    if not gone:
        return {}
    ids = tuple(version.version_id for version in gone)
    which = FactFilter(version_ids=ids, history=True, limit=DIFF_MAX)
    found = await work.ports.store.facts(work.moment.graph, which, work.moment.seen)
    return {version.version_id: version.invalidated_at for version in found}


def _paired(
    work: Work, gone: Iterable[FactVersion], come: Iterable[FactVersion], ended: Mapping[str, int]
) -> list[BeliefChange]:
    """What went and what came, matched where both say the same with other times."""
    waiting: dict[tuple[object, ...], list[FactVersion]] = defaultdict(list)
    arrived = sorted(come, key=_start)
    for version in arrived:
        waiting[_claim(version)].append(version)
    changes = []
    for version in sorted(gone, key=_start):
        same = waiting[_claim(version)]
        after = same.pop(0) if same else None
        since = ended.get(version.version_id, after.recorded_at if after else work.moment.known_at)
        if after is not None:
            reason = f"known otherwise since {_day(since)}"
            changes.append(BeliefChange(ChangeKind.CHANGED, version, after, reason))
            continue
        taken = [other for other in arrived if _takes_over(other, version)]
        reason = f"no longer believed since {_day(since)}"
        if taken:
            reason = f"taken over since {_day(taken[0].recorded_at)} by {line(work, taken[0])}"
        changes.append(BeliefChange(ChangeKind.REMOVED, version, None, reason))
    for version in (version for versions in waiting.values() for version in versions):
        reason = f"known since {_day(version.recorded_at)}"
        changes.append(BeliefChange(ChangeKind.ADDED, None, version, reason))
    return changes


def _takes_over(other: FactVersion, version: FactVersion) -> bool:
    return other.key == version.key and other.valid.overlaps(version.valid)


def _claim(version: FactVersion) -> tuple[object, ...]:
    return version.key, version.subject, version.predicate, version.object, version.qualifiers


def _start(version: FactVersion) -> tuple[str, int, int, str]:
    return version.key, version.valid.start, version.valid.end, version.version_id


def _order(change: BeliefChange) -> tuple[str, int, int, str]:
    version = change.after or change.before
    assert version is not None
    return _start(version)


def _day(instant: int) -> str:
    return date_in_words(instant, Granularity.DAY)
