"""Record keys and the partitions that they lead to."""

from __future__ import annotations

from urllib.parse import quote, unquote

from aiokafka.partitioner import murmur2  # type: ignore[import-untyped]

from tidegraph.domain.documents import DocumentHeader, Position


def join_key(*parts: str) -> bytes:
    """Parts joined by ``/``, each percent-encoded: readable, and no two part lists share a key."""
    return "/".join(quote(part, safe="") for part in parts).encode("ascii")


def split_key(key: bytes) -> tuple[str, ...]:
    """The parts of :func:`join_key`."""
    return tuple(unquote(part) for part in key.decode("ascii").split("/"))


def document_key(graph: str, document_id: str) -> bytes:
    """Key of ``documents``, and what ``grounded`` and ``extracted`` are partitioned by."""
    return join_key(graph, document_id)


def grounded_key(header: DocumentHeader) -> bytes:
    """Key of ``grounded``: document and part."""
    return join_key(header.graph, header.document_id, str(header.part))


def extracted_key(header: DocumentHeader, epoch: str, reextracted_at: int = 0) -> bytes:
    """Key of ``extracted``: document, revision, content, recorded time, extractor epoch and part.

    A reading of a re-extraction has its time in it as well, so that it never takes the place of another.

    All that tells two pieces of evidence apart is in it, because the topic is compacted and a rebuild
    needs each of them: a revision that is sent again counts from its first coming, or from a later one
    when it was withdrawn in between. What a restarted worker writes twice has one key.
    """
    return join_key(
        header.graph,
        header.document_id,
        header.revision,
        header.content_hash,
        str(header.recorded_at),
        epoch,
        str(header.part),
        *([str(reextracted_at)] if reextracted_at else []),
    )


def graph_key(graph: str) -> bytes:
    """Key of ``resolved`` and ``control``."""
    return join_key(graph)


def position_key(position: Position) -> bytes:
    """Key of ``status`` and ``dead-letters``: one life of the log, topic, partition, offset."""
    return join_key(position.incarnation, position.topic, str(position.partition), str(position.offset))


def partition_of(key: bytes, partitions: int) -> int:
    """The partition that Kafka's default partitioner (murmur2) gives a key."""
    return int((murmur2(key) & 0x7FFFFFFF) % partitions)
