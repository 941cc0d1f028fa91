"""A reading of a question, and names of the API's enumerations, in the fields of the API."""

from __future__ import annotations

from typing import Any

from tidegraph.api.v1 import types_pb2
from tidegraph.client.types import Reading


def reading_message(reading: Reading) -> types_pb2.Reading:
    """The message of a reading.

    Raises:
        ValueError: a relation or a class of question that there is not, or a time beside ``no_time``.
    """
    message = types_pb2.Reading(
        semantic=reading.semantic,
        asked_for=reading.asked_for,
        anchor_event_id=reading.anchor,
        question_class=value_of(types_pb2.QuestionClass, "QUESTION_CLASS_", reading.question_class),
    )
    for chosen in reading.entities:
        entity, text = (chosen, "") if isinstance(chosen, str) else chosen
        message.entities.add(entity=entity, text=text)
    if reading.no_time and (reading.time or reading.relation):
        raise ValueError("give a time, or say that there is none")
    if reading.time or reading.relation or reading.no_time:
        relation = value_of(types_pb2.TimeRelation, "TIME_RELATION_", reading.relation)
        message.time.SetInParent()
        message.time.relation = relation
        if reading.time:
            message.time.text = reading.time
    return message


def names_of(kind: Any, prefix: str) -> tuple[str, ...]:
    """The names of an enumeration as callers write them, without the one that stands for none."""
    return tuple(key.removeprefix(prefix).lower() for key in kind.keys()[1:])


def value_of(kind: Any, prefix: str, name: str) -> Any:
    """The value of a name; 0 where there is none.

    Raises:
        ValueError: no such name.
    """
    if not name:
        return 0
    known = names_of(kind, prefix)
    if name.lower() not in known:
        raise ValueError(f"{name!r} is none of {', '.join(known)}")
    return kind.Value(prefix + name.upper())
