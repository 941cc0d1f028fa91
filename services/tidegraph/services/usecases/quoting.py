"""What one piece of evidence says: the sentence it stands in, or its claim in words for a record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain import ids
from tidegraph.domain.documents import Status
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.ports import EntityRecord, EventRecord
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.naming import named_at
from tidegraph.services.usecases.phrasing import period_in_words, statement

CHUNK_CHARACTERS_MIN: Final = 1_000
"""No full chunk is shorter: it bounds the ordinal of the chunk that holds a character."""
ORDINALS_MAX: Final = 256


async def sentences(
    ports: Ports,
    moment: Moment,
    evidence: Sequence[tuple[FactVersion, Assertion]],
    events: dict[str, EventRecord],
    names: dict[str, EntityRecord],
) -> list[str]:
    """For each assertion, found under its version's key, what its document says.

    That is the sentence of its event; without one, as the document has it; else, for a structured record
    and for what is withdrawn, the claim of this assertion in words, never that of the version.
    """
    bare = [assertion for _, assertion in evidence if assertion.event_id not in events]
    texts = await _texts(ports, moment, bare)
    await _learn(ports, moment, bare, names)
    found: list[str] = []
    for version, assertion in evidence:
        event = events.get(assertion.event_id)
        said = event.event.sentence if event else texts.get(assertion.assertion_id, "")
        found.append(said or _in_words(ports, moment, version, assertion, names))
    return found


async def _texts(ports: Ports, moment: Moment, bare: Iterable[Assertion]) -> dict[str, str]:
    """Assertion id to the text of its span, from the chunk that holds it."""
    spans = [assertion for assertion in bare if assertion.end_char > assertion.start_char]
    wanted: dict[str, None] = {}
    for a in spans:
        for ordinal in range(min(a.start_char // CHUNK_CHARACTERS_MIN + 1, ORDINALS_MAX)):
            wanted[ids.chunk_id(moment.graph, a.document_id, a.revision, ordinal)] = None
    if not wanted:
        return {}
    records = await ports.store.chunks(moment.graph, list(wanted), moment.seen)
    found: dict[str, str] = {}
    for a in spans:
        for record in records:
            chunk = record.chunk
            same = (record.document_id, record.revision) == (a.document_id, a.revision)
            if same and chunk.start_char <= a.start_char and a.end_char <= chunk.end_char:
                text = chunk.text[a.start_char - chunk.start_char : a.end_char - chunk.start_char]
                found.setdefault(a.assertion_id, " ".join(text.split()))
    return found


async def _learn(
    ports: Ports, moment: Moment, bare: Iterable[Assertion], names: dict[str, EntityRecord]
) -> None:
    """Fetch the names that the claims in words need, as they are in force at the asked time."""
    sides = [a.subject for a in bare] + [a.object for a in bare if a.object_is_entity]
    missing = [side for side in dict.fromkeys(sides) if side and side not in names]
    if missing:
        found = await ports.store.entities(moment.graph, missing, moment.seen)
        for record in await named_at(ports, moment, found):
            names[record.entity_id] = record


def _in_words(
    ports: Ports,
    moment: Moment,
    version: FactVersion,
    assertion: Assertion,
    names: dict[str, EntityRecord],
) -> str:
    """The claim as a sentence; what it does not name is that of the version it is evidence for."""
    claim = replace(
        version,
        subject=assertion.subject or version.subject,
        object=assertion.object or version.object,
        object_is_entity=assertion.object_is_entity if assertion.object else version.object_is_entity,
        qualifiers=assertion.qualifiers,
        valid=assertion.valid.interval,
        start_granularity=assertion.valid.start_granularity,
        end_granularity=assertion.valid.end_granularity,
        start_known=True,
        announced=assertion.status is Status.PLANNED,
    )
    said = (
        f"{statement(claim, ports.registry, names, moment.now)} {period_in_words(claim, moment.now)}".strip()
    )
    return f"Denied: {said}." if assertion.status is Status.DENIED else f"{said}."
