"""Deterministic ids: functions of content and provenance, never of clocks or arrival.

A replay of the same documents gives the same ids, which is what makes at-least-once delivery
harmless.
"""

from __future__ import annotations

import uuid
from typing import Final

_NAMESPACE: Final = uuid.UUID("5b0c6f0e-4a51-5c7f-9f43-7d2a6e3f1c01")


def make_id(kind: str, *parts: str | int) -> str:
    """A UUIDv5 over the kind and the parts; no two different part lists share an id by joining."""
    text = "\0".join((kind, *(f"{len(str(part))}:{part}" for part in parts)))
    return str(uuid.uuid5(_NAMESPACE, text))


def chunk_id(graph: str, document_id: str, revision: str, ordinal: int) -> str:
    """Id of a chunk: its place in one revision of a document."""
    return make_id("chunk", graph, document_id, revision, ordinal)


def mention_id(
    graph: str, document_id: str, revision: str, start_char: int, end_char: int, epoch: str
) -> str:
    """Id of a mention: its span in one revision, as read by one extractor epoch."""
    return make_id("mention", graph, document_id, revision, start_char, end_char, epoch)


def event_id(
    graph: str, document_id: str, revision: str, start_char: int, end_char: int, epoch: str, ordinal: int
) -> str:
    """Id of a DEU: (document, revision, span, extractor epoch, ordinal)."""
    return make_id("event", graph, document_id, revision, start_char, end_char, epoch, ordinal)


def assertion_id(
    graph: str, document_id: str, revision: str, start_char: int, end_char: int, epoch: str, ordinal: int
) -> str:
    """Id of an assertion: (document, revision, span, extractor epoch, ordinal)."""
    return make_id("assertion", graph, document_id, revision, start_char, end_char, epoch, ordinal)


def entity_id(graph: str, normalised_name: str, discriminator: str) -> str:
    """Id of an entity: the cell of the name it was first told under, and what tells homonyms apart.

    ``discriminator`` is "" unless evidence showed that the name has several holders.
    """
    return make_id("entity", graph, normalised_name, discriminator)
