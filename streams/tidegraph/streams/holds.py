"""What a decision sends through the stages once more keeps the watermark back until it has come to its end.

Documents that are read again, and copies that count again after a retraction, change what is believed from
a past time on. For each of them a place in ``status`` is held: told before the record is handed on, and let
go by the stage in which the record ends.
"""

from __future__ import annotations

from typing import Final

from tidegraph.domain.documents import Position
from tidegraph.log.headers import HELD as HELD_HEADER
from tidegraph.log.headers import held
from tidegraph.log.keys import position_key, split_key
from tidegraph.log.status import HELD, Outcome, StatusRecord
from tidegraph.log.topics import Topic
from tidegraph.streams.flow import Input

_OF: Final = ":"
"""Between the life of the topic and what tells the places of one decision apart."""


def place_of(decision: Position, *what: object) -> Position:
    """The place that is held for one of the records that a decision sends, told along with its own."""
    life = f"{decision.incarnation}{_OF}{'.'.join(map(str, what))}"
    return Position(decision.topic, decision.partition, decision.offset, life)


def life_of(position: Position) -> str:
    """The life of the topic that a position or a held place is of."""
    return position.incarnation.partition(_OF)[0]


def hold(place: Position, graph: str, recorded_at: int) -> StatusRecord:
    """The line that holds: nothing from ``recorded_at`` on is final."""
    return _line(place, graph, recorded_at, Outcome.NONE)


def header_of(place: Position) -> tuple[str, bytes]:
    """The header that names the place on the record."""
    return HELD_HEADER, position_key(place)


def let_go(item: Input) -> tuple[StatusRecord, ...]:
    """The lines that let go what is held for a record; none where nothing is."""
    found = []
    for _, value in held(item.record.headers):
        try:
            life, topic, partition, offset = split_key(value)
            place = Position(topic, int(partition), int(offset), life)
        except ValueError:
            continue  # of another program: a record of ``extracted`` may come from anybody
        if topic == Topic.CONTROL and _OF in life:
            found.append(_line(place, "", 0, Outcome.COMMITTED))
    return tuple(found)


def _line(place: Position, graph: str, recorded_at: int, outcome: Outcome) -> StatusRecord:
    return StatusRecord(place, graph, "", "", HELD, outcome, "", recorded_at, recorded_at, 1, 1)
