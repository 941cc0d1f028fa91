"""Answering a question: read it, settle the moment, reason, check, and say what it rests on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.ports import ChatModel, ChunkRecord, EventRecord
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.anchoring import anchored
from tidegraph.services.usecases.answers import Answer, Outcome
from tidegraph.services.usecases.checking import checked
from tidegraph.services.usecases.comparing import Comparing
from tidegraph.services.usecases.compose import not_known
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.event_reasoner import EventReasoner
from tidegraph.services.usecases.event_search import EventSearch
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.opening import of_one_graph, opened
from tidegraph.services.usecases.overriding import NOTHING, Override
from tidegraph.services.usecases.parts_used import ALL_USED, Part
from tidegraph.services.usecases.passages import PassageFinder
from tidegraph.services.usecases.question import Order, Question
from tidegraph.services.usecases.reasoner import TIMES, FactReasoner
from tidegraph.services.usecases.renamings import with_renamings
from tidegraph.services.usecases.retrieve import retrieve
from tidegraph.services.usecases.scope import Scope
from tidegraph.services.usecases.spans.reader import SpanReader
from tidegraph.services.usecases.statuses import NOT_CHOSEN, Chosen
from tidegraph.services.usecases.timecot import TimeCot
from tidegraph.services.usecases.timelines import TimelineFound, arranged
from tidegraph.services.usecases.trail import Trail
from tidegraph.services.usecases.unknown import with_unknown
from tidegraph.services.usecases.work import Work

BUILT_IN: Final = "built-in"
HITS: Final = 20
SUGGESTING_EVENTS: Final = 10
SUGGESTED_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class Started:
    """First: as of when, and how the question was read."""

    moment: Moment
    question: Question
    reasoner: str
    encoder: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A piece of the reasoning as it goes on."""

    piece: str


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the answer's text, checked already."""

    piece: str


@dataclass(frozen=True, slots=True)
class Finished:
    """Last: the checked answer."""

    answer: Answer
    work: Work


AskPart = Started | TimelineFound | Reasoning | Text | Finished


class Asking:
    """One question being answered."""

    def __init__(
        self,
        ports: Ports,
        caller: Caller,
        budget: int,
        without: frozenset[Part] = ALL_USED,
        statuses: Chosen = NOT_CHOSEN,
    ) -> None:
        self._without = without
        self._statuses = statuses
        self._ports = ports
        self._caller = caller
        self._budget = budget

    async def run(self, text: str, asked: AskedTime, override: Override = NOTHING) -> AsyncIterator[AskPart]:
        """The parts of the answer in order: started, timeline, text, finished.

        Raises:
            Rejected: the question cannot be read. NotFound: GRAPH_NOT_FOUND, or an entity of ``override``.
        """
        work, scope = await opened(
            self._ports,
            self._caller,
            text,
            asked,
            override,
            without=self._without,
            statuses=self._statuses,
        )
        searched = await anchored(work, scope)
        moment, question = work.moment, work.question
        chat = self._ports.chat
        reasoner = chat.model_id or "language model" if chat else BUILT_IN
        yield Started(moment, question, reasoner, work.ports.encoder.model_id)
        if chat is not None:
            async for part in self._with_model(work, chat, searched):
                yield part
            return
        async with of_one_graph(work):
            answer = await with_renamings(work, scope, await built_in(work, scope))
        answer = with_unknown(work, checked(answer, moment))
        yield await arranged(work, answer.facts, await self._shown_events(work, answer), self._budget)
        for step in answer.steps:
            yield Reasoning(f"{step}\n")
        yield Text(answer.text)
        yield Finished(answer, work)

    async def _shown_events(self, work: Work, answer: Answer) -> Sequence[EventRecord]:
        if answer.outcome is not Outcome.ANSWERED:
            return ()
        cited = [cited.event_id for cited in answer.citations if cited.event_id]
        return await self._ports.store.events(work.moment.graph, list(dict.fromkeys(cited)), work.moment.seen)

    async def _with_model(self, work: Work, chat: ChatModel, scope: Scope) -> AsyncIterator[AskPart]:
        async with of_one_graph(work):
            with work.trail.stage("retrieval") as stage:
                found = await retrieve(work, scope, HITS)
                stage.outcome = f"{len(found.hits)} found"
        facts = [hit.fact for hit in found.hits if hit.fact is not None]
        events = [hit.event for hit in found.hits if hit.event is not None]
        passages: list[ChunkRecord] = [hit.chunk for hit in found.hits if hit.chunk is not None]
        values = {hit.id.partition(":")[2]: hit.score for hit in found.hits}
        timeline = await arranged(work, facts, events, self._budget, values)
        yield timeline
        if not found.hits:
            answer = with_unknown(work, not_known(work, [], scope.relation, scope.interval))
            yield Text(answer.text)
            yield Finished(answer, work)
            return
        template = TimeCot(work, chat, timeline, passages)
        with work.trail.stage("language model") as stage:
            async for piece in template.stream(scope.relation, scope.interval):
                yield Reasoning(piece)
            answer = await template.answer(scope.relation, scope.interval)
            stage.outcome = answer.outcome.value.replace("_", " ")
        answer = with_unknown(work, checked(answer, work.moment, template.retrieved_ids, _aside(work)))
        yield Text(answer.text)
        yield Finished(answer, work)


def _aside(work: Work) -> frozenset[str]:
    """Ids of what a clause of the question was found to speak of."""
    found = work.question.anchor.found if work.question.anchor else None
    return frozenset((found.event_id, *found.fact_ids)) if found is not None else frozenset()


async def built_in(work: Work, scope: Scope) -> Answer:
    """The built-in reasoner: facts, else events, else passages, else the honest end.

    Loose facts answer only where no passage does: the reader of passages knows them too.
    """
    facts, trail = FactReasoner(work, scope), work.trail
    chain = work.question.chain
    led = chain is not None and chain.led and work.question.asked is not Asked.EVENTS
    if work.question.pair is not None or (chain is not None and not led):
        compared = await _tried(trail, "comparison", Comparing(work).answer(scope))
        if compared is not None:
            return compared
    answer = None
    if Part.FACTS not in work.without:
        answer = await _tried(trail, "facts", facts.answer())
        if answer is None and not work.question.entities:
            suggested = await _suggested(work)
            answer = await _tried(trail, "suggested facts", facts.answer(suggested))
    told = answer
    open_ = answer is None or (answer.outcome is Outcome.NOT_KNOWN and not facts.vacant)
    open_ = open_ or (answer is not None and _is_loose(work, answer))
    several = work.question.plural or work.question.order is not Order.NONE
    read = await _tried(trail, "reader", _read(work, scope)) if open_ and not several else None
    if read is not None:
        return read
    if answer is None or (answer.outcome is Outcome.NOT_KNOWN and work.question.asked in TIMES):
        answer = await _tried(trail, "events", EventReasoner(work).answer(scope)) or told
    passages = Part.CHUNKS not in work.without
    if answer is None and passages and work.question.anchor is None and work.question.neighbour_of is None:
        answer = await _tried(trail, "chunks", PassageFinder(work).answer(scope))
    if answer is None and several:
        answer = await _tried(trail, "reader", _read(work, scope))
    if answer is None and led:
        answer = await _tried(trail, "comparison", Comparing(work).answer(scope))
    if answer is None and work.question.asked is Asked.EVENTS:
        answer = await _tried(trail, "comparison", Comparing(work).beside(work.question.anchor))
    return answer or not_known(work, [], scope.relation, scope.interval)


async def _tried(trail: Trail, name: str, way: Awaitable[Answer | None]) -> Answer | None:
    """What a way to the answer gives; it is noted."""
    with trail.stage(name) as stage:
        answer = await way
        stage.outcome = answer.outcome.value.replace("_", " ") if answer is not None else "nothing"
    return answer


def _is_loose(work: Work, answer: Answer) -> bool:
    """Whether a fact told in a text may have been over, or one of several, when it is asked for.

    Of what one thing has one of at a time, the next value ends the one before. Of clubs and employers nobody
    tells each end, and a text tells of more of them than became facts: that one began is no sign that it
    still held years later, or that it was the next one.
    """
    if answer.outcome is not Outcome.ANSWERED or not all(cited.event_id for cited in answer.citations):
        return False
    if all(work.ports.registry.policy(f.predicate).is_exclusive(f.qualifiers) for f in answer.facts):
        return False
    ends = any(fact.valid.has_open_start or fact.valid.has_open_end for fact in answer.facts)
    return ends or work.question.anchor is not None or len(answer.values) > 1


async def _read(work: Work, scope: Scope) -> Answer | None:
    """A phrase of a passage, when it stands up to the check of its evidence."""
    read = await SpanReader(work).answer(scope)
    return read if read is not None and checked(read, work.moment).outcome is Outcome.ANSWERED else None


async def _suggested(work: Work) -> list[str]:
    """Entities of the events that the question's words find, for a question that names none."""
    ranked = await EventSearch(work).ranked(work.question, None)
    ids = [entity_id for hit in ranked[:SUGGESTING_EVENTS] for entity_id in hit.record.entity_ids]
    return list(dict.fromkeys(ids))[:SUGGESTED_MAX]
