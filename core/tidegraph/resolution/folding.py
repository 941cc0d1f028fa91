"""Comparable forms of a string in any script."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from anyascii import anyascii

_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APOSTROPHES = re.compile(r"['’‘ʼ`´]")
_VOWELS = str.maketrans("", "", "aeiouyhw")
_DOUBLED = re.compile(r"(.)\1+")
_MARKS = ("Mn", "Mc")  # vowel signs of Indic scripts: parts of words
_SKELETON = (
    ("ng", "n"), ("tsch", "c"), ("sch", "s"), ("tch", "c"), ("ch", "c"), ("zh", "c"), ("sh", "s"),
    ("hs", "s"), ("ts", "s"), ("tz", "s"), ("dz", "s"), ("kh", "k"), ("gh", "k"), ("ph", "f"),
    ("th", "t"), ("dj", "c"), ("ck", "k"), ("qu", "k"), ("x", "s"), ("j", "c"), ("q", "c"), ("z", "s"),
    ("g", "k"), ("d", "t"), ("b", "p"), ("v", "w"), ("f", "w"), ("r", "l"), ("m", "n"),
)  # fmt: skip


@lru_cache(maxsize=100_000)
def fold(text: str) -> str:
    """NFKC, case and accents off, words joined by one blank; the script stays as it is."""
    text = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text).casefold())
    if text.isascii():
        return " ".join(_WORD.findall(text))
    bare = (c for c in unicodedata.normalize("NFD", text) if not ("\u0300" <= c <= "\u036f"))
    kept = (c if c.isalnum() or unicodedata.category(c) in _MARKS else " " for c in bare)
    return " ".join(unicodedata.normalize("NFC", "".join(kept)).split())


@lru_cache(maxsize=100_000)
def latin(text: str) -> str:
    """Folded transliteration to Latin letters; syllables of Han and Hangul become words."""
    text = unicodedata.normalize("NFKC", text)
    if text.isascii():
        return fold(text)
    return fold(
        " ".join(_CAMEL.sub(" ", anyascii(word)) if not word.isascii() else word for word in text.split())
    )


@lru_cache(maxsize=100_000)
def is_latin(text: str) -> bool:
    """True when most letters are of the Latin script."""
    if text.isascii():
        return True
    letters = [c for c in text if c.isalpha()]
    return sum(1 for c in letters if unicodedata.name(c, "").startswith("LATIN")) * 2 >= len(letters)


@lru_cache(maxsize=100_000)
def skeleton(text: str) -> str:
    """Consonant classes of the Latin form: what survives another romanisation."""
    text = latin(text).replace(" ", "")
    for old, new in _SKELETON:
        text = text.replace(old, new)
    head, tail = text[:1], text[1:]
    head = "a" if head in "aeiouyhw" else head
    return _DOUBLED.sub(r"\1", head + tail.translate(_VOWELS))


def words(text: str) -> tuple[str, ...]:
    """Folded words of the Latin form, camel case and digit borders split."""
    text = _CAMEL.sub(" ", unicodedata.normalize("NFKC", text))
    return tuple(latin(text).split())
