"""Mapping files: which fields of a JSON record are its id, time, title and text.

One YAML file has two parts. ``document:`` is read here; ``assertions:`` is handed on unread to the
extraction of structured records. Fields are JSON pointers (RFC 6901)::

    document:
      id: /policy_id
      time: /changed_at
      time_unit: ms            # when the time is a number: s, ms, us, ns or days
      timezone: Europe/Berlin  # for times without a zone
      title: /title
      text: [/summary, /body]  # several are joined by an empty line
      source: /department      # or a fixed text without a slash in front
      labels: /acl
      kind: register           # narrative, register or retraction, or a pointer to one of them
      types:                   # what numbers and bytes of a change feed mean
        /price: decimal(2)
        /effective_from: days
    assertions: ...
"""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from tidegraph.domain.documents import DocumentKind, DocumentTime
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import times
from tidegraph.inputs.document import Content
from tidegraph.inputs.jsontext import Json, dump

MAX_CHARS: Final = 256 * 1024
POINTER_FIELDS: Final = (
    "id", "revision", "time", "title", "text", "source", "labels", "tenant", "kind", "language",
    "source_priority",
)  # fmt: skip
_OTHER_FIELDS: Final = ("time_unit", "timezone", "types")
_MANY: Final = ("id", "title", "text", "labels")
_FIXED: Final = ("source", "labels", "tenant", "kind", "language", "source_priority")
_TYPE: Final = re.compile(r"(?:s|ms|us|ns|days|decimal\(\d{1,2}\))")
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Mapping:
    """A validated mapping file. ``document`` holds pointers or fixed texts by field; ``text`` is the file."""

    name: str
    text: str
    document: MappingOf[str, tuple[str, ...]] = field(default_factory=dict)
    time_unit: str = ""
    timezone: str = ""
    types: MappingOf[str, str] = field(default_factory=dict)
    has_assertions: bool = False


def load_mapping(path: str) -> Mapping:
    """Read the mapping file at ``path``; its name is the file's.

    Raises:
        Rejected: it cannot be read, or it is wrong.
    """
    file = Path(path)
    try:
        text = file.read_bytes()[: MAX_CHARS * 4 + 1].decode("utf-8-sig")
    except OSError as error:
        raise Rejected(
            "INVALID_MAPPING", f"the mapping file {path} cannot be read: {error.strerror}"
        ) from None
    except UnicodeDecodeError:
        raise Rejected("INVALID_MAPPING", f"the mapping file {path} is not UTF-8") from None
    return parse_mapping(text, file.name)


def parse_mapping(text: str, name: str) -> Mapping:
    """Read a mapping file.

    Raises:
        Rejected: not YAML, an unknown field or a bad pointer; the message names the line.
    """
    if len(text) > MAX_CHARS:
        raise LimitExceeded(
            "MAPPING_TOO_LARGE", f"{name}: a mapping file has at most {MAX_CHARS:,} characters"
        )
    lines: dict[str, int] = {}
    root = _load_yaml(text, name, lines)
    unknown = sorted(set(root) - {"document", "assertions", "name", "version"})
    if unknown:
        raise _wrong(
            name, lines, unknown[0], f"unknown part {unknown[0]!r}; there are document and assertions"
        )
    part = root.get("document") or {}
    if not isinstance(part, dict):
        raise _wrong(name, lines, "document", "document must hold field names and JSON pointers")
    document: dict[str, tuple[str, ...]] = {}
    for key, value in part.items():
        where = f"document.{key}"
        if key in POINTER_FIELDS:
            document[key] = _pointers(name, lines, where, str(key), value)
        elif key not in _OTHER_FIELDS:
            fields = ", ".join((*POINTER_FIELDS, *_OTHER_FIELDS))
            raise _wrong(name, lines, where, f"unknown field {key!r}; the fields are {fields}")
    unit, zone = str(part.get("time_unit", "") or ""), str(part.get("timezone", "") or "")
    if unit and unit not in times.UNITS and unit != "ns":
        raise _wrong(
            name, lines, "document.time_unit", f"time_unit {unit!r} is not one of s, ms, us, ns, days"
        )
    _check_zone(name, lines, zone)
    return Mapping(
        name=str(root.get("name") or name),
        text=text,
        document=document,
        time_unit=unit,
        timezone=zone,
        types=_types(name, lines, part.get("types") or {}),
        has_assertions=bool(root.get("assertions")),
    )


def apply(
    mapping: Mapping,
    record: dict[str, Any],
    rules: times.TimeRules,
    text: str = "",
    view: dict[str, Any] | None = None,
) -> Content:
    """The document that ``mapping`` sees in one JSON object; ``text`` is used when it names no text.

    ``view`` is what pointers are followed in, when that is more than the record.

    Raises:
        Rejected: no id or text under its pointer, or a time that cannot be read.
    """
    get = _Getter(mapping, record if view is None else view)
    labels = get.many("labels")
    rules = times.TimeRules(mapping.timezone or rules.zone, rules.day_first)
    text = "\n\n".join(get.many("text") or ()) if "text" in mapping.document else text
    records = (dump(record),) if mapping.has_assertions else ()
    if not text.strip() and not records:
        _no_text(mapping, record if view is None else view)
    return Content(
        document_id=get.identity(),
        revision=get.one("revision"),
        graph=get.one("tenant"),
        source=get.one("source"),
        title=" ".join(get.many("title") or ()),
        kind=kind_of(get.one("kind"), f"{mapping.name}: document.kind"),
        document_time=_time(mapping, get, rules),
        labels=labels,
        source_priority=_priority(get.one("source_priority")),
        language=get.one("language"),
        text=text,
        records=records,
        mapping_name=mapping.name if records else "",
        mapping=mapping.text if records else "",
    )


def resolve_pointer(record: Json, pointer: str) -> Json | object:
    """The value under a JSON pointer (RFC 6901); the object ``MISSING`` when there is none."""
    value: Any = record
    for raw in pointer.split("/")[1:]:
        token = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isascii() and token.isdigit() and int(token) < len(value):
            value = value[int(token)]
        else:
            return _MISSING
    return value  # type: ignore[no-any-return]


MISSING: Final = _MISSING


def kind_of(text: str, where: str) -> DocumentKind:
    """The kind of a word; UNSPECIFIED for no word.

    Raises:
        Rejected: another word.
    """
    if not text:
        return DocumentKind.UNSPECIFIED
    try:
        return DocumentKind[text.upper()]
    except KeyError:
        raise Rejected(
            "INVALID_KIND", f"{where}: {text[:40]!r} is not a kind; use narrative, register or retraction"
        ) from None


class _Getter:
    """Values of one record by field name."""

    def __init__(self, mapping: Mapping, record: dict[str, Any]) -> None:
        self._mapping = mapping
        self._record = record

    def raw(self, name: str) -> list[tuple[str, Any]]:
        """(pointer, value) of what is there and not null."""
        found = []
        for pointer in self._mapping.document.get(name, ()):
            value = resolve_pointer(self._record, pointer) if pointer.startswith("/") else pointer
            if value is not _MISSING and value is not None:
                found.append((pointer, value))
        return found

    def one(self, name: str) -> str:
        found = self.raw(name)
        return scalar(found[0][1], found[0][0]) if found else ""

    def many(self, name: str) -> tuple[str, ...] | None:
        if name not in self._mapping.document:
            return None
        texts: list[str] = []
        for pointer, value in self.raw(name):
            texts += [scalar(item, pointer) for item in (value if isinstance(value, list) else [value])]
        return tuple(texts)

    def identity(self) -> str:
        """The id: several parts are joined, and all of them must be there."""
        wanted = self._mapping.document.get("id", ())
        found = self.raw("id")
        if wanted and len(found) < len(wanted):
            raise Rejected(
                "MISSING_ID", f"there is no id under {' and '.join(wanted)} of mapping {self._mapping.name}"
            )
        return ":".join(scalar(value, pointer) for pointer, value in found)


def scalar(value: Any, where: str) -> str:
    """A JSON scalar as text: whole numbers keep every digit.

    Raises:
        Rejected: an object or an array.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    what = "an array" if isinstance(value, list) else "an object"
    raise Rejected("INVALID_FIELD", f"{where} holds {what}, a single value is needed")


def _time(mapping: Mapping, get: _Getter, rules: times.TimeRules) -> DocumentTime | None:
    found = get.raw("time")
    if not found:
        return None
    pointer, value = found[0]
    where = f"mapping: {pointer}"
    unit = mapping.time_unit or mapping.types.get(pointer, "")
    if isinstance(value, bool | list | dict):
        raise Rejected("INVALID_TIME", f"{where}: a time must be a text or a number")
    if isinstance(value, int | float):
        return times.from_number(value, unit, where)
    if unit and re.fullmatch(r"-?\d{1,20}", value):
        return times.from_number(int(value), unit, where)
    return times.require(value, where, rules) if value.strip() else None


def _priority(text: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"-?\d{1,6}", text):
        raise Rejected("INVALID_FIELD", f"source_priority must be a whole number, not {text[:40]!r}")
    return int(text)


def _no_text(mapping: Mapping, record: dict[str, Any]) -> None:
    pointers = mapping.document.get("text", ())
    if not pointers:
        raise Rejected("INVALID_MAPPING", f"mapping {mapping.name} names neither a text nor assertions")
    state = "null" if any(resolve_pointer(record, p) is None for p in pointers) else "missing or empty"
    raise Rejected("EMPTY_DOCUMENT", f"the text under {' and '.join(pointers)} is {state}")


def _pointers(name: str, lines: dict[str, int], where: str, key: str, value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) and key in _MANY else [value]
    for item in items:
        if isinstance(item, int) and not isinstance(item, bool) and key == "source_priority":
            continue
        if not isinstance(item, str) or not item:
            raise _wrong(name, lines, where, f"{key} needs a JSON pointer such as /{key}")
        if not item.startswith("/") and key not in _FIXED:
            raise _wrong(name, lines, where, f"{item!r} is not a JSON pointer: write /{item}")
        if re.search(r"~(?![01])", item) and item.startswith("/"):
            raise _wrong(
                name, lines, where, f"{item!r}: in a JSON pointer ~ is written ~0 and / is written ~1"
            )
    if key == "kind" and not items[0].startswith("/"):
        kind_of(items[0], f"{name}, line {lines.get(where, 1)}")
    return tuple(str(item) for item in items)


def _types(name: str, lines: dict[str, int], part: Any) -> dict[str, str]:
    if not isinstance(part, dict):
        raise _wrong(name, lines, "document.types", "types must hold pointers and types")
    for pointer, kind in part.items():
        where = f"document.types.{pointer}"
        if not str(pointer).startswith("/"):
            raise _wrong(name, lines, where, f"{pointer!r} is not a JSON pointer: write /{pointer}")
        if not isinstance(kind, str) or not _TYPE.fullmatch(kind):
            raise _wrong(name, lines, where, f"{kind!r} is not one of s, ms, us, ns, days, decimal(SCALE)")
    return {str(pointer): str(kind) for pointer, kind in part.items()}


def _check_zone(name: str, lines: dict[str, int], zone: str) -> None:
    if zone:
        try:
            times.zone_of(zone)
        except Rejected as error:
            raise _wrong(name, lines, "document.timezone", str(error.args[0])) from None


def _wrong(name: str, lines: dict[str, int], where: str, message: str) -> Rejected:
    return Rejected("INVALID_MAPPING", f"{name}, line {lines.get(where, 1)}: {message}")


def _load_yaml(text: str, name: str, lines: dict[str, int]) -> dict[Any, Any]:
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if not isinstance(node, yaml.MappingNode):
            raise Rejected(
                "INVALID_MAPPING", f"{name}, line 1: a mapping file has the parts document and assertions"
            )
        _note_lines(node, "", lines, name)
        root = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or "not readable"
        raise Rejected("INVALID_MAPPING", f"{name}, line {line}: not YAML: {problem}") from None
    except (RecursionError, ValueError) as error:
        raise Rejected("INVALID_MAPPING", f"{name}: not YAML: {type(error).__name__}") from None
    return root if isinstance(root, dict) else {}


def _note_lines(node: yaml.MappingNode, prefix: str, lines: dict[str, int], name: str) -> None:
    for key, value in node.value:
        path = f"{prefix}{key.value}"
        if path in lines:
            raise Rejected(
                "INVALID_MAPPING", f"{name}, line {key.start_mark.line + 1}: {path} is given twice"
            )
        lines[path] = key.start_mark.line + 1
        if isinstance(value, yaml.MappingNode) and path in ("document", "document.types"):
            _note_lines(value, path + ".", lines, name)
