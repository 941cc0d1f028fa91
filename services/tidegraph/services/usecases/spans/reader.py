"""The built-in reasoner over what texts say: the shortest phrase that answers, with its time and source.

It reads the best passages of what was retrieved: phrases that may be a value of what is asked, the time that
each goes with, the chain that the likely values make in time, and in it the value that holds when it is
asked for. A value holds from its start until a later one takes its place (persistence). Where it is much
likelier that the texts do not say it than that the best value is right it does not answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.ports import EventRecord
from tidegraph.services.usecases.answers import Answer, Cited, Outcome, cite_chunk, cite_event
from tidegraph.services.usecases.compose import scope_in_words
from tidegraph.services.usecases.parts_used import Part
from tidegraph.services.usecases.passages import asks_content
from tidegraph.services.usecases.phrasing import date_in_words
from tidegraph.services.usecases.question import Relation
from tidegraph.services.usecases.retrieve import retrieve
from tidegraph.services.usecases.scope import Scope, window_of
from tidegraph.services.usecases.spans.decision import Choice, Decision, decide, decide_beside, likeliest
from tidegraph.services.usecases.spans.intent import intent_of
from tidegraph.services.usecases.spans.model import load_model
from tidegraph.services.usecases.spans.pool import Passage, Pool, pool
from tidegraph.services.usecases.spans.times import Turn, told_span
from tidegraph.services.usecases.work import Work

HITS: Final = 60
ANSWERS_MAX: Final = 3
ALSO_SHARE: Final = 0.9
ANSWER_WORDS_MAX: Final = 12
READS: Final = (Asked.WHO, Asked.WHAT, Asked.WHERE, Asked.ROLE)


class SpanReader:
    """Answers one question from passages."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._question = work.question
        self._intent = intent_of(work.question)

    async def answer(self, scope: Scope) -> Answer | None:
        """The answer; NOT_KNOWN when passages speak of it but not surely of then; None when it is not of a
        kind that is read off a passage, or nothing was found.
        """
        question = self._question
        anchored = question.anchor is not None
        if question.asked not in READS or question.neighbour_of is not None or asks_content(question):
            return None
        window = window_of(scope.relation, scope.interval) if scope.given else None
        if window is None and not anchored:
            return None
        found = await retrieve(self._work, scope, HITS)
        candidates = await pool(self._work, self._intent, found)
        decision = self._decide(candidates, window)
        if decision is None or decision.is_silent:
            return None
        return self._told(candidates, decision, scope, window)

    def _decide(self, candidates: Pool, window: Interval | None) -> Decision | None:
        model, left_out = load_model(), self._work.without
        anchor = self._question.anchor
        if Part.COT in left_out:
            return likeliest(model, candidates.candidates, candidates.rows)
        if anchor is None:
            assert window is not None
            kept = [i for i, own in enumerate(candidates.asked) if not own]
            return decide(
                model,
                [candidates.candidates[i] for i in kept],
                [candidates.rows[i] for i in kept],
                window,
                candidates.facts,
                chain=Part.TIMELINE not in left_out,
            )
        if anchor.relation not in (Relation.BEFORE, Relation.AFTER):
            return None
        named = [i for i, own in enumerate(candidates.asked) if own]
        return decide_beside(
            model, candidates.candidates, candidates.rows, named, after=anchor.relation is Relation.AFTER
        )

    def _told(self, candidates: Pool, decision: Decision, scope: Scope, window: Interval | None) -> Answer:
        work = self._work
        chosen = _chosen(decision)
        work.step("scope", scope_in_words(scope.relation, scope.interval))
        work.step("evidence", f"{len(candidates.candidates)} phrases of {len(candidates.passages)} passages")
        work.step("order", _chain(decision.turns) or "no value has a date")
        values = tuple(dict.fromkeys(_clean(choice.candidate.phrase.text) for choice in chosen))
        cited = [self._cited(str(i), candidates, choice) for i, choice in enumerate(chosen, start=1)]
        since = window.start if window is not None else OPEN_START
        held = [_held(choice, decision.turns, since) for choice in chosen]
        transition = _turns_told(chosen[0], decision.turns, since)
        work.step("persistence", transition or "nothing ends it")
        said = "; ".join(f"{value} [{one.label}]" for value, one in zip(values, cited, strict=False))
        quoted = " ".join(dict.fromkeys(f"\u201c{' '.join(one.sentence.split())}\u201d" for one in cited))
        events = tuple(candidates.events[one.event_id] for one in cited if one.event_id in candidates.events)
        return Answer(
            outcome=Outcome.ANSWERED,
            values=values,
            text=f"{said}: {quoted}",
            transition=transition,
            steps=tuple(work.steps),
            citations=tuple(cited[: len(values)]),
            facts=(),
            events=events,
            relation=scope.relation if window is not None else Relation.NONE,
            asked=scope.interval if window is not None else None,
            confidence=round(decision.confidence, 3),
            holds=tuple(held),
        )

    def _cited(self, label: str, candidates: Pool, choice: Choice) -> Cited:
        """The event that holds the phrase, the one of its time first; else the passage."""
        passage = candidates.passages[choice.candidate.passage]
        first, last = _characters(passage, choice)
        place = choice.candidate.place
        holding = [
            record
            for record in candidates.events.values()
            if record.document_id == passage.record.document_id
            and record.event.start_char <= first
            and last <= record.event.end_char
        ]
        if holding:
            return cite_event(label, min(holding, key=lambda record: _fit(record, place.start, place.end)))
        sentence = passage.segmented.sentences[choice.candidate.phrase.sentence]
        start, end = (
            passage.segmented.words[sentence.first].start,
            passage.segmented.words[sentence.last - 1].end,
        )
        at = passage.record.chunk.start_char
        return cite_chunk(label, passage.record, passage.segmented.text[start:end], at + start, at + end)


def _chosen(decision: Decision) -> tuple[Choice, ...]:
    """The best value, and others that the evidence does not tell from it: as many as an answer holds."""
    first = decision.choices[0]
    others = [
        choice for choice in decision.choices[1:ANSWERS_MAX] if choice.share >= ALSO_SHARE * first.share
    ]
    words = len(first.candidate.phrase.text.split())
    kept = [first]
    for choice in others:
        words += len(choice.candidate.phrase.text.split())
        if words <= ANSWER_WORDS_MAX:
            kept.append(choice)
    return tuple(kept)


def _clean(text: str) -> str:
    """A phrase without the blanks that a tokenised text has before its marks."""
    for mark in (",", ".", ")", "'", ":"):
        text = text.replace(f" {mark}", mark)
    return text.replace("( ", "(")


def _characters(passage: Passage, choice: Choice) -> tuple[int, int]:
    """The characters of a phrase in its document."""
    words, phrase = passage.segmented.words, choice.candidate.phrase
    at = passage.record.chunk.start_char
    return at + words[phrase.first].start, at + words[phrase.last - 1].end


def _fit(record: EventRecord, start: int, end: int) -> tuple[bool, str]:
    interval = record.event.interval
    return (interval is None or (interval.start, interval.end) != (start, end), record.event.event_id)


def _held(choice: Choice, turns: Sequence[Turn], since: int) -> Interval:
    """From the start of a value until its told end, or until a later value takes its place.

    Args:
        since: begin of the asked time. That the value was chosen says that what began before did not end it.
    """
    place, value = choice.candidate.place, choice.candidate.value
    span = told_span(place)
    if not span.has_open_end or place.start == OPEN_START:
        return span
    later = [
        turn.start
        for turn in turns
        if turn.value != value and turn.start >= max(place.end, place.start) and turn.start > since
    ]
    return Interval(place.start, min(later, default=OPEN_END))


def _chain(turns: Sequence[Turn]) -> str:
    told = (f"{date_in_words(turn.start, Granularity.DAY)}: {_clean(turn.text)}" for turn in turns[:8])
    return "; ".join(told)


def _turns_told(choice: Choice, turns: Sequence[Turn], since: int) -> str:
    """ "until D: A; since D: B": the turn that the value rests on, and the one that ends it."""
    place, value = choice.candidate.place, choice.candidate.value
    if place.start == OPEN_START:
        return ""
    before = [turn for turn in turns if turn.start < place.start and turn.value != value]
    after = [turn for turn in turns if turn.start > max(place.start, since) and turn.value != value]
    begun = date_in_words(place.start, Granularity.DAY)
    name = _clean(choice.candidate.phrase.text)
    parts = [f"until {begun}: {_clean(before[-1].text)}"] if before else []
    if after:
        parts.append(f"from {begun} until {date_in_words(after[0].start, Granularity.DAY)}: {name}")
    else:
        parts.append(f"since {begun}: {name}")
    return "; ".join(parts)
