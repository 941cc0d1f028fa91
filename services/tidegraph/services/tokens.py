"""Tokens that callers carry back to us: where a document entered, and where a list goes on."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any, Final

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Rejected

TOKEN_MAX: Final = 2_000
PAGE_SIZE_DEFAULT: Final = 50
PAGE_SIZE_MAX: Final = 500


def await_token(position: Position) -> str:
    """The token of a position; opaque to callers, stable over restarts."""
    fields = [position.topic, position.partition, position.offset, position.incarnation]
    return _encode(["a1", *fields])


def read_await_token(token: str) -> Position:
    """The position of a token.

    Raises:
        Rejected: INVALID_AWAIT_TOKEN.
    """
    match _decode(token):
        case ["a1", str(topic), int(partition), int(offset), str(incarnation)]:
            return Position(topic, partition, offset, incarnation)
    message = "this is not an await token; use the one that the write answered with"
    raise Rejected("INVALID_AWAIT_TOKEN", message, field="await_token")


def page_token(request: str, offset: int) -> str:
    """The token of the page that starts at ``offset`` of the list that ``request`` describes."""
    return _encode(["p1", _digest(request), offset])


def read_page(request: str, size: int, token: str) -> tuple[int, int]:
    """(offset, size) of the asked page; the size is coerced down to the maximum.

    Raises:
        Rejected: INVALID_PAGE_SIZE, or INVALID_PAGE_TOKEN for one that belongs to another request.
    """
    if size < 0:
        raise Rejected("INVALID_PAGE_SIZE", "page_size must not be negative", field="page_size")
    size = min(size or PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)
    if not token:
        return 0, size
    match _decode(token):
        case ["p1", str(digest), int(offset)] if digest == _digest(request) and offset >= 0:
            return offset, size
    message = "this page token is not of this request; start again without one"
    raise Rejected("INVALID_PAGE_TOKEN", message, field="page_token")


def _digest(request: str) -> str:
    return hashlib.blake2b(request.encode("utf-8"), digest_size=8).hexdigest()


def _encode(value: list[Any]) -> str:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii").rstrip("=")


def _decode(token: str) -> Any:
    if len(token) > TOKEN_MAX:
        return None
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        return json.loads(raw)
    except (binascii.Error, ValueError, RecursionError):
        return None
