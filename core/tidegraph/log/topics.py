"""The one table of topics: what each carries, how it is keyed, kept and sized (docs/topics.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from tidegraph.settings import Settings

EMBEDDED_CLUSTER_ID: Final = "tidegraph-embedded"
"""The embedded broker is started under this cluster id; clients know it by that."""
_DAY_MS: Final = 86_400_000
_FOREVER: Final = "-1"
_ENVELOPE_BYTES: Final = 1024 * 1024
"""Room for headers and framing above the largest document."""


class Topic(StrEnum):
    """The topics by the name that follows the configured prefix."""

    DOCUMENTS = "documents"
    GROUNDED = "grounded"
    EXTRACTED = "extracted"
    CONTROL = "control"
    RESOLVED = "resolved"
    CHANGES = "changes"
    STATUS = "status"
    DEAD_LETTERS = "dead-letters"


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """How a topic is declared. ``key`` and ``partitioned_by`` are for people; ``keys.py`` makes them.

    ``cleanup`` and ``retention_ms`` are the broker's ``cleanup.policy`` and ``retention.ms``.
    ``broker_time`` asks for ``LogAppendTime``: the stamps of these records are facts, not claims.
    """

    topic: Topic
    key: str
    partitioned_by: str
    cleanup: str
    retention_ms: str
    broker_time: bool
    public: bool

    @property
    def compaction_lag_ms(self) -> str:
        """How long a record of a compacted topic may outlive its tombstone."""
        return str(7 * _DAY_MS)


TOPICS: Final[Mapping[Topic, TopicSpec]] = MappingProxyType(
    {
        spec.topic: spec
        for spec in (
            # Retraction is a null value here, so compaction would destroy evidence. How long raw documents
            # stay is the operator's choice; until they choose, nothing is thrown away.
            TopicSpec(Topic.DOCUMENTS, "document", "document", "delete", _FOREVER, True, True),
            # Not compacted: the key of a later revision must never remove an earlier one that is unread.
            TopicSpec(Topic.GROUNDED, "document, part", "document", "delete", str(7 * _DAY_MS), False, False),
            # The record of belief.
            TopicSpec(
                Topic.EXTRACTED,
                "document, revision, content, recorded time, extractor epoch, part",
                "document",
                "compact",
                _FOREVER,
                False,
                True,
            ),
            TopicSpec(Topic.CONTROL, "graph", "graph", "delete", _FOREVER, True, False),
            TopicSpec(Topic.RESOLVED, "graph", "graph", "delete", str(7 * _DAY_MS), False, False),
            TopicSpec(Topic.CHANGES, "entity", "entity", "delete", str(30 * _DAY_MS), False, True),
            TopicSpec(
                Topic.STATUS,
                "position",
                "partition of the document",
                "delete",
                str(7 * _DAY_MS),
                True,
                False,
            ),
            # Compacted as well, so that an erasure can remove the bytes by a tombstone.
            TopicSpec(
                Topic.DEAD_LETTERS,
                "position",
                "position",
                "compact,delete",
                str(30 * _DAY_MS),
                False,
                False,
            ),
        )
    }
)


def topic_name(topic: Topic, prefix: str) -> str:
    """The name on the broker; clusters often allow one prefix per team."""
    return f"{prefix}{topic}"


def max_record_bytes(settings: Settings) -> int:
    """The largest record that any topic takes: the largest document with its envelope.

    A grounded or extracted record repeats the text of a document (whole text, chunks with their
    overlap, expressions); documents over 64 chunks travel in parts, so twice the limit is ample.
    """
    return 2 * settings.max_document_bytes + _ENVELOPE_BYTES


def broker_config(spec: TopicSpec, settings: Settings) -> dict[str, str]:
    """The topic's configuration in the broker's words."""
    compacted = {"max.compaction.lag.ms": spec.compaction_lag_ms} if "compact" in spec.cleanup else {}
    return {
        **compacted,
        "cleanup.policy": spec.cleanup,
        "retention.ms": spec.retention_ms,
        "message.timestamp.type": "LogAppendTime" if spec.broker_time else "CreateTime",
        "max.message.bytes": str(max_record_bytes(settings)),
    }
