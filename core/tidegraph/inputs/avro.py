"""Reading Avro binary data by its writer's schema (Apache Avro 1.11, and the names of Kafka Connect).

Only what a consumer of framed records needs: every type, logical types as text, no schema resolution.
"""

from __future__ import annotations

import math
import struct
import uuid
from collections.abc import Callable
from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import MICROS_PER_DAY, format_instant
from tidegraph.inputs.columns import LOGICAL, VARIABLE_DECIMAL, convert
from tidegraph.inputs.jsontext import load

MAX_DEPTH: Final = 64
MAX_ITEMS: Final = 1_000_000
_PRIMITIVES: Final = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_INSTANTS: Final = {"timestamp-millis": (1_000, 1), "timestamp-micros": (1, 1), "timestamp-nanos": (1, 1_000)}


_NAMED: Final = ("record", "error", "enum", "fixed")


class _Broken(Exception):
    """The data or the schema does not fit; becomes Rejected at the edge of this module."""


def decode(schema: str, data: bytes) -> Any:
    """The value as JSON types: dates and timestamps as ISO text, decimals as digits, bytes left out.

    Raises:
        Rejected: the schema is not Avro or the data does not fit it.
    """
    try:
        reader = _Reader(data)
        parsed = load(schema)
        reader.declare(parsed, "", 0)
        value = reader.read(parsed, "", 0)
        if reader.position != len(data):
            raise _Broken(f"{len(data) - reader.position} bytes are left over")
    except (_Broken, struct.error, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise Rejected("INVALID_AVRO", f"the data does not fit its Avro schema: {str(error)[:200]}") from None
    return value


class _Reader:
    """A cursor over the data, with the named types met so far."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._named: dict[str, tuple[Any, str]] = {}
        self._items = 0
        self.position = 0

    def declare(self, schema: Any, namespace: str, depth: int) -> None:
        """Note the named types, also those in branches that the data does not take."""
        if depth > MAX_DEPTH:
            raise _Broken("nested too deeply")
        if isinstance(schema, list):
            for branch in schema:
                self.declare(branch, namespace, depth + 1)
        if not isinstance(schema, dict):
            return
        if schema["type"] in _NAMED:
            name = _full_name(schema, namespace)
            namespace = name.rpartition(".")[0]
            self._named[name] = (schema, namespace)
        inner = [field["type"] for field in schema.get("fields", ())]
        for part in (*inner, *(schema.get(name) for name in ("type", "items", "values"))):
            self.declare(part, namespace, depth + 1)

    def read(self, schema: Any, namespace: str, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _Broken("nested too deeply")
        if isinstance(schema, list):
            return self.read(schema[self._index(len(schema))], namespace, depth + 1)
        if isinstance(schema, str):
            if schema in _PRIMITIVES:
                return self._primitive(schema)
            named, inner = self._find(schema, namespace)
            return self.read(named, inner, depth + 1)
        return self._complex(schema, namespace, depth)

    def _complex(self, schema: dict[str, Any], namespace: str, depth: int) -> Any:
        kind = schema["type"]
        if kind in _NAMED:
            namespace = _full_name(schema, namespace).rpartition(".")[0]
        if schema.get("connect.name") == VARIABLE_DECIMAL:
            scale = self._long()
            return _decimal(self._bytes(), scale)
        match kind:
            case "record" | "error":
                return {f["name"]: self.read(f["type"], namespace, depth + 1) for f in schema["fields"]}
            case "enum":
                return schema["symbols"][self._index(len(schema["symbols"]))]
            case "array":
                return self._blocks(lambda: self.read(schema["items"], namespace, depth + 1))
            case "map":
                pairs = self._blocks(
                    lambda: (self._text(), self.read(schema["values"], namespace, depth + 1))
                )
                return dict(pairs)
            case "fixed":
                return _logical(self._take(schema["size"]), schema)
            case _ if isinstance(kind, str) and kind in _PRIMITIVES:
                return _logical(self._bytes() if kind == "bytes" else self._primitive(kind), schema)
            case _:
                return self.read(kind, namespace, depth + 1)

    def _find(self, name: str, namespace: str) -> tuple[Any, str]:
        full = name if "." in name or not namespace else f"{namespace}.{name}"
        found = self._named.get(full) or self._named.get(name)
        if found is None:
            raise _Broken(f"the type {name[:80]!r} is not defined")
        return found

    def _primitive(self, kind: str) -> Any:
        match kind:
            case "null":
                return None
            case "boolean":
                return self._take(1) != b"\0"
            case "int" | "long":
                return self._long()
            case "float":
                return _finite(struct.unpack("<f", self._take(4))[0])
            case "double":
                return _finite(struct.unpack("<d", self._take(8))[0])
            case "bytes":
                self._bytes()
                return None
            case _:
                return self._text()

    def _blocks(self, read_item: Callable[[], Any]) -> list[Any]:
        items: list[Any] = []
        while count := self._long():
            if count < 0:
                count = -count
                self._long()
            self._items += count
            if self._items > MAX_ITEMS:
                raise _Broken("too many items")
            items.extend(read_item() for _ in range(count))
        return items

    def _long(self) -> int:
        shift = value = 0
        while True:
            byte = self._take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
            if shift > 63:
                raise _Broken("a number is too long")

    def _index(self, size: int) -> int:
        index = self._long()
        if not 0 <= index < size:
            raise _Broken(f"branch {index} of {size}")
        return index

    def _bytes(self) -> bytes:
        return self._take(self._long())

    def _text(self) -> str:
        return self._bytes().decode("utf-8")

    def _take(self, size: int) -> bytes:
        end = self.position + size
        if size < 0 or end > len(self._data):
            raise _Broken("the data is cut off")
        chunk = self._data[self.position : end]
        self.position = end
        return chunk


def _full_name(schema: dict[str, Any], namespace: str) -> str:
    name: str = schema["name"]
    space = schema.get("namespace", namespace)
    return name if "." in name or not space else f"{space}.{name}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _logical(value: Any, schema: dict[str, Any]) -> Any:
    """A value by its logical type; an unknown one leaves the value, bytes without one are left out."""
    connect = schema.get("connect.name")
    if isinstance(value, int) and connect in LOGICAL:
        return convert(value, LOGICAL[connect], connect)
    kind = schema.get("logicalType")
    if isinstance(value, bytes):
        if kind == "decimal":
            return _decimal(value, int(schema.get("scale", 0)))
        return str(uuid.UUID(bytes=value)) if kind == "uuid" and len(value) == 16 else None
    if isinstance(value, int) and isinstance(kind, str):
        local = kind.removeprefix("local-")
        if kind == "date":
            return format_instant(value * MICROS_PER_DAY)
        if local in _INSTANTS:
            factor, divisor = _INSTANTS[local]
            text = format_instant(value * factor // divisor)
            return (text if "T" in text else text + "T00:00:00Z").removesuffix("" if local == kind else "Z")
        if kind in ("time-millis", "time-micros"):
            return format_instant(value * (1_000 if kind == "time-millis" else 1) % MICROS_PER_DAY + 1)[11:19]
    return value


def _decimal(value: bytes, scale: int) -> str:
    number = int.from_bytes(value, "big", signed=True)
    if not 0 <= scale <= 128 or abs(number).bit_length() > 4_096:
        raise _Broken("a decimal is out of range")
    digits = f"{abs(number):0{scale + 1}d}"
    whole, part = (digits[:-scale], digits[-scale:]) if scale else (digits, "")
    return f"{'-' if number < 0 else ''}{whole}{'.' + part if part else ''}"
