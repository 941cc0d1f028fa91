"""Reading bytes as a file of a given name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tidegraph.inputs.document import Defaults, RawDocument, iso_text
from tidegraph.inputs.files.model import FileDocument, FileResult, ReadOptions, Rejection
from tidegraph.inputs.files.walk import read_bytes
from tidegraph.inputs.times import TimeRules

Read = Callable[..., list[FileResult]]


@pytest.fixture
def read() -> Read:
    """``read(name, data, zone=..., **options)``: all documents and rejections of a file."""

    def call(
        name: str, data: bytes | str, *, zone: str = "UTC", max_bytes: int = 1_000_000, **options: Any
    ) -> list[FileResult]:
        data = data.encode() if isinstance(data, str) else data
        defaults = Defaults(graph="test", max_bytes=max_bytes)
        return list(read_bytes(data, name, ReadOptions(defaults=defaults, rules=TimeRules(zone), **options)))

    return call


@pytest.fixture
def one(read: Read) -> Callable[..., RawDocument]:
    """The only document of a file; fails when there is another outcome."""

    def call(name: str, data: bytes | str, **options: Any) -> RawDocument:
        results = read(name, data, **options)
        assert len(results) == 1, results
        assert isinstance(results[0], FileDocument), results[0]
        return results[0].document

    return call


@pytest.fixture
def refused(read: Read) -> Callable[..., Rejection]:
    """The only outcome of a file, which must be a rejection."""

    def call(name: str, data: bytes | str, **options: Any) -> Rejection:
        results = read(name, data, **options)
        assert len(results) == 1, results
        assert isinstance(results[0], Rejection), results[0]
        assert results[0].cause
        return results[0]

    return call


@pytest.fixture
def when() -> Callable[[RawDocument], str | None]:
    """A document's time as ISO text, ``None`` when it has none."""
    return lambda document: iso_text(document.document_time) if document.document_time else None
