"""The built-in reasoner: Time-CoT executed over believed facts, without a language model.

The same steps as the template for a language model (design section 11): scope, evidence in scope, order,
persistence, class-specific step. ``None`` means that no fact speaks of what is asked; the reasoner over
events may still know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.naming import normalise
from tidegraph.domain.policies import OnStart
from tidegraph.services.usecases import compose
from tidegraph.services.usecases.anchors import AnchorFinder, Located
from tidegraph.services.usecases.answers import Answer
from tidegraph.services.usecases.matching import Match, Matcher, Slot
from tidegraph.services.usecases.question import (
    Order,
    Relation,
)
from tidegraph.services.usecases.scope import Scope, window_of
from tidegraph.services.usecases.selection import begun, between, neighbours, select, surest
from tidegraph.services.usecases.spans.intent import kind_nouns
from tidegraph.services.usecases.throughout import throughout
from tidegraph.services.usecases.words import tables
from tidegraph.services.usecases.work import Work, coalesced, valid_of

TIMES: Final = (Asked.WHEN, Asked.START, Asked.END)


class FactReasoner:
    """Answers one question from the facts about its entities."""

    def __init__(self, work: Work, scope: Scope) -> None:
        self._work = work
        self._question = work.question
        self._scope = scope
        self.vacant = False
        """Whether facts of an exclusive kind say that none of them held then."""

    async def answer(self, extra_ids: Sequence[str] = ()) -> Answer | None:
        """The answer, or None when no fact matches. ``extra_ids``: entities that the text search suggests."""
        question = self._question
        if question.asked is Asked.EVENTS:
            return None
        facts = await self._work.facts_of([*question.entity_ids, *extra_ids])
        if question.neighbour_of is not None:
            return await self._neighbour(facts)
        matches = self._match(facts, self._anchor_ids - frozenset(question.entity_ids))
        if question.anchor is not None:
            return await self._anchored(matches, self._anchor_ids)
        return await self._dated(matches, self._scope)

    @property
    def _anchor_ids(self) -> frozenset[str]:
        anchor = self._question.anchor
        return frozenset(anchor.clause.entity_ids) if anchor else frozenset()

    async def located(self) -> Located | None:
        """What the question's clause of time speaks of, as its answer would take it; None without one."""
        question, matches = self._question, list[Match]()
        if question.anchor is None:
            return None
        if question.asked is not Asked.EVENTS:
            facts = await self._work.facts_of(question.entity_ids)
            matches = self._match(facts, self._anchor_ids - frozenset(question.entity_ids))
        return await AnchorFinder(self._work).find(question.anchor, matches, self._anchor_ids)

    def _match(self, facts: Sequence[FactVersion], ignored: frozenset[str]) -> list[Match]:
        matcher = Matcher(self._question, self._work.ports.registry, self._work.names, ignored)
        return [match for match in matcher.matches(facts) if not self._says_only_a_kind(match)]

    def _says_only_a_kind(self, match: Match) -> bool:
        """Whether what the fact answers is no name: "a club", "the party"."""
        fact = match.fact
        if match.slot not in (Slot.SUBJECT, Slot.OBJECT):
            return False
        name = self._work.name(fact.subject)
        if match.slot is Slot.OBJECT:
            name = self._work.name(fact.object) if fact.object_is_entity else fact.object
        return normalise(name) in kind_nouns() | tables().answer_nouns

    async def _dated(self, matches: list[Match], scope: Scope) -> Answer | None:
        """Answer from matching facts under a settled scope."""
        if not matches:
            return None
        work, asked = self._work, self._question.asked
        work.step("scope", compose.scope_in_words(scope.relation, scope.interval))
        facts = coalesced([match.fact for match in matches])
        slot = max(matches, key=lambda match: match.score).slot
        work.step("evidence", f"{len(facts)} believed facts speak of what is asked")
        if asked in TIMES or asked is Asked.DURATION:
            return await self._times(facts, scope)
        chosen = self._select(facts, scope)
        self._note_order(chosen)
        if self._question.whole and asked is not Asked.COUNT:
            return await throughout(work, chosen, facts, slot, scope)
        if asked is Asked.TRUTH:
            return await compose.truth(work, chosen, facts, scope.relation, scope.interval)
        if not chosen:
            self.vacant = self._is_vacant(facts, scope)
            return compose.not_known(work, facts, scope.relation, scope.interval)
        if asked is Asked.COUNT:
            return await compose.count(work, chosen, slot, scope.relation, scope.interval)
        return await compose.values(work, chosen, facts, slot, scope.relation, scope.interval)

    def _is_vacant(self, facts: Sequence[FactVersion], scope: Scope) -> bool:
        registry, asked = self._work.ports.registry, scope.interval
        exclusive = all(registry.policy(f.predicate).is_exclusive(f.qualifiers) for f in facts)
        return asked is not None and exclusive and compose.excluded(facts, asked)

    def _select(self, facts: Sequence[FactVersion], scope: Scope) -> list[FactVersion]:
        happens = facts and all(self._happens(fact) for fact in facts)
        every = self._question.plural or bool(happens) or self._question.asked is Asked.COUNT
        chosen = select(facts, valid_of, scope.relation, scope.interval, self._question.order, every)
        chosen = between(self._so_far(chosen, scope), self._question.bounds)
        window = window_of(scope.relation, scope.interval)
        return surest(chosen, window) if scope.given and window is not None else chosen

    def _so_far(self, chosen: list[FactVersion], scope: Scope) -> list[FactVersion]:
        """What a change over time, or something without a break, is told by: what is only announced does not
        count, unless a time to come is asked about.
        """
        present = self._work.moment.present
        to_come = scope.given and scope.interval is not None and scope.interval.end - 1 > present
        if to_come and scope.relation is not Relation.SINCE:
            return chosen
        return begun(chosen, present) if self._question.evolves or self._question.whole else chosen

    def _happens(self, fact: FactVersion) -> bool:
        return self._work.ports.registry.policy(fact.predicate).on_start is OnStart.HAPPENS

    async def _times(self, facts: list[FactVersion], scope: Scope) -> Answer | None:
        """When, or how long: all periods, or those that the question's own time picks."""
        chosen = facts
        if scope.given and scope.interval is not None:
            chosen = select(facts, valid_of, scope.relation, scope.interval, self._question.order, True)
        elif self._question.order is not Order.NONE:
            chosen = select(facts, valid_of, Relation.NONE, None, self._question.order, True)
        if not chosen:
            return compose.not_known(self._work, facts, scope.relation, scope.interval)
        self._note_order(chosen)
        if self._question.asked is Asked.DURATION:
            clip = window_of(scope.relation, scope.interval) if scope.given else None
            return await compose.duration(self._work, chosen, self._question.unit, clip)
        return await compose.times(self._work, chosen, self._question.asked)

    def _note_order(self, chosen: Sequence[FactVersion]) -> None:
        told = "; ".join(compose.line(self._work, fact) for fact in chosen[:8])
        self._work.step("order", told or "no fact holds in that time")

    async def _neighbour(self, facts: list[FactVersion]) -> Answer | None:
        """Who came before or after somebody."""
        question = self._question
        assert question.neighbour_of is not None
        anchor_ids = frozenset(question.entities[question.neighbour_of].ids)
        others = replace(
            question,
            entities=tuple(e for i, e in enumerate(question.entities) if i != question.neighbour_of),
            neighbour_of=None,
        )
        anchors = self._anchor_facts(facts, anchor_ids, others.words)
        if not anchors:
            return None
        pool = await self._work.facts_under(fact.key for fact in anchors)
        if others.entities:
            matcher = Matcher(others, self._work.ports.registry, self._work.names, anchor_ids)
            wanted = {match.fact.key for match in matcher.matches(pool + facts)}
            anchors = [fact for fact in anchors if fact.key in wanted]
            pool = [fact for fact in pool if fact.key in wanted]
        slot = Slot.SUBJECT if anchors and anchors[0].subject in anchor_ids else Slot.OBJECT
        return await self._beside(anchors, pool, anchor_ids, question.order, slot)

    def _anchor_facts(
        self, facts: Sequence[FactVersion], anchor_ids: frozenset[str], words: tuple[str, ...]
    ) -> list[FactVersion]:
        """Facts of the anchor that fit the question's words, in exclusive slots where there are any."""
        question = self._question
        about = replace(
            question,
            asked=Asked.TRUTH,
            entities=tuple(e for e in question.entities if set(e.ids) & anchor_ids),
            words=words,
        )
        own = [fact for fact in facts if fact.subject in anchor_ids or fact.object in anchor_ids]
        found = [m.fact for m in Matcher(about, self._work.ports.registry, self._work.names).matches(own)]
        registry = self._work.ports.registry
        exclusive = [f for f in found if registry.policy(f.predicate).is_exclusive(f.qualifiers)]
        return exclusive or found

    async def _beside(
        self,
        anchors: Sequence[FactVersion],
        pool: Sequence[FactVersion],
        anchor_ids: frozenset[str],
        order: Order,
        slot: Slot,
    ) -> Answer | None:
        """The values next to those of the anchors. Two positions at one place are two values."""
        if not anchors:
            return None
        work = self._work
        work.step("anchor", "; ".join(compose.line(work, fact) for fact in coalesced(anchors)[:4]))
        others = coalesced(pool)
        if slot is Slot.ROLE:
            held = {compose.value_of(work, fact, slot) for fact in anchors}
            others = [f for f in others if compose.value_of(work, f, slot) not in held]
        else:
            others = [f for f in others if f.subject not in anchor_ids and f.object not in anchor_ids]
        chosen = neighbours(others, valid_of, coalesced(anchors), order)
        self._note_order(chosen)
        if not chosen:
            return compose.not_known(work, list(anchors), Relation.NONE, None)
        return await compose.values(work, chosen, [*others, *anchors], slot, Relation.NONE, None)

    async def _anchored(self, matches: list[Match], anchor_ids: frozenset[str]) -> Answer | None:
        """Answer under a time that a clause sets."""
        question = self._question
        anchor = question.anchor
        assert anchor is not None
        located = await AnchorFinder(self._work).find(anchor, matches, anchor_ids)
        if located is None:
            return None
        self._work.step("anchor", located.text)
        if located.facts:
            order = Order.PREVIOUS if anchor.relation is Relation.BEFORE else Order.NEXT
            return await self._beside_matches(located, matches, anchor_ids, order)
        scope = Scope(located.relation, located.interval, given=True)
        if question.asked is Asked.DURATION and anchor.relation is Relation.SINCE:
            scope = Scope(Relation.IN, Interval(located.interval.start, OPEN_END), given=True)
        return await self._dated(matches, scope)

    async def _beside_matches(
        self, located: Located, matches: list[Match], anchor_ids: frozenset[str], order: Order
    ) -> Answer | None:
        """The anchor is itself a value of what is asked: its neighbour among the others."""
        facts = [match.fact for match in matches]
        if not self._question.plural:
            slot = max(matches, key=lambda match: match.score).slot
            return await self._beside(located.facts, facts, anchor_ids, order, slot)
        relation = Relation.BEFORE if order is Order.PREVIOUS else Relation.AFTER
        others = [m for m in matches if m.fact not in located.facts]
        return await self._dated(others, Scope(relation, located.interval, given=True))
