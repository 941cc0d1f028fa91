"""The cache of a model's answers on redis: kept by key, dropped with the document, never in the way."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import redis

from tidegraph.domain.errors import Retryable
from tidegraph.storage.answers import BRIEFLY_SECONDS, VALUE_BYTES_MAX, RedisAnswerCache

OWNER, OTHER = ("g", "d:1"), ("g", "d")
NOWHERE = "redis://127.0.0.1:9"
_numbers = itertools.count(1)


@pytest.fixture
def prefix() -> str:
    return f"answers{next(_numbers)}:"


@pytest.fixture
def cache(falkordb_url: str, prefix: str) -> Iterator[RedisAnswerCache]:
    cache = RedisAnswerCache(falkordb_url, prefix, days=2)
    yield cache
    cache.close()


def seconds_left(url: str, prefix: str) -> dict[str, int]:
    client = redis.Redis.from_url(url)
    found = {key.decode().removeprefix(prefix): client.ttl(key) for key in client.keys(f"{prefix}*")}
    client.close()
    return found


def test_what_was_put_is_found_by_its_key(cache: RedisAnswerCache):
    assert cache.get("a") is None
    cache.put("a", b"\x00\xff", OWNER, briefly=False)
    assert cache.get("a") == b"\x00\xff"
    assert cache.get("b") is None


def test_everything_expires(cache: RedisAnswerCache, falkordb_url: str, prefix: str):
    cache.put("long", b"1", OWNER, briefly=False)
    cache.put("short", b"2", OWNER, briefly=True)
    left = seconds_left(falkordb_url, prefix)
    assert BRIEFLY_SECONDS < left.pop("answers:one:long") <= 2 * 86_400
    assert 0 < left.pop("answers:one:short") <= BRIEFLY_SECONDS
    assert len(left) == 1
    assert all(0 < seconds <= 2 * 86_400 for seconds in left.values())


def test_a_documents_answers_are_dropped_with_it_and_no_others(cache: RedisAnswerCache):
    cache.put("a", b"1", OWNER, briefly=False)
    cache.put("b", b"2", OWNER, briefly=True)
    cache.put("c", b"3", OTHER, briefly=False)
    assert cache.forget(OWNER) == 2
    assert [cache.get(key) for key in "abc"] == [None, None, b"3"]
    assert cache.forget(OWNER) == 0


def test_an_answer_beyond_the_bound_is_not_kept(cache: RedisAnswerCache):
    cache.put("a", b"x" * (VALUE_BYTES_MAX + 1), OWNER, briefly=False)
    assert cache.get("a") is None


def test_a_store_that_is_away_costs_answers_and_no_documents():
    cache = RedisAnswerCache(NOWHERE, "x:", days=1)
    cache.put("a", b"1", OWNER, briefly=False)
    assert cache.get("a") is None
    with pytest.raises(Retryable) as caught:
        cache.forget(OWNER)
    assert caught.value.reason == "STORE_UNAVAILABLE"
