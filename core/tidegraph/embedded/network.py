"""Loopback ports, and the questions that tell whether a part really answers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from typing import Final

LOOPBACK: Final = "127.0.0.1"
_PROBE_SECONDS: Final = 2.0
_API_VERSIONS: Final = 18


def free_port() -> int:
    """A TCP port of the loopback interface that nothing listens on now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind((LOOPBACK, 0))
        port: int = listener.getsockname()[1]
        return port


async def kafka_answers(port: int) -> bool:
    """True when a Kafka broker answers an ApiVersions request there."""
    client = b"tidegraph"
    body = struct.pack(">hhih", _API_VERSIONS, 0, 1, len(client)) + client
    answer = await _exchange(port, struct.pack(">i", len(body)) + body, 8)
    return answer is not None and struct.unpack(">ii", answer)[1] == 1


async def falkordb_answers(port: int) -> bool:
    """True when redis has loaded its data and the FalkorDB module serves its commands."""
    answer = await _exchange(port, b"*1\r\n$10\r\nGRAPH.LIST\r\n", 1)
    return answer == b"*"


async def _exchange(port: int, request: bytes, answer_bytes: int) -> bytes | None:
    """Send a request on a connection of its own; the first bytes of the answer, or ``None``."""
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            writer.write(request)
            return await reader.readexactly(answer_bytes)
    except (OSError, asyncio.IncompleteReadError, TimeoutError):
        return None
    finally:
        if writer is not None:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
