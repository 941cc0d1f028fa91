"""Serves the API to the tests that call it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.unit.services.running import Running, serving


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    """A server on the twins with a client on it."""
    async for running in serving():
        yield running
