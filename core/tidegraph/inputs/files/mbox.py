"""mbox files: many messages in one, split where a message really begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import charsets
from tidegraph.inputs.files.mail import read_mail
from tidegraph.inputs.files.model import Parts, ReadOptions

_FROM: Final = re.compile(rb"^From(?: [^\r\n]*)?\r?$", re.MULTILINE)
_DATED: Final = re.compile(
    rb"From .*\b\d{1,2}:\d{2}(?::\d{2})?\b.*\b(?:19|20)\d{2}\b|From .*\b(?:19|20)\d{2}-\d{2}-\d{2}"
)
_HEADER: Final = re.compile(rb"[!-9;-~]{1,76}[ \t]*:[ \t]?[^\r\n]*\r?\n")
_KNOWN: Final = re.compile(
    rb"(?:from|to|cc|bcc|date|subject|message-id|received|return-path|mime-version|content-[a-z-]+|reply-to|"
    rb"sender|x-[a-z0-9-]+|status|delivered-to|dkim-signature|in-reply-to|references|"
    rb"list-[a-z-]+|envelope-to)[ \t]*:",
    re.IGNORECASE,
)
_ESCAPED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
_LENGTH: Final = re.compile(
    rb"^content-length[ \t]*:[ \t]*(\d{1,10})[ \t]*\r?$", re.MULTILINE | re.IGNORECASE
)
_END_OF_HEADERS: Final = re.compile(rb"\r?\n\r?\n")


def read_mbox(data: bytes, options: ReadOptions) -> Parts:
    """The messages of an mbox file in order; one that cannot be read does not take the others along.

    Raises:
        Rejected: there is no message in it.
    """
    data = _narrow(data)
    number = 0
    for raw in split_mbox(data):
        number += 1
        position = f"message {number}"
        if len(raw) > options.defaults.max_bytes * 4:
            yield (
                position,
                LimitExceeded(
                    "DOCUMENT_TOO_LARGE",
                    f"the message has {len(raw):,} bytes, the limit is {options.defaults.max_bytes * 4:,}",
                ),
            )
            continue
        try:
            yield position, read_mail(_ESCAPED.sub(rb"\1", raw), options.rules)
        except Rejected as error:
            yield position, error
    if not number:
        raise Rejected("EMPTY_DOCUMENT", "the mbox file is empty: there is no message in it")


def split_mbox(data: bytes) -> Iterator[bytes]:
    """The messages without their separator lines."""
    starts = list(_separators(data))
    if not starts or data[: starts[0][0]].strip():
        # Messages without a separator in front: the file begins with headers at once.
        first = starts[0][0] if starts else len(data)
        if data[:first].strip():
            yield data[:first]
    for index, (_, begin) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(data)
        yield data[begin:end]


def _separators(data: bytes) -> Iterator[tuple[int, int]]:
    """(start of the separator line, start of the message) for each message."""
    skip_to = 0
    for match in _FROM.finditer(data):
        if match.start() < skip_to:
            continue
        begin = min(match.end() + 1, len(data))
        if not _begins_message(data, match, begin):
            continue
        yield match.start(), begin
        skip_to = _end_by_length(data, begin)


def _begins_message(data: bytes, match: re.Match[bytes], begin: int) -> bool:
    """True for a separator, false for a line of text that happens to start with "From "."""
    before = data[max(0, match.start() - 2) : match.start()]
    at_start = not data[: match.start()].strip() if match.start() < 64 else False
    after_blank = (
        before in (b"\n\n", b"\r\n")
        or before.endswith(b"\n\n")
        or data[max(0, match.start() - 4) : match.start()] == b"\r\n\r\n"
    )
    rest = data[begin : begin + 1_024]
    known = bool(_KNOWN.match(rest)) and bool(_HEADER.match(rest))
    dated = bool(_DATED.match(match.group()))
    if at_start:
        return True
    if dated and (known or _HEADER.match(rest)):
        return True
    return after_blank and (known or (dated and not rest.strip(b"\r\n")[:1].islower()))


def _end_by_length(data: bytes, begin: int) -> int:
    """Where the body ends by Content-Length, if a separator or the end of the file stands there."""
    head = _END_OF_HEADERS.search(data, begin, begin + 256 * 1024)
    length = _LENGTH.search(data, begin, head.start()) if head else None
    if head is None or length is None:
        return 0
    end = head.end() + int(length[1])
    rest = data[end : end + 8].lstrip(b"\r\n")
    return end if end <= len(data) and (not rest or rest.startswith(b"From ")) else 0


def _narrow(data: bytes) -> bytes:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return charsets.decode(data)[0].encode()
    return data.removeprefix(b"\xef\xbb\xbf")
