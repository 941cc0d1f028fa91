"""Values to Cypher parameter text and compact replies to values.

The client library spends most of its time turning parameters into text, and vectors are most of the
text; this writer uses orjson for strings and vectors. Nothing but parameters ever carries a value:
queries are constant text, so that their plans are cached and no document text is ever parsed as Cypher.

Times are integer microseconds. Range indexes compare them as float64, so a time beyond 2^53 (before
1684, after 2255) is exact only on a whole day; :func:`check_time` refuses any other,
:func:`storable` widens an interval to whole days there.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
import orjson

from tidegraph.domain.errors import Bug
from tidegraph.domain.interval import (
    EXACT_MICROS_MAX,
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Interval,
)
from tidegraph.ports import Vector

Value = Any
"""What :func:`literal` takes: text, 64-bit integer, finite float, boolean, None, vector, lists and maps."""

VECTOR_DECIMALS: Final = 4
_INT64_MAX: Final = (1 << 63) - 1


# --- times ----------------------------------------------------------------------------------------


def check_time(value: int) -> int:
    """The instant itself.

    Raises:
        Bug: a time beyond 2^53 that is not a whole day; it would compare wrongly in the store.
    """
    if abs(value) > EXACT_MICROS_MAX and value not in (OPEN_END, OPEN_START) and value % MICROS_PER_DAY:
        raise Bug("INEXACT_TIME", f"instant {value} lies beyond 2^53 and is not a whole day")
    return value


def floor_time(value: int) -> int:
    """The latest storable instant that is not after ``value``."""
    if abs(value) <= EXACT_MICROS_MAX or value in (OPEN_END, OPEN_START):
        return value
    return value - value % MICROS_PER_DAY


def ceil_time(value: int) -> int:
    """The earliest storable instant that is not before ``value``."""
    if abs(value) <= EXACT_MICROS_MAX or value in (OPEN_END, OPEN_START):
        return value
    return min(value + -value % MICROS_PER_DAY, OPEN_END)


def storable(interval: Interval) -> Interval:
    """The smallest storable interval around ``interval``: whole days beyond 2^53, itself otherwise."""
    start, end = floor_time(interval.start), ceil_time(interval.end)
    return (
        interval
        if (start, end) == (interval.start, interval.end)
        else Interval(start, end, interval.granularity)
    )


# --- parameters -----------------------------------------------------------------------------------


def literal(value: Value) -> str:
    """A value as a Cypher literal.

    The character NUL, which the protocol cannot carry inside a query, becomes U+FFFD, as do lone
    surrogates; all other text comes back as it went in.

    Raises:
        Bug: a number that the store cannot hold, or a type that is no parameter.
    """
    write = _WRITERS.get(type(value))
    if write is not None:
        return write(value)
    # A subclass, or another kind of list or map.
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Mapping):
        return _mapped(value)
    if isinstance(value, Sequence):
        return _listed(value)
    raise Bug("NO_PARAMETER", f"a {type(value).__name__} cannot be a query parameter")


def _mapped(value: Mapping[str, Value]) -> str:
    return "{" + ",".join([f"{_name(key)}:{literal(item)}" for key, item in value.items()]) + "}"


def _listed(value: Sequence[Value]) -> str:
    """A list as a Cypher literal. Most are lists of ids, which hold nothing that has to be escaped."""
    if value and set(map(type, value)) == {str}:
        text = '","'.join(value)
        if text.count('"') == 2 * (len(value) - 1) and "\\" not in text and "\0" not in text:
            return f'["{text}"]'
    return "[" + ",".join([literal(item) for item in value]) + "]"


def parameters(values: Mapping[str, Value]) -> str:
    """The ``CYPHER name=value ...`` prefix of a query; empty when there are none."""
    if not values:
        return ""
    return "CYPHER " + " ".join(f"{_name(name)}={literal(value)}" for name, value in values.items()) + " "


def vector(value: Vector) -> str:
    """A vector as a list of numbers of four decimals: a third of the text, cosine to the sent one .9999998.

    Raises:
        Bug: a component that is not finite.
    """
    return _vector_text(np.ascontiguousarray(value, dtype=np.float32).tobytes())


@lru_cache(maxsize=16)
def _vector_text(raw: bytes) -> str:
    """The same from the bytes of float32: a question's vector goes out several times."""
    value = np.frombuffer(raw, dtype=np.float32)
    if not np.isfinite(value).all():
        raise Bug("INVALID_VECTOR", "a vector has a component that is not finite")
    return orjson.dumps(np.round(value, VECTOR_DECIMALS), option=orjson.OPT_SERIALIZE_NUMPY).decode()


def bits_of(value: float) -> int:
    """A float as the 64-bit integer of its bits: replies carry 15 digits of a float, too few to compare."""
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def float_of(bits: int) -> float:
    """The inverse of :func:`bits_of`."""
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])


def _string(value: str) -> str:
    text = value.replace("\\", "\\\\").replace('"', '\\"')
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return f'"{text}"'


def _integer(value: int) -> str:
    if abs(value) > _INT64_MAX:
        raise Bug("NO_PARAMETER", f"{value} does not fit 64 bits")
    return str(int(value))


def _float(value: float) -> str:
    if value - value != 0.0:
        raise Bug("NO_PARAMETER", "a number that is not finite cannot be stored")
    return repr(float(value))


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    str: _string,
    int: _integer,
    bool: lambda value: "true" if value else "false",
    type(None): lambda _: "null",
    float: _float,
    np.ndarray: vector,
    dict: _mapped,
    list: _listed,
    tuple: _listed,
}
"""How most parameters are written, by their exact type."""


@cache
def _name(name: str) -> str:
    """The name itself. The few names there are come from this package, never from input."""
    if not (name.isascii() and name.isidentifier()):
        raise Bug("NO_PARAMETER", f"{name!r} is no parameter name")
    return name


def query_bytes(text: str) -> bytes:
    """The query as it goes on the wire; lone surrogates become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


# --- replies --------------------------------------------------------------------------------------

_NULL, _STRING, _INTEGER, _BOOLEAN, _DOUBLE, _ARRAY, _MAP = 1, 2, 3, 4, 5, 6, 10


def _other(kind: int, value: Any) -> Any:
    """A value of a cell that is neither null, text nor integer."""
    if kind == _DOUBLE:
        return float(value)
    if kind == _BOOLEAN:
        return value == "true"
    if kind == _ARRAY:
        return [item if inner <= _INTEGER else _other(inner, item) for inner, item in value]
    if kind == _MAP:
        pairs = zip(value[::2], value[1::2], strict=True)
        return {key: item if inner <= _INTEGER else _other(inner, item) for key, (inner, item) in pairs}
    raise Bug("UNEXPECTED_REPLY", f"a query returned a value of kind {kind}")


def plain_rows(reply: Sequence[Any]) -> list[list[Any]]:
    """The rows of a reply that is not compact; empty for a query that returns nothing.

    Raises:
        Exception: an error in place of the statistics.
    """
    if isinstance(reply[-1], Exception):
        raise reply[-1]
    return list(reply[1]) if len(reply) >= 3 else []


def decode_rows(reply: Sequence[Any]) -> list[list[Any]]:
    """The rows of a compact reply whose texts are decoded; empty for a query that returns nothing.

    A cell is text, an integer, a boolean, a float, a list, a map or None.

    Raises:
        Bug: a node, edge, path or vector, which no query returns, or an error in place of the statistics.
    """
    if isinstance(reply[-1], Exception):
        raise reply[-1]
    if len(reply) < 3:
        return []
    # Tens of thousands of cells, most of them text or integers, which come as they are.
    return [[value if kind <= _INTEGER else _other(kind, value) for kind, value in row] for row in reply[1]]
