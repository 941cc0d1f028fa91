"""The schema registry by its REST interface; a module of its own, since few processes need the client."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import httpx

from tidegraph.domain.errors import Retryable
from tidegraph.inputs.registry import RegisteredSchema

MAX_SCHEMAS: Final = 1_000


class HttpRegistry:
    """A Confluent compatible registry by its REST interface, with a bounded cache. Blocking."""

    def __init__(
        self, url: str, *, timeout_seconds: float = 5.0, auth: tuple[str, str] | None = None
    ) -> None:
        self._client = httpx.Client(base_url=url.rstrip("/"), timeout=timeout_seconds, auth=auth)
        self._cache: OrderedDict[int, RegisteredSchema] = OrderedDict()

    def find(self, schema_id: int) -> RegisteredSchema | None:
        known = self._cache.get(schema_id)
        if known is not None:
            return known
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
        try:
            body = answer.json()
            return RegisteredSchema(schema_id, str(body.get("schemaType", "AVRO")), str(body["schema"]))
        except (ValueError, KeyError, AttributeError, TypeError):  # a proxy's page, not the registry's answer
            raise Retryable("REGISTRY_UNAVAILABLE", "the schema registry answers with no schema") from None
