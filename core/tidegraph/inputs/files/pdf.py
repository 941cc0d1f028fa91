"""PDF files, read in a child process with bounded time and memory.

A hostile or damaged file may loop or crash the native library; then it is only the child that ends.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any, Final

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import charsets, times
from tidegraph.inputs.document import Content
from tidegraph.inputs.files.xmp import XmpTimes, find_xmp

TIMEOUT_SECONDS: Final = 60.0
_DATE: Final = re.compile(
    r"\s*(?:D:)?\s*(?P<year>\d{4})(?P<month>\d{2})?(?P<day>\d{2})?(?P<hour>\d{2})?(?P<minute>\d{2})?(?P<second>\d{2})?"
    r"\s*(?:(?P<utc>[Zz])(?:\s*[+-]?0{0,2}'?0{0,2}'?)|(?P<sign>[+-])\s*(?P<oh>\d{1,2})(?:'?:?(?P<om>\d{1,2})'?)?)?'?\s*",
)
_REASONS: Final = {
    "password": ("ENCRYPTED", "the PDF is protected by a password: remove it first"),
    "damaged": ("INVALID_PDF", "the PDF is damaged or truncated: it cannot be opened"),
    "scan": ("NO_TEXT", "the PDF holds scanned pages without text: run text recognition (OCR) first"),
    "empty": ("EMPTY_DOCUMENT", "the PDF is empty: there is no text in it"),
    "glyphs": (
        "NO_TEXT",
        "the PDF's fonts do not say which letters they show: run text recognition (OCR) first",
    ),
    "pages": ("PDF_TOO_LONG", "the PDF has more pages than the limit of 5,000"),
    "text": ("DOCUMENT_TOO_LARGE", "the text of the PDF is longer than the limit for a document"),
    "memory": ("INVALID_PDF", "the PDF needs more memory than is allowed"),
}


def read_pdf(data: bytes, rules: times.TimeRules, max_chars: int) -> Content:
    """Text, title and time of creation of a PDF.

    Raises:
        Rejected: a password, a scan, damage, or more work than the limits allow; the message says which.
    """
    if b"%PDF-" not in data[:1024]:
        raise Rejected("INVALID_PDF", "this is not a PDF: its header is missing")
    answer = _ask_child(data, max_chars)
    error = answer.get("error")
    if error:
        reason, message = _REASONS.get(str(error), _REASONS["damaged"])
        raise (LimitExceeded if error in ("pages", "text") else Rejected)(reason, message)
    info: dict[str, str] = answer["info"]
    return Content(
        title=info.get("Title", ""),
        text=charsets.clean(answer["text"]),
        document_time=_document_time(info, find_xmp(data), rules),
    )


def parse_pdf_date(text: str, where: str, rules: times.TimeRules) -> DocumentTime | None:
    """A date of the Info dictionary (ISO 32000, 7.9.4) with the liberties that writers take."""
    match = _DATE.fullmatch(text)
    if match is None:
        return times.parse(text, where, rules)
    parts = [match[name] for name in ("year", "month", "day")]
    iso = "-".join(part for part in parts if part)
    if match["hour"] and match["day"]:
        iso += f"T{match['hour']}" + "".join(f":{match[n]}" for n in ("minute", "second") if match[n])
        if match["utc"]:
            iso += "Z"
        elif match["sign"] and int(match["oh"]) <= 14:
            iso += f"{match['sign']}{int(match['oh']):02d}:{min(int(match['om'] or 0), 59):02d}"
    return times.parse(iso, where, rules)


def _document_time(info: dict[str, str], xmp: XmpTimes, rules: times.TimeRules) -> DocumentTime | None:
    """Creation before modification; of Info and XMP the one that was brought up to date last."""

    def from_info(name: str) -> DocumentTime | None:
        return _real(parse_pdf_date(info.get(name, ""), f"pdf: Info {name}", rules))

    def from_xmp(text: str, name: str) -> DocumentTime | None:
        return _real(times.parse(text, f"pdf: XMP {name}", rules))

    info_changed, xmp_changed = (
        from_info("ModDate"),
        from_xmp(xmp.metadata, "MetadataDate") or from_xmp(xmp.modified, "ModifyDate"),
    )
    info_first = xmp_changed is None or (
        info_changed is not None and info_changed.instant > xmp_changed.instant
    )
    created = [from_xmp(xmp.created, "CreateDate"), from_info("CreationDate")]
    modified = [from_xmp(xmp.modified, "ModifyDate"), info_changed]
    if info_first:
        created.reverse()
        modified.reverse()
    return next((time for time in (*created, *modified) if time is not None), None)


def _real(time: DocumentTime | None) -> DocumentTime | None:
    if time is None or times.is_placeholder(time) or time.instant < times.YEAR_ONE_END:
        return None
    return time


def _ask_child(data: bytes, max_chars: int) -> dict[str, Any]:
    command = [sys.executable, "-I", "-m", "tidegraph.inputs.files.pdf_worker", str(max_chars)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=TIMEOUT_SECONDS, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise LimitExceeded(
            "PDF_TIMEOUT",
            f"the PDF was not read within {TIMEOUT_SECONDS:.0f} seconds: it is hostile or too large",
        ) from None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return {"error": "memory" if b"MemoryError" in done.stderr else "damaged"}
    return answer if isinstance(answer, dict) else {"error": "damaged"}
