"""Values that a schema registry frames, as records of the documents topic."""

from __future__ import annotations

import json

import pytest
from tests.unit.inputs.envelopes import (
    AVRO_DATA,
    EVENT,
    MAPPING,
    TEXT,
    Registry,
    avro_text,
    framed,
    read,
    time_of,
)

from tidegraph.domain.documents import DocumentKind
from tidegraph.domain.errors import Rejected, Retryable


def test_avro():
    document = read(framed(1, AVRO_DATA), registry=Registry(), mapping=MAPPING)
    assert (document.document_id, document.text, document.title) == ("p-1", TEXT, "12345.67")
    assert (document.labels, document.kind, time_of(document)) == (
        ("a", "b"),
        DocumentKind.REGISTER,
        "2024-02-05T10:00:00Z",
    )


def test_json_schema():
    assert read(framed(2, json.dumps({"id": "a", "text": TEXT}).encode()), registry=Registry()).text == TEXT


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (framed(77, b"x"), "77"),
        (framed(3, b"x"), "THRIFT"),
        (framed(1, AVRO_DATA[:-3]), "Avro"),
        (framed(1, AVRO_DATA + b"x"), "left over"),
        (framed(1, b"\xff" * 40), "Avro"),
        (framed(4, avro_text("x")), "record"),
        (framed(5, b"x"), "Avro"),
    ],
)
def test_framed_values_refused(value, word):
    with pytest.raises(Rejected, match=word):
        read(value, registry=Registry())


def test_registry_that_is_away_is_tried_again():
    with pytest.raises(Retryable):
        read(framed(9, b"x"), registry=Registry())


def test_text_that_starts_with_the_magic_byte_is_not_looked_up():
    assert read(framed(9, TEXT.encode()), registry=Registry(), content_type="text/plain").text.endswith(TEXT)


def test_unframed_values_pass_with_a_registry():
    assert read({"id": "a", "text": TEXT}, registry=Registry()).text == TEXT


def test_binary_event_with_framed_data():
    document = read(
        framed(1, AVRO_DATA),
        registry=Registry(),
        mapping=MAPPING,
        content_type="application/avro",
        ce_time="2020-01-01T00:00:00Z",
        **EVENT,
    )
    assert (document.document_id, time_of(document)) == ("p-1", "2024-02-05T10:00:00Z")
