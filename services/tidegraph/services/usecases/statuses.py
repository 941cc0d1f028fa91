"""Which evidence is shown by how documents put it: by default all but what is denied or only planned."""

from __future__ import annotations

from typing import Final

from tidegraph.domain.documents import Status
from tidegraph.domain.facts import FactVersion

Chosen = frozenset[Status]
"""What a caller asks for; empty: the default."""

NOT_CHOSEN: Final[Chosen] = frozenset()
HIDDEN: Final = frozenset({Status.DENIED, Status.PLANNED})
SHOWN: Final = frozenset(Status) - HIDDEN


def of_events(chosen: Chosen) -> frozenset[Status]:
    """The statuses of the events that are shown."""
    return chosen or SHOWN


def shows_fact(chosen: Chosen, fact: FactVersion) -> bool:
    """A fact that rests on plans alone is planned, any other is asserted. By default all are shown: a planned
    one holds from its date on, and says that it is announced.
    """
    return not chosen or (Status.PLANNED if fact.announced else Status.ASSERTED) in chosen


def shows_passages(chosen: Chosen) -> bool:
    """Passages count as asserted."""
    return not chosen or Status.ASSERTED in chosen
