"""Which time an event of a sentence has, and of which words of the sentence it tells.

A sentence that joins several dated things ("joined Acme in 2001 and left it in 2009") makes an event of each,
with the words and the time of that one. Where the words cannot be parted, it makes one event over all of its
times: no event has the date of another clause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from tidegraph.domain.documents import ExpressionKind, TimeExpression, TimeState
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.language.gapping import gapped
from tidegraph.language.loose_times import are_apart, is_beside, is_far, is_life, is_only_after
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
from tidegraph.language.words import words

ASIDE: Final = "aside"
"""The rule of a time that only something beside what is told has."""
_MIN_WORDS: Final = 4
_MIN_PARTICIPLE: Final = 3
_YEAR: Final = 366 * MICROS_PER_DAY
_UNTIL: Final = frozenset({"until", "till"})
_BEFORE: Final = "before"
_DASHES: Final = frozenset("-–—")
_IDLE: Final = words("standing", "idle_times")
_FIRST: Final = words("standing", "first_times")
_CLAUSAL: Final = frozenset({"VERB", "AUX", "PRON"})
_JUST: Final = frozenset({"just", "shortly", "immediately", "soon", "right"})
_LATER: Final = frozenset(
    {"later", "subsequently", "eventually", "afterwards", "thereafter", "shortly", "soon"}
)
_OPENING: Final = 4
_MANY: Final = 5
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
    if halves := _halves(sentence):
        return [_unmarked(p) for half in halves for p in parts(half, context, verbless=verbless)]
    if listed := gapped(sentence):
        return [Part(m.tokens, m.own, TimeState.DATED, m.interval, m.time.rule_id) for m in listed]
    times = sentence_times(sentence) or sentence_times(sentence, asides=True)
    vague = [t for t in times if is_beside(t, sentence, context)]
    times = [t for t in times if t not in vague and not is_age(sentence, t) and t.text.lower() not in _IDLE]
    if verbless and context.document is None:
        # "Kite festival - June", "21 to 25 September": every year, or a year that nothing tells.
        times = [t for t in times if t.kind is not ExpressionKind.UNDERSPECIFIED and not t.anchor]
    dated = [t for t in times if t.interval is not None and not is_life(sentence, t)]
    if opened := _opening_participle(sentence, dated):
        return opened
    resolved = own_times(sentence, dated)
    if resolved and all(is_of_aside(sentence, t) or is_only_after(sentence, t) for t in resolved):
        return [Part(tuple(sentence.tokens), tuple(sentence.tokens), TimeState.UNRESOLVED, None, ASIDE)]
    if resolved and (split := _split(sentence, resolved)):
        return split
    whole = tuple(sentence.tokens)
    if len(resolved) >= _MANY and are_apart(resolved):
        # A life's list: no one time.
        return [Part(whole, whole, TimeState.UNRESOLVED, None, ASIDE)]
    if resolved and any(is_far(t, sentence, context) for t in vague):
        # "In August here and in November 2012 there": the one time is not known.
        return [Part(whole, whole, TimeState.UNRESOLVED, None, vague[0].rule_id)]
    if resolved and are_apart(resolved):
        if all(bracket_before(sentence, place_of(sentence, t)) >= 0 for t in resolved):
            # "Sonata ( 1935, revised 1944 )": the time of the work is the first.
            resolved = resolved[:1]
        elif verbless:
            # "Winners: 2013, 2014, 2018": no one time.
            return [Part(whole, whole, TimeState.STATIC, None, "")]
    if resolved:
        return [Part(whole, whole, TimeState.DATED, *_held(sentence, resolved))]
    if any(is_far(t, sentence, context) for t in vague) and not context.carried:
        return [Part(whole, whole, TimeState.UNRESOLVED, None, vague[0].rule_id)]
    return [Part(whole, whole, *_from_outside(sentence, times, context))]


def _halves(sentence: Sentence) -> list[Sentence]:
    """ "Roe died in 1944; Poll then sold it": statements that a semicolon parts; [] for other sentences."""
    marks = [k for k, t in enumerate(sentence.tokens) if t.text == ";" and bracket_before(sentence, k) < 0]
    edges = [0, *(k + 1 for k in marks), len(sentence.tokens)]
    found = [Sentence(sentence.tokens[low:high]) for low, high in pairwise(edges) if low < high]
    return found if len(found) > 1 and all(_is_statement(half) for half in found) else []


def _unmarked(part: Part) -> Part:
    """Without the semicolon at its end."""
    if part.tokens[-1].text != ";":
        return part
    return replace(part, tokens=part.tokens[:-1], own=part.own[:-1] or part.own)


def _is_statement(half: Sentence) -> bool:
    told = any(t.tag in FINITE and t.name is None for t in half.tokens)
    # "They were , at last , sold": the parser hangs the subject on the helper.
    verbs = (half.root, *(c for c in half.root.children if c.dep in {"aux", "auxpass"}))
    subject = any(v.child("nsubj", "nsubjpass", "expl") is not None for v in verbs)
    return told and subject and len(half.tokens) > _MIN_WORDS


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
        or any(t.pos in _CLAUSAL for t in first[1 : next(k for k, t in enumerate(first) if t.time in inside)])
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


def _is_until(sentence: Sentence, time: TimeExpression) -> bool:
    """ "worked there until the peace in May 1945", "until it closed in 1989": the time is when it ended.

    "Did not work until 1945" tells when it began.
    """
    place = place_of(sentence, time)
    if place > 1 and sentence.tokens[place - 1].text in _DASHES and sentence.tokens[place - 2].text == "(":
        return True
    root = sentence.root
    between = [t for t in sentence.tokens[:place] if t.i > root.i]
    marks = [t for t in between if t.lower in _UNTIL]
    if (
        marks
        and root.pos in {"VERB", "AUX"}
        and not any(t.text in {";", "and"} for t in between if t.i > marks[-1].i)
    ):
        return not any(c.dep == "neg" for c in root.children)
    current = sentence.tokens[place]
    while current.head is not current:
        before = current.head.lower == _BEFORE and current.head.dep == "prep" and current.time is None
        before = before and not any(c.lower in _JUST for c in current.head.children)
        if before and current.dep == "pobj":
            return True
        earlier = current.head.lower == _BEFORE and current.dep == "pcomp"
        earlier = earlier or (current.dep == "advcl" and any(c.lower == _BEFORE for c in current.children))
        if earlier:
            return True
        if current.lower in _UNTIL or any(c.lower in _UNTIL and c.dep == "mark" for c in current.children):
            verb = verb_above(current)
            return verb is not None and not any(c.dep == "neg" for c in verb.children)
        current = current.head
    return False


def _from_outside(
    sentence: Sentence, times: Sequence[TimeExpression], context: TimeContext
) -> tuple[TimeState, Interval | None, str]:
    """The time carried from above; else that of the story; else unresolved or static."""
    above = context.carried.interval if context.carried is not None else None
    # What is told under "2011-2015" happened in one of the years; a line of a list holds in all of them.
    step = above is not None and above.end - above.start > _YEAR and _is_past(sentence)
    if context.carried is not None and above is not None and not step:
        return TimeState.DATED, above, f"{CARRIED}{context.carried.rule_id}"
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
    first, last = sentence.tokens[0].i, sentence.tokens[-1].i
    for head in sentence.tokens:
        chain = _chain(head)
        if len(chain) < 2 or not any(t.time is None for t in head.subtree()):
            continue
        if not all(first <= t.i <= last for t in head.subtree()) or _is_relative(head):
            continue
        found = _members(sentence, chain, times)
        if found:
            return found
    return []


def _is_relative(verb: Token) -> bool:
    """ "a book that was ready in 1935 but was barred until 1937": all of it tells what the book is."""
    told = any(c.tag in {"WDT", "WP", "WP$"} for c in verb.children)
    return verb.dep == "relcl" or (told and verb.head is not verb)


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
            and not (groups[-1][1] and _is_told_later(own, chain))
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
        if chain[0].pos in {"VERB", "AUX"} and not any(t.tag in FINITE for t in tokens or ()):
            return []
        if tokens is None or len(words) < (_MIN_WORDS if chain[0].pos in {"VERB", "AUX"} else 2):
            return []
        if number == len(groups) - 1:
            tokens = [*tokens, *sentence.tokens[edges[-1] - first :]]
        when = (TimeState.DATED, *_held(sentence, dates)) if dates else (TimeState.STATIC, None, "")
        made.append(Part(tuple(tokens), tuple(words), *when))
    return made


def _is_told_later(own: Sequence[Token], chain: Sequence[Token]) -> bool:
    """ "Joined Acme in 2001 and later led it": of the second no time is told."""
    inside = {id(t) for t in own}
    verb = next(t for t in chain if id(t) in inside)
    if verb.pos not in {"VERB", "AUX"} or verb is chain[0]:
        return False
    return any(t.lower in _LATER for t in own[:_OPENING] if t.i < verb.i)


def _parts(own: Sequence[Token], chain: Sequence[Token]) -> bool:
    """ "Classes were dull, but Roe graduated in 1893": a clause of its own, of which alone the time is."""
    inside = {id(t) for t in own}
    verb = next(t for t in chain if id(t) in inside)
    # Without a joint the parser may have torn "until Roe , the fifth mayor , died".
    joint = any(c.dep == "cc" and c.i < verb.i for c in verb.head.children)
    subject = joint and verb.child("nsubj", "nsubjpass") is not None
    # "kept his post and in 1954 wrote a book"
    opened = any(t.time is not None and t.i < verb.i for t in own)
    # "During the war he served in Leeds and attended a school in 1941"
    low, high = min(t.i for t in chain[0].subtree()), verb.i
    opened |= any(t.lower in _FIRST for t in chain[0].subtree() if low <= t.i < high and t.head is chain[0])
    return verb is not chain[0] and chain[0].pos in {"VERB", "AUX"} and (subject or opened or is_later(verb))


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
