"""IngestService: requests to use cases, results to messages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import grpc.aio

from tidegraph.api.v1 import ingest_pb2 as api
from tidegraph.api.v1 import ingest_pb2_grpc
from tidegraph.domain.documents import DocumentKind
from tidegraph.domain.errors import LimitExceeded, NotFound, Rejected
from tidegraph.ports import DocumentStatus
from tidegraph.services.interceptor import current
from tidegraph.services.times import to_stamp
from tidegraph.services.tokens import await_token, read_await_token, read_page
from tidegraph.services.usecases import erase as erasures
from tidegraph.services.usecases import status as status_cases
from tidegraph.services.usecases import submit as cases
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.moment import Pinned
from tidegraph.services.usecases.replay import replay

Context = grpc.aio.ServicerContext[Any, Any]
WATCHED_MAX: Final = 1_000
STREAM_MAX: Final = 100_000
REJECTED_MAX: Final = 1_000


class IngestServicer(ingest_pb2_grpc.IngestServiceServicer):
    """Translates only."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def SubmitDocument(  # noqa: N802 (the name of the method in the API)
        self, request: api.SubmitDocumentRequest, context: Context
    ) -> api.SubmitDocumentResponse:
        accepted = await cases.submit(self._ports, current(), _submission(request.document))
        return api.SubmitDocumentResponse(
            await_token=await_token(accepted.position),
            document_id=accepted.document_id,
            revision=accepted.revision,
        )

    async def SubmitDocuments(  # noqa: N802
        self, request_iterator: AsyncIterator[api.SubmitDocumentsRequest], context: Context
    ) -> api.SubmitDocumentsResponse:
        tokens: dict[int, str] = {}
        rejected: list[api.RejectedDocument] = []
        count = 0
        async for request in request_iterator:
            if count + len(rejected) >= STREAM_MAX:
                raise LimitExceeded("TOO_MANY_DOCUMENTS", f"a stream carries at most {STREAM_MAX} documents")
            try:
                accepted = await cases.submit(self._ports, current(), _submission(request.document))
            except Rejected as error:
                if len(rejected) == REJECTED_MAX:
                    raise LimitExceeded(
                        "TOO_MANY_REJECTED", f"{REJECTED_MAX} documents were rejected; the last: {error}"
                    ) from error
                rejected.append(
                    api.RejectedDocument(
                        index=count + len(rejected),
                        document_id=request.document.document_id,
                        reason=error.reason,
                        message=str(error.args[0]),
                    )
                )
                continue
            count += 1
            tokens[accepted.position.partition] = await_token(accepted.position)
        return api.SubmitDocumentsResponse(
            accepted_count=count, await_tokens=[tokens[p] for p in sorted(tokens)], rejected=rejected
        )

    async def GetIngest(  # noqa: N802
        self, request: api.GetIngestRequest, context: Context
    ) -> api.GetIngestResponse:
        described = f"ingest {request.await_token} {request.document_id}"
        page = read_page(described, request.page_size, request.page_token)
        match request.WhichOneof("of"):
            case "await_token":
                position = read_await_token(request.await_token)
                found = [await cases.ingest_status(self._ports, current(), position)]
            case "document_id":
                found = await self._ports.status.by_document(current().graph, request.document_id)
                if not found:
                    message = "no submission of this document is known in this graph"
                    raise NotFound("INGEST_NOT_FOUND", message, document_id=request.document_id[:80])
                found = sorted(found, key=lambda status: (-status.recorded_at, status.position))
                if page.pinned is not None:
                    found = [one for one in found if one.recorded_at <= page.pinned.known_at]
            case _:
                raise Rejected("NO_RESTRICTION", "give an await token or a document id", field="of")
        newest = max((status.recorded_at for status in found), default=0)
        return api.GetIngestResponse(
            statuses=[_status(status) for status in page.part(found)],
            next_page_token=page.following(len(found) > page.end, Pinned(newest, newest)),
        )

    async def WatchIngest(  # noqa: N802
        self, request: api.WatchIngestRequest, context: Context
    ) -> AsyncIterator[api.WatchIngestResponse]:
        if not 1 <= len(request.await_tokens) <= WATCHED_MAX:
            message = f"watch 1 to {WATCHED_MAX} submissions at once"
            raise Rejected("INVALID_WATCH", message, field="await_tokens")
        positions = [read_await_token(token) for token in request.await_tokens]
        async for status in cases.watch(self._ports, current(), positions):
            yield api.WatchIngestResponse(status=_status(status))

    async def RetractDocument(  # noqa: N802
        self, request: api.RetractDocumentRequest, context: Context
    ) -> api.RetractDocumentResponse:
        accepted = await cases.retract(self._ports, current(), request.document_id)
        return api.RetractDocumentResponse(await_token=await_token(accepted.position))

    async def EraseDocument(  # noqa: N802
        self, request: api.EraseDocumentRequest, context: Context
    ) -> api.EraseDocumentResponse:
        position = await erasures.erase_document(self._ports, current(), request.document_id, request.reason)
        return api.EraseDocumentResponse(await_token=await_token(position))

    async def EraseEntity(  # noqa: N802
        self, request: api.EraseEntityRequest, context: Context
    ) -> api.EraseEntityResponse:
        position, entity_ids = await erasures.erase_entity(
            self._ports, current(), request.entity, request.reason
        )
        return api.EraseEntityResponse(await_token=await_token(position), entity_ids=entity_ids)

    async def GetErasure(  # noqa: N802
        self, request: api.GetErasureRequest, context: Context
    ) -> api.GetErasureResponse:
        text = await erasures.certificate(self._ports, read_await_token(request.await_token))
        return api.GetErasureResponse(certificate_json=text)

    async def ListDeadLetters(  # noqa: N802
        self, request: api.ListDeadLettersRequest, context: Context
    ) -> api.ListDeadLettersResponse:
        page = read_page("dead letters", request.page_size, request.page_token)
        found = await cases.dead_letters(self._ports, current())
        newest = page.pinned.known_at if page.pinned else max((one.recorded_at for one in found), default=0)
        found = [one for one in found if one.recorded_at <= newest]
        return api.ListDeadLettersResponse(
            dead_letters=[_status(status) for status in page.part(found)],
            next_page_token=page.following(len(found) > page.end, Pinned(newest, newest)),
        )

    async def ReplayDeadLetters(  # noqa: N802
        self, request: api.ReplayDeadLettersRequest, context: Context
    ) -> api.ReplayDeadLettersResponse:
        found = await replay(
            self._ports,
            current(),
            [read_await_token(token) for token in request.await_tokens],
            everything=request.all,
            dry_run=request.dry_run,
        )
        return api.ReplayDeadLettersResponse(
            replayed_count=found.count, await_tokens=[await_token(at) for at in found.positions]
        )

    async def GetStatus(  # noqa: N802
        self, request: api.GetStatusRequest, context: Context
    ) -> api.GetStatusResponse:
        found = await status_cases.read_status(self._ports, current())
        components = [
            api.ComponentStatus(name=part.name, healthy=part.healthy, detail=part.detail)
            for part in found.components
        ]
        return api.GetStatusResponse(
            graph=current().graph,
            documents=found.documents,
            rows=found.rows,
            watermark_time=to_stamp(found.watermark),
            graph_version=found.graph_version,
            components=components,
        )


def _submission(document: api.Document) -> cases.Submission:
    if document.kind not in api.DocumentKind.values():
        raise Rejected("INVALID_KIND", "this kind of document is not known", field="document.kind")
    return cases.Submission(
        document_id=document.document_id,
        revision=document.revision,
        title=document.title,
        source=document.source,
        kind=DocumentKind(document.kind),
        document_time=document.document_time,
        labels=tuple(document.labels),
        language=document.language,
        text=document.text,
        json=document.json,
        mapping=document.mapping,
        media_type=document.media_type,
    )


def _status(status: DocumentStatus) -> api.IngestStatus:
    return api.IngestStatus(
        await_token=await_token(status.position),
        document_id=status.document_id,
        revision=status.revision,
        stage=status.stage,
        outcome=status.outcome,
        cause=status.cause,
        recorded_at=to_stamp(status.recorded_at),
        update_time=to_stamp(status.updated_at),
    )
