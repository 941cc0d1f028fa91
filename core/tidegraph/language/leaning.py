"""Sentences that cannot stand alone: what they speak of is told in the sentence before.

"They enrolled at a private school", "This overture was branded formalist": with a sentence of the same time
before them they make one event (DyG-RAG section 3.3: tightly related actions that share an anchor are
aggregated); otherwise the title tells at least what the document is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain.documents import Chunk, Event, TimeState
from tidegraph.language.chunking import chunk_ids_at
from tidegraph.language.coreference import PRONOUNS, Resolution
from tidegraph.language.tree import Sentence, Token

_DEMONSTRATIVES: Final = frozenset({"this", "these", "those", "that", "such"})
_ALONE: Final = frozenset({"most", "some", "both", "others", "many", "here", "there", "another", "each"})
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})
_MAX_MERGED_CHARS: Final = 520
_NARRATIVE: Final = "narrative."


def leans(sentence: Sentence, resolution: Resolution) -> bool:
    """Whether a pronoun or a demonstrative of the sentence has its referent outside."""
    for token in sentence.tokens:
        if token.lower in PRONOUNS and id(token) in resolution.unclear:
            return True
        if token.lower in _DEMONSTRATIVES and token.tag == "DT" and _points_back(token):
            return True
        opening = token.dep == "advmod" and token.lower == "here" and token is sentence.tokens[0]
        if token.lower in _ALONE and token.name is None and (opening or token.dep in _SUBJECTS):
            return not any(c.lower == "of" for c in token.children)
    return False


def _points_back(token: Token) -> bool:
    if token.time is not None or token.head.time is not None:
        return False
    if token.dep == "det":
        return token.head.dep in {*_SUBJECTS, "pobj", "dobj", "attr"} and not any(
            c.dep in {"relcl", "acl"} for c in token.head.children
        )
    return token.dep in {*_SUBJECTS, "pobj", "dobj"}


def is_vague(sentence: Sentence, resolution: Resolution) -> bool:
    """Whether the subject is a noun with "the" that nothing in the sentence tells apart: "The boat"."""
    for token in sentence.tokens:
        if token.dep in _SUBJECTS and token.tag in {"NN", "NNS"} and resolution.of(token) is None:
            definite = any(c.dep == "det" and c.lower == "the" for c in token.children)
            return definite and not any(t.name is not None for t in token.subtree())
    return False


def merged(before: Event, after: Sequence[Event], chunks: Sequence[Chunk]) -> Event | None:
    """The two events of neighbouring sentences as one, or None where their times or statuses part them."""
    if len(after) != 1 or after[0].status is not before.status:
        return None
    event = after[0]
    if len(before.sentence) + len(event.sentence) > _MAX_MERGED_CHARS:
        return None
    own = event.time_state is TimeState.DATED and not event.time_rule_id.startswith(_NARRATIVE)
    timed = before.time_state is TimeState.DATED and not before.time_rule_id.startswith(_NARRATIVE)
    if own and timed and event.interval != before.interval:
        return None
    source = event if own or (not timed and before.time_state is TimeState.STATIC) else before
    return replace(
        before,
        sentence=f"{before.sentence} {event.sentence}",
        end_char=event.end_char,
        chunk_ids=chunk_ids_at(chunks, before.start_char, event.end_char),
        time_state=source.time_state,
        interval=source.interval,
        time_rule_id=source.time_rule_id,
        mention_ids=tuple(dict.fromkeys((*before.mention_ids, *event.mention_ids))),
        score=max(before.score, event.score),
        reasons=tuple(dict.fromkeys((*before.reasons, *event.reasons))),
    )
