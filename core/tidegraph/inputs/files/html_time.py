"""When a web page was published: JSON-LD, meta tags and marked elements, in this order.

Render times, template dates and dates inside the running text are not the document's time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped]

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import MICROS_PER_DAY, MICROS_PER_SECOND, Granularity
from tidegraph.inputs import jsontext, times

PUBLISHED_META: Final = (
    "article:published_time", "og:article:published_time", "og:published_time", "datepublished",
    "date.issued",
    "dcterms.issued", "dc.date.issued", "dc.issued", "dcterms.created", "dc.date.created", "dc.created",
    "dc.date", "dcterms.date", "citation_publication_date", "citation_date", "citation_online_date",
    "parsely-pub-date", "sailthru.date", "publish-date", "publish_date", "publication_date", "pubdate",
    "publishdate", "article.published", "date-published", "cxenseparse:recs:publishtime", "bt:pubdate",
    "originalpublicationdate", "article_date_original", "date", "created", "datecreated",
)  # fmt: skip
MODIFIED_META: Final = (
    "article:modified_time", "og:updated_time", "og:article:modified_time", "datemodified",
    "dcterms.modified",
    "dc.date.modified", "dc.modified", "last-modified", "lastmod", "revised", "updated",
)  # fmt: skip
_MAX_BLOCKS: Final = 50
_ZONE_SPREAD: Final = 14 * 3_600 * MICROS_PER_SECOND
_ARTICLE: Final = re.compile(
    r"(?:article|posting|report|blog|news|creativework|webpage|review|legislation)", re.IGNORECASE
)
_PAGE: Final = re.compile(r"(?:webpage|website|creativework)", re.IGNORECASE)
_MARK_PUBLISHED: Final = re.compile(
    r"(?:^|[\s_-])(?:dt-)?(?:pub(?:lished|date|lish)?|posted|entry-date|post-date|issued)", re.IGNORECASE
)
_MARK_MODIFIED: Final = re.compile(r"(?:^|[\s_-])(?:dt-)?(?:updated|modified|lastmod)", re.IGNORECASE)
_MARK_BYLINE: Final = re.compile(
    r"(?:byline|post-?meta|entry-?meta|article-?meta|article-?info|dateline|timestamp)", re.IGNORECASE
)

Candidate = tuple[str, str]
"""(text of the time, where it was found)"""


def page_time(root: Any, rules: times.TimeRules) -> DocumentTime | None:
    """The time of publication, else of modification, else ``None``."""
    objects = list(_linked_data(root))
    meta = _meta(root)
    published = [
        *_from_objects(objects, ("datePublished", "dateCreated", "uploadDate")),
        *((meta[name], f"html: meta {name}") for name in PUBLISHED_META if name in meta),
        *_from_elements(root, "datePublished", _MARK_PUBLISHED),
        *_from_bylines(root),
    ]
    modified = [
        *_from_objects(objects, ("dateModified",)),
        *((meta[name], f"html: meta {name}") for name in MODIFIED_META if name in meta),
        *_from_elements(root, "dateModified", _MARK_MODIFIED),
    ]
    return _best(published, rules) or _best(modified, rules)


def _best(candidates: list[Candidate], rules: times.TimeRules) -> DocumentTime | None:
    """The first time, unless another one says the same more exactly (with the hour, or with the zone)."""
    found = [times.parse(text, where, rules) for text, where in candidates[:_MAX_BLOCKS]]
    real = [time for time in found if time is not None and not times.is_placeholder(time)]
    if not real:
        return None
    first = real[0]
    exact = (time for time in real[1:] if _vagueness(time) < _vagueness(first) and _is_near(time, first))
    return min(exact, key=_vagueness, default=first)


def _vagueness(time: DocumentTime) -> int:
    if time.granularity >= Granularity.DAY:
        return 2
    return 1 if times.NO_ZONE in time.provenance else 0


def _is_near(time: DocumentTime, first: DocumentTime) -> bool:
    """True when both can be one moment, told in different zones or as a day."""
    if first.granularity > Granularity.DAY:
        return False
    low = first.instant - _ZONE_SPREAD
    high = first.instant + _ZONE_SPREAD + (MICROS_PER_DAY if first.granularity is Granularity.DAY else 0)
    return low <= time.instant <= high


def _linked_data(root: Any) -> Iterator[dict[str, Any]]:
    """Objects of JSON-LD that describe the page itself, articles before pages."""
    found: list[dict[str, Any]] = []
    for script in root.iterfind(".//script[@type]"):
        if "ld+json" not in script.get("type", "").lower() or len(found) > _MAX_BLOCKS:
            continue
        try:
            found += _top_objects(jsontext.load(_uncommented(script.text or "")))
        except Rejected:
            continue
    yield from sorted(found, key=lambda item: bool(_PAGE.search(_type(item))))


def _uncommented(text: str) -> str:
    return (
        re.sub(r"^\s*(?:<!--|//<!\[CDATA\[|<!\[CDATA\[)|(?:-->|//\]\]>|\]\]>)\s*$", "", text)
        .strip()
        .rstrip(";")
    )


def _top_objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [item for part in value[:_MAX_BLOCKS] for item in _top_objects(part)]
    if not isinstance(value, dict):
        return []
    inner = [value.get(name) for name in ("@graph", "mainEntity")]
    nested = [item for part in inner if part is not None for item in _top_objects(part)]
    return ([value] if _ARTICLE.search(_type(value)) else []) + nested


def _type(item: dict[str, Any]) -> str:
    kind = item.get("@type", "")
    return " ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def _from_objects(objects: list[dict[str, Any]], names: tuple[str, ...]) -> Iterator[Candidate]:
    for name in names:
        for item in objects:
            value = item.get(name)
            value = value[0] if isinstance(value, list) and value else value
            value = value.get("@value") if isinstance(value, dict) else value
            if isinstance(value, str):
                yield value, f"html: JSON-LD {name}"


def _meta(root: Any) -> dict[str, str]:
    """Contents of meta tags by name in lower case, the first of each; no HTTP equivalents."""
    found: dict[str, str] = {}
    for element in root.iter("meta"):
        name = element.get("property") or element.get("name") or element.get("itemprop") or ""
        content = element.get("content") or ""
        if name and content.strip():
            found.setdefault(name.strip().lower(), content)
    return found


def _from_elements(root: Any, item_property: str, mark: re.Pattern[str]) -> Iterator[Candidate]:
    for element in root.iter("time", "abbr", "span", "meta", "p", "div"):
        if not isinstance(element.tag, str):
            continue
        is_time = element.tag == "time"
        marked = item_property.lower() in (element.get("itemprop") or "").lower().split() or (
            is_time
            and (
                mark.search(element.get("class") or "")
                or ("pubdate" in element.attrib and item_property == "datePublished")
            )
        )
        if marked:
            yield _time_text(element), f"html: {element.tag} {item_property}"


def _from_bylines(root: Any) -> Iterator[Candidate]:
    """A plain ``time`` element in a header or byline; one in a paragraph belongs to the text."""
    for element in root.iter("time"):
        for ancestor in element.iterancestors():
            name = ancestor.tag if isinstance(ancestor.tag, str) else ""
            marks = f"{ancestor.get('class') or ''} {ancestor.get('id') or ''}"
            if _MARK_BYLINE.search(marks) or (name == "header" and not _MARK_MODIFIED.search(marks)):
                if not _MARK_MODIFIED.search(element.get("class") or ""):
                    yield _time_text(element), "html: time element"
                break
            if name in ("li", "td", "section", "article", "body", "main"):
                break


def _time_text(element: Any) -> str:
    for name in ("datetime", "content", "title"):
        value = element.get(name)
        if value and any(char.isdigit() for char in value):
            return str(value)
    return str(etree.tostring(element, method="text", encoding="unicode", with_tail=False))[
        : times.MAX_CHARS + 1
    ]
