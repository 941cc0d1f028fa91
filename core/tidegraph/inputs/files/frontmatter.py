"""Front matter of markdown: YAML, TOML or JSON in front of the text, never executed.

Values are read as text; what is a template placeholder or cannot be read is no metadata. Malformed YAML
is read line by line, because a colon in a title must not cost the date below it.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

MAX_CHARS: Final = 32 * 1024
MAX_BRACKETS: Final = 500
_FENCE: Final = re.compile(
    r"\s*?^(?P<mark>---|\+\+\+|;;;)[ \t]*(?P<language>[\w+-]*)[ \t]*$\n?", re.MULTILINE
)
_LINE: Final = re.compile(r"^(?P<name>[A-Za-z_][\w .-]{0,60}?)[ \t]*[:=][ \t]*(?P<value>\S.*)$", re.MULTILINE)
_PLACEHOLDER: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<%.*?%>|\$\{.*?\}|^\$\w+\$?$|^<[\w -]+>$|%\w+%")
_DATA_LANGUAGES: Final = {"": "", "yaml": "---", "yml": "---", "toml": "+++", "json": ";;;"}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``fields`` by name in lower case with ``-`` as ``_``; ``body`` is the text after it."""

    body: str
    fields: dict[str, Any] = field(default_factory=dict)


def split(text: str) -> FrontMatter:
    """Take the front matter off a text; a text without one is all body."""
    opening = _FENCE.match(text)
    if opening is None:
        return _json_object(text)
    mark, language = opening["mark"], opening["language"].lower()
    closing = re.compile(
        rf"^{re.escape(mark)}[ \t]*$|^\.\.\.[ \t]*$" if mark == "---" else rf"^{re.escape(mark)}[ \t]*$",
        re.MULTILINE,
    )
    end = closing.search(text, opening.end(), opening.end() + MAX_CHARS)
    if end is None:
        return FrontMatter(text)
    source, body = text[opening.end() : end.start()], text[end.end() :].removeprefix("\n")
    if language not in _DATA_LANGUAGES:
        return FrontMatter(body)  # JavaScript and the like: a program, not metadata
    kind = _DATA_LANGUAGES[language] or mark
    if kind == "---" and not _is_yaml_block(source):
        return FrontMatter(text)  # two rules across the page with prose between them
    reader = {"---": _yaml, "+++": _toml, ";;;": _json}[kind]
    return FrontMatter(body, _normal(reader(source)))


def text_of(value: Any) -> str:
    """A scalar as text; "" for anything else and for template placeholders."""
    if isinstance(value, bool | list | dict) or value is None:
        return ""
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return "" if _PLACEHOLDER.search(text) else text.strip()


def _is_yaml_block(source: str) -> bool:
    return not source.strip() or bool(
        re.search(r"^\s*[\"']?[\w .-]+[\"']?\s*:(?:\s|$)|^\s*[{#]", source, re.MULTILINE)
    )


def _yaml(source: str) -> Any:
    if max(source.count("["), source.count("{")) > MAX_BRACKETS:
        return _lines(source)
    try:
        # The base loader knows text, lists and maps only: no dates, no objects, no code.
        value = yaml.load(source, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError):
        value = None
    return value if isinstance(value, dict) else _lines(source)


def _toml(source: str) -> Any:
    try:
        return tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return _lines(source)


def _json(source: str) -> Any:
    try:
        return json.loads(source if source.lstrip().startswith("{") else "{" + source + "}")
    except (ValueError, RecursionError):
        return {}


def _lines(source: str) -> dict[str, str]:
    return {match["name"]: match["value"].strip().strip("\"'") for match in _LINE.finditer(source)}


def _json_object(text: str) -> FrontMatter:
    """JSON front matter without a fence: an object at the very start, then a line end and the body."""
    start = text.lstrip()
    if not start.startswith("{") or not re.match(r"\{\s*(?:\"|\})", start):
        return FrontMatter(text)
    try:
        value, end = json.JSONDecoder().raw_decode(start[:MAX_CHARS])
    except (ValueError, RecursionError):
        return FrontMatter(text)
    if (
        not isinstance(value, dict)
        or (rest := start[end:]).strip() == ""
        or not rest.lstrip(" \t").startswith("\n")
    ):
        return FrontMatter(text)
    return FrontMatter(rest.lstrip("\n"), _normal(value))


def _normal(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}
    fields: dict[str, Any] = {}
    for name, item in value.items():
        fields.setdefault(re.sub(r"[\s-]+", "_", str(name).strip().lower()), item)
    return fields
