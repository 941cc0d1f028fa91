"""Who has a blocking key, and since when; a key that too many have finds nobody."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from tidegraph.domain.interval import OPEN_END
from tidegraph.streams.writing.counting import crowded

MAX_HOLDERS: Final = 20
"""A key that more ids have finds no candidates: it tells too little."""


class Holders:
    """The keys that were read: by key the ids that have it, each since an instant."""

    def __init__(self) -> None:
        self._since: dict[str, dict[str, int]] = {}
        self._spans: dict[str, tuple[int, int]] = {}
        self._full: dict[str, int] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._since

    def read(self, key: str, held: Iterable[tuple[str, int]]) -> None:
        """What a store holds of a key: those that had it first, one more than find anybody at least."""
        self._since[key] = dict(held)
        self._full.pop(key, None)
        self._spans.pop(key, None)

    def fill(self, key: str, since: int) -> None:
        """A key that finds nobody from an instant on, and is not asked about before that."""
        self._since[key], self._full[key] = {}, since
        self._spans.pop(key, None)

    def add(self, key: str, entity_id: str, since: int) -> None:
        """One more that has a key, or has it since an earlier instant."""
        held = self._since.setdefault(key, {})
        held[entity_id] = min(held.get(entity_id, OPEN_END), since)
        self._spans.pop(key, None)

    def of(self, key: str) -> Collection[str]:
        """All that were read."""
        return self._since.get(key, ())

    def all_of(self, key: str) -> Collection[str] | None:
        """Everybody who has a key at some instant; None where not all of them were read."""
        held = self._since.get(key)
        return None if held is None or key in self._full or len(held) > MAX_HOLDERS else held

    def crowded(self, key: str) -> int:
        """From when on the key finds nobody."""
        return self._span(key)[1]

    def last(self, key: str) -> int:
        """When the last one got the key that has anything to do with whom it finds; 0 for nobody."""
        return min(self._span(key))

    def found(self, key: str, known_at: int) -> Collection[str]:
        """Whom the key finds at an instant."""
        last, full = self._span(key)
        if known_at >= full:
            return ()
        held = self._since.get(key, {})
        return held if last <= known_at else [id_ for id_, at in held.items() if at <= known_at]

    def coming(self, key: str, since: int) -> Collection[str]:
        """Whom the key may find at some instant after ``since``."""
        return () if since >= self._span(key)[1] else self.of(key)

    def _span(self, key: str) -> tuple[int, int]:
        """When the last one got the key, and from when on it finds nobody."""
        found = self._spans.get(key)
        if found is None:
            held = self._since.get(key, {})
            full = self._full[key] if key in self._full else crowded(held, MAX_HOLDERS)
            found = self._spans[key] = max(held.values(), default=0), full
        return found
