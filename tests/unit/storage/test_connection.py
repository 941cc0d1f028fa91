"""Failures of the client and the server by what to do about them."""

from __future__ import annotations

import asyncio

import pytest
import redis.asyncio as redis
from redis import exceptions

from tidegraph.domain.errors import Bug, NotFound, Rejected, Retryable, TidegraphError
from tidegraph.domain.graphs import check_graph_name
from tidegraph.embedded.network import free_port
from tidegraph.storage.connection import Connection, shown_url, translate


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.ConnectionError("refused"), Retryable),
        (exceptions.TimeoutError("slow"), Retryable),
        (exceptions.BusyLoadingError("LOADING"), Retryable),
        (exceptions.AuthenticationError("WRONGPASS"), Retryable),
        (exceptions.MaxConnectionsError("too many"), Retryable),
        (OSError("no route"), Retryable),
        (TimeoutError(), Retryable),
        (asyncio.IncompleteReadError(b"", 1), Retryable),
        (exceptions.ReadOnlyError("READONLY You can't write against a read only replica."), Retryable),
        (exceptions.OutOfMemoryError("OOM command not allowed when used memory > 'maxmemory'."), Retryable),
        (exceptions.ResponseError("Query timed out"), Retryable),
        (exceptions.ResponseError("Max pending queries exceeded"), Retryable),
        (exceptions.ResponseError("Query's mem consumption exceeded capacity"), Retryable),
        (exceptions.ResponseError("MISCONF Redis is configured to save RDB snapshots"), Retryable),
        (exceptions.ResponseError("Invalid arguments for procedure 'db.idx.vector.queryNodes'"), Retryable),
        (exceptions.ResponseError("Invalid graph operation on empty key"), NotFound),
        (exceptions.ResponseError("errMsg: Invalid input 'b': expected a clause"), Bug),
        (exceptions.ResponseError("errMsg: Query timed out errCtx: LOADING BUSY OOM"), Bug),
        (exceptions.ResponseError("unique constraint violation on node of type Event"), Bug),
        (exceptions.DataError("Invalid input of type"), Bug),
    ],
)
def test_every_failure_has_a_kind(error: Exception, kind: type[TidegraphError]) -> None:
    assert type(translate(error)) is kind


def test_every_exception_of_the_client_is_mapped() -> None:
    known = [value for value in vars(exceptions).values() if isinstance(value, type)]
    for kind in known:
        if issubclass(kind, exceptions.RedisError):
            error = kind.__new__(kind)
            Exception.__init__(error, "some text")
            assert isinstance(translate(error), TidegraphError), kind


async def test_a_server_that_is_away_may_be_asked_again() -> None:
    connection = Connection(f"redis://127.0.0.1:{free_port()}", "p:", 1_000)
    with pytest.raises(Retryable):
        await connection.read("g", "RETURN 1")
    with pytest.raises(Retryable):
        await connection.graphs()
    await connection.close()


async def test_names_are_checked_before_anything_is_sent() -> None:
    connection = Connection(f"redis://127.0.0.1:{free_port()}", "p:", 1_000)
    with pytest.raises(Rejected):
        await connection.read("a b", "RETURN 1")
    await connection.close()


def test_graph_names() -> None:
    assert check_graph_name("a") == "a"
    assert check_graph_name("Tenant-1.eu_west") == "Tenant-1.eu_west"


def test_replies_are_parsed_by_hiredis() -> None:
    from redis.utils import HIREDIS_AVAILABLE

    assert HIREDIS_AVAILABLE
    assert redis.Redis is not None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://:hush@falkordb:6379", "redis://falkordb:6379"),
        ("rediss://user:hu%40sh@[::1]:6379/0", "rediss://[::1]:6379/0"),
        ("redis://localhost:6379?password=hush", "redis://localhost:6379"),
        ("unix:///run/redis.sock", "unix:///run/redis.sock"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert shown_url(url) == shown
