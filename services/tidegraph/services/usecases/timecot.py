"""Time-CoT with a language model: the evidence as a numbered timeline, the template, the cited answer."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.interval import Granularity, Interval
from tidegraph.domain.timeline import TimelineLine, time_text
from tidegraph.models.prompts import load_prompt, load_steps
from tidegraph.ports import ChatModel, ChunkRecord
from tidegraph.services.usecases.answers import Answer, Cited, Outcome, cite_chunk, cite_event, cite_facts
from tidegraph.services.usecases.phrasing import asked_in_words, date_in_words
from tidegraph.services.usecases.question import Relation
from tidegraph.services.usecases.scope import window_of
from tidegraph.services.usecases.timelines import TimelineFound
from tidegraph.services.usecases.told_times import holds_of
from tidegraph.services.usecases.work import Work

PROMPT: Final = "time_cot.v1"
STEPS: Final = "time_cot_steps.v1"
ROWS_MAX: Final = 60
PASSAGES_MAX: Final = 3
PASSAGE_CHARACTERS_MAX: Final = 1_500
ANSWER: Final = "Answer:"
NOT_KNOWN: Final = "NOT KNOWN"
CONFIDENCE: Final = 0.6
_LABEL: Final = re.compile(r"\[(\d{1,3})\]")
_FENCE: Final = re.compile(r"</?\s*evidence\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Row:
    """One numbered row of evidence."""

    label: str
    text: str
    fact_id: str = ""
    event_id: str = ""
    chunk: ChunkRecord | None = None


class TimeCot:
    """One question put to a language model."""

    def __init__(self, work: Work, chat: ChatModel, found: TimelineFound, passages: Sequence[ChunkRecord]):
        self._work = work
        self._chat = chat
        self._found = found
        self._rows = _rows(found, passages)
        self._parts: list[str] = []

    @property
    def retrieved_ids(self) -> set[str]:
        """Ids of all evidence that the model was shown."""
        ids = {row.fact_id for row in self._rows} | {row.event_id for row in self._rows}
        return (ids | {row.chunk.chunk.chunk_id for row in self._rows if row.chunk}) - {""}

    async def stream(self, relation: Relation, asked: Interval | None) -> AsyncIterator[str]:
        """Pieces of the model's text as they come. The errors are those of the chat port."""
        prompt, steps = load_prompt(PROMPT), load_steps(STEPS)
        question = self._work.question
        step = steps.get(question.question_class, steps["existential"])
        when = "any time" if asked is None else f"{relation.value} {asked_in_words(asked)}"
        user = prompt.user.format(
            question=_fenced(question.text),
            asked=when,
            known=date_in_words(self._work.moment.known_at, Granularity.DAY),
            evidence="\n".join(f"[{row.label}] {row.text}" for row in self._rows),
        )
        system = prompt.system.replace("{class_step}", step)
        limits = self._work.ports.chat_limits
        async for piece in self._chat.stream(system, user, limits.max_tokens, limits.timeout_seconds):
            self._parts.append(piece)
            yield piece

    async def answer(self, relation: Relation, asked: Interval | None) -> Answer:
        """The answer in the model's text, with the citations that it names."""
        text = "".join(self._parts).strip()
        steps_text, marker, said = text.rpartition(ANSWER)
        said = " ".join(said.split()) if marker else ""
        steps = tuple(line.strip() for line in steps_text.splitlines() if line.strip())
        known = date_in_words(self._work.moment.known_at, Granularity.DAY)
        if not marker or not said or NOT_KNOWN in said.upper():
            message = f"Not known as of {known}: the evidence does not answer this."
            return _ended(Outcome.NOT_KNOWN, message, steps)
        labels = list(dict.fromkeys(_LABEL.findall(said)))
        rows = [row for row in self._rows if row.label in labels]
        facts = tuple(self._found.facts[row.fact_id] for row in rows if row.fact_id)
        events = tuple(self._found.events[row.event_id] for row in rows if row.event_id)
        citations = await self._cite(rows)
        value = _LABEL.sub("", said).strip(" .")
        passages = [row.chunk for row in rows if row.chunk is not None]
        window = window_of(relation, asked)
        holds: tuple[Interval, ...] = ()
        if passages and window is not None and not facts and not events:
            holds = await holds_of(self._work, passages, value, window)
        ended = _ended(Outcome.ANSWERED, said, steps)
        return replace(
            ended,
            values=(re.sub(r"\s+([.,;])", r"\1", value),),
            citations=tuple(citations),
            facts=facts,
            events=events,
            relation=relation if facts or events or holds else Relation.NONE,
            holds=holds,
            asked=asked,
            confidence=CONFIDENCE,
        )

    async def _cite(self, rows: Sequence[Row]) -> list[Cited]:
        found: list[Cited] = []
        for row in rows:
            if row.chunk is not None:
                chunk = row.chunk.chunk
                cited = cite_chunk(row.label, row.chunk, row.text, chunk.start_char, chunk.end_char)
                found.append(cited)
            elif row.event_id:
                found.append(cite_event(row.label, self._found.events[row.event_id]))
            else:
                fact = self._found.facts[row.fact_id]
                evidence = await cite_facts(self._work.ports, self._work.moment, [fact], self._work.names)
                found += [replace(cited, label=row.label) for cited in evidence]
        return found


def _rows(found: TimelineFound, passages: Sequence[ChunkRecord]) -> list[Row]:
    timeline = found.timeline
    rows: list[Row] = []
    for line in (*timeline.facts, *timeline.static, *timeline.dated):
        label = str(len(rows) + 1)
        fact_id, event_id = (line.item.id, "") if line.item.is_fact else ("", line.item.id)
        rows.append(Row(label, _row_text(line), fact_id, event_id))
    rows = rows[:ROWS_MAX]
    for record in passages[:PASSAGES_MAX]:
        text = " ".join(record.chunk.text.split())[:PASSAGE_CHARACTERS_MAX]
        label = str(len(rows) + 1)
        rows.append(Row(label, _fenced(f"passage of {record.chunk.title}: {text}"), chunk=record))
    return rows


def _row_text(line: TimelineLine) -> str:
    kind = "fact" if line.item.is_fact else "event"
    return _fenced(f"{kind}, {time_text(line.item)}: {' '.join(line.item.text.split())}")


def _fenced(text: str) -> str:
    """Untrusted text without the marks that close its fence."""
    return _FENCE.sub(" ", text)


def _ended(outcome: Outcome, text: str, steps: tuple[str, ...]) -> Answer:
    return Answer(
        outcome=outcome,
        values=(),
        text=text,
        transition="",
        steps=steps,
        citations=(),
        facts=(),
        events=(),
        relation=Relation.NONE,
        asked=None,
        confidence=0.0,
    )
