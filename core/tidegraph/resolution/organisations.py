"""Names of organisations: legal forms off, words by meaning, acronyms, branches and numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from rapidfuzz.distance import Levenshtein

from tidegraph.resolution.concepts import concepts_of, concepts_of_word
from tidegraph.resolution.folding import fold, is_latin, latin
from tidegraph.resolution.grades import NONE, Match, acronyms, same_word, transliterated
from tidegraph.resolution.tables import tables

_BRACKETS: Final = re.compile(r"\(([^)]*)\)")
_STATE_SUFFIX: Final = re.compile(r"/[A-Z]{2,3}/?$|/$")
_DOTTED: Final = re.compile(r"\b(?:[A-Za-z]\.){2,}")
_NUMERAL: Final = re.compile(r"\d+|[ivx]+")
_GENERIC_WEIGHT: Final = 0.4


@dataclass(frozen=True, slots=True)
class Organisation:
    """A name taken apart.

    ``words`` keep their order, legal forms off; ``core`` has forms like "Group" off as well. ``telling``
    are the words that are neither generic nor minor, ``concepts`` what the others mean. ``branch`` is the
    country or text in brackets, ``numerals`` the numbers, Roman ones too. ``code`` says that it is written
    like an acronym.
    """

    words: tuple[str, ...]
    core: tuple[str, ...]
    telling: frozenset[str]
    concepts: frozenset[str]
    branch: str
    numerals: frozenset[str]
    code: bool


@lru_cache(maxsize=50_000)
def organisation(name: str) -> Organisation:
    """Take an organisation's name apart."""
    for infix in _infixes(name.isascii()):
        name = name.replace(infix, " ")
    bracket = _BRACKETS.search(name)
    branch = fold(bracket[1]) if bracket else ""
    plain = _BRACKETS.sub(" ", name).strip() or name
    plain = _STATE_SUFFIX.sub("", plain)
    plain = _DOTTED.sub(lambda m: m[0].replace(".", ""), plain)
    parts = [part for part in latin(plain.replace("&", " and ")).split() if part != "and"]
    while len(parts) > 1 and parts[-1] in _hard_forms():
        parts.pop()
    while len(parts) > 1 and parts[0] == "the":
        parts = parts[1:]
    words = tuple(parts)
    core = tuple(word for word in words if word not in tables().soft_forms) or words
    minor = tables().minor_words
    spelled = is_latin(name)
    telling = frozenset(w for w in core if w not in minor and not (spelled and concepts_of_word(w)))
    return Organisation(
        words,
        core,
        telling,
        concepts_of(plain),
        tables().countries.get(branch, branch),
        frozenset(word for word in words if _NUMERAL.fullmatch(word)),
        len(words) == 1 and 2 <= len(words[0]) <= 8 and plain.replace(".", "").isupper(),
    )


@cache
def _infixes(ascii_only: bool) -> tuple[str, ...]:
    """The legal forms inside of names that a name, of letters of ASCII or of any, can have."""
    return tuple(infix for infix in tables().legal_infixes if infix.isascii() or not ascii_only)


@cache
def _hard_forms() -> frozenset[str]:
    """Legal forms that are never a part of the name."""
    return tables().legal_forms - tables().soft_forms


def organisation_match(a: str, b: str) -> Match:
    """How two names of organisations relate; symmetric."""
    left, right = organisation(a), organisation(b)
    if not left.words or not right.words:
        return NONE
    if left.branch and right.branch and left.branch != right.branch:
        return Match("conflict")
    if left.words == right.words or "".join(left.words) == "".join(right.words):
        if left.code and right.code:
            return Match("same code")
        return Match("exact" if left.branch == right.branch else "bracket")
    if sorted(left.words) == sorted(right.words):
        return Match("reordered")
    if left.numerals != right.numerals and (left.telling & right.telling or left.core[0] == right.core[0]):
        return Match("numbers")
    if left.core == right.core:
        return Match("soft")
    if _is_acronym(left, right) or _is_acronym(right, left):
        return Match("acronym")
    if not (is_latin(a) and is_latin(b)):
        return _foreign(a, b, left, right)
    return _worded(left, right)


def _is_acronym(short: Organisation, long: Organisation) -> bool:
    return (
        len(short.words) == 1
        and len(long.words) > 1
        and 2 <= len(short.words[0]) <= 8
        and short.words[0] in acronyms(long.words, tables().minor_words)
    )


def _foreign(a: str, b: str, left: Organisation, right: Organisation) -> Match:
    """Across scripts, or within one that is not Latin: by sound, then by what the words mean."""
    heard = transliterated(a, b)
    if heard.kind == "exact" or heard.grade >= 0.75:
        return heard
    if left.code or right.code:
        return Match("foreign code")
    if not (left.concepts and right.concepts):
        return Match("foreign", heard.grade)
    meant = len(left.concepts & right.concepts) / len(left.concepts | right.concepts)
    return Match("meaning", meant)


def _worded(left: Organisation, right: Organisation) -> Match:
    """Two Latin names with different words: which are shared, by spelling or meaning, which are not."""
    pairs = _shared(left.telling, right.telling)
    only_left = left.telling - {x for x, _ in pairs}
    only_right = right.telling - {y for _, y in pairs}
    meant = left.concepts & right.concepts
    rest = (left.concepts | right.concepts) - meant
    whole = 2 * len(pairs) + len(only_left) + len(only_right) + _GENERIC_WEIGHT * (2 * len(meant) + len(rest))
    share = (2 * len(pairs) + 2 * _GENERIC_WEIGHT * len(meant)) / whole if whole else 0.0
    extra = only_left | only_right
    if _typo_only(left.words, right.words):
        return Match("typo")
    if left.code or right.code:
        return _coded(left, right)
    if not pairs:
        return Match("meaning" if meant else "alike", share if meant else _likeness(left, right), extra)
    if only_left and only_right:
        return Match("crossed", share, extra)
    if extra or not (left.concepts - right.concepts and right.concepts - left.concepts):
        return Match("part", share, extra or rest)
    return Match("crossed generic", share, rest)


def _shared(left: frozenset[str], right: frozenset[str]) -> list[tuple[str, str]]:
    pairs = []
    free = set(right)
    for x in sorted(left):
        y = x if x in free else next((y for y in sorted(free) if same_word(x, y)), None)
        if y is not None:
            free.discard(y)
            pairs.append((x, y))
    return pairs


def _coded(left: Organisation, right: Organisation) -> Match:
    """An acronym against words that it does not abbreviate in order."""
    code, other = (left, right) if left.code else (right, left)
    if code.words[0] in other.words:
        return Match("part", 0.6, frozenset(other.telling - {code.words[0]}))
    if other.code:
        return Match("two codes", Levenshtein.normalized_similarity(code.words[0], other.words[0]))
    initials = "".join(word[0] for word in other.words)
    return Match("code", Levenshtein.normalized_similarity(code.words[0], initials))


def _likeness(left: Organisation, right: Organisation) -> float:
    return Levenshtein.normalized_similarity("".join(left.words), "".join(right.words))


def _typo_only(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Words pair up one to one, each within a letter or two of its partner."""
    return len(left) == len(right) and all(
        x == y
        or (min(len(x), len(y)) > 3 and Levenshtein.distance(x, y) <= (1 if min(len(x), len(y)) < 8 else 2))
        for x, y in zip(left, right, strict=True)
    )
