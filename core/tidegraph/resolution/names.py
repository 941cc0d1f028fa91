"""How alike two names are, by type: exact, variant, weak, or in conflict.

Scores are in [0, 1]; ``CONFLICT`` says that the names cannot name one thing (Jr. against Sr., version 3
against version 4, two different given names).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import JaroWinkler, Levenshtein

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.folding import fold, is_latin, latin, skeleton, words
from tidegraph.resolution.tables import tables

CONFLICT: Final = -1.0
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_GENDERS: Final = {
    "mr": "m", "sir": "m", "lord": "m", "king": "m", "prince": "m", "uncle": "m", "father": "m", "herr": "m",
    "mrs": "f", "ms": "f", "miss": "f", "lady": "f", "dame": "f", "queen": "f", "princess": "f", "aunt": "f",
    "mme": "f", "madame": "f", "frau": "f", "smt": "f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """Parts of a personal name: folded words, initials as single letters."""

    given: tuple[str, ...]
    surname: str
    generation: str
    all_words: frozenset[str]
    gender: str


@lru_cache(maxsize=50_000)
def person(name: str) -> Person:
    """Read a personal name in natural, inverted or capital form."""
    name = re.sub(r"\s*\([^)]*\)", "", name)
    head, comma, tail = name.partition(",")
    generation = ""
    if comma and fold(tail) in tables().generations:
        generation, tail, comma = tables().generations[fold(tail)], "", ""
    raw = latin(f"{tail} {head}" if comma else head).split()
    surname_words = latin(head).split() if comma else []
    kept = []
    for word in _without_titles(raw):
        if word in tables().generations and len(raw) > 1 and word != "v":
            generation = tables().generations[word]
        else:
            kept.append(word)
    surname_words = [w for w in surname_words if w in kept]
    if not surname_words and kept:
        surname_words = kept[-1:]
        while len(kept) > len(surname_words) + 1 and kept[-len(surname_words) - 1] in tables().particles:
            surname_words = kept[-len(surname_words) - 1 :]
    given = tuple(kept[: len(kept) - len(surname_words)])
    gender = next((_GENDERS[word] for word in raw if word in _GENDERS and len(raw) > 1), "")
    return Person(_split_initials(given), " ".join(surname_words), generation, frozenset(kept), gender)


def _without_titles(parts: list[str]) -> list[str]:
    while len(parts) > 1:
        if " ".join(parts[:2]) in tables().titles and len(parts) > 2:
            parts = parts[2:]
        elif parts[0] in tables().titles:
            parts = parts[1:]
        else:
            break
    return parts


def _split_initials(given: tuple[str, ...]) -> tuple[str, ...]:
    """ "jj" written for "J.J." is two initials; a vowel makes it a name ("jo")."""
    parts: list[str] = []
    for word in given:
        initials = len(word) == 2 and not set(word) & set("aeiouy")
        parts.extend(word if initials else [word])
    return tuple(parts)


def person_match(a: str, b: str) -> float:
    """Likeness of two personal names."""
    if is_latin(a) != is_latin(b) or not (is_latin(a) and is_latin(b)):
        return _other_script(a, b)
    left, right = person(a), person(b)
    if left.generation and right.generation and left.generation != right.generation:
        return CONFLICT
    if left.gender and right.gender and left.gender != right.gender:
        return CONFLICT
    if left.all_words == right.all_words and left.all_words:
        return 1.0
    if left.surname != right.surname:
        return _unlike_surnames(left, right)
    if not left.given or not right.given:
        return 0.5
    return _given_match(left.given, right.given)


def _unlike_surnames(left: Person, right: Person) -> float:
    if min(len(left.all_words), len(right.all_words)) > 1 and (
        left.all_words <= right.all_words or right.all_words <= left.all_words
    ):
        return 0.8
    if left.all_words < right.all_words or right.all_words < left.all_words:
        return 0.45
    a, b = "".join(sorted(left.all_words)), "".join(sorted(right.all_words))
    joined = Levenshtein.normalized_similarity(a, b)
    return 0.7 if joined >= 0.9 and min(len(a), len(b)) > 6 else 0.0


def _given_match(a: tuple[str, ...], b: tuple[str, ...]) -> float:
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    grades = [max((_word_match(x, y) for y in long), default=0.0) for x in short]
    if min(grades) == 0.0:
        return CONFLICT
    full = all(len(x) > 1 for x in short)
    same_first = _word_match(a[0], b[0])
    if full and min(grades) == 1.0:
        return 0.95 if same_first else 0.85
    if full:
        return 0.8
    return 0.75 if same_first else 0.65


def _word_match(x: str, y: str) -> float:
    if x == y:
        return 1.0
    if len(x) == 1 or len(y) == 1:
        return 0.6 if x[0] == y[0] else 0.0
    if tables().nicknames.get(x, frozenset()) & tables().nicknames.get(y, frozenset()):
        return 0.8
    if x.startswith(y) or y.startswith(x):
        return 0.8 if min(len(x), len(y)) >= 3 else 0.0
    return 0.7 if Levenshtein.distance(x, y) == 1 and min(len(x), len(y)) >= 5 else 0.0


def _other_script(a: str, b: str) -> float:
    """Names of which at least one is not Latin: by transliteration, then by consonants."""
    if fold(a) == fold(b):
        return 1.0
    left, right = "".join(sorted(latin(a).split())), "".join(sorted(latin(b).split()))
    ratio = Levenshtein.normalized_similarity(left, right)
    bones = _skeleton_match(a, b)
    return max(0.9 * ratio if ratio >= 0.75 else 0.0, bones)


def _skeleton_match(a: str, b: str) -> float:
    left = sorted(skeleton(word) for word in latin(a).split())
    right = sorted(skeleton(word) for word in latin(b).split())
    if not left or not right:
        return 0.0
    whole = Levenshtein.normalized_similarity("".join(left), "".join(right))
    straight = JaroWinkler.similarity(skeleton(a), skeleton(b))
    return 0.85 * max(whole, straight if straight >= 0.85 else 0.0)


@lru_cache(maxsize=50_000)
def organisation(name: str) -> tuple[str, ...]:
    """Words of an organisation's name without legal form; order kept."""
    for infix in tables().legal_infixes:
        name = name.replace(infix, " ")
    name = re.sub(r"/[A-Z]{2,3}/?$|/$", "", name.strip())
    name = re.sub(r"\b(?:[A-Za-z]\.){2,}", lambda m: m[0].replace(".", ""), name)
    parts = [p for p in latin(name.replace("&", " and ")).split() if p != "and"]
    while len(parts) > 1 and parts[-1] in tables().legal_forms and parts[-1] not in tables().soft_forms:
        parts = parts[:-1]
    while len(parts) > 1 and parts[0] == "the":
        parts = parts[1:]
    return tuple(parts)


def _acronym_of(short: str, long: tuple[str, ...]) -> bool:
    letters = "".join(word[0] for word in long)
    telling = "".join(
        word[0]
        for word in long
        if word not in ("of", "for", "and", "the", "in", "de", "du", "des", "la", "et", "di", "y", "da", "do")
    )
    return 2 <= len(short) <= 8 and short in (letters, telling)


def organisation_match(a: str, b: str) -> float:
    """Likeness of two names of organisations."""
    left, right = organisation(a), organisation(b)
    if left == right or "".join(left) == "".join(right):
        return 1.0
    if sorted(left) == sorted(right):
        return 0.95
    core_left = tuple(w for w in left if w not in tables().soft_forms) or left
    core_right = tuple(w for w in right if w not in tables().soft_forms) or right
    if core_left == core_right:
        return 0.85
    joined = Levenshtein.normalized_similarity(" ".join(left), " ".join(right))
    if _numbers(a) != _numbers(b):
        return min(0.5, joined)
    if joined >= 0.9 and len(" ".join(left)) >= 8 and _typo_only(left, right):
        return 0.9
    return max(
        _acronyms(a, b, left, right),
        _partial(left, right),
        _other_script(a, b) if not (is_latin(a) and is_latin(b)) else 0.0,
    )


def _typo_only(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Words pair up one to one, each within a letter or two of its partner."""
    if len(left) != len(right):
        return False
    return all(
        (Levenshtein.distance(x, y) <= (1 if min(len(x), len(y)) < 8 else 2) and min(len(x), len(y)) > 2)
        or x == y
        for x, y in zip(left, right, strict=True)
    )


def _acronyms(a: str, b: str, left: tuple[str, ...], right: tuple[str, ...]) -> float:
    for short, long in ((left, right), (right, left)):
        if len(short) == 1 and len(long) > 1 and _acronym_of(short[0], long):
            return 0.7
    return 0.0


def _partial(left: tuple[str, ...], right: tuple[str, ...]) -> float:
    a, b = set(left), set(right)
    common = {w for w in a & b if w not in tables().generic_words}
    if not common:
        return 0.2 if a & b else 0.0
    share = len(a & b) / len(a | b)
    contained = a <= b or b <= a
    return min(0.8, 0.35 + 0.4 * share + (0.1 if contained else 0.0))


def _numbers(name: str) -> tuple[str, ...]:
    return tuple(_NUMBER.findall(name))


def place_match(a: str, b: str) -> float:
    """Likeness of two place names in any script."""
    left, right = latin(a), latin(b)
    if left == right:
        return 1.0
    x, y = left.replace(" ", ""), right.replace(" ", "")
    ratio = Levenshtein.normalized_similarity(x, y)
    if x == y:
        return 1.0
    contained = set(left.split()) <= set(right.split()) or set(right.split()) <= set(left.split())
    bones = _skeleton_match(a, b)
    return max(
        0.95 * ratio if ratio >= 0.7 else 0.6 * ratio,
        0.65 if contained else 0.0,
        bones if min(len(x), len(y)) > 3 else 0.0,
    )


@lru_cache(maxsize=50_000)
def product(name: str) -> tuple[frozenset[str], tuple[str, ...], str]:
    """(words without noise, version numbers, joined form) of a product's name, slug or catalogue id."""
    name = re.sub(r"\bv(?=\d)", "", name)
    parts = list(words(re.sub(r"[_/:\-]+", " ", re.sub(r"(?<=\d)\.(?=\d)", "·", name)).replace("·", ".")))
    numbers = tuple(_NUMBER.findall(re.sub(r"[_/:\-]+", " ", name)))
    telling = [p for p in dict.fromkeys(parts) if p not in tables().product_noise and not p.isdigit()]
    return frozenset(telling or parts), numbers, "".join(dict.fromkeys(p for p in parts if not p.isdigit()))


def product_match(a: str, b: str) -> float:
    """Likeness of two product names; differing versions are in conflict."""
    (left, left_numbers, left_joined), (right, right_numbers, right_joined) = product(a), product(b)
    if _version(left_numbers) != _version(right_numbers):
        return CONFLICT
    if left == right or left_joined == right_joined:
        return 1.0
    if left < right or right < left:
        small, large = (left, right) if len(left) < len(right) else (right, left)
        return 0.75 if len(large) - len(small) == 1 and any(len(w) > 2 for w in small) else 0.55
    tokens_left, tokens_right = "".join(sorted(left)), "".join(sorted(right))
    if tokens_left in right_joined or tokens_right in left_joined:
        return 0.7 if min(len(tokens_left), len(tokens_right)) > 3 else 0.4
    ratio = Levenshtein.normalized_similarity(left_joined, right_joined)
    acronym = _acronym_of(left_joined, tuple(words(b))) or _acronym_of(right_joined, tuple(words(a)))
    return max(ratio * 0.9 if ratio > 0.85 else 0.0, 0.6 if acronym else 0.0)


def _version(numbers: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(re.sub(r"(?:\.0)+$", "", n) for n in numbers)


def match(kind: EntityType, a: str, b: str) -> float:
    """Likeness of two names of one type."""
    if kind is EntityType.PERSON:
        return person_match(a, b)
    if kind is EntityType.PLACE:
        return place_match(a, b)
    if kind is EntityType.ORGANISATION:
        return organisation_match(a, b)
    return product_match(a, b)
