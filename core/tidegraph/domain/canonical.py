"""Canonical forms of belief: what two graphs are compared by.

The content hash covers both axes, in coalesced form and without versions that were never believed, so
that it does not tell how the rows came about. The valid-time dump is what is believed now, without any
recorded time: equal for every order of arrival of the same documents.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.slots import Span

Content = tuple[str, Span]
"""(conflict key, span): all of a version but when it was believed."""


def content_of(version: FactVersion) -> Content:
    """A version without its recorded time and id."""
    return version.key, Span(
        subject=version.subject,
        predicate=version.predicate,
        object=version.object,
        object_is_entity=version.object_is_entity,
        qualifiers=version.qualifiers,
        valid=Interval(version.valid.start, version.valid.end),
        start_granularity=version.start_granularity,
        end_granularity=version.end_granularity,
        start_known=version.start_known,
        end_inferred=version.end_inferred,
        announced=version.announced,
        conflicted=version.conflicted,
    )


def version_of(key: str, span: Span, recorded: Interval, repeat: int = 0) -> FactVersion:
    """A fact version with its id: a function of all fields but ``invalidated_at``.

    ``repeat`` tells apart rows that would otherwise share an id, when one was closed and the same
    content came to be believed from the same instant after all.
    """
    fields = _fields(key, span)
    return FactVersion(
        version_id=make_id("version", *(str(field) for field in fields), recorded.start, repeat),
        key=key,
        subject=span.subject,
        predicate=span.predicate,
        object=span.object,
        object_is_entity=span.object_is_entity,
        qualifiers=span.qualifiers,
        valid=span.valid,
        start_granularity=span.start_granularity,
        end_granularity=span.end_granularity,
        start_known=span.start_known,
        end_inferred=span.end_inferred,
        announced=span.announced,
        conflicted=span.conflicted,
        recorded_at=recorded.start,
        invalidated_at=recorded.end,
    )


def coalesce(versions: Iterable[FactVersion]) -> tuple[FactVersion, ...]:
    """The same belief with as few versions as possible.

    Versions never believed are left out; versions of equal content whose recorded intervals meet or
    overlap become one. Sorted by (key, valid start, valid end, recorded_at, id).
    """
    by_content: dict[Content, list[Interval]] = defaultdict(list)
    for version in versions:
        if version.recorded_at < version.invalidated_at:
            by_content[content_of(version)].append(version.recorded)
    result = [
        version_of(key, span, recorded)
        for (key, span), intervals in by_content.items()
        for recorded in union(intervals)
    ]
    return tuple(sorted(result, key=version_order))


def version_order(version: FactVersion) -> tuple[str, int, int, int, str]:
    """The order of versions in lists and dumps."""
    return (
        version.key,
        version.valid.start,
        version.valid.end,
        version.recorded_at,
        version.version_id,
    )


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Disjoint, non-touching intervals that cover the same instants, ascending."""
    result: list[Interval] = []
    for interval in sorted(intervals):
        if result and interval.start <= result[-1].end:
            result[-1] = Interval(result[-1].start, max(result[-1].end, interval.end))
        else:
            result.append(Interval(interval.start, interval.end))
    return result


def dump(versions: Iterable[FactVersion]) -> str:
    """Canonical text of a belief history on both axes, one JSON array a line, coalesced."""
    return "".join(
        _line([*_fields(v.key, content_of(v)[1]), v.recorded_at, v.invalidated_at])
        for v in coalesce(versions)
    )


def valid_time_dump(versions: Iterable[FactVersion]) -> str:
    """Canonical text of what is believed now, without recorded times."""
    now = [version for version in versions if version.invalidated_at == OPEN_END]
    lines = {_line(list(_fields(version.key, content_of(version)[1]))) for version in now}
    return "".join(sorted(lines))


def content_hash(versions: Iterable[FactVersion]) -> str:
    """SHA-256 (hex) of :func:`dump`."""
    return hashlib.sha256(dump(versions).encode()).hexdigest()


def valid_time_hash(versions: Iterable[FactVersion]) -> str:
    """SHA-256 (hex) of :func:`valid_time_dump`."""
    return hashlib.sha256(valid_time_dump(versions).encode()).hexdigest()


def _fields(key: str, span: Span) -> tuple[Any, ...]:
    return (
        key,
        span.subject,
        span.predicate,
        span.object,
        span.object_is_entity,
        [list(pair) for pair in span.qualifiers],
        span.valid.start,
        span.valid.end,
        int(span.start_granularity),
        int(span.end_granularity),
        span.start_known,
        span.end_inferred,
        span.announced,
        span.conflicted,
    )


def _line(fields: list[Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"
