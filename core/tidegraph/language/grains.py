"""How finely the ends of a time expression were written."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from tidegraph.domain.documents import ExpressionKind, TimeExpression
from tidegraph.domain.granules import granule
from tidegraph.domain.interval import Granularity, Interval

_CONNECTIVE: Final = re.compile(
    r"\s+(?:to|until|till|through|and|thru|up to)\s+|\s*[–—]\s*|\s+-\s+|(?<=\d{4})-(?=\d{2,4}\b)"
)
_MONTH: Final = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b\d{4}-\d{2}\b", re.IGNORECASE
)
_YEAR: Final = re.compile(r"\b\d{4}\b(?:-\d{2}\b(?!-))?|['’]\d{2}\b")
_ISO_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_DAY_NUMBER: Final = re.compile(r"(?<![\w$€£])\d{1,2}(?:st|nd|rd|th)?\b")
_DAY_WORD: Final = re.compile(
    r"\b(?:today|yesterday|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|days? ago)\b",
    re.IGNORECASE,
)
_QUARTER: Final = re.compile(r"\bQ[1-4]\b|\bquarter\b", re.IGNORECASE)
_CLOCK: Final = re.compile(r"\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?[ap]\.?m\b", re.IGNORECASE)


def turned(time: TimeExpression) -> TimeExpression:
    """The last granule of a time that is open before: "until 1955" as "1955"."""
    span = time.interval
    if span is None or not span.has_open_start or span.has_open_end:
        return time
    size = grain(time)
    return replace(
        time,
        interval=Interval(granule(span.end - 1, size)[0], span.end, size),
        kind=ExpressionKind.ABSOLUTE,
    )


def grain(time: TimeExpression) -> Granularity:
    """How finely a time was written; of a range that is open on one side, its other end."""
    assert time.interval is not None
    if time.interval.granularity is not Granularity.RANGE:
        return time.interval.granularity
    return end_grain(time) if time.interval.has_open_start else start_grain(time)


def start_grain(time: TimeExpression) -> Granularity:
    """How finely the start of a range was written."""
    return _text_grain(_CONNECTIVE.split(time.text)[0])


def end_grain(time: TimeExpression) -> Granularity:
    """How finely the end of a range was written."""
    return _text_grain(_CONNECTIVE.split(time.text)[-1])


def _text_grain(text: str) -> Granularity:
    """How finely an end of a range was written: "3" and "3 May 2021" name days, "May 2021" a month."""
    if _CLOCK.search(text):
        return Granularity.MINUTE
    if _ISO_DAY.search(text) or _DAY_NUMBER.search(_YEAR.sub(" ", text)) or _DAY_WORD.search(text):
        return Granularity.DAY
    if _MONTH.search(text):
        return Granularity.MONTH
    if _QUARTER.search(text):
        return Granularity.QUARTER
    return Granularity.YEAR
