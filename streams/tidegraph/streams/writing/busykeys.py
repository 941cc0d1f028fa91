"""Busy conflict keys, kept in memory by the one writer, so that a new claim costs what it changes.

A key with thousands of assertions is read from the graph once; from then on each claim that is newer than
all the others touches the versions next to it. What is kept is what the graph holds: the fence of the
commit tells when somebody else wrote, and then all is forgotten. A key whose evidence changes in another
way (out of order, withdrawn, under decisions or policies that changed) is read again.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.errors import Bug
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.keyhistory import KeyHistory
from tidegraph.domain.policies import KeyPolicy

logger = logging.getLogger(__name__)

BUSY_CLAIMS: Final = 64
"""Keys with fewer claims are read each time: that is quick."""
KEPT_CLAIMS: Final = 50_000
"""How many claims are kept in all; the keys that were used longest ago go first."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All evidence of a key and the rows planned from it, as they will be in the graph."""

    evidence: tuple[Assertion, ...]
    rows: tuple[FactVersion, ...]
    policy: KeyPolicy

    def history(self) -> KeyHistory:
        """The key, ready to take claims; looks at the whole of it once."""
        return KeyHistory(self.evidence, (), self.policy, self.rows)


Kept = Snapshot | KeyHistory


@dataclass(slots=True)
class BusyKeys:
    """The keys that are kept, by graph and key."""

    _kept: OrderedDict[tuple[str, str], Kept] = field(default_factory=OrderedDict)
    _claims: int = 0

    def take(self, graph: str, arriving: Mapping[str, Sequence[Assertion]]) -> dict[str, KeyHistory]:
        """Of these keys those that are kept and can take these claims; none of them is kept any longer.

        Put them back by :meth:`keep` once the commit has gone through.
        """
        found: dict[str, KeyHistory] = {}
        for key, claims in arriving.items():
            kept = self._drop(graph, key)
            history = self._history(kept, key) if kept and claims else None
            if history is not None and history.takes(claims):
                found[key] = history
        return found

    def keep(self, graph: str, keys: Mapping[str, Kept]) -> None:
        """Keep keys as the graph now has them."""
        for key, kept in keys.items():
            self._drop(graph, key)
            self._kept[graph, key] = kept
            self._claims += _size(kept)
        while self._claims > KEPT_CLAIMS and self._kept:
            _, oldest = self._kept.popitem(last=False)
            self._claims -= _size(oldest)

    def forget(self) -> None:
        """Keep nothing."""
        self._kept.clear()
        self._claims = 0

    @staticmethod
    def _history(kept: Kept, key: str) -> KeyHistory | None:
        if isinstance(kept, KeyHistory):
            return kept
        try:
            return kept.history()
        except Bug as error:  # then the graph is looked at again, and put right
            logger.error("conflict key %s is not kept: %s", key, error)
            return None

    def _drop(self, graph: str, key: str) -> Kept | None:
        kept = self._kept.pop((graph, key), None)
        if kept is not None:
            self._claims -= _size(kept)
        return kept


def _size(kept: Kept) -> int:
    return kept.claim_count if isinstance(kept, KeyHistory) else len(kept.evidence)
