"""Tokens that callers carry back to us: where a document entered, and where a list goes on."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Rejected
from tidegraph.services.usecases.moment import AskedTime, Pinned

TOKEN_MAX: Final = 2_000
PAGE_SIZE_DEFAULT: Final = 50
PAGE_SIZE_MAX: Final = 500
_T = TypeVar("_T")


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


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the list that a request describes.

    ``pinned``: the moment of the list's first page, None on that page. Every page is read as of it, so that
    what is written in between moves no row. ``first``: how many rows the first page had.
    """

    request: str
    offset: int
    size: int
    pinned: Pinned | None = None
    first: int = 0

    @property
    def end(self) -> int:
        return self.offset + self.size

    def of(self, asked: AskedTime) -> AskedTime:
        """What is asked, as of the moment of the first page."""
        if self.pinned is None:
            return asked
        known_at = self.pinned.known_at if asked.known_at is None else asked.known_at
        return replace(asked, now=self.pinned.now, known_at=known_at)

    def part(self, rows: Sequence[_T]) -> Sequence[_T]:
        """The rows of the whole list that are on the page."""
        return rows[self.offset : self.end]

    def following(self, more: bool, at: Pinned) -> str:
        """The token of the next page, "" when there are no more rows."""
        first = self.first or self.size
        fields = [_digest(self.request), self.end, at.now, at.known_at, first]
        return _encode(["p2", *fields]) if more else ""


WHOLE: Final = Page("", 0, PAGE_SIZE_MAX)
"""Of a read that has no pages."""


def read_page(request: str, size: int, token: str) -> Page:
    """The asked page of the list that ``request`` describes; its size is coerced down to the maximum.

    Raises:
        Rejected: INVALID_PAGE_SIZE, or INVALID_PAGE_TOKEN for one that belongs to another request.
    """
    if size < 0:
        raise Rejected("INVALID_PAGE_SIZE", "page_size must not be negative", field="page_size")
    size = min(size or PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX)
    if not token:
        return Page(request, 0, size)
    match _decode(token):
        case ["p2", str(digest), int(offset), int(now), int(known_at), int(first)]:
            if digest == _digest(request) and offset >= 0 and 0 < first <= PAGE_SIZE_MAX:
                return Page(request, offset, size, Pinned(now, known_at), first)
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
