"""The HTTP address at which a scraper reads the metrics of a process.

It runs in a thread of its own, so that it answers also while the event loop is busy, and serves nothing
but the metrics. It has no authentication: it listens on loopback unless it is told otherwise.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

from prometheus_client import CollectorRegistry, start_http_server

from tidegraph.domain.errors import Rejected
from tidegraph.settings import MetricsSettings
from tidegraph.telemetry.metrics import REGISTRY

logger = logging.getLogger(__name__)


class _Server(Protocol):
    server_port: int

    def shutdown(self) -> None: ...

    def server_close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A running endpoint; a context manager that ends it. ``port`` is 0 where none was asked for."""

    port: int
    _server: _Server | None = None
    _thread: threading.Thread | None = None

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Answer nothing more."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


def expose(settings: MetricsSettings, registry: CollectorRegistry = REGISTRY) -> Endpoint:
    """Serve the metrics at ``http://<host>:<port>/metrics``, if the settings name a port (0: none).

    Raises:
        Rejected: METRICS_ADDRESS, the address cannot be listened on.
    """
    if not settings.port:
        return Endpoint(0)
    try:
        server, thread = start_http_server(settings.port, settings.host, registry)
    except OSError as error:
        raise Rejected(
            "METRICS_ADDRESS",
            f"cannot serve metrics on {settings.host}:{settings.port}: {error.strerror or error}; set "
            "TIDEGRAPH_METRICS_HOST and TIDEGRAPH_METRICS_PORT, each process on this machine its own",
        ) from error
    port = int(server.server_port)
    logger.info("metrics on http://%s:%d/metrics", settings.host, port)
    return Endpoint(port, server, thread)
