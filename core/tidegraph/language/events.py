"""Dynamic event units: self-contained sentences with a time and a score (DyG-RAG section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.documents import Status, TimeState
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.language.blocks import BlockKind
from tidegraph.language.clauses import Clause
from tidegraph.language.coreference import PRONOUNS, Resolution, Thing
from tidegraph.language.event_times import Part, parts
from tidegraph.language.passages import Passage
from tidegraph.language.times import TimeContext
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

_STATIVE: Final = frozenset(
    {
        "be",
        "have",
        "seem",
        "appear",
        "mean",
        "contain",
        "consist",
        "include",
        "know",
        "like",
        "need",
        "want",
        "believe",
        "think",
        "concern",
        "refer",
        "depend",
        "exist",
    }
)
_QUANTITY: Final = re.compile(
    r"[$€£¥%]|\b(?:percent|per cent|million|billion|thousand|hundred|dozen)\b", re.IGNORECASE
)
_POSSESSIVE: Final = frozenset({"his", "her", "its", "their"})
_FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
_APPARATUS: Final = words("tables", "apparatus_headings")
_MAX_FRAGMENT: Final = 6
_MAX_SENTENCE_CHARS: Final = 1_200


@dataclass(slots=True)
class Draft:
    """An event before its id: the sentence made to stand alone, its span, its time, its score."""

    sentence: str
    start: int
    end: int
    state: TimeState
    interval: Interval | None
    rule: str
    things: list[Thing]
    reasons: list[str]
    status: Status
    subject: Thing | None = None
    spans: list[tuple[int, int]] = field(default_factory=list)


def drafts(
    sentence: Sentence,
    passage: Passage,
    resolution: Resolution,
    clauses: Sequence[Clause],
    context: TimeContext,
    status: Status,
) -> list[Draft]:
    """The events of a sentence: one, or one for each of its times when it tells of several."""
    if passage.block.kind is BlockKind.HEADING and not any(c.lemma for c in clauses):
        return []
    if _is_fragment(sentence, passage, clauses):
        return []
    verbless = not any(c.lemma for c in clauses) or (
        passage.block.kind is BlockKind.ITEM
        and not any(t.dep in {"nsubj", "nsubjpass", "csubj"} for t in sentence.tokens)
    )
    found = []
    for part in parts(sentence, context, verbless=verbless):
        draft = _draft(part, sentence, passage, resolution, clauses, verbless=verbless)
        if score(draft.reasons) >= 1:
            draft.status = status
            found.append(draft)
    return found


def _draft(
    part: Part,
    sentence: Sentence,
    passage: Passage,
    resolution: Resolution,
    clauses: Sequence[Clause],
    *,
    verbless: bool,
) -> Draft:
    things = _things(part.tokens, resolution)
    text, unclear = _standing_alone(part.tokens, resolution)
    reasons = _reasons(part.tokens, things, clauses)
    if unclear:
        reasons.append("unclear_reference")
    interval = part.interval
    fine = interval is not None and interval.granularity <= Granularity.MONTH
    if fine and interval is not None and interval.granularity is not Granularity.UNKNOWN:
        reasons.append("month_or_finer")
    subject = next(
        (thing for t in part.tokens if t.dep in {"nsubj", "nsubjpass"} and (thing := resolution.of(t))), None
    )
    whole = len(part.own) == len(sentence.tokens)
    start, end = (sentence.start, sentence.end) if whole else (part.own[0].start, part.own[-1].end)
    return Draft(
        _with_context(text, passage, things, verbless=verbless),
        start,
        end,
        part.state,
        interval,
        part.rule,
        things,
        reasons,
        Status.ASSERTED,
        subject,
        [(start, end)],
    )


def _is_fragment(sentence: Sentence, passage: Passage, clauses: Sequence[Clause]) -> bool:
    """A reference; or a few words without verb, time or number in running text: the rest of a table."""
    if (
        passage.headings
        and passage.headings[-1].casefold() in _APPARATUS
        and not any(t.tag in _FINITE for t in sentence.tokens if t.name is None)
    ):
        return True
    if sentence.tokens[-1].text == ":" and sentence is passage.sentences[-1] and passage.leads:
        # The items below it are told under it.
        return True
    if sentence.tokens[-1].text == ":" and sentence is passage.sentences[-1]:
        # What it announces stands in a table or a list of its own.
        return not any(t.time is not None for t in sentence.tokens)
    if len(sentence.tokens) == 1 and passage.block.kind is BlockKind.PARAGRAPH:
        return True
    if any(c.lemma for c in clauses) or passage.block.kind not in {BlockKind.PARAGRAPH, BlockKind.ITEM}:
        return False
    tokens = [t for t in sentence.tokens if t.text[:1].isalnum()]
    if any(t.text == "=" for t in sentence.tokens[:3]):
        return True
    if passage.block.kind is BlockKind.ITEM:
        return False
    return len(tokens) <= _MAX_FRAGMENT and not any(t.time is not None or t.tag == "CD" for t in tokens)


def score(reasons: Sequence[str]) -> int:
    """One point each for an entity, a change, a result, a date of month precision."""
    return sum(r in {"entity", "eventive", "quantity", "month_or_finer"} for r in reasons)


def _things(tokens: Sequence[Token], resolution: Resolution) -> list[Thing]:
    found: list[Thing] = []
    for token in tokens:
        thing = resolution.of(token)
        if thing is not None and thing not in found:
            found.append(thing)
    return found


def _reasons(tokens: Sequence[Token], things: Sequence[Thing], clauses: Sequence[Clause]) -> list[str]:
    reasons = []
    if things:
        reasons.append("entity")
    inside = {id(t) for t in tokens}
    if any(
        c.lemma and c.verb.pos == "VERB" and c.lemma not in _STATIVE and id(c.verb) in inside for c in clauses
    ):
        reasons.append("eventive")
    if any(t.tag == "CD" and t.time is None for t in tokens) or any(
        _QUANTITY.search(t.text) for t in tokens if t.name is None
    ):
        reasons.append("quantity")
    return reasons


def _standing_alone(tokens: Sequence[Token], resolution: Resolution) -> tuple[str, bool]:
    """The sentence with pronouns and definite nouns replaced; whether some stayed unclear.

    A thing is put in once a sentence: after its name has been said, its pronouns may stay.
    """
    said: set[int] = set()
    pieces: list[str] = []
    unclear = False
    previous = tokens[0].start
    for token in tokens:
        pieces.append(" " if token.start != previous else "")
        thing = resolution.of(token)
        text = token.text
        if id(token) in resolution.unclear:
            unclear = True
        if thing is not None and id(token) in resolution.doubtful and id(thing) not in said:
            # Two may be meant: the word of the text stays.
            unclear, thing = True, None
        if thing is not None and _is_definite(token, thing):
            # "the company": the article goes with the noun.
            if id(thing) not in said and len(pieces) > 2:
                pieces[-3:-1] = ["", ""]
                text = thing.name
            said.add(id(thing))
        elif thing is not None:
            if id(thing) not in said:
                text = _replacement(token, thing)
                if text != token.text and _is_said_in_part(pieces, text, token.text):
                    pieces[-2:] = []
            said.add(id(thing))
        pieces.append(text)
        previous = token.end
    joined = " ".join("".join(pieces).split())
    return joined[:_MAX_SENTENCE_CHARS], unclear


def _is_said_in_part(pieces: Sequence[str], name: str, short: str) -> bool:
    """ "di Resta", of which the second word alone was taken for the short form of "Paul di Resta"."""
    words_ = name.split()
    place = words_.index(short) if short in words_ else 0
    return place > 0 and len(pieces) > 1 and pieces[-2] == words_[place - 1]


def _is_definite(token: Token, thing: Thing) -> bool:
    """ "the company", "this team": a noun with its article that stands for something named before."""
    if token.name is not None or token.lower in PRONOUNS or token.text in thing.name:
        return False
    return any(c.dep == "det" and c.i == token.i - 1 for c in token.children)


def _replacement(token: Token, thing: Thing) -> str:
    if token.lower in PRONOUNS:
        owner = token.lower in _POSSESSIVE and token.tag == "PRP$"
        return thing.name + ("’s" if owner and not thing.name.endswith("s") else "’" if owner else "")
    short = (
        token.name is not None and len(token.name.text) < len(thing.name) and token.name.text != thing.name
    )
    return thing.name if short else token.text


def _with_context(text: str, passage: Passage, things: Sequence[Thing], *, verbless: bool) -> str:
    """A list item without a verb gets the line or section that it stands under, and the document's title;
    a headline that names nobody gets its section title."""
    section = passage.headings[-1] if passage.headings else ""
    above = passage.lead or section
    if passage.block.kind is BlockKind.ITEM and (verbless or not things):
        said = ""
        for part in (text, passage.lead, section, passage.title):
            if part and part.casefold() not in said.casefold():
                said = f"{part}: {said}" if said else part
        return said
    if things or not above:
        return text
    return text if above.casefold() in text.casefold() else f"{above}: {text}"
