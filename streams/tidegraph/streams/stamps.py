"""recorded_at of a record: the broker's append time, never below the stamp before it.

Clocks step back. A replay must give each record the stamp that it was given first, so the few records
whose stamp is not their own append time are remembered: where a step back began (the floor that holds
from there on), and records that claimed a time to come (their ceiling). Of each the last thousand are
kept: a replay reaches back over what was not acknowledged, which is far less. On a topic without
LogAppendTime, whose producers disagree about the time, there is no end to them.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.interval import OPEN_START

KEPT: Final = 1_000


@dataclass(slots=True)
class PartitionStamps:
    """The stamps of one partition in one life of its topic; microseconds.

    ``next_offset`` is the first offset not seen yet, ``highest`` the stamp of the one before it.
    """

    next_offset: int = 0
    highest: int = OPEN_START
    floors: list[tuple[int, int]] = field(default_factory=list)
    ceilings: dict[int, int] = field(default_factory=dict)

    def stamp(self, offset: int, appended_at: int, latest: int) -> int:
        """The stamp of the record at ``offset``; the same on every replay.

        ``latest`` bounds what a producer may claim where the broker does not set the time itself.
        """
        if offset < self.next_offset:
            return max(self.ceilings.get(offset, appended_at), self._floor(offset))
        claimed = appended_at
        if claimed > latest:
            claimed = self.ceilings[offset] = latest
            if len(self.ceilings) > KEPT:
                del self.ceilings[min(self.ceilings)]
        if claimed < self.highest and self._floor(offset) != self.highest:
            self.floors.append((offset, self.highest))
            del self.floors[:-KEPT]
        self.next_offset = offset + 1
        self.highest = max(claimed, self.highest)
        return self.highest

    def lift(self, stamp: int) -> None:
        """No later record gets a stamp below this one: it was told that all before it is read."""
        self.highest = max(self.highest, stamp)

    def _floor(self, offset: int) -> int:
        at = bisect_right(self.floors, offset, key=lambda each: each[0])
        return self.floors[at - 1][1] if at else OPEN_START

    def dump(self) -> str:
        """A text to be kept beside the data."""
        return json.dumps([self.next_offset, self.highest, self.floors, list(self.ceilings.items())])

    @staticmethod
    def load(text: str) -> PartitionStamps:
        """The inverse of :meth:`dump`."""
        next_offset, highest, floors, ceilings = json.loads(text)
        return PartitionStamps(next_offset, highest, [(a, b) for a, b in floors], dict(ceilings))
