"""The demo feed: three years of an invented company, as records for the ``documents`` topic.

``feed.jsonl`` holds one record a line, in order of arrival. ``recorded_at`` is when the record became
known (the feed is a backfill), ``value`` is JSON, a text as it is, or null for a retraction; ``file``
names a file beside it that is the value. Without ``key`` the value's ``id`` is the key.
The header ``x-tenant`` names the graph.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from typing import Any, Final

_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


@dataclass(frozen=True, slots=True)
class FeedRecord:
    """One record to append. ``recorded_at`` is in microseconds since 1970."""

    document_id: str
    key: bytes
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    recorded_at: int


def load(graph: str) -> list[FeedRecord]:
    """The whole feed for one graph, in order of arrival."""
    return list(_records(graph))


def _records(graph: str) -> Iterator[FeedRecord]:
    folder = files(__name__)
    for line in folder.joinpath("feed.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        value = folder.joinpath(entry["file"]).read_bytes() if "file" in entry else _bytes(entry["value"])
        document_id = entry.get("key") or entry["value"]["id"]
        yield FeedRecord(
            document_id=document_id,
            key=document_id.encode(),
            value=value,
            headers=_headers({**entry.get("headers", {}), "x-tenant": graph, "x-doc-id": document_id}),
            recorded_at=_micros(entry["recorded_at"]),
        )


def _headers(named: dict[str, str]) -> tuple[tuple[str, bytes], ...]:
    return tuple((name, text.encode()) for name, text in named.items())


def _bytes(value: Any) -> bytes | None:
    if value is None or isinstance(value, str):
        return None if value is None else value.encode()
    return json.dumps(value, ensure_ascii=False).encode()


def _micros(text: str) -> int:
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)
