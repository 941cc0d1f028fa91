"""Readiness by systemd's protocol: a child sends ``READY=1`` to the socket in ``NOTIFY_SOCKET``.

The worker speaks it, so the same word serves a unit file (``Type=notify``) and the embedded stack.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
from collections.abc import Mapping
from typing import Final

VARIABLE: Final = "NOTIFY_SOCKET"


class ReadinessSocket:
    """The supervisor's end, in Linux's abstract namespace: no file to clean up, no path limit."""

    def __init__(self) -> None:
        self.address = f"@tidegraph-{os.getpid()}-{secrets.token_hex(8)}"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        self._socket.setblocking(False)
        self._socket.bind("\0" + self.address[1:])
        self._is_ready = False

    async def is_ready(self) -> bool:
        """True once ``READY=1`` has arrived."""
        with contextlib.suppress(BlockingIOError):
            while not self._is_ready:
                self._is_ready = b"READY=1" in self._socket.recv(4096).splitlines()
        return self._is_ready

    def close(self) -> None:
        """Forget the socket."""
        self._socket.close()


def notify(state: str, environment: Mapping[str, str]) -> bool:
    """Tell the supervisor, if there is one, e.g. ``READY=1`` or ``STOPPING=1``; True when it was told."""
    address = environment.get(VARIABLE, "")
    if not address:
        return False
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(state.encode(), target)
    except OSError:
        return False
    return True
