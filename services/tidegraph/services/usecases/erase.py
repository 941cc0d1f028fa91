"""Erasures: what they concern, and what came of them."""

from __future__ import annotations

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.naming import normalise
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import Visibility
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.decide import decide
from tidegraph.services.usecases.linking import nobody
from tidegraph.storage.visibility import EVERYTHING


async def erase_document(ports: Ports, caller: Caller, document_id: str, reason: str) -> Position:
    """Have a document erased from every place; unknown ones too, for a copy may be on its way.

    Raises:
        Rejected: MISSING_ID.
    """
    if not document_id:
        raise Rejected("MISSING_ID", "name the document to erase", field="document_id")
    return await decide(ports, caller, reason, erasure=records_pb2.Erasure(document_id=document_id))


async def erase_entity(
    ports: Ports, caller: Caller, name_or_id: str, reason: str
) -> tuple[Position, list[str]]:
    """Have every mention of an entity erased; the position, and all ids that the entity has.

    Raises:
        NotFound: ENTITY_NOT_FOUND. Rejected: AMBIGUOUS_ENTITY, several entities have the name.
    """
    found = [record.entity_id for record in await ports.store.entities(caller.graph, [name_or_id])]
    if not found:
        wanted = normalise(name_or_id)
        named = await ports.store.entities_by_name(caller.graph, [wanted]) if wanted else {}
        found = sorted({record.entity_id for record in named.get(wanted, [])})
    if not found:
        raise await nobody(ports, caller.graph, name_or_id, Visibility(OPEN_END - 1, caller.labels), "entity")
    sets = [await _ids(ports, caller.graph, entity_id) for entity_id in found]
    if len(set(map(frozenset, sets))) > 1:
        message = "several entities have this name; name the one to erase by its id: " + ", ".join(found[:10])
        raise Rejected("AMBIGUOUS_ENTITY", message, field="entity")
    erasure = records_pb2.Erasure(entity_ids=sorted(sets[0]))
    return await decide(ports, caller, reason, erasure=erasure), sorted(sets[0])


async def _ids(ports: Ports, graph: str, entity_id: str) -> set[str]:
    """All ids that are one entity, as believed now."""
    rows = await ports.store.same_as(graph, [entity_id], EVERYTHING)
    believed = [row for row in rows if row.invalidated_at == OPEN_END]
    return {entity_id, *(id_ for row in believed for id_ in (row.tied.left, row.tied.right))}


async def certificate(ports: Ports, position: Position) -> str:
    """The certificate of an erasure.

    Raises:
        NotFound: NO_CERTIFICATE, it is not carried out yet, or was refused.
    """
    text = await ports.status.certificate(position)
    if not text:
        message = "there is no certificate of this erasure; wait for its outcome, then ask again"
        raise NotFound("NO_CERTIFICATE", message)
    return text
