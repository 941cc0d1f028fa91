"""Framed Protobuf, written by the reference implementation and read by ours."""

from __future__ import annotations

import struct

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

from tidegraph.domain.errors import Rejected
from tidegraph.inputs import protobuf

SCHEMA = """
// A policy as it is sent.
syntax = "proto3";
package org.x;
import "google/protobuf/timestamp.proto";
option java_package = "org.x; // {";

message Other { reserved 2, 5 to 7; string x = 1 [deprecated = true]; }

message Policy {
  enum Kind { option allow_alias = true; KIND_UNKNOWN = 0; REGISTER = 1; }
  message Part { string name = 1; sint32 size = 2; }
  string id = 1;
  oneof body { string text = 2; bytes blob = 3; }
  google.protobuf.Timestamp changed_at = 4;
  repeated string tags = 5;
  Kind kind = 6;
  repeated int32 numbers = 7;
  map<string, Part> parts = 8;
  int64 big = 9;
  double ratio = 10;
  bool open = 11;
  fixed32 code = 12;
  /* a list of
     messages */
  repeated .org.x.Policy.Part list = 13;
  optional int32 below = 14;
}

service S { rpc Get(Policy) returns (Policy) { option x = "}"; } }
"""


def policy():
    """The same type by the reference implementation."""
    file = descriptor_pb2.FileDescriptorProto(name="p.proto", package="org.x", syntax="proto3")
    file.dependency.append(timestamp_pb2.DESCRIPTOR.name)
    message = file.message_type.add(name="Policy")
    part = message.nested_type.add(name="Part")
    part.field.add(name="name", number=1, type=9, label=1)
    part.field.add(name="size", number=2, type=17, label=1)
    kinds = message.enum_type.add(name="Kind")
    kinds.value.add(name="KIND_UNKNOWN", number=0)
    kinds.value.add(name="REGISTER", number=1)
    for name, number, kind, label, type_name in (
        ("id", 1, 9, 1, ""), ("text", 2, 9, 1, ""), ("blob", 3, 12, 1, ""),
        ("changed_at", 4, 11, 1, ".google.protobuf.Timestamp"),
        ("tags", 5, 9, 3, ""), ("kind", 6, 14, 1, ".org.x.Policy.Kind"),
        ("numbers", 7, 5, 3, ""), ("big", 9, 3, 1, ""),
        ("ratio", 10, 1, 1, ""), ("open", 11, 8, 1, ""), ("code", 12, 7, 1, ""),
        ("list", 13, 11, 3, ".org.x.Policy.Part"), ("below", 14, 5, 1, ""),
    ):  # fmt: skip
        message.field.add(
            name=name,
            number=number,
            type=kind,
            label=label,
            **({"type_name": type_name} if type_name else {}),
        )
    entry = message.nested_type.add(name="PartsEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=9, label=1)
    entry.field.add(name="value", number=2, type=11, label=1, type_name=".org.x.Policy.Part")
    message.field.add(name="parts", number=8, type=11, label=3, type_name=".org.x.Policy.PartsEntry")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("org.x.Policy"))


def sample() -> bytes:
    value = policy()(
        id="p-1",
        text="Zoë",
        tags=["a", "b"],
        kind=1,
        numbers=[1, -2, 300],
        big=-(2**60),
        ratio=0.5,
        open=True,
        code=7,
        below=-1,
    )
    value.changed_at.FromJsonString("2024-02-05T10:00:00.25Z")
    value.parts["k"].size = -3
    value.list.add(name="x")
    value.list.add(size=150)
    return value.SerializeToString()


SECOND = b"\x02\x02"
"""Message indexes: one index, the second message."""


def test_all_types():
    assert protobuf.decode(SCHEMA, SECOND + sample()) == {
        "id": "p-1", "text": "Zoë", "changed_at": "2024-02-05T10:00:00.250000Z", "tags": ["a", "b"],
        "kind": "REGISTER",
        "numbers": [1, -2, 300], "parts": {"k": {"size": -3}}, "big": -(2**60), "ratio": 0.5,
        "open": True, "code": 7,
        "list": [{"name": "x"}, {"size": 150}], "below": -1,
    }  # fmt: skip


def test_first_message_and_nested_ones():
    assert protobuf.decode(SCHEMA, b"\0\x0a\x01x") == {"x": "x"}
    assert protobuf.decode(SCHEMA, b"\x04\x02\x00\x0a\x01x") == {"name": "x"}


def test_unknown_fields_are_passed_over():
    unknown = (
        b"\xf8\x01\x05"
        + b"\xfa\x01\x02ab"
        + b"\xf9\x01"
        + struct.pack("<q", 1)
        + b"\xfd\x01"
        + struct.pack("<i", 1)
    )
    assert protobuf.decode(SCHEMA, b"\0" + unknown + b"\x0a\x01x") == {"x": "x"}


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        (SCHEMA, b""),
        (SCHEMA, b"\0\x0a\x05x"),
        (SCHEMA, b"\0\x08\x01"),
        (SCHEMA, b"\0\x0b"),
        (SCHEMA, b"\0\x02x"),
        (SCHEMA, b"\x02\x12x"),
        (SCHEMA, b"\0\x0a\x02\xff\xfe"),
        (SCHEMA, b"\xff" * 20),
        (SCHEMA, SECOND + sample()[:-2]),
        ("message A { B b = 1; }", b"\0\x0a\x00"),
        ("message A {", b"\0"),
        ("message A { string = 1; }", b"\0"),
        ("§", b"\0"),
        ("", b"\0"),
        ("message A { A a = 1; }", b"\0" + b"\x0a\x7f" * 200),
        ("message A {" * 100, b"\0"),
    ],
)
def test_refused(schema, data):
    with pytest.raises(Rejected, match="Protobuf"):
        protobuf.decode(schema, data)
