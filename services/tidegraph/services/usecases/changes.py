"""What changed in a graph, as far as a caller may see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.asof import ALL_KNOWN
from tidegraph.ports import ChangeRow, FactFilter, Visibility
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Ports
from tidegraph.storage.changes import whole_commits

PAGE: Final = 500
_FACTS_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class ChangesFound:
    """Changes in order, and the sequence of the last commit looked at, whether or not it is shown."""

    rows: tuple[ChangeRow, ...]
    sequence: int


async def next_changes(ports: Ports, caller: Caller, after: int) -> ChangesFound:
    """The changes of the next commits after a sequence.

    A change tells of belief over all evidence. A caller with labels is told of it when the fact it speaks
    of reads the same to them as to one who may see everything; where hidden evidence has a part, nothing
    is told.
    """
    rows = await whole_commits(ports.store, caller.graph, after, PAGE)
    sequence = rows[-1].sequence if rows else after
    if caller.labels is not None:
        seen = await _told_to_all(ports, caller, rows)
        rows = [row for row in rows if row.version_id in seen]
    return ChangesFound(tuple(rows), sequence)


async def _told_to_all(ports: Ports, caller: Caller, rows: Sequence[ChangeRow]) -> set[str]:
    """Versions that are the same for the caller as without labels."""
    ids = sorted({row.version_id for row in rows})
    found: set[str] = set()
    for start in range(0, len(ids), _FACTS_AT_ONCE):
        part = tuple(ids[start : start + _FACTS_AT_ONCE])
        which = FactFilter(version_ids=part, history=True, limit=len(part))
        whole = await ports.store.facts(caller.graph, which, Visibility(ALL_KNOWN, None))
        own = await ports.store.facts(caller.graph, which, Visibility(ALL_KNOWN, caller.labels))
        found |= {version.version_id for version in own if version in whole}
    return found
