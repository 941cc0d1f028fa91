"""Every domain record survives the wire, and both sides have the same fields and numbers."""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from hypothesis import given
from hypothesis import strategies as st

from tidegraph.domain import documents, interval
from tidegraph.domain.documents import ExtractedDocument, GroundedDocument, ResolvedDocument
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import Interval
from tidegraph.events.v1 import records_pb2
from tidegraph.log import codecs
from tidegraph.log.status import StatusRecord

RECORDS: list[type] = [
    *(
        kind
        for _, kind in inspect.getmembers(documents, dataclasses.is_dataclass)
        if kind.__module__ == documents.__name__
    ),
    Interval,
    StatusRecord,
]
ENUMS = [
    kind
    for module in (documents, interval)
    for _, kind in inspect.getmembers(module, inspect.isclass)
    if issubclass(kind, enum.IntEnum) and kind.__module__ == module.__name__
]
INT32, INT64 = 2**31, 2**63
TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=12)


def _number(kind: type, field: str) -> st.SearchStrategy[int]:
    descriptor = codecs.message_class(kind).DESCRIPTOR.fields_by_name[field]
    bound = INT32 if descriptor.type == FieldDescriptor.TYPE_INT32 else INT64
    return st.integers(-bound, bound - 1)


def _values(hint: Any, owner: type, field: str) -> st.SearchStrategy[Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is types.UnionType:
        return st.none() | _values(arguments[0], owner, field)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(_values(arguments[0], owner, field), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(TEXT, TEXT)
    if dataclasses.is_dataclass(hint):
        return records(typing.cast(type, hint))
    if issubclass(hint, enum.IntEnum):
        return st.sampled_from(list(hint))
    if hint is int:
        return _number(owner, field)
    return {str: TEXT, bool: st.booleans(), float: st.floats(allow_nan=False)}[hint]


def records(kind: type) -> st.SearchStrategy[Any]:
    if kind is Interval:
        times = st.integers(interval.OPEN_START, interval.OPEN_END)
        return st.builds(
            lambda a, b, grain: Interval(min(a, b), max(a, b), grain),
            times,
            times,
            st.sampled_from(list(interval.Granularity)),
        )
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{f.name: _values(hints[f.name], kind, f.name) for f in dataclasses.fields(kind)})


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_fields_are_the_same_on_both_sides(kind: type) -> None:
    wire = [field.name for field in codecs.message_class(kind).DESCRIPTOR.fields]
    assert wire == [field.name for field in dataclasses.fields(kind)]


@pytest.mark.parametrize("kind", ENUMS, ids=lambda kind: kind.__name__)
def test_enum_numbers_are_the_same_on_both_sides(kind: type[enum.IntEnum]) -> None:
    wire = getattr(records_pb2, kind.__name__)
    prefix = "".join("_" + c if c.isupper() else c.upper() for c in kind.__name__).upper()[1:] + "_"
    numbers = {name.removeprefix(prefix): number for name, number in wire.items()}
    expected = {("UNSPECIFIED" if each.value == 0 else each.name): each.value for each in kind}
    assert numbers == expected


@given(records(GroundedDocument) | records(ExtractedDocument) | records(StatusRecord))
def test_round_trip(record: Any) -> None:
    assert codecs.decode(type(record), codecs.encode(record)) == record


@given(records(ResolvedDocument))
def test_resolved_round_trip(document: ResolvedDocument) -> None:
    assert codecs.decode_resolved(codecs.encode_resolved(document)) == document


def test_resolved_control_round_trip() -> None:
    control = records_pb2.ControlRecord(control_id="c", graph="g", retraction=records_pb2.Retraction())
    assert codecs.decode_resolved(codecs.encode_resolved(control)) == control
    assert codecs.decode_control(control.SerializeToString()) == control


DECODERS: list[Callable[[bytes], object]] = [
    functools.partial(codecs.decode, GroundedDocument),
    functools.partial(codecs.decode, ExtractedDocument),
    codecs.decode_resolved,
    codecs.decode_control,
]


def _reason(decode: Callable[[bytes], object], data: bytes) -> str:
    try:
        decode(data)
    except Rejected as error:
        return error.reason
    return ""


@given(st.binary(max_size=60))
def test_any_bytes_are_decoded_or_rejected(data: bytes) -> None:
    assert {_reason(decode, data) for decode in DECODERS} <= {"", "UNDECODABLE"}


def test_an_enum_number_of_a_newer_producer_is_rejected() -> None:
    message = records_pb2.Mention(mention_id="m")
    message.type = 99  # type: ignore[assignment]
    with pytest.raises(Rejected, match="99"):
        codecs.decode(documents.Mention, message.SerializeToString())


def test_an_interval_that_ends_before_it_starts_is_rejected() -> None:
    with pytest.raises(Rejected, match="ends before it starts"):
        codecs.decode(Interval, records_pb2.Interval(start=2, end=1).SerializeToString())


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_text_that_is_not_unicode_is_rejected(text: str) -> None:
    with pytest.raises(Rejected) as rejected:
        codecs.encode(documents.Term(text, ""))
    assert rejected.value.reason == "UNENCODABLE"


def test_a_number_out_of_range_is_rejected() -> None:
    with pytest.raises(Rejected) as rejected:
        codecs.encode(documents.StructuredRecord(2**31, "", ""))
    assert rejected.value.reason == "UNENCODABLE"
