"""One stack per data folder, and the note of where that stack listens."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

from tidegraph.domain.errors import Rejected

_LOCK_NAME: Final = "stack.lock"
_NOTE_NAME: Final = "stack.json"
_ENDING_SECONDS: Final = 30.0
"""How long the store of a killed stack may take to write its last data."""


@dataclass(frozen=True, slots=True)
class RunningStack:
    """Where the parts of a running stack are reached."""

    pid: int
    kafka_bootstrap: str
    falkordb_url: str
    grpc_address: str


class DataDirLock:
    """An exclusive ``flock`` on the data folder.

    The kernel drops it when the last holder ends, so a crash leaves nothing to clean up. The store
    inherits the descriptor: a new stack waits until the store of a killed one has let go of the data.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / _LOCK_NAME
        self._descriptor = -1

    @property
    def descriptor(self) -> int:
        return self._descriptor

    async def acquire(self) -> Self:
        """Take the lock.

        Raises:
            Rejected: DATA_DIR_IN_USE, naming the process that has it.
        """
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        waited = 0.0
        while not _try_lock(self._descriptor):
            holder = self._holder()
            if waited >= _ENDING_SECONDS or (holder and _is_alive(holder)):
                self.release()
                raise Rejected(
                    "DATA_DIR_IN_USE",
                    f"the data folder {self._path.parent} is used by a running stack (process {holder}); "
                    "stop it, or set TIDEGRAPH_DATA_DIR to another folder",
                    data_dir=str(self._path.parent),
                )
            await asyncio.sleep(0.05)
            waited += 0.05
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, str(os.getpid()).encode(), 0)
        return self

    def release(self) -> None:
        """Let go; safe to call twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _holder(self) -> int:
        text = os.pread(self._descriptor, 20, 0).decode("ascii", "ignore")
        return int(text) if text.isdigit() else 0


def write_note(data_dir: Path, stack: RunningStack) -> None:
    """Leave the addresses for commands of the same user that are given none; they may hold a password."""
    partial = data_dir / f".{_NOTE_NAME}"
    partial.touch(mode=0o600)
    partial.write_text(json.dumps(asdict(stack), indent=2) + "\n", encoding="utf-8")
    partial.replace(data_dir / _NOTE_NAME)


def remove_note(data_dir: Path) -> None:
    """The stack is gone."""
    (data_dir / _NOTE_NAME).unlink(missing_ok=True)


def read_note(data_dir: Path) -> RunningStack | None:
    """The stack that runs on this folder, or ``None``; the note of a dead run does not count."""
    try:
        stack = RunningStack(**json.loads((data_dir / _NOTE_NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return stack if _is_alive(stack.pid) and _is_locked(data_dir / _LOCK_NAME) else None


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _try_lock(descriptor)
    finally:
        os.close(descriptor)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
