"""Sentences that cannot stand alone: what they speak of is told in the sentence before.

"They enrolled at a private school", "This overture was branded formalist": with a sentence of the same time
before them they make one event (DyG-RAG section 3.3: tightly related actions that share an anchor are
aggregated); otherwise the title tells at least what the document is about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain.documents import Chunk, EntityType, Event, TimeState
from tidegraph.domain.interval import Interval
from tidegraph.language.chunking import chunk_ids_at
from tidegraph.language.coreference import PRONOUNS, Resolution
from tidegraph.language.narrative import NARRATIVE
from tidegraph.language.topics import HE, IT, SHE, is_expletive
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

_DEMONSTRATIVES: Final = frozenset({"this", "these", "those", "that", "such"})
_ALONE: Final = frozenset({"most", "some", "both", "others", "many", "here", "there", "another", "each"})
_ORDINALS: Final = frozenset(
    {"first", "second", "third", "fourth", "last", "next", "other", "same", "latter"}
)
_OCCASIONS: Final = words("clauses", "occasion_nouns")
_PLACED: Final = re.compile(
    r"\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
)
_UNITS: Final = words("roles", "definite_organisation") | {"side", "squad"}
_GIVEN: Final = words("names", "given_names_male") | words("names", "given_names_female")
_UNIQUE: Final = words("standing", "unique_nouns")
_CONTENT: Final = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})
_ROLES: Final = _SUBJECTS | {"dobj", "pobj", "attr", "conj", "appos"}
_MAX_MERGED_CHARS: Final = 520
_MAX_WITH_CONTEXT: Final = 700
_STOPS: Final = frozenset({",", ";", ")", ".", ":"})
_BEFORE: Final = " [said before: "


def leans(sentence: Sentence, resolution: Resolution) -> bool:
    """Whether a pronoun or a demonstrative of the sentence has its referent outside."""
    if any(is_left_open(token, sentence, resolution) for token in sentence.tokens):
        return True
    return points_back(sentence, resolution)


def points_back(sentence: Sentence, resolution: Resolution) -> bool:
    """Whether a word of the sentence other than a pronoun stands for something outside: "this", "the two"."""
    for token in sentence.tokens:
        if (
            id(token) in resolution.doubtful
            and _is_bare_definite(token)
            and not _is_told(token, sentence, resolution)
        ):
            return True
        if token.lower in _DEMONSTRATIVES and token.tag == "DT" and _points_back(token):
            return True
        if _is_the_two(token):
            return True
        opening = token.dep == "advmod" and token.lower == "here" and token is sentence.tokens[0]
        alone = token.lower in _ALONE and token.name is None and (opening or token.dep in _SUBJECTS)
        if alone and not any(c.lower == "of" for c in token.children):
            return True
    return False


def is_left_open(token: Token, sentence: Sentence, resolution: Resolution) -> bool:
    """Whether a token is a pronoun without a certain referent, and nothing before it in the sentence fits."""
    if token.lower not in PRONOUNS or not token.tag.startswith("PRP") or is_expletive(token):
        return False
    if id(token) not in resolution.unclear and id(token) not in resolution.doubtful:
        return False
    root = sentence.root
    # "After her return, Roe ..."
    ahead = [
        c for c in root.children if c.dep in _SUBJECTS and token.tag == "PRP$" and token.i < c.i < root.i
    ]
    told = [t for t in sentence.tokens if t.i < token.i]
    return not any(_may_mean(token, t, resolution) for t in (*told, *ahead))


def _may_mean(pronoun: Token, subject: Token, resolution: Resolution) -> bool:
    """ "William was a clerk, until he left": the subject of a clause before."""
    if subject.time is not None or not subject.tag.startswith("NN"):
        return False
    if subject.dep not in (_SUBJECTS if pronoun.lower in HE | SHE else _ROLES):
        return False
    thing = resolution.of(subject)
    if pronoun.lower in HE | SHE:
        person = thing is not None and thing.type in {EntityType.PERSON, EntityType.UNSPECIFIED}
        gender = "male" if pronoun.lower in HE else "female"
        return person and thing is not None and thing.gender in {"", gender}
    if thing is not None and thing.type is EntityType.PERSON:
        return False
    many = subject.tag in {"NNS", "NNPS"} or any(c.dep == "conj" for c in subject.children)
    return thing is not None or many is (pronoun.lower not in IT)


def _is_told(noun: Token, sentence: Sentence, resolution: Resolution) -> bool:
    """ "Hired by Wexham after the club had ...": the sentence names one before."""
    named = (resolution.of(t) for t in sentence.tokens if t.i < noun.i and t.name is not None)
    return any(
        thing is not None and thing is not resolution.topic and thing.type is not EntityType.PERSON
        for thing in named
    )


def _is_the_two(token: Token) -> bool:
    """ "The two wrote songs", "The pair met in Leeds": people or things told of before."""
    counted = token.tag == "CD" or token.lower in {"pair", "couple", "trio", "former", "latter"}
    definite = any(c.dep == "det" and c.lower == "the" for c in token.children)
    return counted and definite and token.dep in _SUBJECTS and token.time is None


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
        if is_loose_subject(token, resolution):
            return True
        if _is_first_name(token, resolution):
            return True
        if token.tag == "NN" and token.time is None and token.lemma not in _UNIQUE and _is_counted(token):
            return True
        if token.lemma in _UNITS and token.tag == "NN" and _is_bare_definite(token):
            referent = resolution.of(token)
            if referent is None or id(token) in resolution.doubtful:
                return not _is_told(token, sentence, resolution)
    return False


def is_loose_subject(token: Token, resolution: Resolution) -> bool:
    """ "The boat", "the two": a subject that nothing in the sentence tells apart."""
    if token.dep not in _SUBJECTS or token.tag not in {"NN", "NNS"} or resolution.of(token) is not None:
        return False
    definite = any(c.dep == "det" and c.lower == "the" for c in token.children)
    return definite and all(t.name is None and resolution.of(t) is None for t in token.subtree())


def _is_first_name(subject: Token, resolution: Resolution) -> bool:
    """ "Olga stayed in Leeds": a person whom the text calls by the given name alone."""
    thing = resolution.of(subject)
    if subject.dep not in _SUBJECTS or subject.name is None or thing is None or thing is resolution.topic:
        return False
    return thing.name.casefold() in _GIVEN and subject.head.i > subject.i


def _is_counted(noun: Token) -> bool:
    """ "the first match": one of several that were told of before."""
    others = [c for c in noun.children if c.dep not in {"det", "punct", "case"}]
    definite = any(c.dep == "det" and c.lower == "the" for c in noun.children)
    return definite and len(others) == 1 and others[0].lower in _ORDINALS


def tells_occasion(sentence: Sentence) -> bool:
    """ "He finished the race in fifth place": an occasion that nothing in the sentence tells apart."""
    return any(
        t.tag in {"NN", "NNS"} and t.lemma in _OCCASIONS and t.name is None and _is_bare_definite(t)
        for t in sentence.tokens
    )


def _is_bare_definite(noun: Token) -> bool:
    others = [c for c in noun.children if c.dep not in {"det", "punct", "case"} and c.i < noun.i]
    told = any(c.dep in {"prep", "relcl", "acl", "appos"} and c.i > noun.i for c in noun.children)
    definite = any(c.dep == "det" and c.lower in {"the", "that", "this"} for c in noun.children)
    return definite and not others and not told


def is_placed(sentence: Sentence) -> bool:
    """ "He was 14th in Spain": a place in a race or a table that the sentence does not name."""
    return sentence.root.lemma == "be" and any(
        t.dep in {"attr", "acomp", "advmod"} and t.head is sentence.root and _PLACED.fullmatch(t.lower)
        for t in sentence.tokens
    )


def is_torn(sentence: Sentence) -> bool:
    """Whether a sentence begins in the middle: "after the war, with new writers." """
    opening = sentence.tokens[0]
    if opening.text in _STOPS:
        return True
    finite = any(t.tag in {"VBD", "VBZ", "VBP", "MD"} for t in sentence.tokens if t.name is None)
    return opening.text[:1].islower() or (not finite and opening.lower in {"and", "or", "but", "also"})


def is_verbless(sentence: Sentence) -> bool:
    """ "Toro Rosso (2015-2017).": a line of its own, like a heading."""
    return not any(t.pos in {"VERB", "AUX"} for t in sentence.tokens if t.name is None)


def names_nothing(sentence: Sentence, resolution: Resolution) -> bool:
    """ "A donation was made": nothing in the sentence has a name."""
    return not any(resolution.of(t) is not None for t in sentence.tokens)


def tells_little(sentence: Sentence) -> bool:
    """ "Roe resigned in April": who and when, but not from what."""
    root = sentence.root
    if root.pos != "VERB" or any(c.dep == "agent" for c in root.children):
        return False
    inside = {id(t) for c in root.children if c.dep in _SUBJECTS for t in c.subtree()}
    more = [
        t
        for t in sentence.tokens
        if t is not root and id(t) not in inside and t.pos in _CONTENT and t.time is None
    ]
    return not more


def is_off_topic(sentence: Sentence, resolution: Resolution) -> bool:
    """Whether a sentence does not name what its document is about: "The segments are two." """
    topic = resolution.topic
    return topic is not None and all(resolution.of(t) is not topic for t in sentence.tokens)


def after(event: Event, said: Sequence[str]) -> Event:
    """An event with what is said before it in the text, for what its words point back to.

    ``said``: sentences in the words of the text, in text order; of too many the last ones are told.
    """
    room = _MAX_WITH_CONTEXT - len(event.sentence)
    told: list[str] = []
    for sentence in reversed(said):
        room -= len(sentence)
        if room < 0:
            break
        told.insert(0, sentence)
    if not told:
        return event
    reasons = tuple(dict.fromkeys((*event.reasons, "context_before")))
    return replace(event, sentence=f"{event.sentence}{_BEFORE}{' … '.join(told)}]", reasons=reasons)


def statement(told: str) -> str:
    """The words of an event without what was said before it."""
    return told.partition(_BEFORE)[0]


def _in_turn(first: str, second: str) -> str:
    """Two statements in a row; what was said before the first stays at the end."""
    told, mark, said = first.partition(_BEFORE)
    return f"{told} {second}{mark}{said}"


def _dated(event: Event) -> Interval | None:
    """The time that a sentence tells, or that stands above it."""
    told = event.time_state is TimeState.DATED and not event.time_rule_id.startswith(NARRATIVE)
    return event.interval if told else None


def merged(before: Event, after: Sequence[Event], chunks: Sequence[Chunk]) -> Event | None:
    """The two events of neighbouring sentences as one, or None where their times or statuses part them."""
    if len(after) != 1 or after[0].status is not before.status:
        return None
    event = after[0]
    if len(before.sentence) + len(event.sentence) > _MAX_MERGED_CHARS:
        return None
    if _dated(event) != _dated(before):
        # The one tells when, the other does not: it may have been before or long after.
        return None
    source = before if _dated(before) or before.time_state is not TimeState.STATIC else event
    return replace(
        before,
        sentence=_in_turn(before.sentence, event.sentence),
        end_char=event.end_char,
        chunk_ids=chunk_ids_at(chunks, before.start_char, event.end_char),
        time_state=source.time_state,
        interval=source.interval,
        time_rule_id=source.time_rule_id,
        mention_ids=tuple(dict.fromkeys((*before.mention_ids, *event.mention_ids))),
        score=max(before.score, event.score),
        reasons=tuple(dict.fromkeys((*before.reasons, *event.reasons))),
    )
