"""What a document said: passages of the revisions that were in force at the asked time, quoted.

For questions about the content of a policy or another text, where no fact and no event says it.
"""

from __future__ import annotations

import re
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.documents import EntityType
from tidegraph.domain.interval import OPEN_START, Interval
from tidegraph.ports import ChunkRecord
from tidegraph.services.usecases.answers import Answer, Outcome, cite_chunk
from tidegraph.services.usecases.event_search import search_terms
from tidegraph.services.usecases.phrasing import asked_in_words
from tidegraph.services.usecases.question import (
    Question,
    Relation,
)
from tidegraph.services.usecases.scope import Scope, window_of
from tidegraph.services.usecases.words import stem, stems_of, tables, tokens
from tidegraph.services.usecases.work import Work

CHUNKS_MAX: Final = 12
COVERAGE_MIN: Final = 0.75
SENTENCE_MIN: Final = 0.5
SENTENCES_MAX: Final = 2
SENTENCE_CHARACTERS_MAX: Final = 600
CONFIDENCE: Final = 0.5
_SENTENCE: Final = re.compile(r"\S(?:.*?[.!?](?=\s|$)|.+?(?=\n|$))", re.DOTALL)
_SAYING: Final = frozenset(
    stem(word)
    for word in (
        "say",
        "said",
        "state",
        "require",
        "provide",
        "policy",
        "document",
        "rule",
        "define",
        "describe",
    )
)

_TELLING: Final = frozenset(
    stem(word)
    for word in ("say", "said", "require", "prescribe", "define", "describe", "stipulate", "permit")
)
"""Words of questions for what a text says: "What does the policy say about ..."."""


class PassageFinder:
    """Answers one question from chunks."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def answer(self, scope: Scope) -> Answer | None:
        """The best passage that covers the question, or None; a question for a name is not one of them."""
        work, question = self._work, self._work.question
        terms = search_terms(question)
        wanted = _wanted(question)
        of_content = question.asked is Asked.WHAT and question.answer_type is EntityType.UNSPECIFIED
        if not of_content or not terms or not wanted:
            return None
        window = window_of(scope.relation, scope.interval) or work.moment.valid
        hits = await work.ports.store.search_text(
            work.moment.graph, "chunk", terms, work.moment.seen, window, CHUNKS_MAX
        )
        ids = [hit.id for hit in hits]
        records = await work.ports.store.chunks(work.moment.graph, ids, work.moment.seen)
        if scope.given:  # a text without a date says nothing of a given time
            records = [record for record in records if record.document_time != OPEN_START]
        order = {chunk_id: place for place, chunk_id in enumerate(ids)}
        scored = [(_coverage(wanted, record), -order[record.chunk.chunk_id], record) for record in records]
        best = max(scored, key=lambda item: item[:2], default=None)
        if best is None or best[0] < COVERAGE_MIN:
            return None
        return self._told(best[2], wanted, scope.relation, window)

    def _told(
        self, record: ChunkRecord, wanted: frozenset[str], relation: Relation, window: Interval
    ) -> Answer | None:
        passages = _best_sentences(record, wanted)
        if not passages:
            return None
        citations = tuple(
            cite_chunk(str(index + 1), record, sentence, start, end)
            for index, (sentence, start, end) in enumerate(passages)
        )
        quoted = " ".join(f"{cited.sentence} [{cited.label}]" for cited in citations)
        title = record.chunk.title or record.document_id
        self._work.step("scope", f"revisions in force in {asked_in_words(window)}")
        self._work.step("evidence", f"passage of {title}, revision {record.revision}")
        return Answer(
            outcome=Outcome.ANSWERED,
            values=tuple(cited.sentence for cited in citations),
            text=f"{title} says: {quoted}",
            transition="",
            steps=tuple(self._work.steps),
            citations=citations,
            facts=(),
            events=(),
            relation=relation,
            asked=window,
            confidence=CONFIDENCE,
        )


def asks_content(question: Question) -> bool:
    """Whether a question asks what a text says, not for a value that it names."""
    said = (token.lower for token in tokens(question.masked))
    return any(stem(word) in _TELLING for word in said)


def _wanted(question: Question) -> frozenset[str]:
    """Stems of the question's content; the names in it stand in the title or text as well."""
    words = [word for word in question.words if word not in tables().answer_nouns]
    return frozenset(stem(word) for word in words) - _SAYING


def _coverage(wanted: frozenset[str], record: ChunkRecord) -> float:
    """Share of the wanted stems in the title and the text."""
    held = stems_of(record.chunk.title) | stems_of(record.chunk.text)
    return len(wanted & held) / len(wanted)


def _best_sentences(record: ChunkRecord, wanted: frozenset[str]) -> list[tuple[str, int, int]]:
    """The sentences with most of the wanted words, in the order of the text, with their characters."""
    about = wanted - stems_of(record.chunk.title) or wanted  # the title names the text, not its content
    scored = []
    for match in _SENTENCE.finditer(record.chunk.text):
        text = " ".join(match.group().split())[:SENTENCE_CHARACTERS_MAX]
        share = len(about & stems_of(text)) / len(about)
        if share and len(text) > 3:
            start = record.chunk.start_char + match.start()
            scored.append((share, -match.start(), text, start, start + len(match.group())))
    if not scored:
        return []
    best = max(share for share, *_ in scored)
    chosen = sorted(scored, reverse=True)[:SENTENCES_MAX]
    kept = [row for row in chosen if row[0] >= max(best * 0.8, SENTENCE_MIN)]
    return [(text, start, end) for _, _, text, start, end in sorted(kept, key=lambda row: row[3])]
