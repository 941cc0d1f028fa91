"""The client without asyncio: a thin wrapper that runs the async one on a loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from datetime import datetime
from types import TracebackType
from typing import Any, Self, TypeVar

from tidegraph.api.v1 import admin_pb2, ingest_pb2, query_pb2, types_pb2
from tidegraph.client.aio import AS_READ, Client
from tidegraph.client.types import Answer, EntityInfo, Fact, FactHistoryRow, Hit, Options, Reading, ReviewRow

_T = TypeVar("_T")
_NOW = Options()


class SyncClient:
    """The methods of :class:`Client`, blocking. Not inside a running loop, nor by two threads."""

    def __init__(self, target: str, graph: str = "", labels: tuple[str, ...] | None = None) -> None:
        self._runner = asyncio.Runner()
        self._client = self._run(self._made(target, graph, labels))

    @staticmethod
    async def _made(target: str, graph: str, labels: tuple[str, ...] | None) -> Client:
        return Client(target, graph, labels)

    def close(self) -> None:
        self._run(self._client.close())
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(
        self, question: str, options: Options = _NOW, *, explain: bool = False, reading: Reading = AS_READ
    ) -> Answer:
        return self._run(self._client.ask(question, options, explain=explain, reading=reading))

    def ask_stream(
        self, question: str, options: Options = _NOW, *, explain: bool = False, reading: Reading = AS_READ
    ) -> Iterator[query_pb2.AskResponse]:
        return self._iterate(self._client.ask_stream(question, options, explain=explain, reading=reading))

    def retrieve(
        self, query: str, options: Options = _NOW, *, limit: int = 20, reading: Reading = AS_READ
    ) -> list[Hit]:
        return self._run(self._client.retrieve(query, options, limit=limit, reading=reading))

    def timeline(
        self, *, entity: str = "", query: str = "", history: bool = False, options: Options = _NOW
    ) -> types_pb2.Timeline:
        found = self._client.timeline(entity=entity, query=query, history=history, options=options)
        return self._run(found)

    def facts(
        self,
        *,
        subject: str = "",
        predicate: str = "",
        object: str = "",
        entity: str = "",
        any_valid_time: bool = False,
        options: Options = _NOW,
    ) -> list[Fact]:
        return self._run(
            self._client.facts(
                subject=subject,
                predicate=predicate,
                object=object,
                entity=entity,
                any_valid_time=any_valid_time,
                options=options,
            )
        )

    def history(
        self,
        *,
        entity: str = "",
        key: str = "",
        fact_id: str = "",
        predicate: str = "",
        options: Options = _NOW,
    ) -> list[FactHistoryRow]:
        return self._run(
            self._client.history(
                entity=entity, key=key, fact_id=fact_id, predicate=predicate, options=options
            )
        )

    def entity(self, name_or_id: str, options: Options = _NOW) -> EntityInfo:
        return self._run(self._client.entity(name_or_id, options))

    def explain(self, fact_id: str, options: Options = _NOW) -> query_pb2.ExplainFactResponse:
        return self._run(self._client.explain(fact_id, options))

    def changes(self, after_sequence: int = 0) -> Iterator[query_pb2.Change]:
        return self._iterate(self._client.changes(after_sequence))

    def submit(self, document: ingest_pb2.Document) -> ingest_pb2.SubmitDocumentResponse:
        return self._run(self._client.submit(document))

    def retract(self, document_id: str) -> str:
        return self._run(self._client.retract(document_id))

    def erase(self, document_id: str, reason: str = "") -> str:
        return self._run(self._client.erase(document_id, reason))

    def erase_entity(self, entity: str, reason: str = "") -> str:
        return self._run(self._client.erase_entity(entity, reason))

    def erasure_certificate(self, await_token: str) -> str:
        return self._run(self._client.erasure_certificate(await_token))

    def watch_ingest(self, *await_tokens: str) -> Iterator[ingest_pb2.IngestStatus]:
        return self._iterate(self._client.watch_ingest(*await_tokens))

    def dead_letters(self) -> list[ingest_pb2.IngestStatus]:
        return self._run(self._client.dead_letters())

    def replay_dead_letters(
        self, *await_tokens: str, all: bool = False, dry_run: bool = False
    ) -> ingest_pb2.ReplayDeadLettersResponse:
        return self._run(self._client.replay_dead_letters(*await_tokens, all=all, dry_run=dry_run))

    def status(self) -> ingest_pb2.GetStatusResponse:
        return self._run(self._client.status())

    def merge_entities(self, *entity_ids: str, reason: str = "") -> str:
        return self._run(self._client.merge_entities(*entity_ids, reason=reason))

    def split_entity(self, *entity_ids: str, reason: str = "") -> str:
        return self._run(self._client.split_entity(*entity_ids, reason=reason))

    def reviews(self, entity: str = "", await_token: str = "") -> list[ReviewRow]:
        return self._run(self._client.reviews(entity, await_token))

    def rebuild(self, reason: str) -> str:
        return self._run(self._client.rebuild(reason))

    def conflicts(self, options: Options = _NOW) -> list[admin_pb2.Conflict]:
        return self._run(self._client.conflicts(options))

    def decide_conflict(
        self, key: str, assertion_id: str = "", reason: str = "", *, undo: bool = False
    ) -> str:
        return self._run(self._client.decide_conflict(key, assertion_id, reason, undo=undo))

    def set_policies(self, registry_toml: str, reason: str = "", *, validate_only: bool = False) -> str:
        return self._run(self._client.set_policies(registry_toml, reason, validate_only=validate_only))

    def policies(self, options: Options = _NOW) -> admin_pb2.GetPoliciesResponse:
        return self._run(self._client.policies(options))

    def reextract(self, document_id: str = "", reason: str = "") -> str:
        return self._run(self._client.reextract(document_id, reason))

    def seal(self, reason: str = "") -> str:
        return self._run(self._client.seal(reason))

    def decisions(
        self, kinds: Iterable[str] = (), subject: str = "", options: Options = _NOW
    ) -> list[admin_pb2.Decision]:
        return self._run(self._client.decisions(kinds, subject, options))

    def diff(
        self,
        known_from: datetime | str,
        known_to: datetime | str = "",
        *,
        entity: str = "",
        key: str = "",
        predicate: str = "",
        await_token: str = "",
    ) -> list[query_pb2.BeliefChange]:
        found = self._client.diff(
            known_from, known_to, entity=entity, key=key, predicate=predicate, await_token=await_token
        )
        return self._run(found)

    def _run(self, call: Coroutine[Any, Any, _T]) -> _T:
        return self._runner.run(call)

    def _iterate(self, items: AsyncIterator[_T]) -> Iterator[_T]:
        async def following() -> tuple[bool, _T | None]:
            try:
                return True, await anext(items)
            except StopAsyncIteration:
                return False, None

        while True:
            more, item = self._run(following())
            if not more:
                return
            yield item  # type: ignore[misc]
