"""Reading Protocol Buffers data by the text of its .proto file, as a schema registry holds it.

Only what a consumer of framed records needs. Well-known times become ISO text, wrappers their value,
bytes are left out. Fields go by their names in the file; a field that was not sent is not there.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import MICROS_PER_SECOND, days_from_civil, format_instant
from tidegraph.inputs.proto_schema import Broken, Enum, Field, Message, Schema, parse_schema

MAX_DEPTH: Final = 64
MAX_FIELDS: Final = 1_000_000
_VARINT: Final = frozenset({"int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool"})
_FIXED: Final = {
    "fixed32": ("<I", 4), "sfixed32": ("<i", 4), "float": ("<f", 4),
    "fixed64": ("<Q", 8), "sfixed64": ("<q", 8), "double": ("<d", 8),
}  # fmt: skip
_WIRE_SIZES: Final = {1: 8, 5: 4}
_LENGTH: Final = 2


def decode(schema: str, data: bytes) -> dict[str, Any]:
    """The message in ``data`` (message indexes first, as registries frame it) as JSON types.

    Raises:
        Rejected: the schema cannot be read or the data does not fit it.
    """
    try:
        parsed = parse_schema(schema)
        reader = _Reader(parsed, data)
        return reader.message(parsed.at(reader.indexes()), len(data), 0)
    except (Broken, struct.error, UnicodeDecodeError, RecursionError) as error:
        cause = str(error)[:200] or type(error).__name__
        raise Rejected("INVALID_PROTOBUF", f"the data does not fit its Protobuf schema: {cause}") from None


class _Reader:
    """A cursor over the data."""

    def __init__(self, schema: Schema, data: bytes) -> None:
        self._schema = schema
        self._data = data
        self._fields = 0
        self._position = 0

    def indexes(self) -> list[int]:
        """Which message of the file it is: the path of declarations; a lone zero means the first."""
        count = _unzigzag(self._varint())
        if not 0 <= count <= MAX_DEPTH:
            raise Broken("the message indexes are wrong")
        return [_unzigzag(self._varint()) for _ in range(count)] or [0]

    def message(self, kind: Message, end: int, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH or end > len(self._data):
            raise Broken("the data is cut off" if depth <= MAX_DEPTH else "nested too deeply")
        found: dict[str, Any] = {}
        while self._position < end:
            tag = self._varint()
            field = kind.fields.get(tag >> 3)
            self._fields += 1
            if self._fields > MAX_FIELDS or not tag >> 3:
                raise Broken("the data holds no such fields")
            if field is None:
                self._skip(tag & 7)
            else:
                self._field(field, tag & 7, found, depth)
        if self._position != end:
            raise Broken("a field runs over the end of its message")
        return found

    def _field(self, field: Field, wire: int, found: dict[str, Any], depth: int) -> None:
        if field.key_type:
            entry = self._entry(field, depth)
            found.setdefault(field.name, {})[str(entry.get("key", ""))] = entry.get("value")
        elif field.repeated:
            values = found.setdefault(field.name, [])
            kind = self._schema.find(field.type, field.scope) if not _is_scalar(field.type) else None
            if wire == _LENGTH and (_is_number(field.type) or isinstance(kind, Enum)):
                end = self._varint() + self._position
                while self._position < end:
                    values.append(self._value(field, -1, depth))
            else:
                values.append(self._value(field, wire, depth))
        else:
            found[field.name] = self._value(field, wire, depth)

    def _entry(self, field: Field, depth: int) -> dict[str, Any]:
        key = Field("key", field.key_type, scope=field.scope)
        value = Field("value", field.type, scope=field.scope)
        return self.message(Message("", {1: key, 2: value}), self._varint() + self._position, depth + 1)

    def _value(self, field: Field, wire: int, depth: int) -> Any:
        """One value; ``wire`` -1 stands for inside a packed list."""
        kind = field.type
        if kind in _FIXED:
            form, size = _FIXED[kind]
            self._expect(wire, 5 if size == 4 else 1)
            value = struct.unpack(form, self._take(size))[0]
            return value if not isinstance(value, float) or math.isfinite(value) else None
        if kind in _VARINT:
            self._expect(wire, 0)
            return _integer(self._varint(), kind)
        if kind in ("string", "bytes"):
            self._expect(wire, _LENGTH)
            data = self._take(self._varint())
            return data.decode("utf-8") if kind == "string" else None
        named = self._schema.find(kind, field.scope)
        if isinstance(named, Enum):
            self._expect(wire, 0)
            number = _integer(self._varint(), "int32")
            return named.values.get(number, number)
        self._expect(wire, _LENGTH)
        return _well_known(named.name, self.message(named, self._varint() + self._position, depth + 1))

    def _expect(self, wire: int, wanted: int) -> None:
        if wire not in (wanted, -1):
            raise Broken(f"wire type {wire} in the place of {wanted}")

    def _skip(self, wire: int) -> None:
        if wire == 0:
            self._varint()
        elif wire in _WIRE_SIZES:
            self._take(_WIRE_SIZES[wire])
        elif wire == _LENGTH:
            self._take(self._varint())
        else:
            raise Broken(f"wire type {wire} is not supported")

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFFFFFFFFFFFFFF
            shift += 7
            if shift > 63:
                raise Broken("a number is too long")

    def _take(self, size: int) -> bytes:
        end = self._position + size
        if end > len(self._data):
            raise Broken("the data is cut off")
        chunk = self._data[self._position : end]
        self._position = end
        return chunk


def _is_number(kind: str) -> bool:
    return kind in _VARINT or kind in _FIXED


def _is_scalar(kind: str) -> bool:
    return _is_number(kind) or kind in ("string", "bytes")


def _unzigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)


def _integer(value: int, kind: str) -> int | bool:
    if kind == "bool":
        return value != 0
    if kind.startswith("sint"):
        return _unzigzag(value)
    if kind.startswith("uint"):
        return value & 0xFFFFFFFF if kind == "uint32" else value
    return value - (1 << 64) if value >= 1 << 63 else value


def _timestamp(value: dict[str, Any]) -> str:
    micros = value.get("seconds", 0) * MICROS_PER_SECOND + value.get("nanos", 0) // 1_000
    if abs(micros) > 1 << 60:
        raise Broken("a timestamp is out of range")
    text = format_instant(micros)
    return text if "T" in text else f"{text}T00:00:00Z"


def _date(value: dict[str, Any]) -> str:
    """``google.type.Date``: a missing day or month leaves the date as vague as it is."""
    year, month, day = (value.get(name, 0) for name in ("year", "month", "day"))
    if not (0 < year < 10_000 and 0 <= month <= 12 and 0 <= day <= 31):
        return ""
    if not month or not day:
        return f"{year:04d}-{month:02d}" if month else f"{year:04d}"
    return format_instant(days_from_civil(year, month, day) * 86_400 * MICROS_PER_SECOND)


_CONVERTERS: Final[dict[str, Callable[[dict[str, Any]], Any]]] = {
    "google.protobuf.Timestamp": _timestamp,
    "google.type.Date": _date,
}


def _well_known(name: str, value: dict[str, Any]) -> Any:
    if name in _CONVERTERS:
        return _CONVERTERS[name](value)
    if name.startswith("google.protobuf.") and name.endswith("Value"):
        return value.get("value")
    return value
