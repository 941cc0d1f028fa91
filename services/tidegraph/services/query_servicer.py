"""QueryService: requests to use cases, results to messages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

import grpc.aio

from tidegraph.api.v1 import query_pb2 as api
from tidegraph.api.v1 import query_pb2_grpc
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.services import decision_messages, messages, reading_messages
from tidegraph.services.asof import known_only, read_as_of
from tidegraph.services.interceptor import current
from tidegraph.services.times import to_stamp
from tidegraph.services.tokens import WHOLE, Page, read_page
from tidegraph.services.usecases import facts as fact_cases
from tidegraph.services.usecases import identity
from tidegraph.services.usecases.anchoring import anchored
from tidegraph.services.usecases.ask import Asking, Finished, Reasoning, Started, Text
from tidegraph.services.usecases.changes import next_changes
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.decisions import under_policies
from tidegraph.services.usecases.diff import diff_beliefs
from tidegraph.services.usecases.facts import FactQuery
from tidegraph.services.usecases.moment import Pinned, resolve
from tidegraph.services.usecases.opening import of_one_graph, opened
from tidegraph.services.usecases.question import NO_TIME, Question, read
from tidegraph.services.usecases.retrieve import retrieve
from tidegraph.services.usecases.timelines import BUDGET_MAX, TimelineFound, entity_timeline, query_timeline
from tidegraph.services.usecases.tracing import trace
from tidegraph.services.usecases.walking import Direction, WalkRequest, walk
from tidegraph.services.usecases.work import Work

Context = grpc.aio.ServicerContext[Any, Any]
CHANGES_FIRST_SECONDS: Final = 0.1
CHANGES_LAST_SECONDS: Final = 1.0
HITS_DEFAULT: Final = 20
HITS_MAX: Final = 200
WALKS_DEFAULT: Final = 3
LENGTH_DEFAULT: Final = 4
_DIRECTIONS: Final = {
    api.WALK_DIRECTION_UNSPECIFIED: Direction.BOTH,
    api.WALK_DIRECTION_BOTH: Direction.BOTH,
    api.WALK_DIRECTION_FORWARD: Direction.FORWARD,
    api.WALK_DIRECTION_BACKWARD: Direction.BACKWARD,
}


class QueryServicer(query_pb2_grpc.QueryServiceServicer):
    """Translates only."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def Ask(  # noqa: N802 (the name of the method in the API)
        self, request: api.AskRequest, context: Context
    ) -> AsyncIterator[api.AskResponse]:
        budget = _budget(request.timeline_token_budget)
        asking = Asking(self._ports, current(), budget, statuses=messages.statuses(request.statuses))
        reading = reading_messages.override(request.reading)
        async for part in asking.run(request.question, read_as_of(request.as_of), reading):
            match part:
                case Started():
                    yield messages.started(part)
                case TimelineFound():
                    yield api.AskResponse(timeline=messages.timeline(part))
                case Reasoning():
                    if request.explain:
                        yield api.AskResponse(reasoning=part.piece)
                case Text():
                    yield api.AskResponse(text=part.piece)
                case Finished():
                    citations = [messages.citation(cited) for cited in part.answer.citations]
                    yield api.AskResponse(citations=api.AskCitations(citations=citations))
                    final = messages.final(part.answer, part.work, explain=request.explain)
                    yield api.AskResponse(final=final)

    async def Retrieve(  # noqa: N802
        self, request: api.RetrieveRequest, context: Context
    ) -> api.RetrieveResponse:
        options = messages.retrieval_options(request)
        reading = reading_messages.override(request.reading)
        described = f"retrieve {request.query} {request.as_of!s} {request.read_time} {options!r} {reading!r}"
        statuses = messages.statuses(request.statuses)
        described += f" {sorted(statuses)}"
        page = read_page(described, min(request.page_size or HITS_DEFAULT, HITS_MAX), request.page_token)
        if page.offset >= HITS_MAX:
            message = f"retrieval ends at {HITS_MAX} hits; make the query narrower"
            raise LimitExceeded("TOO_MANY_HITS", message, field="page_token")
        page = replace(page, size=min(page.size, HITS_MAX - page.offset))
        options = replace(options, depth=(page.first or page.size) + 1)
        asked = page.of(read_as_of(request.as_of))
        work, scope = await opened(
            self._ports,
            current(),
            request.query,
            asked,
            reading,
            read_time=request.read_time,
            statuses=statuses,
        )
        if request.read_time or reading.anchor_event_id:
            scope = await anchored(work, scope)
        async with of_one_graph(work):
            found = await retrieve(work, scope, min(page.end + 1, HITS_MAX), options)
        response = messages.retrieved(found, work, explain=request.explain)
        more = len(response.hits) > page.end
        shown = list(page.part(response.hits))
        del response.hits[:]
        response.hits.extend(shown)
        response.next_page_token = page.following(more, Pinned.of(work.moment))
        response.basis.CopyFrom(messages.basis(work.moment, work.ports.encoder.model_id))
        response.intent.CopyFrom(messages.intent(work.question))
        return response

    async def GetTimeline(  # noqa: N802
        self, request: api.GetTimelineRequest, context: Context
    ) -> api.GetTimelineResponse:
        budget = _budget(request.token_budget)
        statuses = messages.statuses(request.statuses)
        described = (
            f"timeline {request.entity} {request.query} {request.as_of!s} {request.history} {budget} "
            f"{sorted(statuses)}"
        )
        page = read_page(described, request.page_size, request.page_token)
        asked = page.of(read_as_of(request.as_of))
        match request.WhichOneof("about"):
            case "entity":
                moment = await resolve(self._ports, current(), asked)
                work = Work(await under_policies(self._ports, moment), moment, _unread(request.entity))
                work.chosen = statuses
                window = None if moment.valid_defaulted else moment.valid
                found = await entity_timeline(work, request.entity, window, budget, history=request.history)
            case "query":
                work, scope = await opened(self._ports, current(), request.query, asked, statuses=statuses)
                scope = await anchored(work, scope)
                async with of_one_graph(work):
                    found = await query_timeline(work, scope, budget, history=request.history)
            case _:
                raise Rejected("NO_RESTRICTION", "give an entity or a query", field="about")
        timeline = messages.timeline(found)
        more = len(timeline.dated) > page.end
        shown = list(page.part(timeline.dated))
        del timeline.dated[:]
        timeline.dated.extend(shown)
        if page.offset:  # they were on the first page
            del timeline.undated[:]
        return api.GetTimelineResponse(
            basis=messages.basis(found.work.moment),
            timeline=timeline,
            next_page_token=page.following(more, Pinned.of(found.work.moment)),
        )

    async def Walk(  # noqa: N802
        self, request: api.WalkRequest, context: Context
    ) -> api.WalkResponse:
        moment = await resolve(self._ports, current(), read_as_of(request.as_of))
        work = Work(self._ports, moment, _unread("walk"))
        work.chosen = messages.statuses(request.statuses)
        asked = WalkRequest(
            seeds=tuple(request.seed_event_ids),
            walks=request.walks_per_seed or WALKS_DEFAULT,
            length=request.length or LENGTH_DEFAULT,
            seed=request.random_seed,
            direction=_DIRECTIONS.get(request.direction, Direction.BOTH),
            pagerank=request.method == api.WALK_METHOD_PAGERANK,
        )
        found = await walk(work, asked, None if moment.valid_defaulted else moment.valid)
        response = messages.walked(found, work)
        response.basis.CopyFrom(messages.basis(moment))
        return response

    async def GetFacts(  # noqa: N802
        self, request: api.GetFactsRequest, context: Context
    ) -> api.GetFactsResponse:
        described = (
            f"facts {request.subject} {request.predicate} {request.object} {request.entity} "
            f"{request.as_of!s} {request.any_valid_time}"
        )
        page = read_page(described, request.page_size, request.page_token)
        moment = await resolve(self._ports, current(), page.of(read_as_of(request.as_of)))
        query = FactQuery(
            subject=request.subject,
            predicate=request.predicate,
            object=request.object,
            entity=request.entity,
            any_valid_time=request.any_valid_time,
        )
        found = await fact_cases.get_facts(await under_policies(self._ports, moment), moment, query)
        more = len(found.facts) > page.end
        return api.GetFactsResponse(
            basis=messages.basis(moment),
            facts=[messages.fact(fact, found.work) for fact in page.part(found.facts)],
            next_page_token=page.following(more, Pinned.of(moment)),
            suppressed_count=found.suppressed,
        )

    async def ListFactHistory(  # noqa: N802
        self, request: api.ListFactHistoryRequest, context: Context
    ) -> api.ListFactHistoryResponse:
        described = (
            f"history {request.entity} {request.key} {request.fact_id} {request.predicate} "
            f"{request.known_at!s} {request.known_text}"
        )
        page = read_page(described, request.page_size, request.page_token)
        moment = await self._known_moment(request, page)
        found = await fact_cases.list_history(
            await under_policies(self._ports, moment),
            moment,
            entity=request.entity,
            key=request.key,
            fact_id=request.fact_id,
            predicate=request.predicate,
        )
        more = len(found.rows) > page.end
        return api.ListFactHistoryResponse(
            basis=messages.basis(moment),
            versions=[messages.history_row(row, found) for row in page.part(found.rows)],
            next_page_token=page.following(more, Pinned.of(moment)),
        )

    async def DiffBeliefs(  # noqa: N802
        self, request: api.DiffBeliefsRequest, context: Context
    ) -> api.DiffBeliefsResponse:
        described = f"diff {request.entity} {request.key} {request.predicate} {request.known_from!s} "
        described += f"{request.known_from_text} {request.known_to!s} {request.known_to_text}"
        page = read_page(described, request.page_size, request.page_token)
        start = request.known_from if request.HasField("known_from") else None
        end = request.known_to if request.HasField("known_to") else None
        if start is None and not request.known_from_text:
            raise Rejected("NO_KNOWN_FROM", "give the known date to compare from", field="known_from")
        asked = page.of(known_only(end, request.known_to_text, request.await_token))
        later = await resolve(self._ports, current(), asked)
        earlier = await resolve(self._ports, current(), known_only(start, request.known_from_text))
        found = await diff_beliefs(
            await under_policies(self._ports, later),
            earlier,
            later,
            entity=request.entity,
            key=request.key,
            predicate=request.predicate,
        )
        more = len(found.changes) > page.end
        return api.DiffBeliefsResponse(
            basis=messages.basis(later),
            known_from=to_stamp(earlier.known_at),
            changes=[decision_messages.belief_change(row, found.work) for row in page.part(found.changes)],
            next_page_token=page.following(more, Pinned.of(later)),
        )

    async def GetEntity(  # noqa: N802
        self, request: api.GetEntityRequest, context: Context
    ) -> api.GetEntityResponse:
        described = f"entity {request.entity} {request.as_of!s}"
        page = read_page(described, request.page_size, request.page_token)
        moment = await resolve(self._ports, current(), page.of(read_as_of(request.as_of)))
        ports = await under_policies(self._ports, moment)
        records = await fact_cases.get_entity(ports, moment, request.entity)
        query = FactQuery(entity=records[0].entity_id)
        found = await fact_cases.get_facts(ports, moment, query)
        response = api.GetEntityResponse(
            basis=messages.basis(moment),
            entity=messages.entity(records[0]),
            facts=[messages.fact(fact, found.work) for fact in page.part(found.facts)],
            next_page_token=page.following(len(found.facts) > page.end, Pinned.of(moment)),
        )
        if page.offset:
            return response
        ties = await identity.ties_of(ports, moment, records[0])
        names = await identity.own_names(ports, moment, ties)
        nearest = await identity.near(ports, moment, records[0])
        response.homonyms.extend(messages.entity_ref(record) for record in records[1:])
        response.ties.extend(messages.tie(row, names) for row in ties)
        response.candidates.extend(messages.candidate(near) for near in nearest)
        return response

    async def ExplainFact(  # noqa: N802
        self, request: api.ExplainFactRequest, context: Context
    ) -> api.ExplainFactResponse:
        moment = await self._known_moment(request)
        ports = await under_policies(self._ports, moment)
        found = await fact_cases.explain_fact(ports, moment, request.fact_id)
        response = messages.explained(found)
        response.basis.CopyFrom(messages.basis(moment))
        return response

    async def Trace(  # noqa: N802
        self, request: api.TraceRequest, context: Context
    ) -> api.TraceResponse:
        described = f"trace {request.fact_id} {request.event_id} {request.known_at!s} {request.known_text}"
        page = read_page(described, request.page_size, request.page_token)
        moment = await self._known_moment(request, page)
        work = Work(await under_policies(self._ports, moment), moment, _unread("trace"))
        found = await trace(work, request.fact_id, request.event_id)
        rows = found.events if request.fact_id else found.facts
        if request.fact_id:
            found = replace(found, events=tuple(page.part(found.events)))
        else:
            found = replace(found, facts=tuple(page.part(found.facts)))
        response = messages.traced(found, work)
        response.next_page_token = page.following(len(rows) > page.end, Pinned.of(moment))
        response.basis.CopyFrom(messages.basis(work.moment))
        return response

    async def WatchChanges(  # noqa: N802
        self, request: api.WatchChangesRequest, context: Context
    ) -> AsyncIterator[api.WatchChangesResponse]:
        sequence, pause = request.after_sequence, CHANGES_FIRST_SECONDS
        while True:
            found = await next_changes(self._ports, current(), sequence)
            for row in found.rows:
                change = api.Change(
                    change_id=row.change_id,
                    sequence=row.sequence,
                    action=row.action,
                    entity_id=row.entity_id,
                    fact_id=row.version_id,
                    recorded_at=to_stamp(row.recorded_at),
                    text=row.text,
                )
                yield api.WatchChangesResponse(change=change)
            moved, sequence = found.sequence > sequence, found.sequence
            pause = CHANGES_FIRST_SECONDS if moved else min(pause * 1.5, CHANGES_LAST_SECONDS)
            if not moved:
                await asyncio.sleep(pause)

    async def _known_moment(
        self,
        request: api.ListFactHistoryRequest | api.ExplainFactRequest | api.TraceRequest,
        page: Page = WHOLE,
    ) -> Moment:
        stamp = request.known_at if request.HasField("known_at") else None
        asked = page.of(known_only(stamp, request.known_text, request.await_token))
        return await resolve(self._ports, current(), asked)


def _unread(text: str) -> Question:
    return read(text, NO_TIME, ())


def _budget(given: int) -> int:
    if not 0 <= given <= BUDGET_MAX:
        message = f"a token budget is 0 to {BUDGET_MAX}"
        raise Rejected("INVALID_BUDGET", message, field="token_budget")
    return given
