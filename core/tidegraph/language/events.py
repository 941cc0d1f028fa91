"""Dynamic event units: self-contained sentences with a time and a score (DyG-RAG section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.documents import EntityType, Status, TimeState
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.language.admission import is_fragment
from tidegraph.language.blocks import BlockKind
from tidegraph.language.clauses import Clause
from tidegraph.language.coreference import PRONOUNS, Resolution, Thing
from tidegraph.language.event_times import Part, parts
from tidegraph.language.passages import Passage
from tidegraph.language.times import TimeContext
from tidegraph.language.topics import HE, SHE
from tidegraph.language.tree import Sentence, Token

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
_JOINED: Final = frozenset("&-–'\"“‘«/")
_BIRTH: Final = frozenset({"née", "nee", "né", "formerly"})
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})
_RELATIVE: Final = frozenset({"WP", "WDT", "WP$"})
_POSSESSIVE: Final = frozenset({"his", "her", "its", "their"})
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
    if is_fragment(sentence, passage, clauses):
        return []
    verbless = not any(c.lemma for c in clauses) or (
        passage.block.kind is BlockKind.ITEM
        and not any(
            t.dep in {"nsubj", "nsubjpass", "csubj"} and t.tag not in _RELATIVE for t in sentence.tokens
        )
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
    kept: set[str] = set()
    pieces: list[str] = []
    unclear = False
    previous = tokens[0].start
    within_title = not any(t.pos in {"VERB", "AUX"} for t in tokens if t.name is None)
    for place, token in enumerate(tokens):
        pieces.append(" " if token.start != previous else "")
        thing = resolution.of(token)
        text = token.text
        if id(token) in resolution.unclear:
            unclear = True
            kept |= _forms(token)
        if thing is not None and id(thing) not in said and (id(token) in resolution.doubtful or text in kept):
            # Two may be meant: the word of the text stays, and so does "his" after such a "he".
            kept |= _forms(token)
            unclear, thing = True, None
        if thing is not None and thing.name.islower() and token.text != thing.name:
            # No name, and it may be another of the kind.
            thing = None
        if thing is not None and _is_definite(token, thing) and token.child("appos") is not None:
            # "The hotel , the Harrow Inn , ..." says itself what it is called.
            thing = None
        if thing is not None and _is_definite(token, thing):
            # "the company": the article goes with the noun.
            if id(thing) not in said and len(pieces) > 2:
                pieces[-3:-1] = ["", ""]
                text = thing.name
            said.add(id(thing))
        elif thing is not None:
            if id(thing) not in said:
                text = _replacement(
                    token, thing, within=within_title or _is_of_noun(token) or _is_within_name(tokens, place)
                )
                if text != token.text and _is_said_in_part(pieces, text, token.text):
                    pieces[-2:] = []
            said.add(id(thing))
        pieces.append(text)
        previous = token.end
    joined = " ".join("".join(pieces).split())
    return joined[:_MAX_SENTENCE_CHARS], unclear


def _forms(token: Token) -> frozenset[str]:
    """The pronouns of which a pronoun is one: "his" and "him" for "he"."""
    return next((forms for forms in (HE, SHE) if token.lower in forms), frozenset())


def _is_said_in_part(pieces: Sequence[str], name: str, short: str) -> bool:
    """ "di Resta", of which the second word alone was taken for the short form of "Paul di Resta"."""
    words_ = name.split()
    place = words_.index(short) if short in words_ else 0
    return place > 0 and len(pieces) > 1 and pieces[-2] in words_[:place]


def _is_definite(token: Token, thing: Thing) -> bool:
    """ "the company", "this team": a noun with its article that stands for something named before."""
    if token.name is not None or token.lower in PRONOUNS or token.text in thing.name:
        return False
    return any(c.dep == "det" and c.i == token.i - 1 for c in token.children)


def _is_of_noun(name: Token) -> bool:
    """ "The Roe family": a surname that tells what kind of thing is meant."""
    return name.dep in {"compound", "nmod", "amod"} and name.head.pos == "NOUN" and name.head.i > name.i


def _is_within_name(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word is a part of something longer: "the Roe Prize", "Roe & Sons", "Roe 3", "\u201cRoe"."""
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    capital = before is not None and place > 1 and before.text[:1].isupper() and before.name is None
    initial = place > 1 and tokens[place - 1].text == "." and len(tokens[place - 2].text.split()[-1]) == 1
    opened = initial or (before is not None and (before.text[:1] in _JOINED or before.lower in _BIRTH))
    following = after is not None and (
        after.text[:1] in _JOINED
        or ((after.text[:1].isupper() or after.text.isdigit()) and after.time is None)
    )
    return capital or opened or following


def _is_whereabouts(name: Token) -> bool:
    """ "a group of students in Leeds": no short form of "Harrow Leeds"."""
    return name.dep == "pobj" and name.head.lower in {"in", "near"}


def _replacement(token: Token, thing: Thing, *, within: bool) -> str:
    if token.lower in PRONOUNS:
        if token.lower == "her" and within:
            # "named her Woman of the Year", which the parser takes for a possessor.
            return token.text
        owner = token.lower in _POSSESSIVE and token.tag == "PRP$"
        return thing.name + ("’s" if owner and not thing.name.endswith("s") else "’" if owner else "")
    short = (
        token.name is not None and len(token.name.text) < len(thing.name) and token.name.text != thing.name
    )
    # "Formula 3" after "Formula One": only a surname is made whole, and nothing within a longer name.
    person = (
        thing.type is EntityType.PERSON and thing.name.endswith(token.text) and not _is_whereabouts(token)
    )
    # "Olga" where the text has told of "Olga Lind" before.
    given = token.dep in _SUBJECTS and thing.name.startswith(f"{token.text} ") and bool(thing.gender)
    person = person or (given and thing.type is EntityType.PERSON)
    return thing.name if short and person and not within else token.text


def _with_context(text: str, passage: Passage, things: Sequence[Thing], *, verbless: bool) -> str:
    """A list item gets the line or section that it stands under, and the document's title; so does a line of
    key and value; a headline that names nobody gets its section title."""
    section = passage.headings[-1] if passage.headings else ""
    above = passage.lead or section
    if passage.block.kind in {BlockKind.ITEM, BlockKind.PAIR}:
        bare = verbless or not things
        said = ""
        for part in (text, passage.lead, section.rstrip(" :"), passage.title):
            if part and part.casefold() not in said.casefold() and (bare or part in {text, passage.title}):
                said = f"{part}: {said}" if said else part
        return said
    if things or not above:
        return text
    return text if above.casefold() in text.casefold() else f"{above}: {text}"
