"""Whether an event can be understood by who reads nothing else: a condition of its admission.

An event without a time of its own must stand alone. One with a time may point to the sentence before it,
which is quoted with it, if that sentence does not point on. What is left out stays in the chunks of its
document, so that it is found all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tidegraph.domain.documents import EntityType, ExpressionKind, TimeExpression
from tidegraph.language.coreference import Resolution
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

_UNIQUE: Final = words("standing", "unique_nouns")
_OPENERS: Final = words("standing", "leaning_openers")
_PHRASES: Final = tuple(sorted(words("standing", "leaning_phrases")))
_MOMENTS: Final = tuple(sorted(words("standing", "moments")))
_ADVERBS: Final = words("standing", "pointing_adverbs")
_CONTEST: Final = words("standing", "contest_nouns")
_RESULTS: Final = words("standing", "result_verbs")
_STAGES: Final = words("standing", "contest_stages")
_CONTESTING: Final = _RESULTS | words("standing", "facing_verbs")
_PLACING: Final = _RESULTS | words("standing", "placing_verbs")
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})
_POINTING: Final = frozenset({"the", "this", "that", "these", "those", "such"})
_TELLING: Final = frozenset(
    {"prep", "relcl", "acl", "appos", "nummod", "npadvmod", "pcomp", "advcl", "ccomp"}
)
_ORDINALS: Final = frozenset(
    {
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "last",
        "next",
        "previous",
        "following",
        "final",
        "other",
        "same",
        "latter",
        "former",
        "remaining",
        "new",
        "subsequent",
        "opening",
        "initial",
        "said",
        "original",
    }
)
_WORDS_OF_RESULTS: Final = _CONTEST | words("standing", "result_words")
_DEGREES: Final = words("standing", "degrees")
_NEXT: Final = frozenset({"next", "previous", "following", "same", "other", "latter", "former", "preceding"})
_PLACED: Final = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last"
)
_YEAR: Final = re.compile(r"(?<![\d.,])(?:1[0-9]|20)\d\d(?!\d)")
_ELLIPTIC: Final = frozenset({"both", "others", "another", "neither", "former", "latter", "each"})


def goes_on(sentence: Sentence) -> bool:
    """ "Thus, ...", "As a result ...": said of what the sentence before it tells."""
    opening = " ".join(t.lower for t in sentence.tokens[:5])
    first = sentence.tokens[0].lower
    if first == "there" and sentence.tokens[0].dep == "expl":
        return False
    if first in _OPENERS or any(opening.startswith(f"{phrase} ") for phrase in _PHRASES):
        return True
    whole = " ".join(t.lower for t in sentence.tokens)
    if any(f" {moment} " in f" {whole} " and f"{moment} of" not in whole for moment in _MOMENTS):
        return True
    return any(
        t.lower in _ADVERBS
        and t.dep == "advmod"
        and not t.children
        and t.head.pos in {"VERB", "AUX", "NOUN", "PROPN"}
        for t in sentence.tokens
    )


def is_compared(sentence: Sentence) -> bool:
    """ "Is actually older", "a less impressive start": than what, was told before."""
    if any(t.lower in {"than", "and", "the"} and t.dep in {"prep", "mark", "cc"} for t in sentence.tokens):
        return False
    return any(_is_comparative(t) for t in sentence.tokens if t.time is None)


def _is_comparative(token: Token) -> bool:
    if token.tag == "RBR":
        return token.head.tag == "JJ" and token.head.dep in {"acomp", "amod"}
    if token.tag != "JJR":
        return False
    return token.dep in {"acomp", "attr", "oprd"} or (token.dep == "amod" and token.lower not in _DEGREES)


def is_counted_on(sentence: Sentence) -> bool:
    """ "At the next race in Leeds": counted from one that was told before."""
    return any(
        t.lower in _NEXT
        and t.dep == "amod"
        and t.time is None
        and t.head.time is None
        and any(c.dep == "det" and c.lower == "the" for c in t.head.children)
        and not any(c.lower == "of" for c in t.head.children)
        for t in sentence.tokens
    )


def points_outside(sentence: Sentence, resolution: Resolution) -> bool:
    """Whether a noun with "the" or "this" is told apart by nothing in the sentence: "the facility"."""
    said: set[str] = set()
    for token in sentence.tokens:
        if token.name is not None:
            said.update(w.casefold() for w in token.text.split())
            continue
        if token.tag in {"NN", "NNS"} and token.time is None:
            if _is_loose(token, sentence, resolution) and not {token.lemma, token.lower} & said:
                return True
            said |= {token.lemma, token.lower}
    return False


def _is_said(noun: Token, sentence: Sentence, resolution: Resolution) -> bool:
    """Whether what a noun stands for is named in the sentence, by the title, or in the place of the noun."""
    thing = resolution.of(noun)
    if thing is None or id(noun) in resolution.doubtful:
        return False
    put_in = noun.text not in thing.name and noun.text.casefold() not in thing.name.casefold()
    named = any(t.name is not None and resolution.of(t) is thing for t in sentence.tokens)
    return put_in or named or thing is resolution.topic


def _is_loose(noun: Token, sentence: Sentence, resolution: Resolution) -> bool:
    determiner = next((c for c in noun.children if c.dep == "det" and c.lower in _POINTING), None)
    if determiner is None or _is_said(noun, sentence, resolution):
        return False
    if noun.lemma in _UNIQUE or noun.lower in _UNIQUE:
        return determiner.lower != "the" and noun.dep in _SUBJECTS
    more = [c for c in noun.children if c is not determiner and c.dep not in {"punct", "case", "cc"}]
    if any(
        c.name is not None or c.time is not None or (c.dep in _TELLING and c.lower != "with") for c in more
    ):
        return False
    if any(c.dep == "conj" and any(d.dep in _TELLING for d in c.children) for c in more):
        return False
    before = [c for c in more if c.i < noun.i]
    return all(c.lower in _ORDINALS or c.tag in {"JJ", "JJR", "CD"} for c in before)


def misses_contest(sentence: Sentence) -> bool:
    """ "He finished 8th in Baku", "won the second race": a result without its year."""
    if any(_YEAR.search(t.text) for t in sentence.tokens):
        return False
    contest = any(t.name is None and (t.lemma in _CONTEST or t.lower in _CONTEST) for t in sentence.tokens)
    verbs = {t.lemma for t in sentence.tokens if t.pos == "VERB" and t.tag != "VB"}
    placed = any(
        _PLACED.fullmatch(t.lower) for t in sentence.tokens if t.name is None and t.head.name is None
    )
    placed = placed and bool(
        {t.lemma for t in sentence.tokens if t.pos in {"VERB", "AUX"}} & (_PLACING | verbs)
    )
    score = any(re.fullmatch(r"\d{1,3}[–-]\d{1,3}", t.text) for t in sentence.tokens)
    past = any(t.tag in {"VBD", "VBN"} or t.lower == "would" for t in sentence.tokens)
    within = any(t.name is None and t.lemma in _STAGES for t in sentence.tokens)
    return past and (within or (contest and bool(verbs & _CONTESTING)) or placed or score)


def names_contest(sentence: Sentence, resolution: Resolution) -> bool:
    """Whether a result is of a contest that has a name: "In 2009 he finished third behind Roe" has none."""
    root = sentence.root
    if root.lemma not in _RESULTS or not any(t.lower in _WORDS_OF_RESULTS for t in sentence.tokens):
        return True
    subject = root.child("nsubj", "nsubjpass")
    inside = {id(t) for t in subject.subtree()} if subject is not None else set()
    named = (resolution.of(t) for t in sentence.tokens if t.name is not None and id(t) not in inside)
    return any(thing is not None and thing.type is not EntityType.PERSON for thing in named)


def is_elliptic(sentence: Sentence) -> bool:
    """ "Both were sold", "the other left": who is meant was told before."""
    return any(
        t.lower in _ELLIPTIC
        and t.name is None
        and t.dep in {*_SUBJECTS, "dobj", "pobj"}
        and not any(c.lower == "of" for c in t.children)
        for t in sentence.tokens
    )


def lacks_year(times: Iterable[TimeExpression]) -> bool:
    """ "On 2 August", "the next day": a time that only what was told before makes one."""
    return any(
        t.kind is ExpressionKind.UNDERSPECIFIED
        or (t.kind is ExpressionKind.ANAPHORIC and t.interval is not None)
        or t.anchor.startswith("text:")
        for t in times
    )
