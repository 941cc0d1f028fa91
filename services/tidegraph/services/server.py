"""The gRPC server: built over ports, started on a port, drained before it stops."""

from __future__ import annotations

import asyncio
import ipaddress
from dataclasses import dataclass
from typing import Final

import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from grpc_reflection.v1alpha import reflection  # type: ignore[import-untyped]

from tidegraph.api.v1 import (
    admin_pb2,
    admin_pb2_grpc,
    ingest_pb2,
    ingest_pb2_grpc,
    query_pb2,
    query_pb2_grpc,
)
from tidegraph.domain.errors import Rejected, Retryable
from tidegraph.services.admin_servicer import AdminServicer
from tidegraph.services.ingest_servicer import IngestServicer
from tidegraph.services.interceptor import CallInterceptor, CallLimits
from tidegraph.services.query_servicer import QueryServicer
from tidegraph.services.usecases.context import Ports
from tidegraph.settings import ServerSettings

CALLS_MAX: Final = 200
WATCHES_MAX: Final = 200
"""Streams that stay open, beside the calls: who watches takes no place from who asks."""
SERVICES: Final = (
    query_pb2.DESCRIPTOR.services_by_name["QueryService"].full_name,
    ingest_pb2.DESCRIPTOR.services_by_name["IngestService"].full_name,
    admin_pb2.DESCRIPTOR.services_by_name["AdminService"].full_name,
)


@dataclass(frozen=True, slots=True)
class DrainTimes:
    """Seconds between being told to stop and taking no more calls, and for calls to finish then."""

    withdraw_seconds: float = 3.0
    grace_seconds: float = 20.0


class ApiServer:
    """The server of one process. ``start`` it, ``drain`` it."""

    def __init__(self, settings: ServerSettings, ports: Ports, default_graph: str) -> None:
        self._settings = settings
        limits = CallLimits(
            default_graph=default_graph,
            default_deadline_seconds=settings.default_deadline_seconds,
            max_deadline_seconds=settings.max_deadline_seconds,
            max_calls=CALLS_MAX,
            max_watches=WATCHES_MAX,
        )
        self._server = grpc.aio.server(
            interceptors=[CallInterceptor(limits)],
            options=[
                ("grpc.max_receive_message_length", settings.max_message_bytes),
                ("grpc.max_send_message_length", settings.max_message_bytes),
                ("grpc.so_reuseport", 0),
            ],
        )
        self._health = health.aio.HealthServicer()
        query_pb2_grpc.add_QueryServiceServicer_to_server(QueryServicer(ports), self._server)
        ingest_pb2_grpc.add_IngestServiceServicer_to_server(IngestServicer(ports), self._server)
        admin_pb2_grpc.add_AdminServiceServicer_to_server(AdminServicer(ports), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        if settings.reflection:
            names = (*SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME)
            reflection.enable_server_reflection(names, self._server)

    async def start(self) -> int:
        """Listen and answer; the port.

        Raises:
            Rejected: NO_AUTHENTICATION, the host is not a loopback address.
            Retryable: PORT_TAKEN.
        """
        host, port = self._settings.host, self._settings.port
        if not _is_loopback(host):
            message = f"the server takes no tokens and listens on loopback only, not on {host!r}"
            raise Rejected("NO_AUTHENTICATION", message, host=host)
        address = f"[{host}]" if ":" in host else host
        try:
            bound = self._server.add_insecure_port(f"{address}:{port}")
        except RuntimeError as error:
            message = f"cannot listen on {address}:{port}; is another server running there?"
            raise Retryable("PORT_TAKEN", message, port=str(port)) from error
        await self._server.start()
        for name in ("", *SERVICES):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return bound

    async def drain(self, times: DrainTimes) -> None:
        """Say that no new calls should come, wait for them to be sent elsewhere, finish the others."""
        await self._health.enter_graceful_shutdown()
        await asyncio.sleep(times.withdraw_seconds)
        await self._server.stop(times.grace_seconds)

    async def wait(self) -> None:
        """Until the server has stopped."""
        await self._server.wait_for_termination()


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
