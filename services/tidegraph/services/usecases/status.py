"""What a graph holds, how far it has applied the log, and whether the parts of the service answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.errors import NotFound, TidegraphError
from tidegraph.domain.interval import OPEN_START
from tidegraph.ports import GraphMade
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.opening import fitting

PART_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Component:
    """One part of the service."""

    name: str
    healthy: bool
    detail: str


@dataclass(frozen=True, slots=True)
class StatusFound:
    """``watermark`` is OPEN_START when nothing was applied yet."""

    documents: Mapping[str, int]
    rows: Mapping[str, int]
    watermark: int
    graph_version: int
    components: tuple[Component, ...]


async def read_status(ports: Ports, caller: Caller) -> StatusFound:
    """The status of the caller's graph. A graph without documents yet has empty counts."""
    components: list[Component] = []
    rows: Mapping[str, int] = {}
    documents: Mapping[str, int] = {}
    watermark, made = OPEN_START, GraphMade("", 0, 0)
    try:
        rows = await asyncio.wait_for(ports.store.counts(caller.graph), PART_SECONDS)
        made = await asyncio.wait_for(ports.store.made(caller.graph), PART_SECONDS)
        components.append(Component("store", True, "answers"))
    except NotFound:
        components.append(Component("store", True, "answers; the graph is empty"))
    except (TidegraphError, TimeoutError) as error:
        components.append(Component("store", False, _detail(error)))
    try:
        documents = await asyncio.wait_for(ports.status.summary(caller.graph), PART_SECONDS)
        watermark = await asyncio.wait_for(ports.status.watermark(caller.graph), PART_SECONDS)
        components.append(Component("status", True, "answers"))
    except (TidegraphError, TimeoutError) as error:
        components.append(Component("status", False, _detail(error)))
    components.append(await _encoder(ports, made))
    return StatusFound(
        documents=documents,
        rows=rows,
        watermark=watermark,
        graph_version=made.sequence,
        components=tuple(components),
    )


async def _encoder(ports: Ports, made: GraphMade) -> Component:
    try:
        encoder = fitting(ports, made).encoder
        attempt: Awaitable[object] = asyncio.to_thread(encoder.encode, ["ready"])
        await asyncio.wait_for(attempt, PART_SECONDS)
    except (TidegraphError, TimeoutError) as error:
        return Component("encoder", False, _detail(error))
    if encoder.model_id == ports.encoder.model_id:
        return Component("encoder", True, encoder.model_id)
    detail = f"{encoder.model_id}, until `tidegraph rebuild` embeds the graph by {ports.encoder.model_id}"
    return Component("encoder", True, detail)


def _detail(error: BaseException) -> str:
    return str(error) if isinstance(error, TidegraphError) else "did not answer in time"
