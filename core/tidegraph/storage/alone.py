"""What reads of other things tell of ids that are one with no other."""

from __future__ import annotations


class Alone:
    """Remembers, for one request, the ids that no row has ever tied to another, by graph."""

    _alone: dict[str, set[str]] | None = None

    def note_ties(self, graph: str, entity_id: str, ties: int) -> None:
        """Note how many rows there are that say what else an entity is."""
        if self._alone is not None and not ties:
            self._alone.setdefault(graph, set()).add(entity_id)

    def not_alone(self, graph: str, entity_ids: set[str]) -> set[str]:
        """The ids without those that are known to be tied to none."""
        return entity_ids - self._alone.get(graph, set()) if self._alone else entity_ids
