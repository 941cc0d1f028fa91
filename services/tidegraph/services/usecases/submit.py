"""Writes: documents into the log, and where they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.documents import DocumentKind, Position
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.inputs import jsontext, payload, times
from tidegraph.inputs.document import Content, Defaults, finish
from tidegraph.inputs.envelope import encode
from tidegraph.inputs.mapping import parse_mapping
from tidegraph.inputs.times import TimeRules
from tidegraph.ports import DocumentStatus
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.tenants import known_graph

DOCUMENTS: Final = "documents"
WATCH_FIRST_SECONDS: Final = 0.05
WATCH_LAST_SECONDS: Final = 1.0
DEAD_LETTERS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Submission:
    """A document as a caller gives it. ``json`` holds one object, or an array of records with a mapping."""

    document_id: str
    revision: str
    title: str
    source: str
    kind: DocumentKind
    document_time: str
    labels: tuple[str, ...]
    language: str
    text: str
    json: str
    mapping: str
    media_type: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """A document that the log has."""

    position: Position
    document_id: str
    revision: str


async def submit(ports: Ports, caller: Caller, submission: Submission) -> Accepted:
    """Write a document into the log; durable when it returns.

    Where the request says nothing, what the document says of itself holds: its id, its labels, its time.

    Raises:
        Rejected: it cannot be read as what it says it is. LimitExceeded: a field over its limit.
        Retryable: the log is away.
    """
    rules = TimeRules(ports.grounding.timezone, ports.grounding.day_first)
    content = _content(submission, rules)
    content = replace(
        content,
        document_id=submission.document_id or content.document_id,
        revision=submission.revision or content.revision,
        title=submission.title or content.title,
        source=submission.source or content.source,
        kind=submission.kind or content.kind,
        labels=submission.labels or content.labels,
        language=submission.language or content.language,
    )
    if submission.document_time:
        time = times.require(submission.document_time, "request", rules)
        content = replace(content, document_time=time)
    return await _append(ports, caller, content)


async def retract(ports: Ports, caller: Caller, document_id: str) -> Accepted:
    """Withdraw a document.

    Raises:
        Rejected: MISSING_ID.
    """
    return await _append(ports, caller, Content(document_id=document_id, kind=DocumentKind.RETRACTION))


async def _append(ports: Ports, caller: Caller, content: Content) -> Accepted:
    defaults = Defaults(
        graph=caller.graph, language=ports.grounding.language, max_bytes=ports.max_document_bytes
    )
    document = finish(replace(content, graph=caller.graph), defaults)
    key, value, headers = encode(document)
    position = await ports.log.append(DOCUMENTS, key, value, headers, None)
    return Accepted(position, document.document_id, document.revision)


def _content(submission: Submission, rules: TimeRules) -> Content:
    if submission.json:
        return _records(submission, rules)
    media = payload.media_type(submission.media_type or "text/plain")
    if not media.is_text:
        message = f"a text cannot be of the media type {media.name[:80]!r}; send JSON in the field json"
        raise Rejected("UNSUPPORTED_CONTENT_TYPE", message, field="document.media_type")
    return payload.read(submission.text.encode("utf-8"), media, rules, None)


def _records(submission: Submission, rules: TimeRules) -> Content:
    value = jsontext.load(submission.json.encode("utf-8"))
    if not submission.mapping:
        return payload.read_json(payload.require_object(value), rules, None)
    parse_mapping(submission.mapping, "mapping")
    rows = value if isinstance(value, list) else [value]
    return Content(
        records=tuple(jsontext.dump(payload.require_object(row)) for row in rows),
        mapping=submission.mapping,
        mapping_name="mapping",
    )


async def ingest_status(ports: Ports, caller: Caller, position: Position) -> DocumentStatus:
    """Where one submission is.

    Raises:
        NotFound: INGEST_NOT_FOUND.
    """
    found = await ports.status.get([position])
    own = [status for status in found if status.graph in ("", caller.graph)]
    if not own:
        message = "nothing is known of this submission yet; a moment after the write, ask again"
        raise NotFound("INGEST_NOT_FOUND", message)
    return own[0]


async def watch(ports: Ports, caller: Caller, positions: Sequence[Position]) -> AsyncIterator[DocumentStatus]:
    """Every change of the submissions' states, until each has its outcome."""
    open_ones = list(positions)
    last: dict[Position, tuple[str, str]] = {}
    pause = WATCH_FIRST_SECONDS
    while open_ones:
        changed = False
        for status in await ports.status.get(open_ones):
            state = (status.stage, status.outcome)
            if status.graph in ("", caller.graph) and last.get(status.position) != state:
                last[status.position] = state
                changed = True
                yield status
        open_ones = [position for position in open_ones if not last.get(position, ("", ""))[1]]
        if open_ones:
            pause = WATCH_FIRST_SECONDS if changed else min(pause * 1.5, WATCH_LAST_SECONDS)
            await asyncio.sleep(pause)


async def dead_letters(ports: Ports, caller: Caller) -> list[DocumentStatus]:
    """Dead letters of the caller's graph, newest first.

    Raises:
        NotFound: GRAPH_NOT_FOUND.
    """
    await known_graph(ports, caller)
    found = await ports.status.dead_letters(caller.graph, DEAD_LETTERS_MAX)
    return sorted(found, key=lambda status: (-status.recorded_at, status.position))
