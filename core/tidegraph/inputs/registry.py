"""Values framed for a schema registry: a zero byte, a schema id of four bytes, then the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import avro, protobuf
from tidegraph.inputs.jsontext import load

MAX_SCHEMA_CHARS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class RegisteredSchema:
    """A schema as the registry holds it; ``schema_type`` is AVRO, JSON or PROTOBUF."""

    schema_id: int
    schema_type: str
    schema: str


class Registry(Protocol):
    """Where schemas are looked up by id."""

    def find(self, schema_id: int) -> RegisteredSchema | None:
        """The schema, or ``None`` when the registry does not know the id.

        Raises:
            Retryable: the registry does not answer.
        """
        ...


def is_framed(value: bytes) -> bool:
    """True when the value could be framed: magic byte 0 and room for an id and data."""
    return len(value) > 5 and value[0] == 0


def decode(value: bytes, registry: Registry) -> dict[str, Any]:
    """The framed value as a JSON object; logical types become ISO text and digits.

    Raises:
        Rejected: as :func:`decode_value`, or the schema describes something else.
        Retryable: the registry does not answer.
    """
    data = decode_value(value, registry)
    if not isinstance(data, dict):
        schema_id = int.from_bytes(value[1:5], "big")
        raise Rejected("INVALID_ENVELOPE", f"schema {schema_id} does not describe a record")
    return data


def decode_value(value: bytes, registry: Registry) -> Any:
    """The framed value as JSON types.

    Raises:
        Rejected: unknown schema id, a format that is not supported, data that does not fit the schema.
        Retryable: the registry does not answer.
    """
    schema_id = int.from_bytes(value[1:5], "big")
    found = registry.find(schema_id)
    if found is None:
        raise Rejected("UNKNOWN_SCHEMA", f"the schema id {schema_id} is not known to the schema registry")
    if len(found.schema) > MAX_SCHEMA_CHARS:
        raise LimitExceeded(
            "SCHEMA_TOO_LARGE", f"the schema {schema_id} has over {MAX_SCHEMA_CHARS:,} characters"
        )
    if found.schema_type == "AVRO":
        data: Any = avro.decode(found.schema, value[5:])
    elif found.schema_type == "PROTOBUF":
        data = protobuf.decode(found.schema, value[5:])
    elif found.schema_type == "JSON":
        data = load(value[5:])
    else:
        raise Rejected(
            "UNSUPPORTED_SCHEMA",
            f"schema {schema_id} is {found.schema_type}: only AVRO, PROTOBUF and JSON can be read",
        )
    return data
