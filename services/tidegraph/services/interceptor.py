"""What surrounds every call: request id, caller, deadline, a bound on calls at once, typed errors.

One interceptor does it for unary and streamed methods alike. Servicers find the caller in ``current()``.
Health and reflection pass untouched.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import grpc
import grpc.aio
from grpc_status import rpc_status  # type: ignore[import-untyped]

from tidegraph.domain.errors import Retryable, TidegraphError
from tidegraph.services.caller import REQUEST_ID_HEADER, Caller, read_caller
from tidegraph.services.status_map import deadline_status, status_of
from tidegraph.telemetry import metrics

PREFIX: Final = "/tidegraph."
ENDLESS: Final = frozenset({"WatchChanges", "WatchIngest"})
"""Streams that stay open: they end with the caller or the server, not by a default deadline."""
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}
_log = logging.getLogger(__name__)
_caller: ContextVar[Caller] = ContextVar("tidegraph_caller")


def current() -> Caller:
    """The caller of the call that is being served."""
    return _caller.get()


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Bounds of a call: graph of callers that name none, deadlines in seconds, calls at once; streams
    that stay open are counted apart.
    """

    default_graph: str
    default_deadline_seconds: float
    max_deadline_seconds: float
    max_calls: int
    max_watches: int


class CallInterceptor(grpc.aio.ServerInterceptor):
    """Wraps the behaviour of every method of our services."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._open = {"calls": 0, "watches": 0}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not method.startswith(PREFIX):
            return handler
        streamed = bool(handler.response_streaming)
        behaviour = _behaviour(handler)
        wrapped = self._stream(method, behaviour) if streamed else self._unary(method, behaviour)
        return _handler(handler, wrapped)

    def _unary(self, method: str, behaviour: Callable[..., Any]) -> Callable[..., Any]:
        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            opened = _Call(self, method, context)
            try:
                async with asyncio.timeout(opened.begin()):
                    result = behaviour(request, context)
                    return await result if inspect.isawaitable(result) else result
            except BaseException as error:
                await opened.fail(error)
            finally:
                opened.end()

        return call

    def _stream(self, method: str, behaviour: Callable[..., Any]) -> Callable[..., Any]:
        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
            opened = _Call(self, method, context)
            try:
                seconds = opened.begin()
                messages = aiter(behaviour(request, context))
                deadline = asyncio.get_running_loop().time() + seconds if seconds else None
                while True:
                    try:
                        async with asyncio.timeout_at(deadline):
                            message = await anext(messages)
                    except StopAsyncIteration:
                        return
                    yield message
            except GeneratorExit:
                raise
            except BaseException as error:
                await opened.fail(error)
            finally:
                opened.end()

        return call


class _Call:
    """One call from its begin to its end."""

    def __init__(
        self, owner: CallInterceptor, method: str, context: grpc.aio.ServicerContext[Any, Any]
    ) -> None:
        self._owner = owner
        self._method = method.rpartition("/")[2]
        self._context = context
        self._request_id = secrets.token_hex(8)
        self._seconds = 0.0
        self._kind = "watches" if self._method in ENDLESS else "calls"
        self._counted = False
        self._started = time.monotonic()
        self._code = grpc.StatusCode.OK

    def begin(self) -> float | None:
        """Take a place, read the caller; the seconds that the call may take, None for no bound."""
        limits = self._owner._limits
        metadata = self._context.invocation_metadata() or ()
        caller = read_caller(metadata, limits.default_graph, self._request_id)
        self._request_id = caller.request_id
        self._context.set_trailing_metadata(((REQUEST_ID_HEADER, self._request_id),))
        most = limits.max_watches if self._kind == "watches" else limits.max_calls
        if self._owner._open[self._kind] >= most:
            raise Retryable("SERVER_BUSY", f"{most} {self._kind} are being served; try again")
        self._owner._open[self._kind] += 1
        self._counted = True
        _caller.set(caller)
        if self._method in ENDLESS:
            return None
        asked = self._context.time_remaining()
        self._seconds = limits.default_deadline_seconds if asked is None else asked
        self._seconds = min(self._seconds, limits.max_deadline_seconds)
        return self._seconds

    def end(self) -> None:
        if self._counted:
            self._owner._open[self._kind] -= 1
        seconds = time.monotonic() - self._started
        metrics.CALL_SECONDS.labels(self._method, self._code.name).observe(seconds)

    async def fail(self, error: BaseException) -> NoReturn:
        """End the call with the status of an error."""
        if isinstance(error, asyncio.CancelledError | grpc.aio.AbortError | SystemExit | KeyboardInterrupt):
            self._code = grpc.StatusCode.CANCELLED
            raise error
        if isinstance(error, TimeoutError) and self._seconds:
            status = deadline_status(self._request_id, self._seconds)
        else:
            status = status_of(error, self._request_id)
            if not isinstance(error, TidegraphError) or status.code == grpc.StatusCode.INTERNAL.value[0]:
                _log.error("%s failed, request %s", self._method, self._request_id, exc_info=error)
        self._code = _CODES[status.code]
        await self._context.abort_with_status(rpc_status.to_status(status))
        raise AssertionError("abort_with_status returned")


def _behaviour(handler: grpc.RpcMethodHandler[Any, Any]) -> Callable[..., Any]:
    found = handler.unary_unary or handler.unary_stream or handler.stream_unary or handler.stream_stream
    assert found is not None
    return found


def _handler(
    handler: grpc.RpcMethodHandler[Any, Any], behaviour: Callable[..., Any]
) -> grpc.RpcMethodHandler[Any, Any]:
    makers = {
        (False, False): grpc.unary_unary_rpc_method_handler,
        (False, True): grpc.unary_stream_rpc_method_handler,
        (True, False): grpc.stream_unary_rpc_method_handler,
        (True, True): grpc.stream_stream_rpc_method_handler,
    }
    make = makers[bool(handler.request_streaming), bool(handler.response_streaming)]
    return make(
        behaviour,
        request_deserializer=handler.request_deserializer,
        response_serializer=handler.response_serializer,
    )
