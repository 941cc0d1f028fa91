"""Values framed for a schema registry: a zero byte, a schema id of four bytes, then the data."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final, Protocol

import httpx

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable
from tidegraph.inputs import avro, protobuf
from tidegraph.inputs.jsontext import load

MAX_SCHEMAS: Final = 1_000
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


class HttpRegistry:
    """A Confluent compatible registry by its REST interface, with a bounded cache. Blocking."""

    def __init__(
        self, url: str, *, timeout_seconds: float = 5.0, auth: tuple[str, str] | None = None
    ) -> None:
        self._client = httpx.Client(base_url=url.rstrip("/"), timeout=timeout_seconds, auth=auth)
        self._cache: OrderedDict[int, RegisteredSchema] = OrderedDict()

    def find(self, schema_id: int) -> RegisteredSchema | None:
        if schema_id in self._cache:
            return self._cache[schema_id]
        found = self._fetch(schema_id)
        if found is not None:  # an id that is not known yet may be registered any moment
            self._cache[schema_id] = found
            if len(self._cache) > MAX_SCHEMAS:
                self._cache.popitem(last=False)
        return found

    def close(self) -> None:
        self._client.close()

    def _fetch(self, schema_id: int) -> RegisteredSchema | None:
        try:
            answer = self._client.get(f"/schemas/ids/{schema_id}")
        except httpx.HTTPError as error:
            raise Retryable(
                "REGISTRY_UNAVAILABLE", f"the schema registry does not answer: {type(error).__name__}"
            ) from None
        if answer.status_code == httpx.codes.NOT_FOUND:
            return None
        if answer.status_code != httpx.codes.OK:
            raise Retryable("REGISTRY_UNAVAILABLE", f"the schema registry answers {answer.status_code}")
        body = answer.json()
        return RegisteredSchema(schema_id, body.get("schemaType", "AVRO"), body["schema"])


def is_framed(value: bytes) -> bool:
    """True when the value could be framed: magic byte 0 and room for an id and data."""
    return len(value) > 5 and value[0] == 0


def decode(value: bytes, registry: Registry) -> dict[str, Any]:
    """The framed value as a JSON object; logical types become ISO text and digits.

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
    if not isinstance(data, dict):
        raise Rejected("INVALID_ENVELOPE", f"schema {schema_id} does not describe a record")
    return data
