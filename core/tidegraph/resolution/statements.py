"""Statements about names: "formerly X", "renamed Y in 2012", records of a change.

Sightings of one document that share a sentence give both names; where only one of the two is a mention,
the other is read off the text beside the words of the statement.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.folding import fold
from tidegraph.resolution.profiles import Link, LinkKind
from tidegraph.resolution.tables import certain_lists, statement_lists, tables

MAX_TEXT: Final = 2_000
"""Characters of a sentence that are searched."""
_REACH_BEFORE: Final = 120
_REACH_AFTER: Final = 40
_KINDS: Final = {
    "renamed": LinkKind.RENAMED,
    "formerly": LinkKind.RENAMED,
    "alias": LinkKind.ALIAS,
    "merged": LinkKind.MERGED,
}
_CAPITAL_WORD: Final = r"[^\W_a-z][\w.&'’\-]*"
_MINOR_WORDS: Final = r"(?:(?:of|for|and|the|de|du|la|&|für|der) )*"
_NAME_AFTER: Final = re.compile(
    rf"[\s(\"“«]*(?:[Tt]he )?({_CAPITAL_WORD}(?: {_MINOR_WORDS}{_CAPITAL_WORD}){{0,8}})"
)
_NEEDS_BOTH: Final = re.compile(r"^(?:be|devient|est)", re.IGNORECASE)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


@dataclass(frozen=True, slots=True)
class Sighting:
    """A mention with what stands around it, before it is a profile. Fields as in ``read_profile``."""

    entity_id: str
    name: str
    type: EntityType
    text: str
    attributes: tuple[tuple[str, str], ...]
    document: str
    observed_at: int | None


def read_links(sightings: Iterable[Sighting]) -> tuple[Link, ...]:
    """All statements about names, sorted; the same for every order of sightings."""
    links: set[Link] = set()
    sentences: dict[tuple[str, str], list[Sighting]] = defaultdict(list)
    for sighting in sightings:
        links.update(_from_record(sighting))
        if sighting.text:
            sentences[sighting.document or sighting.entity_id, sighting.text[:MAX_TEXT]].append(sighting)
    for (_, text), found in sentences.items():
        links.update(_from_sentence(text, sorted(found, key=lambda s: s.entity_id)))
    return tuple(sorted(links, key=_order))


def _order(link: Link) -> tuple[int, int, str, str, str]:
    return link.kind, link.type, link.former, link.later, link.subject


def _from_record(sighting: Sighting) -> Iterator[Link]:
    slots = [
        (tables().slots.get(fold(field).replace(" ", "_"), ""), value) for field, value in sighting.attributes
    ]
    at = next((_micros(value) for slot, value in slots if slot == "date"), None) or sighting.observed_at
    for slot, value in slots:
        if slot in ("former", "alias") and value.strip():
            kind = LinkKind.RENAMED if slot == "former" else LinkKind.ALIAS
            yield Link(kind, sighting.type, value, sighting.name, at, sighting.entity_id, sighting.document)


def _micros(value: str) -> int | None:
    day = _DAY.search(value)
    if not day:
        return None
    try:
        instant = datetime(int(day[1]), int(day[2]), int(day[3]), tzinfo=UTC)
    except ValueError:
        return None
    return (instant - _EPOCH) // timedelta(microseconds=1)


def _from_sentence(text: str, sightings: Sequence[Sighting]) -> Iterator[Link]:
    for wording, pattern in _patterns():
        for words in pattern.finditer(text):
            before = _nearest_before(text, words.start(), sightings)
            after = _nearest_after(text, words.end(), sightings)
            if before is not None:
                yield from _link(wording, text, words, before, after)


def _link(
    wording: str, text: str, words: re.Match[str], before: Sighting, after: Sighting | None
) -> Iterator[Link]:
    other = after.name if after is not None else ""
    if not other and before.type is not EntityType.PERSON and not _NEEDS_BOTH.match(words[0]):
        other = _name_after(text, words.end())
    if not other or fold(other) == fold(before.name) or (after is not None and after.type is not before.type):
        return
    former, later = (other, before.name) if wording == "formerly" else (before.name, other)
    for holder in (before, after):
        if holder is not None:
            yield Link(
                _KINDS[wording],
                before.type,
                former,
                later,
                before.observed_at,
                holder.entity_id,
                before.document,
            )


def _nearest_before(text: str, end: int, sightings: Sequence[Sighting]) -> Sighting | None:
    """The sighting that ends last before the words, within reach and the same sentence part."""
    best: tuple[int, int, Sighting] | None = None
    for sighting in sightings:
        start = text.rfind(sighting.name, 0, end)
        stop = start + len(sighting.name)
        if start < 0 or end - stop > _REACH_BEFORE or ";" in text[stop:end]:
            continue
        if best is None or (stop, stop - start) > best[:2]:
            best = (stop, stop - start, sighting)
    return best[2] if best else None


def _nearest_after(text: str, start: int, sightings: Sequence[Sighting]) -> Sighting | None:
    best: tuple[int, int, Sighting] | None = None
    for sighting in sightings:
        begin = text.find(sighting.name, start)
        if begin < 0 or begin - start > _REACH_AFTER or ";" in text[start:begin]:
            continue
        if best is None or (begin, -len(sighting.name)) < best[:2]:
            best = (begin, -len(sighting.name), sighting)
    return best[2] if best else None


def _name_after(text: str, start: int) -> str:
    found = _NAME_AFTER.match(text, start)
    return found[1].rstrip(".") if found else ""


_OPENING: Final = " \t\n,([\u2013\u2014-"
_BETWEEN: Final = re.compile(r"[\s:\"\u201c\u00ab]*(?:the\s+)?", re.IGNORECASE)
_CLOSED: Final = re.compile(r"[\"\u201d\u00bb]?\s*(?:[),.;:\]\u3002\uff0c]|$)")


def stated_pairs(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[LinkKind, int, int]]:
    """Names of one thing by the words between them alone: "X, formerly Y,", "X (also known as Y)".

    Args:
        spans: where names stand in the text, (start, end).

    Returns:
        (kind, index of the first name, index of the second); of RENAMED the second is the former name.
    """
    ends = {end: place for place, (start, end) in sorted(enumerate(spans), key=lambda item: -item[1][0])}
    starts = {start: place for place, (start, end) in sorted(enumerate(spans), key=lambda item: item[1][1])}
    found: list[tuple[LinkKind, int, int]] = []
    for wording, pattern in _certain():
        for words in pattern.finditer(text):
            stop = len(text[: words.start()].rstrip(_OPENING))
            between = _BETWEEN.match(text, words.end())
            second = starts.get(between.end() if between else words.end())
            if stop in ends and second is not None and _CLOSED.match(text, spans[second][1]):
                found.append((_KINDS[wording], ends[stop], second))
    return sorted(set(found))


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return _compiled(statement_lists())


@cache
def _certain() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return _compiled(certain_lists())


def _compiled(lists: Mapping[str, list[str]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (wording, re.compile(r"(?<!\w)(?:" + "|".join(expressions) + r")(?!\w)", re.IGNORECASE))
        for wording, expressions in sorted(lists.items())
    )
