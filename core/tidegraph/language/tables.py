"""Claims of tables ("| Role | Lead | Shadows |") and of "key: value" lines: no grammar, only layout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.language.words import table, words

_SEPARATOR: Final = re.compile(r"^[\s|:+-]+$")
_SPLIT: Final = re.compile(r"\s*(?:,|;|/|<br\s*/?>|\band\b|&|\n)\s*", re.IGNORECASE)
_MARKUP: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*_`]+|\(?@[\w.-]+\)?|\((?:he|she|they)/\w+\)|<[^>]*>")
_NOBODY: Final = frozenset(
    {
        "",
        "-",
        "–",
        "—",
        "tbd",
        "tba",
        "tbc",
        "n/a",
        "na",
        "none",
        "nobody",
        "vacant",
        "?",
        "open",
        "unassigned",
        "unknown",
        "to be decided",
        "to be determined",
        "to be announced",
        "...",
        "…",
    }
)
_PERSON: Final = re.compile(r"^[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,4}$")
_VALUE: Final = re.compile(
    r"\d|^(?:yes|no|true|false|enabled|disabled|weekly|daily|monthly|yearly|hourly|annually|quarterly)$",
    re.IGNORECASE,
)
_MAX_CELL_CHARS: Final = 400


@dataclass(frozen=True, slots=True)
class Cell:
    """A span of text of the part, without markup at its ends."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RoleCell:
    """One person in a role, as a table or a line says it. ``what`` is the area or team, or None."""

    person: Cell
    role: str
    what: Cell | None


@dataclass(frozen=True, slots=True)
class ValueCell:
    """One value of an attribute. ``what`` is the thing that has it, or None: what the document is about."""

    attribute: Cell
    value: Cell
    what: Cell | None


def _words(name: str) -> frozenset[str]:
    return words("tables", name)


def cells(text: str, start: int, end: int) -> list[Cell]:
    """The cells of a row; a pipe at the ends makes none."""
    line = text[start:end]
    mark = "|" if "|" in line else "\t"
    found = []
    at = start
    for piece in line.split(mark):
        lead = len(piece) - len(piece.lstrip())
        stripped = piece.strip()
        found.append(Cell(stripped[:_MAX_CELL_CHARS], at + lead, at + lead + len(stripped)))
        at += len(piece) + 1
    if mark == "|":
        found = found[0 if found[0].text else 1 :]
        found = found[:-1] if found and not found[-1].text and line.rstrip().endswith("|") else found
    return found


def rows(text: str, spans: Sequence[tuple[int, int]]) -> tuple[list[Cell], list[list[Cell]]]:
    """(header, body) of a table; separators are dropped."""
    found = [cells(text, start, end) for start, end in spans if not _SEPARATOR.match(text[start:end])]
    return (found[0], found[1:]) if found else ([], [])


def readings(header: Sequence[Cell], body: Sequence[Sequence[Cell]]) -> Iterator[RoleCell | ValueCell]:
    """What a table says, row by row: who holds which role, or which thing has which value."""
    if not header or not body:
        return
    kinds = [_kind(plain(cell.text)) for cell in header]
    people = [i for i, kind in enumerate(kinds) if kind in {"person", "role-person"}]
    if people:
        yield from _role_rows(header, kinds, people, body)
        return
    for row in body:
        what = row[0] if row else None
        for i in range(1, min(len(header), len(row))):
            if (
                what is not None
                and _is_value(plain(row[i].text))
                and plain(header[i].text)
                and plain(what.text)
            ):
                yield ValueCell(header[i], row[i], what)


def _kind(title: str) -> str:
    lowered = title.lower().strip()
    if lowered in _words("role_columns"):
        return "role"
    if lowered in _words("person_columns"):
        return "person"
    return (
        "role-person"
        if lowered.rstrip("s") in _words("role_person_columns") or lowered in _words("role_person_columns")
        else ""
    )


def _role_rows(
    header: Sequence[Cell], kinds: Sequence[str], people: Sequence[int], body: Sequence[Sequence[Cell]]
) -> Iterator[RoleCell]:
    """A row's role is its role column, made finer by the column's title: "Docs" + "Shadows" = docs shadow."""
    named = next((i for i, kind in enumerate(kinds) if kind == "role"), None)
    for row in body:
        area = (
            row[named]
            if named is not None and named < len(row)
            else (row[0] if 0 not in people and row else None)
        )
        for i in people:
            if i >= len(row):
                continue
            for person in persons_in(row[i]):
                yield RoleCell(
                    person,
                    _role_name(area, header[i], kinds[i], named is not None),
                    None if named is not None else area,
                )


def _role_name(area: Cell | None, column: Cell, kind: str, area_is_role: bool) -> str:
    title = plain(column.text).lower()
    post = (
        title
        if title in table("tables")["role_person_columns"]
        else title.rstrip("s")
        if title.endswith("s")
        else title
    )
    if kind == "person":
        return plain(area.text).lower() if area is not None and area_is_role else "member"
    if area is None or not area_is_role:
        return post
    role = plain(area.text).lower()
    return role if post in role.split() else f"{role} {post}"


def persons_in(cell: Cell) -> Iterator[Cell]:
    """The people that a cell names; placeholders name nobody."""
    at = 0
    for piece in _SPLIT.split(plain(cell.text)):
        name = piece.strip()
        begin = max(cell.text.find(name, at), at)
        at = begin + len(name)
        if (
            name.lower() in _NOBODY
            or not _PERSON.match(name)
            or not any(c.isupper() or not c.isascii() for c in name)
        ):
            continue
        inner = max(cell.text.find(name, begin), begin)
        yield Cell(name, cell.start + inner, cell.start + inner + len(name))


def plain(text: str) -> str:
    """A cell without markup: links by their text, no emphasis, no account names."""
    return " ".join(_MARKUP.sub(lambda m: m.group(1) or " ", text).split())


def is_told(text: str) -> bool:
    """Whether a cell of a date says one: not "present", not a dash."""
    return plain(text).lower().strip(".") not in _NOBODY | {
        "present",
        "now",
        "today",
        "date",
        "current",
        "ongoing",
    }


def _is_value(text: str) -> bool:
    return bool(text) and text.lower() not in _NOBODY and len(text) <= 60 and bool(_VALUE.search(text))


def pair(text: str, start: int, end: int) -> tuple[Cell, Cell] | None:
    """Key and value of a "key: value" line."""
    line = text[start:end]
    cut = min((p for p in (line.find(":"), line.find("=")) if p > 0), default=-1)
    if cut < 0:
        return None
    key, value = line[:cut], line[cut + 1 :]
    lead = len(key) - len(key.lstrip(" \t>*_"))
    inner = len(value) - len(value.lstrip(" \t*_"))
    key_text, value_text = plain(key.strip(" \t>*_")), value.strip(" \t*_")
    if not key_text or not value_text or key_text.lower() in _words("ignored_keys"):
        return None
    key_cell = Cell(key_text, start + lead, start + cut)
    value_start = start + cut + 1 + inner
    return key_cell, Cell(value_text, value_start, value_start + len(value_text))


def pair_reading(key: Cell, value: Cell) -> Iterator[RoleCell | ValueCell]:
    """ "Owner: Ada Poll" names a person in a role, "Retention: 30 days" a value."""
    lowered = key.text.lower()
    if lowered.split()[-1].rstrip("s") in words("roles", "heads") | _words("role_person_columns"):
        for person in persons_in(value):
            yield RoleCell(person, lowered.rstrip("s") if lowered.endswith("s") else lowered, None)
    elif _is_value(plain(value.text)) or lowered in {"status", "state"}:
        yield ValueCell(key, value, None)
