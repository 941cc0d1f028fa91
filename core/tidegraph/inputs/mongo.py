"""Extended JSON of MongoDB, as change events carry whole documents in it."""

from __future__ import annotations

from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import format_instant
from tidegraph.inputs.jsontext import load

_AS_TEXT: Final = ("$oid", "$uuid", "$numberDecimal", "$symbol")
_AS_NUMBER: Final = ("$numberLong", "$numberInt")


def read_image(text: str) -> dict[str, Any]:
    """The document in an image: ids and decimals as text, dates as ISO text, binary data left out.

    Raises:
        Rejected: the image is no JSON object.
    """
    value = load(text)
    if not isinstance(value, dict):
        raise Rejected("INVALID_ENVELOPE", "the image of the change event is not a JSON object")
    return {name: _plain(item) for name, item in value.items()}


def plain_id(text: str) -> str:
    """The id in a key such as ``{"$oid": "..."}``; another text is the id itself."""
    if not text.startswith("{"):
        return text
    try:
        value = _plain(load(text))
    except Rejected:
        return text
    return str(value) if isinstance(value, str | int) else text


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, inner),) = value.items()
        if name in _AS_TEXT:
            return str(inner)
        if name in _AS_NUMBER:
            return int(inner) if str(inner).lstrip("-").isdigit() else str(inner)
        if name == "$numberDouble":
            return str(inner)
        if name == "$date":
            return _date(inner)
    if "$binary" in value or "$timestamp" in value:
        return None
    return {name: _plain(item) for name, item in value.items()}


def _date(value: Any) -> str | None:
    """Milliseconds since 1970, plain or in ``$numberLong``, or ISO text."""
    value = _plain(value)
    if isinstance(value, int) and abs(value) < 1 << 50:
        text = format_instant(value * 1_000)
        return text if "T" in text else f"{text}T00:00:00Z"
    return value if isinstance(value, str) else None
