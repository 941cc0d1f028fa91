"""Find a document's own time in its text; each answer says where it was found.

Only the head of the text (and, for revision logs, its tail) is looked at. The sources, best first:
front matter, mail headers, labelled dates ("Effective date: 1 March 2024", also as a table row),
revision logs (the latest row), a date line or dateline. None of them: ``None``, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tidegraph.domain.documents import DocumentTime, ExpressionKind, TimeExpression
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity
from tidegraph.language.grounding.engine import ground
from tidegraph.language.grounding.lexicon import document_time_words
from tidegraph.settings import GroundingSettings

_HEAD: Final = 6_000
_TAIL: Final = 6_000
_MAX_LINE: Final = 400
_FINEST: Final = (
    Granularity.SECOND,
    Granularity.MINUTE,
    Granularity.HOUR,
    Granularity.DAY,
    Granularity.MONTH,
)
_FRONT_MATTER: Final = re.compile(
    r"\A\ufeff?\s*(?:---|\+\+\+)[ \t]*\n(.{0,4000}?)\n(?:---|\+\+\+)[ \t]*(?:\n|\Z)", re.S
)
_FRONT_LINE: Final = re.compile(r"^[ \t]*['\"]?([A-Za-z_\- ]{2,30})['\"]?[ \t]*[:=][ \t]*(.{4,80})$", re.M)
_WORDS: Final[Mapping[str, Sequence[str]]] = document_time_words()


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(w).replace(r"\ ", "[ _]") for w in sorted(words, key=len, reverse=True))


_MAIL_LINE: Final = re.compile(rf"^({_any(_WORDS['mail_dates'])}):[ \t]*(.{{6,120}})$", re.M)
_MAIL_COMPANY: Final = re.compile(rf"^(?:{_any(_WORDS['mail_company'])}):", re.M | re.I)
_LABEL: Final = re.compile(
    rf"^[ \t>|*_#\-]*(?P<label>{_any(_WORDS['labels'])})"
    r"[ \t*_|]*(?:[:=|]|\t| {1,4}(?=\d|[A-Z]))[ \t*_|]*(?P<value>[^\n]{4,120})$",
    re.M | re.I,
)
_RANK: Final = {label: rank for rank, label in enumerate(_WORDS["labels"])}
_LOG_TITLE: Final = re.compile(rf"^[ \t#|*=\-]*(?:{_any(_WORDS['log_titles'])})\b", re.M | re.I)
_DATELINE: Final = re.compile(
    r"^[A-Z][A-Z .,\-]{1,40}?(?:\([^)\n]{1,30}\))?[ ,]+(?P<value>(?:[A-Z][a-z]|\d)[^\n]{3,40}?)[ ]*"
    r"(?:\([^)\n]{1,20}\)[ ]*)?(?:--|—|–|-)[ ]",
    re.M,
)


def find_document_time(text: str, settings: GroundingSettings) -> DocumentTime | None:
    """When a text says that it was written, with its provenance; ``None`` when it does not say.

    ``instant`` is UTC microseconds; a date alone is the start of that day with granularity DAY, a month
    alone its start with granularity MONTH. ``provenance`` is ``front-matter:<key>``,
    ``mail-header:<name>``, ``label:<words>``, ``revision-log``, ``date-line`` or ``dateline``.
    """
    head = text[:_HEAD]
    for search in _SEARCHES:
        for provenance, value in search(head if search is not _revision_log else text):
            found = _read(value, settings)
            if found is not None:
                return DocumentTime(found[0], found[1], provenance)
    return None


def _front_matter(head: str) -> Iterator[tuple[str, str]]:
    match = _FRONT_MATTER.match(head)
    if not match:
        return
    keys = {
        m.group(1).strip().lower().replace(" ", "_").replace("-", "_"): m.group(2)
        for m in _FRONT_LINE.finditer(match.group(1))
    }
    for key in _WORDS["front_keys"]:
        if key in keys:
            yield f"front-matter:{key}", keys[key]


def _mail_header(head: str) -> Iterator[tuple[str, str]]:
    if not _MAIL_COMPANY.search(head[:2_000]):
        return
    for match in _MAIL_LINE.finditer(head[:4_000]):
        yield f"mail-header:{match.group(1)}", match.group(2)


def _labelled(head: str) -> Iterator[tuple[str, str]]:
    found = [(m.group("label").lower(), m.group("value")) for m in _LABEL.finditer(head)]
    found.sort(key=lambda f: _RANK.get(f[0].replace("_", " "), len(_RANK)))
    for label, value in found:
        yield f"label:{label}", value


def _revision_log(text: str) -> Iterator[tuple[str, str]]:
    for part in (text[:_HEAD], text[-_TAIL:]):
        title = _LOG_TITLE.search(part)
        if title:
            rows = part[title.end() : title.end() + 4_000]
            yield "revision-log", "\x00" + rows


def _date_line(head: str) -> Iterator[tuple[str, str]]:
    for line in head[:1_500].splitlines()[:12]:
        if 4 < len(line.strip()) <= 60:
            yield "date-line", "\x01" + line


def _dateline(head: str) -> Iterator[tuple[str, str]]:
    for match in _DATELINE.finditer(head[:1_500]):
        yield "dateline", match.group("value")


_SEARCHES: Final[tuple[Callable[[str], Iterator[tuple[str, str]]], ...]] = (
    _front_matter,
    _mail_header,
    _labelled,
    _revision_log,
    _dateline,
    _date_line,
)


def _read(value: str, settings: GroundingSettings) -> tuple[int, Granularity] | None:
    """The absolute date that a field gives: the first one; the latest of a log; all of a date line."""
    latest, whole = value.startswith("\x00"), value.startswith("\x01")
    text = value.lstrip("\x00\x01")
    found = [e for e in ground(text[: 4_000 if latest else _MAX_LINE], None, settings) if _is_date(e)]
    if whole and (len(found) != 1 or not _fills(text, found[0])):
        return None
    if not found:
        return None
    chosen = max(found, key=lambda e: e.interval.start if e.interval else 0) if latest else found[0]
    return (chosen.interval.start, chosen.interval.granularity) if chosen.interval else None


def _is_date(expression: TimeExpression) -> bool:
    interval = expression.interval
    return (
        interval is not None
        and expression.kind is ExpressionKind.ABSOLUTE
        and interval.granularity in _FINEST
        and interval.start != OPEN_START
        and interval.end != OPEN_END
    )


def _fills(line: str, expression: TimeExpression) -> bool:
    """Whether a line is little more than its date: "London, 3 March 2021"."""
    rest = line[: expression.start_char] + line[expression.end_char :]
    return len(rest.strip(" \t,.|*_#()[]")) <= 24
