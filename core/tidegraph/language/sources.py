"""How dates are read in the documents of single sources, where that differs from the general settings.

[[source]]
match = "emea/*"            # shell pattern over the document's source; the first that fits counts
day_first = true
fiscal_start_month = 4
week_start = 7
timezone = "Europe/Berlin"
southern_hemisphere = false
language = "de"
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.language.grounding import ground
from tidegraph.settings import GroundingSettings

SOURCES_MAX: Final = 10_000
_KINDS: Final = {field.name: str(field.type) for field in fields(GroundingSettings)}


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """Grounding settings by source: rules of (pattern, settings) in order, then the general ones."""

    general: GroundingSettings
    rules: tuple[tuple[str, GroundingSettings], ...] = ()

    def of(self, source: str) -> GroundingSettings:
        """The settings of the first rule whose pattern fits the source, else the general ones."""
        return next((own for pattern, own in self.rules if fnmatchcase(source, pattern)), self.general)


def load_sources(path: str, general: GroundingSettings) -> SourceSettings:
    """The rules of a sources file on top of the general settings; no path: the general settings alone.

    Raises:
        Rejected: UNREADABLE_SOURCES or INVALID_SOURCES, naming the entry and what is wrong with it.
    """
    if not path:
        return SourceSettings(general)
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise Rejected(
            "UNREADABLE_SOURCES", f"cannot read the sources file {path}: {error}", path=path
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise Rejected("INVALID_SOURCES", f"{path} is not TOML: {error}", path=path) from None
    entries = content.pop("source", None)
    if content or not isinstance(entries, list) or len(entries) > SOURCES_MAX:
        message = f"{path} must hold [[source]] tables and nothing else, at most {SOURCES_MAX:,}"
        raise Rejected("INVALID_SOURCES", message, path=path)
    return SourceSettings(general, tuple(_rule(n, entry, general) for n, entry in enumerate(entries, 1)))


def _rule(number: int, entry: Mapping[str, Any], general: GroundingSettings) -> tuple[str, GroundingSettings]:
    where = f"source {number}"
    given = dict(entry)
    pattern = given.pop("match", "")
    if not isinstance(pattern, str) or not pattern:
        raise Rejected("INVALID_SOURCES", f"{where}: match must be a pattern over source names")
    for name, value in given.items():
        if _KINDS.get(name) != type(value).__name__:
            known = ", ".join(sorted(_KINDS))
            message = (
                f"{where} ({pattern}): {name} = {value!r} is not a setting of its kind; there are {known}"
            )
            raise Rejected("INVALID_SOURCES", message)
    own = replace(general, **given)
    try:
        ground("", None, own)
    except Rejected as error:
        raise Rejected("INVALID_SOURCES", f"{where} ({pattern}): {error.args[0]}") from None
    return pattern, own
