"""Types of database columns as Debezium and Kafka Connect name them, and their values as text."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import MICROS_PER_DAY, MICROS_PER_SECOND, format_instant

_CONNECT: Final = "org.apache.kafka.connect.data."
DECIMAL: Final = _CONNECT + "Decimal"
VARIABLE_DECIMAL: Final = "io.debezium.data.VariableScaleDecimal"
LOGICAL: Final = {
    "io.debezium.time.Date": "days",
    "io.debezium.time.Timestamp": "ms",
    "io.debezium.time.MicroTimestamp": "us",
    "io.debezium.time.NanoTimestamp": "ns",
    "io.debezium.time.Time": "time_ms",
    "io.debezium.time.MicroTime": "time_us",
    "io.debezium.time.NanoTime": "time_ns",
    _CONNECT + "Date": "days",
    _CONNECT + "Timestamp": "ms",
    _CONNECT + "Time": "time_ms",
    VARIABLE_DECIMAL: "variable_decimal",
}
_MICROS: Final = {"days": MICROS_PER_DAY, "s": MICROS_PER_SECOND, "ms": 1_000, "us": 1}
SINCE_1970: Final = frozenset({*_MICROS, "ns"})


def convert(value: Any, kind: str, name: str) -> str:
    """A column value of a known type as text.

    ``kind`` is days, s, ms, us, ns (since 1970), time_ms, time_us, time_ns (since midnight),
    ``decimal(scale)`` or variable_decimal.

    Raises:
        Rejected: the value is not of that type.
    """
    try:
        if kind == "variable_decimal":
            return _decimal(value["value"], int(value["scale"]))
        if kind.startswith("decimal("):
            return value if _is_decimal_text(value) else _decimal(value, int(kind[8:-1]))
        if kind.startswith("time_"):
            return _clock(int(value), kind)
        micros = int(value) // 1_000 if kind == "ns" else int(value) * _MICROS[kind]
        if abs(micros) > 1 << 60:
            raise ValueError("out of range")
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise Rejected(
            "INVALID_FIELD", f"column {name}: {str(value)[:40]!r} is not of the type {kind}"
        ) from None
    text = format_instant(micros)
    return text if kind == "days" else (text if "T" in text else text + "T00:00:00").removesuffix("Z")


def _clock(value: int, kind: str) -> str:
    micros = value * 1_000 if kind == "time_ms" else value // 1_000 if kind == "time_ns" else value
    seconds, rest = divmod(micros, MICROS_PER_SECOND)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return text + (f".{rest:06d}" if rest else "")


def _is_decimal_text(value: Any) -> bool:
    return isinstance(value, str) and "." in value and value.lstrip("+-").replace(".", "", 1).isdigit()


def _decimal(value: Any, scale: int) -> str:
    """Digits of a big-endian two's complement number in base64, with ``scale`` places."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    number = int.from_bytes(base64.b64decode(value, validate=True), "big", signed=True)
    if not -64 <= scale <= 128 or abs(number).bit_length() > 4_096:
        raise ValueError("out of range")
    if scale <= 0:
        return str(number * 10**-scale)
    digits = f"{abs(number):0{scale + 1}d}"
    return f"{'-' if number < 0 else ''}{digits[:-scale]}.{digits[-scale:]}"
