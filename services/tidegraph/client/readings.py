"""A reading of a question, in the fields of the API."""

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
        question_class=_value(types_pb2.QuestionClass, "QUESTION_CLASS_", reading.question_class),
    )
    for chosen in reading.entities:
        entity, text = (chosen, "") if isinstance(chosen, str) else chosen
        message.entities.add(entity=entity, text=text)
    if reading.no_time and (reading.time or reading.relation):
        raise ValueError("give a time, or say that there is none")
    if reading.time or reading.relation or reading.no_time:
        relation = _value(types_pb2.TimeRelation, "TIME_RELATION_", reading.relation)
        message.time.SetInParent()
        message.time.relation = relation
        if reading.time:
            message.time.text = reading.time
    return message


def _value(kind: Any, prefix: str, name: str) -> Any:
    if not name:
        return 0
    known = [key.removeprefix(prefix).lower() for key in kind.keys()[1:]]
    if name.lower() not in known:
        raise ValueError(f"{name!r} is none of {', '.join(known)}")
    return kind.Value(prefix + name.upper())
