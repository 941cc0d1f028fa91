"""How the client calls: one channel, the caller's metadata, deadlines, typed errors, lists page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc.aio

from tidegraph.api.v1 import admin_pb2_grpc, ingest_pb2_grpc, query_pb2_grpc
from tidegraph.client.errors import from_rpc
from tidegraph.client.types import Options

MESSAGE_BYTES_MAX: Final = 20 * 1024 * 1024
PAGE_SIZE: Final = 500
NOW: Final = Options()
_SERVICE_CONFIG: Final = """{"methodConfig": [{
  "name": [{"service": "tidegraph.api.v1.QueryService"}],
  "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.2s", "maxBackoff": "2s",
                  "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}"""
_T = TypeVar("_T")


class Calls:
    """What every call goes through; its arguments are those of ``Client``."""

    def __init__(self, target: str, graph: str = "", labels: tuple[str, ...] | None = None) -> None:
        self._channel = grpc.aio.insecure_channel(
            target,
            options=[
                ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
                ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
                ("grpc.service_config", _SERVICE_CONFIG),
            ],
        )
        metadata = [("tidegraph-graph", graph)] if graph else []
        if labels is not None:
            metadata.append(("tidegraph-labels", ",".join(labels)))
        self._metadata = tuple(metadata)
        self.query = query_pb2_grpc.QueryServiceStub(self._channel)
        self.ingest = ingest_pb2_grpc.IngestServiceStub(self._channel)
        self.admin = admin_pb2_grpc.AdminServiceStub(self._channel)

    async def close(self) -> None:
        await self._channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _unary(self, method: Callable[..., Awaitable[_T]], request: Any, options: Options) -> _T:
        call = method(request, timeout=options.timeout_seconds, metadata=self._metadata, wait_for_ready=False)
        try:
            return await call
        except grpc.aio.AioRpcError as error:
            raise from_rpc(error) from error

    async def _stream(self, method: Any, request: Any, options: Options) -> AsyncIterator[Any]:
        call = method(request, timeout=options.timeout_seconds, metadata=self._metadata)
        try:
            async for response in call:
                yield response
        except grpc.aio.AioRpcError as error:
            raise from_rpc(error) from error
        finally:
            call.cancel()

    async def _pages(
        self, method: Callable[..., Awaitable[_T]], request: Any, options: Options
    ) -> AsyncIterator[_T]:
        """Every page of a list, one after another; the request is the caller's no more."""
        request.page_size = PAGE_SIZE
        while True:
            response: Any = await self._unary(method, request, options)
            yield response
            if not response.next_page_token:
                return
            request.page_token = response.next_page_token
