"""A reader of .proto files: messages, fields and enums, all else is passed over."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

MAX_DEPTH: Final = 32
_TOKEN: Final = re.compile(
    r"//[^\n]*|/\*.*?\*/|\s+|(?P<word>\.?[A-Za-z_][\w.]*)|(?P<number>[-+]?(?:0[xX][0-9a-fA-F]+|[\d.]+(?:[eE][-+]?\d+)?))"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<sign>[{}\[\]()<>;=,:/+-])",
    re.DOTALL,
)
_WELL_KNOWN: Final = """
package google.protobuf;
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
message DoubleValue { double value = 1; } message FloatValue { float value = 1; }
message Int64Value { int64 value = 1; } message UInt64Value { uint64 value = 1; }
message Int32Value { int32 value = 1; } message UInt32Value { uint32 value = 1; }
message BoolValue { bool value = 1; } message StringValue { string value = 1; }
message BytesValue { bytes value = 1; } message Empty {}
"""
_DATE: Final = "package google.type; message Date { int32 year = 1; int32 month = 2; int32 day = 3; }"


class Broken(Exception):
    """The schema or the data cannot be read; becomes Rejected where it was asked for."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field as seen from ``scope``; ``key_type`` is set for a map, whose values have ``type``."""

    name: str
    type: str
    repeated: bool = False
    key_type: str = ""
    scope: str = ""


@dataclass(slots=True)
class Message:
    """A message by its full name, with fields by number and the messages inside it in order."""

    name: str
    fields: dict[int, Field] = field(default_factory=dict)
    inner: list[Message] = field(default_factory=list)


@dataclass(slots=True)
class Enum:
    """Names by number."""

    name: str
    values: dict[int, str] = field(default_factory=dict)


class Schema:
    """The types of one file, and those that every file may import."""

    def __init__(self) -> None:
        self.top: list[Message] = []
        self.types: dict[str, Message | Enum] = {}

    def at(self, indexes: list[int]) -> Message:
        """The message at a path of declarations."""
        level = self.top
        for depth, index in enumerate(indexes):
            if not 0 <= index < len(level):
                raise Broken(f"there is no message number {index}")
            if depth == len(indexes) - 1:
                return level[index]
            level = level[index].inner
        raise Broken("no message is named")

    def find(self, name: str, scope: str) -> Message | Enum:
        """A type by its name as seen from a scope: the innermost one that has it."""
        if name.startswith("."):
            scope, name = "", name[1:]
        while True:
            found = self.types.get(f"{scope}.{name}" if scope else name)
            if found is not None:
                return found
            if not scope:
                raise Broken(f"the type {name[:80]!r} is not in the schema")
            scope = scope.rpartition(".")[0]


def parse_schema(text: str) -> Schema:
    """The types of a .proto file.

    Raises:
        Broken: it is not one.
    """
    schema = Schema()
    for source in (_WELL_KNOWN, _DATE):
        _Parser(source, schema).file()
    schema.top.clear()
    _Parser(text, schema).file()
    return schema


class _Parser:
    """Recursive descent over the tokens."""

    def __init__(self, text: str, schema: Schema) -> None:
        self._tokens = _tokens(text)
        self._schema = schema
        self._at = 0
        self._package = ""

    def file(self) -> None:
        while self._at < len(self._tokens):
            word = self._next()
            if word == "package":
                self._package = self._next()
                self._until(";")
            elif word == "message":
                self._schema.top.append(self._message(self._package, 0))
            elif word == "enum":
                self._enum(self._package)
            elif word in ("service", "extend"):
                self._until("{")
                self._block()
            elif word != ";":
                self._until(";")

    def _message(self, scope: str, depth: int) -> Message:
        if depth > MAX_DEPTH:
            raise Broken("nested too deeply")
        name = self._next()
        message = Message(f"{scope}.{name}" if scope else name)
        self._schema.types[message.name] = message
        self._expect("{")
        while (word := self._next()) != "}":
            self._member(word, message, depth)
        return message

    def _member(self, word: str, message: Message, depth: int) -> None:
        if word == "message":
            message.inner.append(self._message(message.name, depth + 1))
        elif word == "enum":
            self._enum(message.name)
        elif word == "oneof":
            self._next()
            self._expect("{")
            while (inner := self._next()) != "}":
                self._member(inner, message, depth)
        elif word == "extend":
            self._until("{")
            self._block()
        elif word in ("option", "reserved", "extensions"):
            self._until(";")
        elif word != ";":
            self._field(word, message)

    def _field(self, word: str, message: Message) -> None:
        repeated = word == "repeated"
        kind = self._next() if word in ("repeated", "optional", "required") else word
        key = ""
        if kind == "map" and self._peek() == "<":
            self._expect("<")
            key = self._next()
            self._expect(",")
            kind = self._next()
            self._expect(">")
        name = self._next()
        self._expect("=")
        message.fields[_number(self._next())] = Field(name, kind, repeated, key, message.name)
        self._until(";")

    def _enum(self, scope: str) -> None:
        name = self._next()
        enum = Enum(f"{scope}.{name}" if scope else name)
        self._schema.types[enum.name] = enum
        self._expect("{")
        while (word := self._next()) != "}":
            if word in ("option", "reserved"):
                self._until(";")
            elif word != ";":
                self._expect("=")
                enum.values.setdefault(_number(self._next()), word)
                self._until(";")

    def _until(self, end: str) -> None:
        while (word := self._next()) != end:
            if word == "{":
                self._block()

    def _block(self) -> None:
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self._next(), 0)

    def _expect(self, wanted: str) -> None:
        found = self._next()
        if found != wanted:
            raise Broken(f"the schema has {found[:40]!r} in the place of {wanted!r}")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            raise Broken("the schema is cut off")
        self._at += 1
        return self._tokens[self._at - 1]


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise Broken(f"the schema has an odd sign {text[position]!r}")
        position = match.end()
        if match.lastgroup:
            tokens.append(match.group())
    return tokens


def _number(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise Broken(f"the schema has {text[:40]!r} in the place of a number") from None
