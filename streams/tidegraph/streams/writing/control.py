"""Decisions of ``control`` that the writer carries out: one table of kinds.

A decision changes belief from its recorded time on; what was believed before stays as it was. Each kind
says what a decision is about, refuses one that cannot be carried out, and tells what it changes. The
decision itself becomes a row of the graph in the same commit (who, why, when, what), and what it does is
a function of the rows and the evidence, so that it holds for whatever is written before or after it.

To add a kind: a class with the three members of :class:`Kind`, and a line in ``kinds`` at the end.
A retraction is a decision too, but one about a document: ``submissions`` carries it out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import orjson
from google.protobuf import json_format
from google.protobuf.message import Message

from tidegraph.domain.documents import DocumentHeader, DocumentKind, Position
from tidegraph.domain.errors import Rejected
from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import PairDecision
from tidegraph.domain.interval import OPEN_END
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import DecisionRecord, GraphReader
from tidegraph.storage.visibility import EVERYTHING

MAX_REASON: Final = 2_000
MAX_ID: Final = 512
MAX_CONTENT: Final = 512 * 1024
"""Longest reason, id, and decision as JSON, in characters."""


@dataclass(frozen=True, slots=True)
class Decide:
    """A decision of the batch. ``header`` stands for it where a document's would: it names no document."""

    header: DocumentHeader
    record: DecisionRecord


@dataclass(slots=True)
class Effects:
    """What the decisions of a batch change besides being stored; each kind adds to it.

    ``since``: conflict keys to plan anew, with the first instant that is concerned.
    """

    since: dict[str, int] = field(default_factory=dict)
    pairs: list[PairDecision] = field(default_factory=list)
    """What decisions say of pairs of entity ids."""
    filed: list[tuple[str, Assertion]] = field(default_factory=list)
    """(origin, row): forms that stored claims take from a change of policies on."""
    filed_until: list[tuple[str, int]] = field(default_factory=list)
    """(row id, instant): where a stored form ends."""

    def replan(self, key: str, since: int) -> None:
        """Plan a conflict key anew from an instant of the recorded axis on."""
        self.since[key] = min(self.since.get(key, OPEN_END), since)


class Kind(Protocol):
    """One kind of decision."""

    @property
    def name(self) -> str:
        """The name of the choice in ControlRecord."""
        ...

    def subject(self, control: records_pb2.ControlRecord) -> str:
        """What the decision is about: an id, or "" for the whole graph.

        Raises:
            Rejected: it cannot be carried out, whatever the graph holds.
        """
        ...

    async def carry_out(
        self, graph: str, reader: GraphReader, news: Sequence[DecisionRecord], effects: Effects
    ) -> None:
        """Add what these decisions change. They are new, or were told earlier than the graph has them."""
        ...


class Control:
    """All kinds of decisions that a writer carries out."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self._kinds: Mapping[str, Kind] = {kind.name: kind for kind in kinds}

    def read(self, control: records_pb2.ControlRecord, position: Position) -> Decide:
        """A control record as a decision of the batch.

        Raises:
            Rejected: NOT_SUPPORTED, no kind of this version; INVALID_DECISION, what is wrong with it.
        """
        name = control.WhichOneof("decision") or ""
        kind = self._kinds.get(name)
        if kind is None:
            message = f"this version does not carry out the decision {name!r}"
            raise Rejected("NOT_SUPPORTED", message, kind=name)
        if not control.control_id or len(control.control_id) > MAX_ID:
            raise invalid(f"a decision needs a control_id of at most {MAX_ID} characters")
        if len(control.reason) > MAX_REASON or len(control.actor) > MAX_ID:
            raise invalid(f"reasons have at most {MAX_REASON} characters, actors {MAX_ID}")
        content = _content(getattr(control, name))
        if len(content) > MAX_CONTENT:
            raise invalid(f"a decision has at most {MAX_CONTENT} characters")
        record = DecisionRecord(
            decision_id=control.control_id,
            kind=name,
            subject=kind.subject(control),
            actor=control.actor,
            reason=control.reason,
            recorded_at=control.recorded_at,
            content=content,
        )
        return Decide(header_of(control, position), record)

    async def carry_out(
        self, graph: str, reader: GraphReader, decisions: Sequence[DecisionRecord]
    ) -> tuple[tuple[DecisionRecord, ...], Effects]:
        """The rows to write, and what they change. A decision told again changes nothing."""
        effects = Effects()
        if not decisions:
            return (), effects
        names = sorted({decision.kind for decision in decisions})
        stored = {d.decision_id: d for d in await reader.decisions(graph, names, EVERYTHING)}
        news: dict[str, DecisionRecord] = {}
        for decision in decisions:
            known = news.get(decision.decision_id) or stored.get(decision.decision_id)
            if known is None or decision.recorded_at < known.recorded_at:
                news[decision.decision_id] = decision
        by_kind: dict[str, list[DecisionRecord]] = defaultdict(list)
        for decision in news.values():
            by_kind[decision.kind].append(decision)
        for name, found in sorted(by_kind.items()):
            await self._kinds[name].carry_out(graph, reader, found, effects)
        return tuple(news.values()), effects


def header_of(control: records_pb2.ControlRecord, position: Position) -> DocumentHeader:
    """A header that stands for a control record: a retraction's names its document and revision."""
    retraction = control.retraction
    return DocumentHeader(
        graph=control.graph,
        document_id=retraction.document_id,
        revision=retraction.revision,
        source=control.actor,
        title=control.reason,
        kind=DocumentKind.RETRACTION,
        document_time=None,
        labels=(),
        source_priority=0,
        language="",
        position=position,
        recorded_at=control.recorded_at,
        part=1,
        parts=1,
        content_hash="",
    )


def invalid(message: str) -> Rejected:
    """A decision that cannot be carried out."""
    return Rejected("INVALID_DECISION", message)


def _content(choice: Message) -> str:
    """The choice of a control record as canonical JSON."""
    fields = json_format.MessageToDict(choice, preserving_proto_field_name=True)
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS).decode()
