"""Reading JSON of strangers: one value, finite, of bounded depth, no name twice, no lone surrogate."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from tidegraph.domain.errors import LimitExceeded, Rejected

MAX_DEPTH: Final = 64
MAX_INTEGER_DIGITS: Final = 1_000
_LONE = re.compile("[\ud800-\udfff]")
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)

Json = dict[str, Any] | list[Any] | str | int | float | bool | None


def load(data: bytes | str) -> Json:
    """The one JSON value in ``data`` (UTF-8, with or without a byte order mark).

    Integers keep all digits; lone surrogates become U+FFFD.

    Raises:
        Rejected: not JSON (RFC 8259) with what is wrong and where, NaN or Infinity, a repeated name.
        LimitExceeded: nested deeper than 64.
    """
    text = decode_text(data) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    _check_depth(text)
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_constant, parse_int=_integer, parse_float=_float
        )
    except json.JSONDecodeError as error:
        raise Rejected("INVALID_JSON", _explain(error, text)) from None
    return _repair(value) if _LONE.search(text) or "\\u" in text else value  # type: ignore[no-any-return]


def dump(value: Json) -> str:
    """Compact JSON text with sorted names: equal values give equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def decode_text(data: bytes) -> str:
    """Text of a JSON value in UTF-8, or in UTF-16 or UTF-32, which its first bytes show (RFC 4627)."""
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding, "strict").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Rejected(
            "INVALID_ENCODING",
            f"the JSON is not valid {encoding.upper()} at byte {error.start}: encode it as UTF-8",
        ) from None


def _check_depth(text: str) -> None:
    depth = 0
    for match in _STRUCTURE.finditer(text):
        bracket = match.group()
        if bracket in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise LimitExceeded("JSON_TOO_DEEP", f"the JSON is nested deeper than {MAX_DEPTH} levels")
        elif bracket in "]}":
            depth -= 1


def _explain(error: json.JSONDecodeError, text: str) -> str:
    near = text[error.pos : error.pos + 1]
    before = text[: error.pos].rstrip()[-1:]
    where = f"line {error.lineno}, column {error.colno}"
    if not text.strip():
        return "invalid JSON: the value is empty"
    if error.msg == "Extra data":
        return f"invalid JSON: extra data after the value ends ({where}); one record holds one JSON value"
    if before == "," and near in ("}", "]"):
        return f"invalid JSON: trailing comma before {near!r} ({where})"
    if "trailing comma" in error.msg:
        return f"invalid JSON: trailing comma ({where})"
    if near in ("/", "#"):
        return f"invalid JSON: comments are not allowed ({where})"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"invalid JSON: the value is cut off ({error.msg}, {where})"
    return f"invalid JSON: {error.msg} ({where})"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        name = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise Rejected("DUPLICATE_KEY", f"invalid JSON: the duplicate key {name[:80]!r} makes it ambiguous")
    return result


def _constant(name: str) -> NoReturn:
    raise Rejected("INVALID_JSON", f"invalid JSON: {name} is not a JSON number")


def _integer(digits: str) -> int:
    if len(digits) > MAX_INTEGER_DIGITS:
        raise LimitExceeded("NUMBER_TOO_LONG", f"a JSON number has more than {MAX_INTEGER_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise Rejected(
            "INVALID_JSON", f"invalid JSON: the number {digits[:40]} is beyond Infinity of a double"
        )
    return value


def _repair(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_repair(item) for item in value]
    if isinstance(value, dict):
        return {_LONE.sub("\ufffd", name): _repair(item) for name, item in value.items()}
    return value
