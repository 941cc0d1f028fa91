"""Which time an event of a sentence has, and of which words of the sentence it tells.

A sentence that joins several dated things ("joined Acme in 2001 and left it in 2009") makes an event of each,
with the words and the time of that one. Where the words cannot be parted, it makes one event over all of its
times: no event has the date of another clause.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tidegraph.domain.documents import EntityType, ExpressionKind, TimeExpression, TimeState
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.language.gapping import gapped
from tidegraph.language.telling_times import (
    FINITE,
    bracket_before,
    goes_on,
    is_age,
    is_of_aside,
    own_times,
    place_of,
)
from tidegraph.language.tenses import is_later, verb_above
from tidegraph.language.times import CARRIED, TimeContext, sentence_times
from tidegraph.language.tree import Sentence, Token

_IN_NAMES: Final = re.compile(
    r"\b(?:spring|summer|autumn|fall|winter|christmas|easter|weekend|week|sunday|today|tomorrow)\b",
    re.IGNORECASE,
)
COUNTED: Final = ("offset.", "same.", "relative.")
"""Rules of times that are counted from another ("three days later")."""
_THE_UNIT: Final = "relative.the-unit"
_NEAR_CHARS: Final = 200
"""As far as the sentence before reaches."""
_FAR_CHARS: Final = 600
_LIFE: Final = frozenset({"born", "b.", "née", "died", "d."})
_MIN_WORDS: Final = 4
_MIN_PARTICIPLE: Final = 3
_LONG: Final = 30 * 366 * MICROS_PER_DAY
"""A bracket with so many years behind a title or a second name holds a life."""
_SHORTEST: Final = 8 * 366 * MICROS_PER_DAY
_YEAR: Final = 366 * MICROS_PER_DAY
_UNTIL: Final = frozenset({"until", "till"})
_BEFORE: Final = "before"
_MAX_PARTS: Final = 6


@dataclass(frozen=True, slots=True)
class Part:
    """The words of one event (``tokens``, in text order) and its time.

    ``own`` are the words that only this event tells; they are its span in the text.
    """

    tokens: tuple[Token, ...]
    own: tuple[Token, ...]
    state: TimeState
    interval: Interval | None
    rule: str


def parts(sentence: Sentence, context: TimeContext, *, verbless: bool) -> list[Part]:
    """The events of a sentence: one for each joined thing that has its own time, else one in all."""
    if listed := gapped(sentence):
        return [Part(m.tokens, m.own, TimeState.DATED, m.interval, m.time.rule_id) for m in listed]
    times = sentence_times(sentence) or sentence_times(sentence, asides=True)
    vague = [
        t for t in times if any(told(t, sentence) for told in (_hangs_afar, _is_in_name, _recurs, _is_title))
    ]
    times = [t for t in times if t not in vague and not is_age(sentence, t)]
    if verbless and context.document is None:
        # "Kite festival - June", "21 to 25 September": every year, or a year that nothing tells.
        times = [t for t in times if t.kind is not ExpressionKind.UNDERSPECIFIED and not t.anchor]
    dated = [t for t in times if t.interval is not None and not _is_life(sentence, t)]
    if opened := _opening_participle(sentence, dated):
        return opened
    resolved = own_times(sentence, dated)
    if resolved and all(is_of_aside(sentence, t) for t in resolved):
        return [Part(tuple(sentence.tokens), tuple(sentence.tokens), TimeState.UNRESOLVED, None, "aside")]
    if resolved and (split := _split(sentence, resolved)):
        return split
    whole = tuple(sentence.tokens)
    if resolved:
        return [Part(whole, whole, TimeState.DATED, *_held(sentence, resolved))]
    if any(_hangs_afar(t, sentence) for t in vague) and context.carried is None:
        return [Part(whole, whole, TimeState.UNRESOLVED, None, vague[0].rule_id)]
    return [Part(whole, whole, *_from_outside(sentence, times, context))]


def _opening_participle(sentence: Sentence, times: Sequence[TimeExpression]) -> list[Part]:
    """ "Born in Leeds in 1910, Roe went to a school": two statements, the first "Roe was born in 1910".

    [] for other sentences, and where the opening tells no time.
    """
    opening, root = sentence.tokens[0], sentence.root
    subject = root.child("nsubj", "nsubjpass")
    if opening.tag != "VBN" or opening.dep != "advcl" or opening.head is not root or subject is None:
        return []
    named = subject.subtree()
    edge = named[0].i - opening.i
    first, rest = sentence.tokens[:edge], sentence.tokens[edge:]
    inside = [t for t in times if any(token.time is t for token in first)]
    outside = [t for t in times if t not in inside]
    own = _trimmed(first)
    if (
        not inside
        or len(own) < _MIN_PARTICIPLE
        or any(t.time is not None and t.time not in times for t in rest)
    ):
        return []
    joined = any(c.dep == "conj" for c in subject.children)
    many = joined or subject.tag in {"NNS", "NNPS"} or subject.lower in {"they", "we"}
    if named[0].tag == "DT":
        named = [_word(named[0].text.capitalize(), named[0].start, "DET"), *named[1:]]
    was = _word("were" if many else "was", named[-1].end + 1, "AUX")
    told = _word(opening.lower, opening.start, "VERB")
    opened = Part(
        (*named, was, told, *own[1:]), tuple(own), TimeState.DATED, *_over(own_times(sentence, inside))
    )
    when = (
        (TimeState.DATED, *_over(own_times(sentence, outside))) if outside else (TimeState.STATIC, None, "")
    )
    if rest[0].tag == "DT":
        return [opened, Part((named[0], *rest[1:]), tuple(rest), *when)]
    return [opened, Part(tuple(rest), tuple(rest), *when)]


def _word(text: str, start: int, pos: str) -> Token:
    """A word that the text has in another form."""
    made = Token(-1, start, start + len(text), text, text, text, "VBD", pos, "", None, None)
    made.head = made
    return made


def _hangs_afar(time: TimeExpression, sentence: Sentence) -> bool:
    """ "three days later", "in May", counted from a time that was told long before: it may be another."""
    mark, _, start = time.anchor.partition(":")
    if mark != "text":
        return False
    if time.rule_id.startswith(COUNTED):
        # "More than two weeks later" says how soon at the earliest, not when.
        vague = time.interval is not None and time.interval.has_open_end
        return vague or sentence.start - int(start) > _NEAR_CHARS or _counts_from(sentence, time)
    return time.start_char - int(start) > _FAR_CHARS


def _counts_from(sentence: Sentence, time: TimeExpression) -> bool:
    """ "After nine had come to the house, one left three days later": counted from what is told there."""
    before = sentence.tokens[: place_of(sentence, time)]
    return bool(before) and before[0].lower == "after" and any(t.pos in {"VERB", "AUX"} for t in before[1:-2])


def _is_until(sentence: Sentence, time: TimeExpression) -> bool:
    """ "worked there until the peace in May 1945", "until it closed in 1989": the time is when it ended.

    "Did not work until 1945" tells when it began.
    """
    current = sentence.tokens[place_of(sentence, time)]
    while current.head is not current:
        earlier = current.head.lower == _BEFORE and current.dep == "pcomp"
        earlier = earlier or (current.dep == "advcl" and any(c.lower == _BEFORE for c in current.children))
        if earlier:
            return True
        if current.lower in _UNTIL or any(c.lower in _UNTIL and c.dep == "mark" for c in current.children):
            verb = verb_above(current)
            return verb is not None and not any(c.dep == "neg" for c in verb.children)
        current = current.head
    return False


def _recurs(time: TimeExpression, sentence: Sentence) -> bool:
    """ "is held in autumn": of every year, where the year is only that of another sentence."""
    verbs = [sentence.root, *(c for c in sentence.root.children if c.dep in {"aux", "auxpass"})]
    present = any(v.tag in {"VBZ", "VBP"} for v in verbs)
    return present and time.anchor.startswith("text:") and not time.rule_id.startswith(COUNTED)


def _is_title(time: TimeExpression, sentence: Sentence) -> bool:
    """ "The player of the year": a title that somebody gets, not when."""
    place = place_of(sentence, time)
    unit = time.rule_id == _THE_UNIT and time.text.lower().startswith("the ")
    return (
        unit
        and place > 1
        and sentence.tokens[place - 1].lower == "of"
        and sentence.tokens[place - 2].tag != "CD"
    )


def _is_in_name(time: TimeExpression, sentence: Sentence) -> bool:
    """ "the Wexham Christmas Open", "The Weekend Australian": a word for a time within a name."""
    if any(c.isdigit() for c in time.text) or not _IN_NAMES.search(time.text):
        return False
    place = place_of(sentence, time)
    around = [sentence.tokens[k] for k in (place - 1, place + 1) if 0 < k < len(sentence.tokens)]
    return any(t.text[:1].isupper() and t.time is None for t in around)


def _from_outside(
    sentence: Sentence, times: Sequence[TimeExpression], context: TimeContext
) -> tuple[TimeState, Interval | None, str]:
    """The time carried from above; else that of the story; else unresolved or static."""
    above = context.carried.interval if context.carried is not None else None
    # What is told under "2011-2015" happened in one of the years; a line of a list holds in all of them.
    step = above is not None and above.end - above.start > _YEAR and _is_past(sentence)
    if context.carried is not None and above is not None and not step:
        return TimeState.DATED, above, f"{CARRIED}{context.carried.rule_id}"
    if context.frame is not None and context.frame.sure:
        return TimeState.DATED, context.frame.interval, context.frame.rule
    meant = [t for t in times if t.kind is not ExpressionKind.RECURRING and t.interval is None]
    if meant:
        return TimeState.UNRESOLVED, None, meant[0].rule_id
    return TimeState.STATIC, None, ""


def _is_past(sentence: Sentence) -> bool:
    root = sentence.root
    return root.name is None and any(t.tag == "VBD" for t in (root, *root.children))


def _over(times: Sequence[TimeExpression]) -> tuple[Interval, str]:
    """One interval over all times, and the rule of the first; ends that are only bounds do not count."""
    spans = [t.interval for t in times if t.interval is not None]
    if len(spans) == 1:
        return spans[0], times[0].rule_id
    bounded = [s for s in spans if not s.has_open_start] or spans
    start = min(s.start for s in bounded)
    end = max(s.end for s in bounded)
    return Interval(start, end, Granularity.RANGE), f"span:{times[0].rule_id}"


def _held(sentence: Sentence, times: Sequence[TimeExpression]) -> tuple[Interval, str]:
    """The same, open where what is told goes on or had gone on."""
    interval, rule = _over(times)
    if not interval.has_open_end and goes_on(sentence, times[-1]):
        return Interval(interval.start, OPEN_END, Granularity.RANGE), f"still:{rule}"
    if len(times) == 1 and not interval.has_open_start and _is_until(sentence, times[0]):
        return Interval(OPEN_START, interval.end, interval.granularity), f"until:{rule}"
    return interval, rule


def _split(sentence: Sentence, times: Sequence[TimeExpression]) -> list[Part]:
    """The sentence as its joined members, each with its own times; [] where that cannot be done."""
    for head in sentence.tokens:
        chain = _chain(head)
        if len(chain) < 2 or not any(t.time is None for t in head.subtree()):
            continue
        found = _members(sentence, chain, times)
        if found:
            return found
    return []


def _chain(head: Token) -> list[Token]:
    """A word and what is joined to it, in text order; [] where it is itself joined to another."""
    if head.dep == "conj" or head.time is not None:
        return []
    chain = [head]
    for token in chain:
        chain += [c for c in token.children if c.dep == "conj" and c.i > token.i and c.time is None]
    return sorted(chain, key=lambda t: t.i)


def _members(sentence: Sentence, chain: Sequence[Token], times: Sequence[TimeExpression]) -> list[Part]:
    whole = chain[0].subtree()
    first = sentence.tokens[0].i
    edges = [whole[0].i, *(min(t.i for t in member.subtree()) for member in chain[1:]), whole[-1].i + 1]
    if edges != sorted(set(edges)):
        return []
    groups: list[tuple[list[Token], list[TimeExpression]]] = []
    for low, high in pairwise(edges):
        own = sentence.tokens[low - first : high - first]
        dates = [t for t in times if any(token.time is t for token in own)]
        if (
            groups
            and not (dates and groups[-1][1])
            and not (len(times) == 1 and dates and _parts(own, chain))
        ):
            # A member without a date is told with the one before it.
            groups[-1] = ([*groups[-1][0], *own], [*groups[-1][1], *dates])
        else:
            groups.append((own, dates))
    told = [t for _, dates in groups for t in dates]
    if not 2 <= len(groups) <= _MAX_PARTS or len(told) != len(times):
        return []
    before = sentence.tokens[: edges[0] - first]
    shared = _shared(chain[0]) if chain[0].pos in {"VERB", "AUX"} else list(before)
    made = []
    for number, (own, dates) in enumerate(groups):
        words = _trimmed(own)
        tokens = [*before, *words] if number == 0 else _opened(shared, before, chain, words)
        if tokens is None or len(words) < (_MIN_WORDS if chain[0].pos in {"VERB", "AUX"} else 2):
            return []
        if number == len(groups) - 1:
            tokens = [*tokens, *sentence.tokens[edges[-1] - first :]]
        when = (TimeState.DATED, *_held(sentence, dates)) if dates else (TimeState.STATIC, None, "")
        made.append(Part(tuple(tokens), tuple(words), *when))
    return made


def _parts(own: Sequence[Token], chain: Sequence[Token]) -> bool:
    """ "Classes were dull, but Roe graduated in 1893": a clause of its own, of which alone the time is."""
    inside = {id(t) for t in own}
    verb = next(t for t in chain if id(t) in inside)
    # Without a joint the parser may have torn "until Roe , the fifth mayor , died".
    joint = any(c.dep == "cc" and c.i < verb.i for c in verb.head.children)
    subject = joint and verb.child("nsubj", "nsubjpass") is not None
    return verb is not chain[0] and chain[0].pos in {"VERB", "AUX"} and (subject or is_later(verb))


def _shared(verb: Token) -> list[Token]:
    """The subject that joined verbs have in common."""
    subject = verb.child("nsubj", "nsubjpass")
    return subject.subtree() if subject is not None else []


def _opened(
    shared: list[Token], before: Sequence[Token], chain: Sequence[Token], words: list[Token]
) -> list[Token] | None:
    """A later member with what it shares with the first put before it; None where that makes no sentence."""
    inside = {id(t) for t in words}
    verb = next(t for t in chain if id(t) in inside)
    if verb.pos not in {"VERB", "AUX"}:
        return [*shared, *words] if chain[0].pos == verb.pos or chain[0].pos in {"NOUN", "PROPN"} else None
    if chain[0].pos not in {"VERB", "AUX"}:
        return None
    if verb.child("nsubj", "nsubjpass", "csubj", "expl") is not None:
        if any(t.text == ";" and t.i < verb.i for t in words):
            # What stands before the mark belongs to the member before.
            return None
        return [*before, *words] if chain[0].head is not chain[0] else list(words)
    if not shared:
        return None
    passive = any(c.dep == "auxpass" for c in chain[0].children)
    # "was arrested and interviewed": the parser takes the second for the simple past.
    short = passive and verb.tag == "VBD" and verb.child("dobj", "attr", "ccomp", "xcomp") is None
    finite = (verb.tag in FINITE and not short) or any(
        c.tag in FINITE for c in verb.children if c.dep in {"aux", "auxpass"}
    )
    helpers = [] if finite else [c for c in chain[0].children if c.dep in {"aux", "auxpass"}]
    if not finite and not (passive and verb.tag in {"VBN", "VBD"}):
        return None
    outer = [t for t in before if t.i < shared[0].i] if chain[0].head is not chain[0] else []
    return [*outer, *shared, *helpers, *words]


def _trimmed(own: Sequence[Token]) -> list[Token]:
    """Without the joint at the end or the beginning: ", and"."""
    kept = list(own)
    while kept and (kept[-1].text in {",", ";", "and", "but", "or", "–", "-"}):
        kept.pop()
    while kept and (kept[0].text in {",", ";", "and", "but", "or"}):
        kept.pop(0)
    return kept


def _is_life(sentence: Sentence, time: TimeExpression) -> bool:
    """ "Ada Poll (1910-1999) was a painter", "(born 1954)": the dates of a life, not of what is told."""
    opens = bracket_before(sentence, place_of(sentence, time))
    if opens < 1 or not any(t.tag in FINITE for t in sentence.tokens if t.name is None):
        return False
    inside = sentence.tokens[opens + 1 : place_of(sentence, time)]
    if any(t.lower in _LIFE for t in inside):
        return True
    name = sentence.tokens[opens - 1].name
    person = name is not None and name.type is EntityType.PERSON
    span = time.interval
    length = span.end - span.start if span is not None else 0
    closes = sentence.tokens[opens + 1].time is time
    lived = (person and length > _SHORTEST) or (length > _LONG and closes)
    return time.kind is ExpressionKind.RANGE and lived
