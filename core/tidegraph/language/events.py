"""Dynamic event units: self-contained sentences with a time and a score (DyG-RAG section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.documents import ExpressionKind, Status, TimeExpression, TimeState
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.language.blocks import BlockKind
from tidegraph.language.clauses import Clause
from tidegraph.language.coreference import PRONOUNS, Resolution, Thing
from tidegraph.language.passages import Passage
from tidegraph.language.tenses import verb_above
from tidegraph.language.times import TimeContext, sentence_times
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
_MAX_TIMES: Final = 6
_FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
_APPARATUS: Final = words("tables", "apparatus_headings")
_SEASON: Final = re.compile(r"\b(?:spring|summer|autumn|fall|winter)s?\b", re.IGNORECASE)
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
    things = _things(sentence, resolution)
    text, unclear = _standing_alone(sentence, resolution)
    base = _reasons(sentence, things, clauses)
    verbless = not any(c.lemma for c in clauses) or (
        passage.block.kind is BlockKind.ITEM
        and not any(t.dep in {"nsubj", "nsubjpass", "csubj"} for t in sentence.tokens)
    )
    if unclear:
        base.append("unclear_reference")
    found = []
    for state, interval, rule in _event_times(sentence, context, verbless=verbless):
        reasons = list(base)
        if (
            interval is not None
            and interval.granularity <= Granularity.MONTH
            and interval.granularity is not Granularity.UNKNOWN
        ):
            reasons.append("month_or_finer")
        if score(reasons) < 1:
            continue
        subject = next(
            (
                resolution.of(t)
                for t in sentence.tokens
                if t.dep in {"nsubj", "nsubjpass"} and resolution.of(t)
            ),
            None,
        )
        found.append(
            Draft(
                _with_context(text, passage, things, verbless=verbless),
                sentence.start,
                sentence.end,
                state,
                interval,
                rule,
                things,
                reasons,
                status,
                subject,
                [(sentence.start, sentence.end)],
            )
        )
    return found


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


def _things(sentence: Sentence, resolution: Resolution) -> list[Thing]:
    found: list[Thing] = []
    for token in sentence.tokens:
        thing = resolution.of(token)
        if thing is not None and thing not in found:
            found.append(thing)
    return found


def _reasons(sentence: Sentence, things: Sequence[Thing], clauses: Sequence[Clause]) -> list[str]:
    reasons = []
    if things:
        reasons.append("entity")
    if any(c.lemma and c.verb.pos == "VERB" and c.lemma not in _STATIVE for c in clauses):
        reasons.append("eventive")
    if any(t.tag == "CD" and t.time is None for t in sentence.tokens) or any(
        _QUANTITY.search(t.text) for t in sentence.tokens if t.name is None
    ):
        reasons.append("quantity")
    return reasons


def _event_times(
    sentence: Sentence, context: TimeContext, *, verbless: bool
) -> list[tuple[TimeState, Interval | None, str]]:
    """Each distinct time of the sentence; else the one carried from above; else unresolved or static."""
    times = sentence_times(sentence) or sentence_times(sentence, asides=True)
    if verbless and context.document is None:
        # "Kite festival - June", "21 to 25 September": every year, or a year that nothing tells.
        times = [t for t in times if t.kind is not ExpressionKind.UNDERSPECIFIED]
    resolved = _distinct([t for t in times if t.interval is not None])
    if len(resolved) > 1:
        resolved = [t for t in resolved if not _tells_aside(sentence, t)] or resolved
    if resolved:
        return [(TimeState.DATED, t.interval, t.rule_id) for t in resolved[:_MAX_TIMES]]
    if context.carried is not None and context.carried.interval is not None:
        return [(TimeState.DATED, context.carried.interval, f"carried:{context.carried.rule_id}")]
    if context.frame is not None:
        return [(TimeState.DATED, context.frame.interval, context.frame.rule)]
    meant = [t for t in times if t.kind is not ExpressionKind.RECURRING]
    if meant:
        return [(TimeState.UNRESOLVED, None, meant[0].rule_id)]
    return [(TimeState.STATIC, None, "")]


def _tells_aside(sentence: Sentence, time: TimeExpression) -> bool:
    """A time in brackets, or of a clause that tells who somebody is, beside the sentence's own times."""
    place = next(k for k, t in enumerate(sentence.tokens) if t.time is time)
    token = sentence.tokens[place]
    if not any(t.tag in _FINITE for t in sentence.tokens if t.name is None):
        return False
    if place and sentence.tokens[place - 1].text == "(":
        return True
    governor = verb_above(token)
    past = governor is not None and governor.dep in {"relcl", "acl"}
    return past or (token.dep == "pobj" and token.head.lower == "for")


def _distinct(times: Sequence[TimeExpression]) -> list[TimeExpression]:
    """Without repeats, and without a coarse time that a finer one of the same sentence lies in."""
    kept: list[TimeExpression] = []
    for time in times:
        mine = time.interval
        assert mine is not None
        covered = any(
            other is not time
            and other.interval is not None
            and other.interval != mine
            and mine.start <= other.interval.start
            and other.interval.end <= mine.end
            and time.kind not in {ExpressionKind.RANGE, ExpressionKind.OPEN_RANGE}
            and not _is_of_any_year(other)
            for other in times
        )
        covers = _is_of_any_year(time) and any(
            o is not time
            and o.interval is not None
            and o.interval.start <= mine.start
            and mine.end <= o.interval.end
            for o in times
        )
        if not covered and not covers and all(k.interval != mine for k in kept):
            kept.append(time)
    return kept


def _is_of_any_year(time: TimeExpression) -> bool:
    """ "in the summer": a season without a number; beside a year it may be that of every year."""
    return _SEASON.search(time.text) is not None and not any(c.isdigit() for c in time.text)


def _standing_alone(sentence: Sentence, resolution: Resolution) -> tuple[str, bool]:
    """The sentence with pronouns and definite nouns replaced; whether some stayed unclear.

    A thing is put in once a sentence: after its name has been said, its pronouns may stay.
    """
    said: set[int] = set()
    pieces: list[str] = []
    unclear = False
    previous = sentence.tokens[0].start
    for token in sentence.tokens:
        pieces.append(" " if token.start > previous else "")
        thing = resolution.of(token)
        text = token.text
        if id(token) in resolution.unclear:
            unclear = True
        if thing is not None and _is_definite(token, thing):
            # "the company": the article goes with the noun.
            if id(thing) not in said and len(pieces) > 2:
                pieces[-3:-1] = ["", ""]
                text = thing.name
            said.add(id(thing))
        elif thing is not None:
            if id(thing) not in said:
                text = _replacement(token, thing)
            said.add(id(thing))
        pieces.append(text)
        previous = token.end
    joined = " ".join("".join(pieces).split())
    return joined[:_MAX_SENTENCE_CHARS], unclear


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
    above = passage.lead or (passage.headings[-1] if passage.headings else "")
    if verbless and passage.block.kind is BlockKind.ITEM:
        parts = [passage.title, above, text]
        said = ""
        for part in reversed(parts):
            if part and part.casefold() not in said.casefold():
                said = f"{part}: {said}" if said else part
        return said
    if things or not above:
        return text
    return text if above.casefold() in text.casefold() else f"{above}: {text}"
