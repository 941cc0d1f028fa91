"""Which of the times of a sentence are those of what it tells, and which belong to something in it.

"The expedition of 1919", "a jubilee celebrated in 1947", "Roe, who won it in 1991": dates of things and
persons that are named, beside what the sentence tells of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tidegraph.domain.documents import ExpressionKind, TimeExpression
from tidegraph.domain.interval import MICROS_PER_DAY
from tidegraph.language.asides import counts_within_relative, is_consequence, is_of_issue
from tidegraph.language.tenses import verb_above
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
_SEASON: Final = re.compile(r"\b(?:spring|summer|autumn|fall|winter)s?\b", re.IGNORECASE)
_OF_NAMES: Final = frozenset({"compound", "nmod", "nummod", "amod", "poss"})
_EPOCH: Final = 80 * 366 * MICROS_PER_DAY
"""A time as long as that tells the age of a thing ("works of the 12th century"), not when it was."""
_NAMING: Final = frozenset({"call", "name", "title", "entitle", "know", "lead", "base", "say"})
STILL: Final = re.compile(
    r"\s*(?:[-–—]|to|until)\s*(?:the )?(?:present|date|now|today|incumbent)\b", re.IGNORECASE
)
_LEFT_OPEN: Final = re.compile(r"\s*[-–—]\s*\)")
_HONOURS: Final = words("clauses", "honour_verbs")
_BACKING: Final = words("standing", "backing_marks")
_TELLING: Final = words("standing", "telling_verbs")
_RELATIVE: Final = frozenset({"WP", "WDT", "WP$"})
_JOINTS: Final = frozenset({"and", "or", ",", "&"})
_YEAR_ALONE: Final = re.compile(r"\d{4}")


def place_of(sentence: Sentence, time: TimeExpression) -> int:
    """Where a time stands in its sentence: the number of its first token."""
    return next(k for k, t in enumerate(sentence.tokens) if t.time is time)


def own_times(sentence: Sentence, times: Sequence[TimeExpression]) -> list[TimeExpression]:
    """The times of what a sentence tells; all of them where each belongs to something else."""
    found = _distinct(sentence, [t for t in times if not is_age(sentence, t)])
    found = [t for t in found if not _is_long(t)] or found
    if len(found) > 1:
        found = [
            t
            for t in found
            if not (_heads(sentence, t) or _is_of_deeds(sentence, t) or _looks_back(sentence, t))
        ] or found
    if len(found) > 1:
        main = [t for t in found if not _tells_aside(sentence, t)]
        if main and all(_is_of_noun(sentence, t) for t in main):
            # Where only things are dated besides, what stands in brackets counts like them.
            main = [t for t in found if t in main or bracket_before(sentence, place_of(sentence, t)) >= 0]
        if not main:
            outside = [t for t in found if bracket_before(sentence, place_of(sentence, t)) < 0]
            return outside or found
        found = main
    plain = [t for t in found if not _is_of_noun(sentence, t)]
    return [t for t in found if t in plain or _is_joined(sentence, t, found)] if plain else found


def is_age(sentence: Sentence, time: TimeExpression) -> bool:
    """ "Works of the 12th century", "the 19th century magnate": the age of a thing that is named."""
    return _is_long(time) and _is_of_noun(sentence, time)


def _is_long(time: TimeExpression) -> bool:
    span = time.interval
    closed = span is not None and not span.has_open_start and not span.has_open_end
    return closed and span is not None and span.end - span.start > _EPOCH


def _is_parted(sentence: Sentence, verb: Token) -> bool:
    """ "An asteroid, discovered in 1970, is named after Roe"."""
    place = verb.i - sentence.tokens[0].i
    return verb.head.i < verb.i and place > 0 and sentence.tokens[place - 1].text == ","


def _is_under_relative(verb: Token) -> bool:
    """ "Roe, who would go on to win the cup of 1991": anywhere under a clause that tells who somebody is."""
    current = verb
    while current.head is not current:
        if current.dep == "relcl":
            return any(c.tag in _RELATIVE for c in current.subtree())
        if current.dep == "advcl" and any(
            c.tag in _RELATIVE and c.dep in {"nsubj", "nsubjpass"} for c in current.children
        ):
            return True
        current = current.head
    return False


def _looks_back(sentence: Sentence, time: TimeExpression) -> bool:
    """ "The first driver since Roe at Monza in 2006": no verb stands between."""
    for token in sentence.tokens[: place_of(sentence, time)][::-1]:
        if token.pos in {"VERB", "AUX"}:
            return False
        if token.lower == "since":
            return token.i < sentence.tokens[place_of(sentence, time)].i - 2
    return False


def is_of_aside(sentence: Sentence, time: TimeExpression) -> bool:
    """The only time is that of words that tell who or what something is: "Roe, who won it in 1991", "a fair
    opened in 1991"; or of what is over where the sentence says that something did not happen ever after."""
    root, token = sentence.root, sentence.tokens[place_of(sentence, time)]
    governor = verb_above(token)
    if not any(t.tag in FINITE for t in (root, *root.children)) or governor is None:
        return False
    if _looks_back(sentence, time) or _is_told_of(token, root):
        return True
    if _is_of_reason(token, governor) or _is_of_deeds(sentence, time) or _is_of_apposition(token, governor):
        return True
    while governor.dep in {"conj", "xcomp", "ccomp"} and governor is not root:
        above = verb_above(governor)
        if above is None or (governor.dep == "ccomp" and above.dep != "relcl"):
            break
        governor = above
    if root is governor:
        return False
    if _is_under_relative(governor):
        return True
    if governor.dep == "acl" and governor.tag == "VBN" and _is_parted(sentence, governor):
        return True
    if is_consequence(sentence, governor) or is_of_issue(token):
        return True
    if governor.dep == "acl" and governor.tag in {"VBN", "VBD"} and governor.lemma not in _NAMING:
        behind = sentence.tokens[place_of(sentence, time)].head
        close = behind.dep == "prep" and behind.i == governor.i + 1
        # "The couple divorced in 1980 because ..." is no couple that was divorced.
        noun = governor.head.pos in {"NOUN", "PROPN"} and governor.head.dep not in {"nsubj", "nsubjpass"}
        return close and noun
    if _is_perfect(governor):
        return True
    if governor.dep in {"advcl", "pcomp"} and any(c.dep == "neg" for c in root.children):
        return True
    return governor.dep == "relcl" and any(
        c.lower in {"who", "which", "that", "whom", "where", "whose"} for c in governor.subtree()
    )


def _is_of_reason(token: Token, verb: Token) -> bool:
    """ "The first since the cup of 2005": the date of what is looked back to."""
    current, below = token.head, token
    while current is not verb and current.head is not current:
        if current.dep == "prep" and current.lower == "since" and below.time is not token.time:
            return True
        current, below = current.head, current
    return False


def _is_told_of(token: Token, root: Token) -> bool:
    """ "Later described a meeting on 5 June": the date of what is told of."""
    told = root.child("dobj")
    if root.lemma not in _TELLING or told is None or token.head.dep != "prep":
        return False
    return root.i < told.i < token.i


def _is_of_apposition(token: Token, verb: Token) -> bool:
    """ "Appeared in Home, the 1955 adaptation of his book": the date of what something is."""
    current = token
    while current is not verb and current.head is not current:
        if current.dep == "appos" and current.time is None and current.pos in {"NOUN", "PROPN"}:
            # "named Roe the Player of 2011" has no comma.
            return any(t.text == "," for t in current.head.children if current.head.i < t.i < current.i)
        current = current.head
    return False


def _is_of_deeds(sentence: Sentence, time: TimeExpression) -> bool:
    """ "Was honoured for his service from 1944 to 1945": when somebody did what they are honoured for."""
    k = place_of(sentence, time) - 1
    while k > 0 and sentence.tokens[k].pos == "ADP":
        k -= 1
    noun = sentence.tokens[max(k, 0)]
    owned = noun.tag in {"NN", "NNS"} and any(c.dep == "poss" for c in noun.children)
    verb = verb_above(noun)
    return owned and noun.head.lower == "for" and verb is not None and verb.lemma in _HONOURS


def bracket_before(sentence: Sentence, place: int) -> int:
    """Where the bracket opens that a token stands in, or -1."""
    for k in range(place - 1, -1, -1):
        if sentence.tokens[k].text.startswith(")"):
            return -1
        if sentence.tokens[k].text.startswith("("):
            return k
    return -1


def goes_on(sentence: Sentence, time: TimeExpression) -> bool:
    """ "(2009-present)", "May 2009 to date", "from 1919 he led it", "after a fire in 1969 it has been red":
    what began then had not ended."""
    place = place_of(sentence, time)
    first = sentence.tokens[place]
    above = first.head
    if above.lower == "from" and above.dep == "prep":
        post = above.head.dep == "attr" or (above.head.dep == "pobj" and above.head.head.lower == "as")
        if post or above.head.pos in {"VERB", "AUX"}:
            return True
    if any(
        t.lower in {"continues", "continue", "remains", "remain"} and t.tag in {"VBZ", "VBP"}
        for t in sentence.tokens
    ):
        return True
    perfect = any(c.lower in {"has", "have"} and c.dep == "aux" for c in sentence.root.children)
    if perfect and above.lower == "since" and above.dep == "prep":
        return True
    if perfect and sentence.tokens[0].lower == "after" and place < sentence.root.i - sentence.tokens[0].i:
        return True
    while place < len(sentence.tokens) and sentence.tokens[place].time is time:
        place += 1
    after = "".join(f" {t.lower}" for t in sentence.tokens[place : place + 3])
    return (STILL.match(after) or _LEFT_OPEN.match(after)) is not None


def _heads(sentence: Sentence, time: TimeExpression) -> bool:
    """ "2012 On 16 December 2011 the team ...": the rest of a heading before the first word."""
    if len(sentence.tokens) < 2 or sentence.tokens[0].time is not time:
        return False
    after = sentence.tokens[1]
    prose = after.text[:1].isupper() and after.pos == "ADP" and after.time is None
    return prose and _YEAR_ALONE.fullmatch(time.text) is not None


def _tells_aside(sentence: Sentence, time: TimeExpression) -> bool:
    """A time in brackets, or of a clause that tells who somebody is, beside the sentence's own times."""
    place = place_of(sentence, time)
    token = sentence.tokens[place]
    if not any(t.tag in FINITE for t in sentence.tokens if t.name is None):
        return False
    if bracket_before(sentence, place) >= 0:
        return True
    governor = verb_above(token)
    while governor is not None and governor.dep == "conj":
        governor = governor.head
    past = governor is not None and (
        governor.dep in {"relcl", "acl"}
        or counts_within_relative(sentence, token)
        or _is_of_step_before(governor)
        or _is_perfect(governor)
        or _is_backing(governor)
    )
    return past or (token.dep == "pobj" and token.head.lower == "for")


def _is_of_step_before(verb: Token) -> bool:
    """ "After being reformed in January, the army ...": what came first."""
    return verb.dep == "pcomp" and verb.head.lower in {"after", "before", "since", "upon", "following"}


def _is_backing(verb: Token) -> bool:
    """ "..., although Roe died there in 1363": a clause beside that of the sentence."""
    return verb.dep == "advcl" and any(c.dep == "mark" and c.lower in _BACKING for c in verb.children)


def _is_perfect(verb: Token) -> bool:
    """ "Having lost in 1958": what had been before."""
    return verb.dep == "advcl" and any(c.lower == "having" and c.dep == "aux" for c in verb.children)


def _is_of_noun(sentence: Sentence, time: TimeExpression) -> bool:
    """ "the first vote since the referendum of 2014", "the 2014 law": the date of a thing that is named."""
    place = place_of(sentence, time)
    current = sentence.tokens[place]
    if place == 1 and sentence.tokens[0].pos == "ADP":
        # "On 14 May votes were held", whatever the parser takes the date for.
        return False
    while current.head is not current and current.head.pos not in {"VERB", "AUX"}:
        if current.head.time is not time:
            if current.dep in _OF_NAMES or (current.lower == "of" and current.head.time is None):
                return True
            if current.lower == "since" and current.dep == "prep":
                return True
        current = current.head
    return False


def _is_joined(sentence: Sentence, time: TimeExpression, times: Sequence[TimeExpression]) -> bool:
    """Whether the time of a noun counts beside others: "in 1960 and 1968 Cups", or the only one of its clause
    ("saw action in the 1943 landing; then in 1944 he took part in the battle")."""
    place = place_of(sentence, time)
    k = place - 1
    while k > 0 and sentence.tokens[k].lower in _JOINTS:
        k -= 1
    before = sentence.tokens[k].time if 0 <= k < place - 1 else None
    if before is not None and before in times:
        return True
    verb = verb_above(sentence.tokens[place])
    if verb is None or not _is_main(sentence, verb):
        return False
    return all(verb_above(sentence.tokens[place_of(sentence, t)]) is not verb for t in times if t is not time)


def _is_main(sentence: Sentence, verb: Token) -> bool:
    """Whether a verb is that of the sentence, or one that is joined to it."""
    while verb.head is not verb:
        parted = any(t.text == ";" and verb.i < t.i < verb.head.i for t in sentence.tokens)
        if verb.dep != "conj" and not (verb.dep in {"ccomp", "parataxis"} and parted):
            return False
        verb = verb.head
    return verb is sentence.root


def _distinct(sentence: Sentence, times: Sequence[TimeExpression]) -> list[TimeExpression]:
    """Without repeats, and without a coarse time that a finer one of the same sentence lies in.

    A coarse time that opens the sentence stays before a finer one of something that is named deep in it.
    """
    kept: list[TimeExpression] = []
    for time in times:
        mine = time.interval
        assert mine is not None
        covered = any(
            _lies_in(other, time)
            and not _leads(sentence, time, other)
            and time.kind not in {ExpressionKind.RANGE, ExpressionKind.OPEN_RANGE}
            and not _is_of_any_year(other)
            for other in times
        )
        led = any(_lies_in(time, other) and _leads(sentence, other, time) for other in times)
        covers = _is_of_any_year(time) and any(
            o is not time
            and o.interval is not None
            and o.interval.start <= mine.start
            and mine.end <= o.interval.end
            for o in times
        )
        if not (covered or led or covers) and all(k.interval != mine for k in kept):
            kept.append(time)
    return kept


def _lies_in(fine: TimeExpression, coarse: TimeExpression) -> bool:
    mine, whole = fine.interval, coarse.interval
    return (
        fine is not coarse
        and mine is not None
        and whole is not None
        and mine != whole
        and whole.start <= mine.start
        and mine.end <= whole.end
    )


def _leads(sentence: Sentence, coarse: TimeExpression, fine: TimeExpression) -> bool:
    """ "In 2013 they had to play without spectators because of a fight in the match on 2 November"."""
    opening = sentence.tokens[: 2 if sentence.tokens[0].pos == "ADP" else 1]
    if all(t.time is not coarse for t in opening):
        return False
    current = sentence.tokens[place_of(sentence, fine)]
    while current.head is not current:
        current = current.head
        if current is sentence.root:
            return False
        if current.time is None and current.pos in {"NOUN", "PROPN", "VERB"}:
            return not _is_main(sentence, current)
    return False


def _is_of_any_year(time: TimeExpression) -> bool:
    """ "in the summer": a season without a number; beside a year it may be that of every year."""
    return _SEASON.search(time.text) is not None and not any(c.isdigit() for c in time.text)
