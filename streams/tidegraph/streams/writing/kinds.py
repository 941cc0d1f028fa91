"""The kinds of decisions that the writer carries out, each in a class (see ``control``)."""

from __future__ import annotations

from collections.abc import Sequence

from tidegraph.domain.errors import Rejected
from tidegraph.domain.predicates import Registry
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import DecisionRecord, GraphReader
from tidegraph.streams.writing.control import MAX_ID, Control, Effects, invalid
from tidegraph.streams.writing.erased import Erasures
from tidegraph.streams.writing.merging import Merges, Splits
from tidegraph.streams.writing.policychanges import PolicyChanges


class ConflictDecisions:
    """Which claim under a conflict key is believed where others of equal rank disagree; "" undoes it."""

    name = "conflict"

    def subject(self, control: records_pb2.ControlRecord) -> str:
        """The conflict key."""
        decision = control.conflict
        if not decision.key or max(len(decision.key), len(decision.assertion_id)) > MAX_ID:
            raise invalid(f"a decision of a conflict names its key, in at most {MAX_ID} characters")
        return decision.key

    async def carry_out(
        self, graph: str, reader: GraphReader, news: Sequence[DecisionRecord], effects: Effects
    ) -> None:
        """The key is planned anew from the decision on."""
        for decision in news:
            effects.replan(decision.subject, decision.recorded_at)


class Seals:
    """From its recorded time on the graph takes no backfill: what was known at a past instant is final."""

    name = "seal"

    def subject(self, control: records_pb2.ControlRecord) -> str:
        """The whole graph."""
        return ""

    async def carry_out(
        self, graph: str, reader: GraphReader, news: Sequence[DecisionRecord], effects: Effects
    ) -> None:
        """The row alone does it: documents are checked against it."""


class Reextractions:
    """Documents are read again by another extractor; the readings that come of it bring its time along."""

    name = "reextraction"

    def subject(self, control: records_pb2.ControlRecord) -> str:
        """The document, or "" for all of the graph."""
        document_id = control.reextraction.document_id
        if len(document_id) > MAX_ID:
            raise Rejected("INVALID_DECISION", f"a document id has at most {MAX_ID} characters")
        return document_id

    async def carry_out(
        self, graph: str, reader: GraphReader, news: Sequence[DecisionRecord], effects: Effects
    ) -> None:
        """The row is the record of it: what changes belief are the readings themselves."""


def all_kinds(registry: Registry) -> Control:
    """The table of kinds, for graphs that start out with this registry."""
    return Control(
        (
            ConflictDecisions(),
            PolicyChanges(registry),
            Seals(),
            Reextractions(),
            Merges(),
            Splits(),
            Erasures(),
        )
    )
