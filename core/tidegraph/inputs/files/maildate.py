"""The Date header of a mail as RFC 5322 means it and as real mailers write it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from tidegraph.domain.documents import DocumentTime
from tidegraph.inputs import time_words, times

MAX_CHARS: Final = 1_000
_COMMENT: Final = re.compile(r"\((?:[^()\\]|\\.)*\)")
_DATE: Final = re.compile(
    r"(?:[a-z]{3,9}\.?\s*,?\s*)?(?P<day>\d{1,2})[\s.\-]+(?P<month>[^\W\d]{3,9})\.?[\s.\-]+(?P<year>\d{2,4})"
    r",?\s+(?P<hour>\d{1,2})\s*[:.]\s*(?P<minute>\d{1,2})(?:\s*[:.]\s*(?P<second>\d{1,2})(?:[.,]\d+)?)?"
    r"(?:\s*(?P<half>[ap]m)\b)?(?:\s*(?P<zone>[+-]\s*\d{1,4}(?::\d{2})?|[a-z][a-z/_+\-0-9:]*))?.*",
    re.IGNORECASE | re.DOTALL,
)
_OFFSET: Final = re.compile(r"(?P<sign>[+-])\s*(?P<hours>\d{2})(?P<minutes>\d{2})")


def mail_time(header: str, rules: times.TimeRules) -> DocumentTime | None:
    """The time of a Date header; ``None`` when it cannot be read.

    Two- and three-digit years by RFC 5322, 4.3. A zone that is not known counts as UTC by the same
    section, a missing one as the default zone; both are said in the provenance.
    """
    where = "email: Date header"
    text = _without_comments(header[:MAX_CHARS])
    match = _DATE.fullmatch(text)
    if match is None:
        return times.parse(text, where, rules)
    month = time_words.month_number(match["month"]) or time_words.month_number(match["month"][:3])
    wall = _wall(match, month)
    if wall is None:
        return None
    zone = match["zone"]
    if not zone:
        return times.at_offset(wall, None, where, rules)
    offset = _offset(zone)
    if offset is None:
        return times.at_offset(wall, 0, f"{where} (unknown zone {zone[:20]}, read as UTC)", rules)
    return times.at_offset(wall, offset, where, rules)


def _without_comments(text: str) -> str:
    previous = ""
    while previous != text:
        previous, text = text, _COMMENT.sub(" ", text)
    return " ".join(text.split("(", 1)[0].split())


def _wall(match: re.Match[str], month: int) -> datetime | None:
    year, hour = int(match["year"]), int(match["hour"])
    if len(match["year"]) == 2:
        year += 2000 if year < 50 else 1900
    elif len(match["year"]) == 3:
        year += 1900
    if match["half"] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if match["half"].lower() == "pm" else 0)
    second = min(int(match["second"] or 0), 59)  # a leap second is the last of its minute
    try:
        return datetime(year, month, int(match["day"]), hour, int(match["minute"]), second)  # noqa: DTZ001
    except ValueError:
        return None


def _offset(zone: str) -> int | None:
    match = _OFFSET.fullmatch(zone)
    if match is None:
        return time_words.offset_minutes(zone.replace(" ", ""))
    minutes = int(match["hours"]) * 60 + int(match["minutes"])
    if int(match["minutes"]) > 59 or minutes > 24 * 60:
        return None
    return -minutes if match["sign"] == "-" else minutes
