"""A record becomes a document: its position, its times, its parts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tidegraph import settings
from tidegraph.domain.documents import DocumentKind, GroundedDocument
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import instant
from tidegraph.language.chunking import MAX_CHUNKS_PER_PART
from tidegraph.log.codecs import decode
from tidegraph.log.headers import BACKFILL
from tidegraph.models.clock import FixedClock
from tidegraph.ports import LogRecord
from tidegraph.streams.flow import Input
from tidegraph.streams.setup import envelope_decoder, ground_handler
from tidegraph.streams.stages.ground import RECORDS_PER_PART, GroundHandler, _pieces

NOW = instant(2024, 5, 1)


@pytest.fixture(scope="module")
def handler() -> GroundHandler:
    configured = settings.load({})
    return ground_handler(configured, FixedClock(NOW))


def _item(value: Any, *headers: tuple[str, bytes], key: bytes | None = b"k") -> Input:
    raw = value if value is None or isinstance(value, bytes) else json.dumps(value).encode()
    return Input(LogRecord("documents", 2, 17, NOW, key, raw, headers), "life", NOW)


def _one(handler: GroundHandler, item: Input) -> GroundedDocument:
    [document] = handler.ground(item)
    return document


def test_a_short_document_is_one_part(handler: GroundHandler) -> None:
    text = "Ann Lee became CEO of Acme on 3 March 2021."
    document = _one(handler, _item({"id": "d", "text": text, "title": "News", "document_time": "2021-03-04"}))
    header = document.header
    assert (header.graph, header.document_id, header.title) == ("default", "d", "News")
    assert (header.position.partition, header.position.offset, header.position.incarnation) == (2, 17, "life")
    assert (header.recorded_at, header.part, header.parts) == (NOW, 1, 1)
    assert header.document_time is not None
    assert header.document_time.instant == instant(2021, 3, 4)
    assert document.text == text
    assert [chunk.text for chunk in document.chunks] == [text]
    [expression] = document.expressions
    assert expression.interval is not None
    assert text[expression.start_char : expression.end_char] == expression.text
    assert expression.interval.start == instant(2021, 3, 3)


async def test_handling_tells_that_the_document_is_accepted(handler: GroundHandler) -> None:
    result = await handler.handle(_item({"id": "d", "text": "Hello."}))
    [output], [line] = result.outputs, result.statuses
    assert decode(GroundedDocument, output.value).header.document_id == "d"
    assert (output.key, output.route) == (b"default/d/1", b"default/d")
    assert (line.stage, line.outcome, line.part, line.parts) == ("ground", "", 0, 1)


def test_a_long_text_travels_in_parts_that_cover_it(handler: GroundHandler) -> None:
    sentence = "On 3 March 2021 the board met and the plan was agreed by all that were there. "
    text = sentence * 6_000
    documents = handler.ground(_item({"id": "d", "text": text}))
    assert len(documents) > 1
    assert "".join(document.text for document in documents) == text
    assert [d.header.part for d in documents] == list(range(1, len(documents) + 1))
    assert {d.header.parts for d in documents} == {len(documents)}
    assert all(len(d.chunks) <= MAX_CHUNKS_PER_PART for d in documents)
    ordinals = [chunk.ordinal for d in documents for chunk in d.chunks]
    assert ordinals == list(range(len(ordinals)))
    for document in documents:
        base = document.chunks[0].start_char
        assert text[base : base + len(document.text)] == document.text
        for expression in document.expressions:
            local = document.text[expression.start_char - base : expression.end_char - base]
            assert local == expression.text
    assert sum(len(d.expressions) for d in documents) == 6_000


def test_a_null_value_is_a_retraction(handler: GroundHandler) -> None:
    document = _one(handler, _item(None, key=b"d7"))
    assert document.header.kind is DocumentKind.RETRACTION
    assert document.header.document_id == "d7"
    assert (document.text, document.chunks, document.records) == ("", (), ())


def test_an_archive_is_recorded_at_the_time_it_names_but_never_later(handler: GroundHandler) -> None:
    then = instant(2019, 1, 1)
    document = {"id": "d", "text": "x"}
    earlier = _one(handler, _item(document, (BACKFILL, str(then).encode())))
    later = _one(handler, _item(document, (BACKFILL, str(NOW + 1).encode())))
    assert (earlier.header.recorded_at, later.header.recorded_at) == (then, NOW)
    with pytest.raises(Rejected, match=BACKFILL):
        handler.ground(_item(document, (BACKFILL, b"soon")))


def test_nothing_is_completed_from_today(handler: GroundHandler) -> None:
    document = _one(handler, _item({"id": "d", "text": "He resigned yesterday."}))
    assert document.header.document_time is None
    assert [expression.interval for expression in document.expressions] == [None]


def test_a_language_without_a_grammar_is_no_reason_to_refuse(handler: GroundHandler) -> None:
    document = _one(handler, _item({"id": "d", "text": "Hann kom 2021-03-04.", "language": "is"}))
    assert [e.text for e in document.expressions] == ["2021-03-04"]


@pytest.mark.parametrize("value", [b"\xff\xfe", b"", b'{"id": 3, "text": {}}', b"[]", b"{"])
def test_the_subject_of_a_broken_record_is_told_as_far_as_it_goes(
    handler: GroundHandler, value: bytes
) -> None:
    subject = handler.subject(_item(value, key=b"\xffkey"))
    assert subject.position.offset == 17
    assert subject.graph == "default"
    assert "key" in subject.document_id


def test_many_records_travel_in_parts() -> None:
    rows = [json.dumps({"n": n}) for n in range(RECORDS_PER_PART * 2 + 1)]
    raw = envelope_decoder(settings.load({}))(_item({"id": "d", "text": "x"}).record)
    pieces = list(_pieces(replace(raw, text="", records=tuple(rows))))
    assert [len(piece.records) for piece in pieces] == [RECORDS_PER_PART, RECORDS_PER_PART, 1]
    assert [r.ordinal for piece in pieces for r in piece.records] == list(range(len(rows)))
