"""The asyncio client: one channel, many calls; close it, or use ``async with``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Final

from tidegraph.api.v1 import admin_pb2, ingest_pb2, query_pb2, types_pb2
from tidegraph.client import types
from tidegraph.client.calls import NOW
from tidegraph.client.decisions import Decisions
from tidegraph.client.readings import reading_message, value_of
from tidegraph.client.stamps import set_known, stamp
from tidegraph.client.types import Answer, EntityInfo, Fact, FactHistoryRow, Hit, Options, Reading, ReviewRow

AS_READ: Final = Reading()
_OUTCOMES: Final = {
    query_pb2.ANSWER_OUTCOME_ANSWERED: "answered",
    query_pb2.ANSWER_OUTCOME_NOT_KNOWN: "not_known",
    query_pb2.ANSWER_OUTCOME_WITHHELD: "withheld",
}


class Client(Decisions):
    """Calls the service at ``target`` ("host:port"). Every failure is an :class:`ApiError`.

    ``graph`` picks the tenant where the server takes no tokens; ``labels`` are the access labels to
    read with (None: all).
    """

    # --- questions ----------------------------------------------------------------------------------

    async def ask(
        self, question: str, options: Options = NOW, *, explain: bool = False, reading: Reading = AS_READ
    ) -> Answer:
        """The finished answer to a question; ``reading``: what to read otherwise than its text says."""
        stream = self.ask_stream(question, options, explain=explain, reading=reading)
        parts = [part async for part in stream]
        start = next(part.start for part in parts if part.HasField("start"))
        final = next(part.final for part in parts if part.HasField("final"))
        rows = [part.timeline for part in parts if part.HasField("timeline")]
        cited = [part.citations for part in parts if part.HasField("citations")]
        return Answer(
            outcome=_OUTCOMES.get(final.outcome, "withheld"),
            values=tuple(final.values),
            text=final.text,
            transition=final.transition,
            citations=tuple(types.citation(c) for group in cited for c in group.citations),
            steps=tuple(final.steps),
            timeline=tuple(entry.text for row in rows for entry in (*row.undated, *row.dated)),
            basis=start.basis,
            intent=start.intent,
            confidence=final.confidence,
            report=final.report if final.HasField("report") else None,
        )

    async def ask_stream(
        self, question: str, options: Options = NOW, *, explain: bool = False, reading: Reading = AS_READ
    ) -> AsyncIterator[query_pb2.AskResponse]:
        """The parts of an answer as they come."""
        request = query_pb2.AskRequest(
            question=question,
            as_of=as_of(options),
            explain=explain,
            reading=reading_message(reading),
            statuses=claim_statuses(options),
        )
        async for part in self._stream(self.query.Ask, request, options):
            yield part

    async def retrieve(
        self, query: str, options: Options = NOW, *, limit: int = 20, reading: Reading = AS_READ
    ) -> list[Hit]:
        """Ranked evidence."""
        request = query_pb2.RetrieveRequest(
            query=query,
            as_of=as_of(options),
            page_size=limit,
            read_time=True,
            reading=reading_message(reading),
            statuses=claim_statuses(options),
        )
        response = await self._unary(self.query.Retrieve, request, options)
        return [types.hit(hit) for hit in response.hits]

    async def timeline(
        self, *, entity: str = "", query: str = "", history: bool = False, options: Options = NOW
    ) -> types_pb2.Timeline:
        """Events and facts about an entity or a query in order of time; every page of them.

        ``history``: facts that are no longer believed, too.
        """
        about = {"entity": entity} if entity else {"query": query}
        request = query_pb2.GetTimelineRequest(
            as_of=as_of(options),
            history=history,
            statuses=claim_statuses(options),
            **about,  # type: ignore[arg-type]
        )
        whole = types_pb2.Timeline()
        async for page in self._pages(self.query.GetTimeline, request, options):
            whole.undated.extend(page.timeline.undated)
            whole.dated.extend(page.timeline.dated)
            whole.omitted_count = page.timeline.omitted_count
        return whole

    async def facts(
        self,
        *,
        subject: str = "",
        predicate: str = "",
        object: str = "",
        entity: str = "",
        any_valid_time: bool = False,
        options: Options = NOW,
    ) -> list[Fact]:
        """Facts that hold at the asked time; every page of them."""
        request = query_pb2.GetFactsRequest(
            subject=subject,
            predicate=predicate,
            object=object,
            entity=entity,
            any_valid_time=any_valid_time,
            as_of=as_of(options),
        )
        pages = self._pages(self.query.GetFacts, request, options)
        return [types.fact(fact) async for page in pages for fact in page.facts]

    async def history(
        self,
        *,
        entity: str = "",
        key: str = "",
        fact_id: str = "",
        predicate: str = "",
        options: Options = NOW,
    ) -> list[FactHistoryRow]:
        """Every version of the facts of an entity, a key or a fact; every page of them."""
        chosen = {"entity": entity, "key": key, "fact_id": fact_id}
        of = {name: value for name, value in chosen.items() if value}
        request = query_pb2.ListFactHistoryRequest(predicate=predicate, **of)  # type: ignore[arg-type]
        set_known(request, options)
        pages = self._pages(self.query.ListFactHistory, request, options)
        return [types.history_row(row) async for page in pages for row in page.versions]

    async def entity(self, name_or_id: str, options: Options = NOW) -> EntityInfo:
        """An entity with the facts that hold."""
        request = query_pb2.GetEntityRequest(entity=name_or_id, as_of=as_of(options))
        pages = [page async for page in self._pages(self.query.GetEntity, request, options)]
        for page in pages[1:]:
            pages[0].facts.extend(page.facts)
        return types.entity_info(pages[0])

    async def explain(self, fact_id: str, options: Options = NOW) -> query_pb2.ExplainFactResponse:
        """Why a fact is believed."""
        request = query_pb2.ExplainFactRequest(fact_id=fact_id)
        set_known(request, options)
        return await self._unary(self.query.ExplainFact, request, options)

    async def changes(self, after_sequence: int = 0) -> AsyncIterator[query_pb2.Change]:
        """What changes in the graph, without end."""
        request = query_pb2.WatchChangesRequest(after_sequence=after_sequence)
        async for response in self._stream(self.query.WatchChanges, request, NOW):
            yield response.change

    # --- documents ------------------------------------------------------------------------------------

    async def submit(self, document: ingest_pb2.Document) -> ingest_pb2.SubmitDocumentResponse:
        """Write a document into the log; its await token reads what it wrote."""
        request = ingest_pb2.SubmitDocumentRequest(document=document)
        return await self._unary(self.ingest.SubmitDocument, request, NOW)

    async def retract(self, document_id: str) -> str:
        """Withdraw a document; the await token."""
        request = ingest_pb2.RetractDocumentRequest(document_id=document_id)
        response = await self._unary(self.ingest.RetractDocument, request, NOW)
        return response.await_token

    async def erase(self, document_id: str, reason: str = "") -> str:
        """Have a document removed from every place; the await token."""
        request = ingest_pb2.EraseDocumentRequest(document_id=document_id, reason=reason)
        return (await self._unary(self.ingest.EraseDocument, request, NOW)).await_token

    async def erase_entity(self, entity: str, reason: str = "") -> str:
        """Have every mention of an entity removed; the await token."""
        request = ingest_pb2.EraseEntityRequest(entity=entity, reason=reason)
        return (await self._unary(self.ingest.EraseEntity, request, NOW)).await_token

    async def erasure_certificate(self, await_token: str) -> str:
        """The certificate of an erasure that is carried out, as JSON."""
        request = ingest_pb2.GetErasureRequest(await_token=await_token)
        return (await self._unary(self.ingest.GetErasure, request, NOW)).certificate_json

    async def watch_ingest(self, *await_tokens: str) -> AsyncIterator[ingest_pb2.IngestStatus]:
        """Each step of the submissions until all have their outcome."""
        request = ingest_pb2.WatchIngestRequest(await_tokens=await_tokens)
        async for response in self._stream(self.ingest.WatchIngest, request, NOW):
            yield response.status

    async def dead_letters(self) -> list[ingest_pb2.IngestStatus]:
        """Documents that could not be used, newest first; every page of them."""
        request = ingest_pb2.ListDeadLettersRequest()
        pages = self._pages(self.ingest.ListDeadLetters, request, NOW)
        return [one async for page in pages for one in page.dead_letters]

    async def replay_dead_letters(
        self, *await_tokens: str, all: bool = False, dry_run: bool = False
    ) -> ingest_pb2.ReplayDeadLettersResponse:
        """Put dead letters back where they failed, to be tried again: those of the tokens, or all."""
        request = ingest_pb2.ReplayDeadLettersRequest(await_tokens=await_tokens, all=all, dry_run=dry_run)
        return await self._unary(self.ingest.ReplayDeadLetters, request, NOW)

    async def status(self) -> ingest_pb2.GetStatusResponse:
        """What the graph holds and how far it has applied the log."""
        return await self._unary(self.ingest.GetStatus, ingest_pb2.GetStatusRequest(), NOW)

    # --- decisions --------------------------------------------------------------------------------------

    async def merge_entities(self, *entity_ids: str, reason: str = "") -> str:
        """Say that the ids are one entity from now on; the await token."""
        request = admin_pb2.MergeEntitiesRequest(entity_ids=entity_ids, reason=reason)
        return (await self._unary(self.admin.MergeEntities, request, NOW)).await_token

    async def split_entity(self, *entity_ids: str, reason: str = "") -> str:
        """Say that the ids are apart from now on: one from its set, several from each other; the token."""
        request = admin_pb2.SplitEntityRequest(entity_ids=entity_ids, reason=reason)
        return (await self._unary(self.admin.SplitEntity, request, NOW)).await_token

    async def reviews(self, entity: str = "", await_token: str = "") -> list[ReviewRow]:
        """Pairs of ids that the rules do not decide, about one entity or all; every page of them."""
        request = admin_pb2.ListReviewsRequest(entity=entity, await_token=await_token)
        pages = self._pages(self.admin.ListReviews, request, NOW)
        return [types.review_row(one) async for page in pages for one in page.reviews]

    async def rebuild(self, reason: str) -> str:
        """Have the graph built anew from the record of belief; the await token."""
        request = admin_pb2.RebuildGraphRequest(reason=reason)
        return (await self._unary(self.admin.RebuildGraph, request, NOW)).await_token


def claim_statuses(options: Options) -> list[types_pb2.ClaimStatus.ValueType]:
    """The statuses of call options as messages have them.

    Raises:
        ValueError: no such status.
    """
    return [value_of(types_pb2.ClaimStatus, "CLAIM_STATUS_", name) for name in options.statuses]


def as_of(options: Options) -> types_pb2.AsOf:
    """The as-of message of call options."""
    message = types_pb2.AsOf(await_token=options.await_token)
    if isinstance(options.valid, datetime):
        message.valid_at.CopyFrom(stamp(options.valid))
    elif options.valid:
        message.valid_text = options.valid
    set_known(message, options)
    if options.basis is not None:
        message.basis.CopyFrom(options.basis)
    return message
