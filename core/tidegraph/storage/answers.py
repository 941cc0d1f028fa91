"""The AnswerCache on redis, beside the graphs: answers of a language model by what they were an answer to.

Keys, all under the graph prefix: ``answers:one:<key>`` an answer, ``answers:of:<graph>:<document>`` the keys
of the answers that were made for a document, so that its erasure finds them. Both expire.
"""

from __future__ import annotations

from typing import Final

import redis
from redis import exceptions

from tidegraph.domain.errors import Retryable
from tidegraph.storage.connection import translate

BRIEFLY_SECONDS: Final = 3_600
VALUE_BYTES_MAX: Final = 1_000_000
_SOCKET_SECONDS: Final = 2.0
_DAY_SECONDS: Final = 86_400


class RedisAnswerCache:
    """``ports.AnswerCache`` with answers kept for ``days``. Blocking; safe to share between threads."""

    def __init__(self, url: str, prefix: str, days: int) -> None:
        self._prefix = prefix
        self._seconds = days * _DAY_SECONDS
        self._redis: redis.Redis = redis.Redis.from_url(
            url, socket_timeout=_SOCKET_SECONDS, socket_connect_timeout=_SOCKET_SECONDS
        )

    def get(self, key: str) -> bytes | None:
        """See the port; a store that is away has nothing."""
        try:
            value = self._redis.get(self._one(key))
        except (exceptions.RedisError, OSError):
            return None
        return value if isinstance(value, bytes) else None

    def put(self, key: str, value: bytes, owner: tuple[str, str], *, briefly: bool) -> None:
        """See the port; answers beyond a megabyte are not kept."""
        if len(value) > VALUE_BYTES_MAX:
            return
        seconds = BRIEFLY_SECONDS if briefly else self._seconds
        pipe = self._redis.pipeline(transaction=True)
        pipe.set(self._one(key), value, ex=seconds)
        pipe.sadd(self._of(owner), key)
        pipe.expire(self._of(owner), max(seconds, self._seconds))
        try:
            pipe.execute()
        except (exceptions.RedisError, OSError):
            return

    def forget(self, owner: tuple[str, str]) -> int:
        """See the port. Another document of the same text is asked for again."""
        try:
            members = self._redis.smembers(self._of(owner))
            keys = [self._one(each.decode()) for each in members]  # type: ignore[union-attr]
            dropped = self._redis.delete(*keys) if keys else 0
            self._redis.delete(self._of(owner))
        except (exceptions.RedisError, OSError) as error:
            translated = translate(error)
            raise Retryable("STORE_UNAVAILABLE", str(translated.args[0])) from error
        return int(dropped)  # type: ignore[arg-type]

    def close(self) -> None:
        """Disconnect."""
        self._redis.close()

    def _one(self, key: str) -> str:
        return f"{self._prefix}answers:one:{key}"

    def _of(self, owner: tuple[str, str]) -> str:
        graph, document = owner
        return f"{self._prefix}answers:of:{graph}:{document}"
