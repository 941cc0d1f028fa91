"""Domain records to ``tidegraph.events.v1`` messages and back, by field name.

One structural codec serves every record: field names and enum numbers are equal on both sides, which a
test holds. ``None`` is an unset message field; (name, value) pairs are ``Qualifier`` messages.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError, Message

from tidegraph.domain.documents import ResolvedDocument
from tidegraph.domain.errors import Bug, Rejected
from tidegraph.events.v1 import records_pb2

T = TypeVar("T")
_Put = Callable[[Message, Any], None]
_Get = Callable[[Message], Any]
_PAIR: Final = tuple[str, str]
_SCALARS: Final = (str, int, float, bool)


@dataclasses.dataclass(frozen=True, slots=True)
class _Field:
    name: str
    put: _Put
    get: _Get


_PLANS: Final[dict[type, tuple[_Field, ...]]] = {}


def encode(record: Any) -> bytes:
    """The wire form of a domain record.

    Raises:
        Rejected: UNENCODABLE, a number out of the field's range or text that is not Unicode.
    """
    return to_message(record).SerializeToString(deterministic=True)


def decode(kind: type[T], data: bytes) -> T:
    """A domain record of the given class from its wire form.

    Raises:
        Rejected: UNDECODABLE, the bytes are not such a message or break the record's rules.
    """
    message = message_class(kind)()
    try:
        message.ParseFromString(data)
    except (DecodeError, TypeError) as error:
        raise Rejected("UNDECODABLE", f"not a {kind.__name__} message: {error}") from None
    return from_message(kind, message)


def to_message(record: Any) -> Message:
    """The protobuf message of a domain record; raises as :func:`encode`."""
    kind = type(record)
    message = message_class(kind)()
    try:
        _fill(message, record)
    except (ValueError, TypeError, OverflowError) as error:
        raise Rejected("UNENCODABLE", f"{kind.__name__} cannot be written: {error}") from None
    return message


def from_message(kind: type[T], message: Message) -> T:
    """The domain record of a protobuf message; raises as :func:`decode`."""
    try:
        return _read(kind, message)
    except (ValueError, TypeError) as error:
        raise Rejected("UNDECODABLE", f"a {kind.__name__} message is not valid: {error}") from None


def encode_resolved(content: ResolvedDocument | records_pb2.ControlRecord) -> bytes:
    """A record of ``resolved``: a document or a control record, as one choice."""
    record = records_pb2.ResolvedRecord()
    if isinstance(content, records_pb2.ControlRecord):
        record.control.CopyFrom(content)
    else:
        record.document.CopyFrom(typing.cast(records_pb2.ResolvedDocument, to_message(content)))
    return record.SerializeToString(deterministic=True)


def decode_resolved(data: bytes) -> ResolvedDocument | records_pb2.ControlRecord:
    """The content of a record of ``resolved``; raises as :func:`decode`."""
    record = records_pb2.ResolvedRecord()
    try:
        record.ParseFromString(data)
    except DecodeError as error:
        raise Rejected("UNDECODABLE", f"not a ResolvedRecord message: {error}") from None
    match record.WhichOneof("content"):
        case "document":
            return from_message(ResolvedDocument, record.document)
        case "control":
            return record.control
        case _:
            raise Rejected("UNDECODABLE", "a ResolvedRecord without content")


def decode_control(data: bytes) -> records_pb2.ControlRecord:
    """A record of ``control``.

    Raises:
        Rejected: UNDECODABLE, not such a message, or one without a decision.
    """
    record = records_pb2.ControlRecord()
    try:
        record.ParseFromString(data)
    except DecodeError as error:
        raise Rejected("UNDECODABLE", f"not a ControlRecord message: {error}") from None
    if record.WhichOneof("decision") is None:
        raise Rejected("UNDECODABLE", "a ControlRecord without a decision")
    return record


def message_class(kind: type) -> type[Message]:
    """The message class that carries a domain class: the one of the same name."""
    found = getattr(records_pb2, kind.__name__, None)
    if found is None:
        raise Bug("NO_MESSAGE", f"tidegraph.events.v1 has no message {kind.__name__}")
    return typing.cast("type[Message]", found)


def _fill(message: Message, record: Any) -> None:
    for field in _fields(type(record)):
        field.put(message, getattr(record, field.name))


def _read(kind: type[T], message: Message) -> T:
    return kind(**{field.name: field.get(message) for field in _fields(kind)})


def _fields(kind: type) -> tuple[_Field, ...]:
    plan = _PLANS.get(kind)
    if plan is None:
        hints = typing.get_type_hints(kind)
        plan = tuple(_field(field.name, hints[field.name]) for field in dataclasses.fields(kind))
        _PLANS[kind] = plan
    return plan


def _field(name: str, hint: Any) -> _Field:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        inner = next(argument for argument in arguments if argument is not type(None))
        return _optional(name, inner)
    if origin is tuple and arguments[-1] is Ellipsis:
        return _repeated(name, arguments[0])
    if dataclasses.is_dataclass(hint):
        return _nested(name, typing.cast(type, hint))
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return _enum(name, hint)
    if hint in _SCALARS:
        return _Field(name, lambda m, v: setattr(m, name, v), lambda m: getattr(m, name))
    raise Bug("NO_CODEC", f"no wire form for field {name}: {hint}")


def _enum(name: str, kind: type[IntEnum]) -> _Field:
    return _Field(name, lambda m, v: setattr(m, name, int(v)), lambda m: kind(getattr(m, name)))


def _nested(name: str, kind: type) -> _Field:
    def put(message: Message, value: Any) -> None:
        target = getattr(message, name)
        target.SetInParent()
        _fill(target, value)

    return _Field(name, put, lambda m: _read(kind, getattr(m, name)))


def _optional(name: str, kind: type) -> _Field:
    nested = _nested(name, kind)

    def put(message: Message, value: Any) -> None:
        if value is not None:
            nested.put(message, value)

    return _Field(name, put, lambda m: nested.get(m) if m.HasField(name) else None)


def _repeated(name: str, item: Any) -> _Field:
    if item == _PAIR:
        return _pairs(name)
    if not dataclasses.is_dataclass(item):
        return _Field(name, lambda m, v: getattr(m, name).extend(v), lambda m: tuple(getattr(m, name)))
    kind = typing.cast(type, item)

    def put(message: Message, values: Any) -> None:
        target = getattr(message, name)
        for value in values:
            _fill(target.add(), value)

    return _Field(name, put, lambda m: tuple(_read(kind, each) for each in getattr(m, name)))


def _pairs(name: str) -> _Field:
    def put(message: Message, values: Any) -> None:
        target = getattr(message, name)
        for first, second in values:
            target.add(name=first, value=second)

    return _Field(name, put, lambda m: tuple((each.name, each.value) for each in getattr(m, name)))
