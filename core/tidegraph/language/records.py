"""Structured records become assertions directly, by a mapping and without language processing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from tidegraph.domain import ids
from tidegraph.domain.documents import (
    EndpointBasis,
    EntityType,
    ExtractedAssertion,
    ExtractedDocument,
    GroundedDocument,
    Mention,
    Status,
    StructuredRecord,
    Term,
    ValidTime,
    Verb,
)
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Granularity,
    civil_from_days,
    days_from_civil,
    instant,
)
from tidegraph.domain.policies import ObjectKind
from tidegraph.language.record_mapping import Entry, parse_entries
from tidegraph.language.registry import load_registry

RULE: Final = "record"
_INSTANT_MAX: Final = 1 << 61
"""Microseconds: some 73,000 years to either side, well inside the sentinels of open ends."""
MAX_VALUE_CHARS: Final = 2_000
MAX_CLAIMS_PER_RECORD: Final = 10_000
READY: Final = ("hr_changes", "cmdb_assets", "policy_register")
"""Mappings that ship with the package."""
_TIME: Final = re.compile(
    r"(?P<year>[+-]?\d{4,6})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})(?:[T ](?P<hour>\d{2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?\s*(?P<zone>Z|z|[+-]\d{2}:?\d{2})?)?)?)?"
)


def ready_mapping(name: str) -> str:
    """The text of a mapping that ships with the package.

    Raises:
        Rejected: UNKNOWN_MAPPING, when there is none of that name.
    """
    if name not in READY:
        raise Rejected("UNKNOWN_MAPPING", f"there is no ready mapping {name!r}; there are {', '.join(READY)}")
    file = resources.files("tidegraph.language").joinpath("data", "mappings", f"{name}.yaml")
    return file.read_text("utf-8")


def extract_records(document: GroundedDocument, epoch: str) -> ExtractedDocument:
    """The assertions of a document's structured records, by its mapping.

    Offsets count in the records' JSON, one a line, after the document's text.

    Raises:
        Rejected: INVALID_MAPPING, or INVALID_RECORD: the record is no JSON, lacks a side, or has a time
            that cannot be read; the message names record, entry and field.
    """
    reader = _Reader(document, epoch)
    for record, start in _placed(document):
        reader.read(record, start)
    return ExtractedDocument(
        header=document.header,
        extractor_epoch=epoch,
        chunks=document.chunks,
        expressions=document.expressions,
        mentions=tuple(reader.mentions.values()),
        events=(),
        assertions=tuple(reader.assertions),
    )


def _placed(document: GroundedDocument) -> Iterator[tuple[StructuredRecord, int]]:
    at = len(document.text) + 1 if document.text else 0
    for record in document.records:
        yield record, at
        at += len(record.json) + 1


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of a record: start of its granule, and how finely it was given."""

    instant: int
    granularity: Granularity


class _Reader:
    def __init__(self, document: GroundedDocument, epoch: str) -> None:
        self.header = document.header
        self.epoch = epoch
        self.entries = parse_entries(document.mapping)
        self.registry = load_registry()
        self.mentions: dict[tuple[int, int, str], Mention] = {}
        self.assertions: list[ExtractedAssertion] = []

    def read(self, record: StructuredRecord, start: int) -> None:
        try:
            value = json.loads(record.json)
        except (ValueError, RecursionError) as error:
            raise Rejected("INVALID_RECORD", f"record {record.ordinal} is no JSON: {error}") from None
        before = len(self.assertions)
        for entry in self.entries:
            for scope in _scopes(entry, value):
                if len(self.assertions) - before >= MAX_CLAIMS_PER_RECORD:
                    raise LimitExceeded(
                        "TOO_MANY_CLAIMS",
                        f"record {record.ordinal} makes more than {MAX_CLAIMS_PER_RECORD:,} claims",
                    )
                self._claim(entry, scope, _Place(record, start, entry.line))

    def _claim(self, entry: Entry, scope: Any, place: _Place) -> None:
        if "when" in entry.fields and not entry.fields["when"].read(scope):
            return
        verb = _verb(entry, scope, place)
        subject, predicate = _text(entry, "subject", scope), _text(entry, "predicate", scope)
        obj = _text(entry, "object", scope)
        if not predicate or not subject:
            missing = "predicate" if not predicate else "subject"
            raise place.wrong(f"{missing} ({entry.fields[missing].source}) has no value")
        if not obj and verb is not Verb.STOP:
            # An empty field says nothing; only an end may leave its object out.
            return
        literal = entry.literal or self.registry.policy(predicate).object_kind is ObjectKind.LITERAL
        valid = self._valid(entry, scope, verb, place)
        if valid is None:
            return
        span = (place.start, place.start + len(place.record.json))
        self.assertions.append(
            ExtractedAssertion(
                assertion_id=ids.assertion_id(
                    self.header.graph,
                    self.header.document_id,
                    self.header.revision,
                    *span,
                    self.epoch,
                    len(self.assertions),
                ),
                subject=self._term(subject, entry.subject_type, place),
                predicate=predicate,
                object=Term("", obj) if literal or not obj else self._term(obj, entry.object_type, place),
                qualifiers=_qualifiers(entry, scope),
                valid=valid,
                verb=verb,
                status=self._status(valid, verb),
                confidence=_confidence(entry, scope, place),
                start_char=span[0],
                end_char=span[1],
                event_id="",
                rule_id=f"{RULE}:{entry.line}",
            )
        )

    def _term(self, name: str, kind: EntityType, place: _Place) -> Term:
        written = json.dumps(name, ensure_ascii=False)
        at = place.record.json.find(written)
        start = place.start + (at + 1 if at >= 0 else 0)
        end = start + (len(name) if at >= 0 else len(place.record.json))
        key = (start, end, name)
        if key not in self.mentions:
            # Several names may be made of one record without standing in it: the name tells them apart.
            epoch = self.epoch if at >= 0 else f"{self.epoch}:{name}"
            header = self.header
            mention_id = ids.mention_id(header.graph, header.document_id, header.revision, start, end, epoch)
            self.mentions[key] = Mention(mention_id, name, name, kind, start, end)
        return Term(self.mentions[key].mention_id, "")

    def _valid(self, entry: Entry, scope: Any, verb: Verb, place: _Place) -> ValidTime | None:
        moment = _moment(entry, "effective", scope, place)
        until = _moment(entry, "until", scope, place)
        basis = EndpointBasis.STATED
        if moment is None and self.header.document_time is not None:
            time = self.header.document_time
            moment = Moment(time.instant, time.granularity)
            basis = EndpointBasis.OBSERVED if verb is Verb.STATE else EndpointBasis.STATED
        if verb is Verb.STOP:
            end = until or moment
            return None if end is None else _interval(None, end, EndpointBasis.NONE)
        if until is not None and moment is not None and until.instant < moment.instant:
            raise place.wrong("until lies before effective")
        return _interval(moment, until, basis)

    def _status(self, valid: ValidTime, verb: Verb) -> Status:
        """What lies after the document's day is announced."""
        time = self.header.document_time
        moment = valid.end if verb is Verb.STOP else valid.start
        if time is None or moment in {OPEN_START, OPEN_END}:
            return Status.ASSERTED
        next_day = time.instant - time.instant % MICROS_PER_DAY + MICROS_PER_DAY
        return Status.PLANNED if moment >= next_day else Status.ASSERTED


@dataclass(frozen=True, slots=True)
class _Place:
    record: StructuredRecord
    start: int
    line: int

    def wrong(self, message: str) -> Rejected:
        where = f"record {self.record.ordinal}, mapping line {self.line}"
        return Rejected("INVALID_RECORD", f"{where}: {message}", line=str(self.line))


def _scopes(entry: Entry, value: Any) -> Iterator[Any]:
    """What expressions see: the record, or each element with the record beside it."""
    if "each" not in entry.fields:
        yield value
        return
    found = entry.fields["each"].read(value)
    for element in found if isinstance(found, list) else ([] if found is None else [found]):
        if isinstance(element, dict):
            yield {**element, "record": value}
        else:
            yield {"value": element, "record": value}


def _verb(entry: Entry, scope: Any, place: _Place) -> Verb:
    if "change" not in entry.fields:
        return Verb.STATE
    word = _text(entry, "change", scope).lower()
    if not word:
        return Verb.STATE
    if word not in entry.verbs:
        raise place.wrong(f"change {word[:40]!r} is none of the words under changes")
    return entry.verbs[word]


def _text(entry: Entry, key: str, scope: Any) -> str:
    return _plain(entry.fields[key].read(scope)) if key in entry.fields else ""


def _plain(value: Any) -> str:
    """A scalar as text; true and false as JSON writes them; anything else has none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | str):
        return " ".join(str(value).split())[:MAX_VALUE_CHARS]
    return ""


def _qualifiers(entry: Entry, scope: Any) -> tuple[tuple[str, str], ...]:
    found = ((name, _plain(field.read(scope))) for name, field in entry.qualifiers.items())
    return tuple(sorted((name, value) for name, value in found if value))


def _confidence(entry: Entry, scope: Any, place: _Place) -> float:
    """What the feed says of how sure it is; a record that says nothing is sure."""
    value = entry.fields["confidence"].read(scope) if "confidence" in entry.fields else None
    if value is None or value == "":
        return 1.0
    try:
        confidence = float(value)
    except (TypeError, ValueError):
        confidence = -1.0
    if isinstance(value, bool) or not 0 < confidence <= 1:
        raise place.wrong(f"confidence: {str(value)[:40]!r} is no number above 0 and at most 1")
    return confidence


def _moment(entry: Entry, key: str, scope: Any, place: _Place) -> Moment | None:
    if key not in entry.fields:
        return None
    value = entry.fields[key].read(scope)
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and entry.unit:
        granularity = Granularity.DAY if entry.unit >= MICROS_PER_DAY else Granularity.SECOND
        micros = int(value * entry.unit) if abs(value) < _INSTANT_MAX else _INSTANT_MAX
        return _bounded(Moment(micros, granularity), key, place)
    moment = parse_moment(str(value).strip())
    if moment is None:
        hint = "" if entry.unit else "; for numbers give time_unit"
        raise place.wrong(f"{key}: {str(value)[:40]!r} is no ISO 8601 date or time{hint}")
    return _bounded(moment, key, place)


def _bounded(moment: Moment, key: str, place: _Place) -> Moment:
    if abs(moment.instant) >= _INSTANT_MAX:
        raise place.wrong(f"{key} is beyond any calendar")
    return moment


def parse_moment(text: str) -> Moment | None:
    """An ISO 8601 time at the precision that it is written with; a time without a zone is UTC."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    month, day = int(match["month"] or 1), int(match["day"] or 1)
    hour, minute, second = int(match["hour"] or 0), int(match["minute"] or 0), int(match["second"] or 0)
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 25 and minute < 60 and second < 61):
        return None
    if civil_from_days(days_from_civil(int(match["year"]), month, day))[2] != day:
        return None
    micros = int((match["fraction"] or "0").ljust(6, "0")[:6])
    value = instant(int(match["year"]), month, day, hour, minute, second, micros) - _offset(match["zone"])
    for name, granularity in (
        ("fraction", Granularity.MICROSECOND),
        ("second", Granularity.SECOND),
        ("hour", Granularity.MINUTE),
        ("day", Granularity.DAY),
        ("month", Granularity.MONTH),
    ):
        if match[name]:
            return Moment(value, granularity)
    return Moment(value, Granularity.YEAR)


def _offset(zone: str | None) -> int:
    if not zone or zone in "Zz":
        return 0
    digits = zone[1:].replace(":", "")
    micros = (int(digits[:2]) * 60 + int(digits[2:])) * 60_000_000
    return -micros if zone[0] == "-" else micros


def _interval(start: Moment | None, end: Moment | None, basis: EndpointBasis) -> ValidTime:
    return ValidTime(
        start=start.instant if start else OPEN_START,
        end=end.instant if end else OPEN_END,
        start_granularity=start.granularity if start else Granularity.UNKNOWN,
        end_granularity=end.granularity if end else Granularity.UNKNOWN,
        start_basis=basis if start else EndpointBasis.NONE,
        end_basis=EndpointBasis.STATED if end else EndpointBasis.NONE,
    )
