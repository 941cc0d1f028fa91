"""Names: one normal form for all ways to write one name, in any script.

The normal form is what exact matching compares and what an entity's id is made of
(``ids.entity_id(graph, normal form, "")``). Two mentions are one entity when the normal forms of their
canonical names are equal, whatever their types: entity types come from a statistical tagger, and a name
read once as a person and once as an organisation would tear one entity's facts apart more often than two
things of different kind share a full name. So clusters are a function of each mention alone, and no
arrival order can change them. A mention's own form is kept as an alias of its entity and finds it in
searches, but does not decide identity: "Smith" after "Ann Smith" is Ann Smith in that document only.

Two names that differ only in case, punctuation, spacing, dots of initials, an honorific, an article or a
legal form are one. Diacritics, word order, initials against full names and all words of a name itself
tell names apart here.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from tidegraph.domain.documents import EntityType, Mention

MAX_NAME_CHARS: Final = 400
"""Longer names are cut: they are no names, and ids and indexes need not carry them."""

_POSSESSIVE: Final = re.compile(r"(?:['\u2019\u02bc]s|(?<=s)['\u2019\u02bc])$", re.IGNORECASE)
_APOSTROPHES: Final = str.maketrans("", "", "'\u2018\u2019\u02bc\u02bb`\u00b4")
_KEPT_SIGNS: Final = "+#"
_DIGIT_MARKS: Final = ".:"


@dataclass(frozen=True, slots=True)
class ParsedName:
    """A name taken apart. ``core`` is the normal form; the rest is kept as data, in normal form too."""

    core: str
    titles: tuple[str, ...]
    legal_forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Words:
    titles: frozenset[str]
    person_suffixes: frozenset[str]
    legal_forms: frozenset[str]
    legal_forms_in_capitals: frozenset[str]
    articles: frozenset[str]


@cache
def _words() -> _Words:
    text = resources.files("tidegraph.domain").joinpath("data/names.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return _Words(
        **{name: frozenset(unicodedata.normalize("NFKC", w) for w in table[name]) for name in table}
    )


@lru_cache(maxsize=65_536)
def parse(name: str, type_: EntityType = EntityType.UNSPECIFIED) -> ParsedName:
    """A name taken apart by what its type allows: honorifics off persons, legal forms off all others.

    Of an UNSPECIFIED type (a name in a question) both are taken off. A name that consists of nothing
    else keeps it all. Never empty for a name that holds any visible character.
    """
    written = unicodedata.normalize("NFKC", name[:MAX_NAME_CHARS]).strip()
    written = _POSSESSIVE.sub("", written) or written
    tokens = _tokens(written)
    if not tokens:
        return ParsedName(" ".join(written.casefold().split()), (), ())
    words = _words()
    titles: list[str] = []
    forms: list[str] = []
    if type_ != EntityType.PERSON:
        tokens = _strip_legal_forms(tokens, forms, words)
        if len(tokens) > 1 and tokens[0][0] in words.articles:
            tokens = tokens[1:]
    if type_ in (EntityType.PERSON, EntityType.UNSPECIFIED):
        tokens = _strip_titles(tokens, titles, words)
    return ParsedName(_join([low for low, _ in tokens]), tuple(titles), tuple(forms))


def normalise(name: str, type_: EntityType = EntityType.UNSPECIFIED) -> str:
    """The normal form of a name: the ``core`` of :func:`parse`."""
    return parse(name, type_).core


def entity_key(mention: Mention) -> str:
    """The normal form that decides which entity a mention names: that of its canonical name."""
    return normalise(mention.canonical_name or mention.name, mention.type)


def aliases(mention: Mention) -> tuple[tuple[str, str], ...]:
    """(normal form, as written) of the names under which a mention's entity was seen, sorted.

    A pronoun or a description is no name: only a form that shares a word with the canonical name, or is
    made of its initials, is an alias.
    """
    canonical = mention.canonical_name or mention.name
    found = {(normalise(canonical, mention.type), canonical[:MAX_NAME_CHARS].strip())}
    own = normalise(mention.name, mention.type)
    if own and (_share_word(own, normalise(canonical, mention.type)) or is_acronym(mention.name, canonical)):
        found.add((own, mention.name[:MAX_NAME_CHARS].strip()))
    return tuple(sorted(found))


def is_acronym(short: str, full: str) -> bool:
    """True when ``short`` is made of the initials of ``full`` ("IBM")."""
    letters = re.sub(r"[^\w]", "", short)
    if not 2 <= len(letters) <= 10 or letters != letters.upper():
        return False
    heads = [token for token in normalise(full).split() if token not in ("of", "and", "for", "the", "de")]
    return letters.casefold() == "".join(token[0] for token in heads)


def display_name(key: str, names: Iterable[tuple[str, str]]) -> str:
    """The name to show, chosen from (normal form, as written) pairs by a function of their set.

    Of the forms that the id is made of, one in mixed case before one in capitals before one in lower
    case, then the shortest, then the first in order of code points.
    """
    listed = sorted(set(names))
    own = [written for normal, written in listed if normal == key] or [written for _, written in listed]
    return min(own, key=lambda text: (_case_rank(text), len(text), text), default=key)


def _case_rank(text: str) -> int:
    if text == text.lower() and text != text.upper():
        return 2
    return 1 if text == text.upper() and text != text.lower() else 0


def _share_word(one: str, other: str) -> bool:
    return not set(one.split()).isdisjoint(other.split())


def _tokens(written: str) -> list[tuple[str, str]]:
    """(normal form, as written) of each word: letters, marks and digits of any script; & is "and"."""
    if written.isascii() and written.replace(" ", "").isalnum():  # most names: nothing to look at closer
        return [(word.lower(), word) for word in written.split()]
    text = written.replace("&", " and ").translate(_APOSTROPHES)
    out: list[str] = []
    for index, char in enumerate(text):
        if unicodedata.category(char)[0] in "LMN" or _kept(text, index, char):
            out.append(char)
        else:
            # A dot stays for the moment: "S.A." and "U.S." are one word each.
            out.append("." if char == "." and index and text[index - 1].isalpha() else " ")
    found = []
    for word in "".join(out).split():
        if re.fullmatch(r"(?:\w\.)+\w?", word) or word.endswith(".") or "." not in word:
            parts = [word]
        else:
            parts = word.split(".") if not any(char.isdigit() for char in word) else [word]
        found += [(_fold(part), part) for part in parts if _fold(part)]
    return found


def _kept(text: str, index: int, char: str) -> bool:
    """A sign that is part of a name: "C++", "C#", the dot of "3.1"."""
    before = text[index - 1] if index else " "
    if char in _KEPT_SIGNS:
        return before.isalnum() or before in _KEPT_SIGNS
    after = text[index + 1] if index + 1 < len(text) else " "
    return char in _DIGIT_MARKS and before.isdigit() and after.isdigit()


def _fold(word: str) -> str:
    bare = word if any(char.isdigit() for char in word) else word.replace(".", "")
    return unicodedata.normalize("NFKC", bare.strip(".").casefold())


def _strip_legal_forms(
    tokens: list[tuple[str, str]], found: list[str], words: _Words
) -> list[tuple[str, str]]:
    while len(tokens) > 1 and _is_legal_form(tokens[-1], words):
        found.insert(0, tokens[-1][0])
        tokens = tokens[:-1]
        if len(tokens) > 1 and tokens[-1][0] == "and":
            tokens = tokens[:-1]
    # Japanese, Chinese and Russian forms stand in front as well.
    if len(tokens) > 1 and tokens[0][0] in words.legal_forms and not tokens[0][0].isascii():
        found.append(tokens[0][0])
        tokens = tokens[1:]
    return tokens


def _is_legal_form(token: tuple[str, str], words: _Words) -> bool:
    low, written = token
    if low not in words.legal_forms:
        return False
    bare = written.replace(".", "")
    if low not in words.legal_forms_in_capitals or "." in written:
        return True
    return bare == bare.upper() or (low == "co" and bare == "Co")


def _strip_titles(tokens: list[tuple[str, str]], found: list[str], words: _Words) -> list[tuple[str, str]]:
    while len(tokens) > 1 and tokens[0][0] in words.titles:
        found.append(tokens[0][0])
        tokens = tokens[1:]
    while len(tokens) > 2 and tokens[-1][0] in words.person_suffixes:
        found.append(tokens[-1][0])
        tokens = tokens[:-1]
    return tokens


def _join(tokens: list[str]) -> str:
    """Words joined by single spaces, runs of single letters ("j r", "u s a") as one word."""
    out: list[str] = []
    run: list[str] = []
    for token in tokens:
        if len(token) == 1 and token.isalpha() and token.isascii():
            run.append(token)
            continue
        if run:
            out.append("".join(run))
            run = []
        out.append(token)
    if run:
        out.append("".join(run))
    return " ".join(out)
