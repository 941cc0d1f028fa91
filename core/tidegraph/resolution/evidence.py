"""Reading profiles out of what stands around a name: a record's fields or a sentence.

A record gives its fields by name (``data/slots.toml``). A sentence gives the places, years and codes that
stand in it in the usual ways ("City, Country", "(R-WI)", "born in 1934"). What is not said stays unknown:
an absent slot neither agrees nor conflicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.interval import Interval
from tidegraph.resolution.folding import fold, is_latin
from tidegraph.resolution.profiles import POINT, Profile
from tidegraph.resolution.tables import tables

MAX_CONTEXT_WORDS: Final = 64
"""More words around a mention say nothing more about it."""

_BORN: Final = re.compile(r"\b(?:born|b\.|\*)\D{0,20}?((?:1[5-9]|20)\d\d)")
_PARTY_STATE: Final = re.compile(r"\b([A-Z]{1,3})-([A-Z]{2})\b")
_NAME: Final = r"[A-Z][\w.'’\-]*(?:[ \-][A-Z]?[\w.'’\-]+){0,4}"
_PLACE_PAIR: Final = re.compile(rf"({_NAME}), ([A-Z][\w.'’ \-]+?)(?=[,.;)]|$| and | filed)")
_IN_BRACKETS: Final = re.compile(r"\(([^()]{1,80})\)")
_CODE_IN_BRACKETS: Final = re.compile(r"\((\d{1,3}[AB]?)\)")
_AREA_NAMED: Final = re.compile(r"\b(?:for|of|in|from) (?:the )?([A-Z][\w.]*(?: [A-Z][\w.]*){0,3})")
_SITE: Final = re.compile(r"^(?:https?://)?(?:www\.)?([^/?#]+)")
_COORDINATES: Final = ("latitude", "longitude")


def is_slot(field: str) -> bool:
    """True for a field of a record whose value can agree or conflict."""
    return _slot_of(field) not in ("", "alias", "former", "date")


def _slot_of(field: str) -> str:
    return tables().slots.get(fold(field).replace(" ", "_"), "")


def read_profile(
    entity_id: str,
    name: str,
    kind: EntityType,
    *,
    text: str = "",
    attributes: Iterable[tuple[str, str]] = (),
    document: str = "",
    observed_at: int | None = None,
) -> Profile:
    """The profile of one mention.

    Args:
        entity_id: id of the mention, unique among all profiles clustered together.
        name: as written.
        kind: the type of what is named.
        text: the sentence that the mention stands in, "" when there is none.
        attributes: fields of a record with their values as text, repeated for lists.
        document: id of the document, "" for a mention that stands alone.
        observed_at: the document time in microseconds, UTC.
    """
    slots: dict[str, set[str]] = {}
    names = [name]
    words: set[str] = set()
    point: dict[str, float] = {}
    for field, value in attributes:
        slot = _slot_of(field)
        if slot in _COORDINATES:
            _add_degrees(point, slot, value)
        elif slot == "alias":
            names.append(value)
        elif slot and slot not in ("former", "date"):
            slot, compared = _slot_value(slot, value)
            slots.setdefault(slot, set()).add(compared)
            if slot == "party" and is_latin(value):
                slots.setdefault("faction", set()).add(compared[:1])
        if slot not in _COORDINATES:
            words.update(fold(value).split())
    if text:
        for slot, value in _from_text(text.replace(name, "", 1), kind).items():
            slots.setdefault(slot, set()).add(value)
        words.update(fold(text.replace(name, " ")).split())
    if len(point) == 2:
        slots[POINT] = {f"{point['latitude']:g},{point['longitude']:g}"}
    if any(state in tables().state_codes for state in slots.get("state", ())):
        slots.setdefault("country", {"US"})
    active = None if observed_at is None else Interval(observed_at, observed_at + 1)
    return Profile(
        entity_id,
        tuple(dict.fromkeys(names)),
        kind,
        {slot: tuple(sorted(values)) for slot, values in sorted(slots.items()) if any(values)},
        tuple(sorted(words))[:MAX_CONTEXT_WORDS],
        frozenset((document,)) - {""},
        active,
    )


def merge_profiles(entity_id: str, profiles: Iterable[Profile]) -> Profile:
    """One profile of many that are one thing; the same for every order of them."""
    members = sorted(profiles, key=lambda p: (p.entity_id, p.names))
    if len(members) == 1 and members[0].entity_id == entity_id:
        return members[0]
    slots: dict[str, set[str]] = {}
    for member in members:
        for slot, values in member.slots.items():
            slots.setdefault(slot, set()).update(values)
    times = [member.active for member in members if member.active is not None]
    names = {name for member in members for name in member.names}
    named = {word for name in names for word in fold(name).split()}
    kinds = {member.type for member in members} - {EntityType.UNSPECIFIED}
    return Profile(
        entity_id,
        tuple(sorted(names, key=lambda name: (-len(name.split()), -len(name), name))),
        min(kinds, default=EntityType.UNSPECIFIED),
        {slot: tuple(sorted(values)) for slot, values in sorted(slots.items())},
        tuple(sorted({word for member in members for word in member.context} - named))[:MAX_CONTEXT_WORDS],
        frozenset(document for member in members for document in member.documents),
        Interval(min(t.start for t in times), max(t.end for t in times)) if times else None,
    )


def _add_degrees(point: dict[str, float], slot: str, value: str) -> None:
    try:
        degrees = float(value)
    except ValueError:
        return
    if abs(degrees) <= (90.0 if slot == "latitude" else 180.0):
        point[slot] = degrees


def _slot_value(slot: str, value: str) -> tuple[str, str]:
    """The slot, corrected where the value says better, and the compared form."""
    folded = fold(value)
    if slot == "country":
        return slot, tables().countries.get(folded, folded)
    if slot == "state":
        if "," in value:  # "Ontario, Canada"
            return slot, fold(value.split(",", maxsplit=1)[0])
        if folded in tables().states:
            return slot, tables().states[folded]
        return ("country", tables().countries[folded]) if folded in tables().countries else (slot, folded)
    if slot in ("born", "established"):
        year = re.search(r"\d{3,4}", value)
        return slot, year[0] if year else folded
    if slot == "site":
        site = _SITE.match(value.casefold().strip())
        return slot, site[1] if site else folded
    return slot, folded


def _from_text(text: str, kind: EntityType) -> Mapping[str, str]:
    found: dict[str, str] = {}
    if born := _BORN.search(text):
        found["born"] = born[1]
    if (seat := _PARTY_STATE.search(text)) and seat[2].casefold() in tables().states:
        found["state"] = tables().states[seat[2].casefold()]
        found["faction"] = seat[1][0].casefold()
    for city, area in _pairs(text):
        if code := _area_slots(area):
            found |= code
            found.setdefault("city", fold(city))
            break
    else:
        found |= _named_area(text)
    if kind is EntityType.PLACE and (code_match := _CODE_IN_BRACKETS.search(text)):
        found["region"] = code_match[1].casefold()
    return found


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = []
    for inner in _IN_BRACKETS.findall(text):
        parts = [part.strip() for part in inner.split(",")]
        if len(parts) >= 2:
            pairs.append((parts[0], parts[-1]))
    return pairs + [(m[1], m[2].strip()) for m in _PLACE_PAIR.finditer(text)]


def _area_slots(area: str) -> dict[str, str]:
    folded = fold(area)
    if folded in tables().states and (len(folded) > 2 or area.isupper()):
        return {"state": tables().states[folded]}
    if folded in tables().countries and (len(folded) > 2 or area.isupper()):
        return {"country": tables().countries[folded]}
    return {}


def _named_area(text: str) -> dict[str, str]:
    for match in _AREA_NAMED.finditer(text):
        folded = fold(match[1])
        if len(folded) > 2 and (folded in tables().states or folded in tables().countries):
            return _area_slots(match[1])
    return {}
