"""Find a document's own time in its text; each answer says where it was found.

Only the head of the text (and, for revision logs, its tail) is looked at. The sources, best first:
front matter, mail headers, labelled dates ("Effective date: 1 March 2024", also as a table row),
revision logs (the latest row), a date line or dateline. None of them: ``None``, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from tidegraph.domain.documents import DocumentTime, ExpressionKind, TimeExpression
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity
from tidegraph.language.grounding.engine import ground
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
_FRONT_KEYS: Final = (
    "last_updated",
    "lastmod",
    "updated",
    "modified",
    "effective",
    "effective_date",
    "published",
    "publish_date",
    "pubdate",
    "date",
    "created",
)
_FRONT_LINE: Final = re.compile(r"^[ \t]*['\"]?([A-Za-z_\- ]{2,30})['\"]?[ \t]*[:=][ \t]*(.{4,80})$", re.M)
_MAIL_LINE: Final = re.compile(r"^(Date|Sent|Datum|Gesendet):[ \t]*(.{6,120})$", re.M)
_MAIL_COMPANY: Final = re.compile(r"^(?:From|To|Subject|Message-ID|Von|An|Betreff):", re.M | re.I)
_LABEL: Final = re.compile(
    r"^[ \t>|*_#\-]*(?P<label>effective(?: date| from| as of)?"
    r"|last (?:updated|modified|revised|reviewed)|updated(?: on| at)?|revised(?: on)?|revision date|published(?: on)?|publication date|release(?:d| date)?|issued(?: on)?|issue date"
    r"|date(?: of issue| issued| published| of publication)?|posted(?: on)?|version date|dated|as of"
    r"|filed(?: on)?|stand|datum|gültig ab|in kraft seit|veröffentlicht(?: am)?"
    r"|zuletzt (?:geändert|aktualisiert)(?: am)?|ausgabedatum)"
    r"[ \t*_|]*(?:[:=|]|\t| {1,4}(?=\d|[A-Z]))[ \t*_|]*(?P<value>[^\n]{4,120})$",
    re.M | re.I,
)
_RANK: Final = ("effective", "last", "updated", "zuletzt", "revised", "revision", "gültig", "in kraft")
_LOG_TITLE: Final = re.compile(
    r"^[ \t#|*=\-]*(?:revision|change|version|document)[ \t]*(?:history|log|control)\b"
    r"|^[ \t#|*=\-]*(?:changelog|änderungsverzeichnis|änderungshistorie|versionshistorie)\b",
    re.M | re.I,
)
_DATELINE: Final = re.compile(
    r"^[A-Z][A-Z .,\-]{2,40}(?:\([^)\n]{1,30}\))?[ ,]*(?P<value>[^\n]{4,40}?)[ ]*"
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
    for key in _FRONT_KEYS:
        if key in keys:
            yield f"front-matter:{key}", keys[key]


def _mail_header(head: str) -> Iterator[tuple[str, str]]:
    if not _MAIL_COMPANY.search(head[:2_000]):
        return
    for match in _MAIL_LINE.finditer(head[:4_000]):
        yield f"mail-header:{match.group(1)}", match.group(2)


def _labelled(head: str) -> Iterator[tuple[str, str]]:
    found = [(m.group("label").lower(), m.group("value")) for m in _LABEL.finditer(head)]
    order = {word: rank for rank, word in enumerate(_RANK)}
    found.sort(key=lambda f: order.get(f[0].split()[0], len(_RANK)))
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
    _date_line,
    _dateline,
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
