"""Canonical text of a whole graph, to compare graphs by.

Two graphs that took in the same records have the same full dump, whatever the order, the batches, the
replays and the crashes on the way. Rows are named by ids that depend on what was extracted alone;
positions in the log and commit sequences are left out. Facts are in coalesced form.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from typing import Final

import orjson

from tidegraph.domain import canonical, identity
from tidegraph.ports import GraphReader

KINDS: Final = ("document", "chunk", "event", "assertion")
LEFT_OUT: Final = frozenset({"seq", "words", "topic", "partition", "offset", "incarnation"})
_PAGE: Final = 2_000


async def valid_time_dump(reader: GraphReader, graph: str) -> str:
    """What is believed now, without any recorded time: the same for every order of arrival."""
    return canonical.valid_time_dump(await reader.all_versions(graph))


async def belief_dump(reader: GraphReader, graph: str) -> str:
    """All that was ever believed, on both axes."""
    return canonical.dump(await reader.all_versions(graph))


async def identity_dump(reader: GraphReader, graph: str) -> str:
    """All that was ever believed about which ids are one, on the recorded axis."""
    lines = []
    for tied, recorded in identity.coalesced(await reader.all_ties(graph)):
        row = [*_tied(tied), recorded.start, recorded.end]
        lines.append(orjson.dumps(row).decode() + "\n")
    return "".join(lines)


def _tied(tied: identity.Tied) -> list[object]:
    return [tied.left, tied.right, tied.tie, tied.rule, tied.actor, tied.reason, list(tied.labels)]


async def full_dump(reader: GraphReader, graph: str) -> AsyncIterator[str]:
    """Everything in the graph, a line a row: documents and what came of them, entities, lists, facts."""
    events: list[str] = []
    for kind in KINDS:
        after = ""
        while page := await reader.scan(graph, kind, after, _PAGE):
            for _, text in page:
                yield f"{kind} {text}\n"
            events += [id_ for id_, _ in page] if kind == "event" else []
            after = page[-1][0]
    for entity in await reader.all_entities(graph):
        names = [entity.name, *entity.aliases]
        row = [entity.entity_id, entity.key, int(entity.type), names, entity.recorded_at]
        yield f"entity {orjson.dumps(row).decode()}\n"
    # Which ids are one now: a merge that was split again leaves no trace here, see ``identity_dump``.
    rows = [one for one in await reader.all_ties(graph) if one.tied.tie is identity.Tie.SAME]
    for row in sorted(_tied(one.tied) for one in rows if identity.is_open(one)):
        yield f"same {orjson.dumps(row).decode()}\n"
    for start in range(0, len(events), _PAGE):
        for entry in await reader.lists_of(graph, events[start : start + _PAGE]):
            yield f"link {orjson.dumps([entry.event_id, entry.neighbour_id, entry.weight]).decode()}\n"
    for line in (await belief_dump(reader, graph)).splitlines():
        yield f"fact {line}\n"


async def content_hash(reader: GraphReader, graph: str) -> str:
    """SHA-256 (hex) of the full dump."""
    digest = hashlib.sha256()
    async for line in full_dump(reader, graph):
        digest.update(line.encode())
    return digest.hexdigest()


def canonical_row(row: dict[str, object]) -> str:
    """A row's properties as JSON with sorted names, without what depends on how it was written."""
    kept = {name: value for name, value in row.items() if name not in LEFT_OUT and value is not None}
    return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS).decode()
