"""What makes no event: words that tell nothing by themselves, or of which a part is missing.

They stay in the chunks of the document, so that they are found all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tidegraph.language.blocks import BlockKind
from tidegraph.language.clauses import Clause
from tidegraph.language.passages import Passage
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

_FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
_APPARATUS: Final = words("tables", "apparatus_headings")
_MAX_FRAGMENT: Final = 6
_ARTICLES: Final = frozenset({"a", "an", "the"})
_PREPOSITIONS: Final = frozenset({"of", "to", "at", "by", "with", "between", "from", "in", "for"})
_ENDS: Final = frozenset({".", ",", ";", ")"})
_NEVER_AFTER_ARTICLES: Final = frozenset({"CC", "IN", "VBD", "VBZ", "MD", "-LRB-"})
_UNFINISHED: Final = frozenset({"as", "than", "namely", "including", "include", "includes", "like"})
_NO_OBJECTS: Final = frozenset({"when", "while", "and", "for", "with", "at", "of"})
_INSIDE: Final = frozenset("(,;)")
_ROUGHLY: Final = frozenset({"about", "approximately", "roughly"})
_DIRECTIONS: Final = frozenset(
    {
        "north",
        "south",
        "east",
        "west",
        "northwest",
        "northeast",
        "southwest",
        "southeast",
        "along",
        "above",
        "from",
        "of",
    }
)
_NEVER_AFTER_IN: Final = frozenset({"at", "with", "for", "and", "by", "from"})
_WH: Final = frozenset({"WDT", "WP", "WRB", "WP$"})
_LEGEND: Final = tuple(sorted(words("standing", "legend_phrases")))
_NOMINATIVE: Final = frozenset({"he", "she", "they", "we", "i"})
_OPENING_PREPOSITIONS: Final = frozenset({"in", "on", "at", "from", "by", "of", "for", "with", "to"})
_RUN_ON: Final = re.compile(r"[\w)]*\.[A-Z][a-z]+$")
_BREAK: Final = 2
"""So many characters between two words are an empty line."""
_CAPITAL_PRONOUNS: Final = frozenset({"He", "She", "They", "It", "His", "Her"})
_OF_EACH: Final = frozenset({"each", "every", "respective"})
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})


def is_fragment(sentence: Sentence, passage: Passage, clauses: Sequence[Clause]) -> bool:
    """A reference, the key of a table, a sentence with a hole; or a few words without verb, time or number in
    running text: the rest of a table."""
    if (
        passage.headings
        and passage.headings[-1].casefold() in _APPARATUS
        and not any(t.tag in _FINITE for t in sentence.tokens if t.name is None)
    ):
        return True
    if _is_legend(sentence) or is_glued(sentence) or _is_unbalanced(sentence):
        return True
    if sentence.tokens[-1].text == ":" and sentence is passage.sentences[-1] and passage.leads:
        # The items below it are told under it.
        return True
    if sentence.tokens[-1].text == ":" and sentence is passage.sentences[-1]:
        # What it announces stands in a table or a list of its own.
        return not any(t.time is not None for t in sentence.tokens)
    if len(sentence.tokens) == 1 and passage.block.kind is BlockKind.PARAGRAPH:
        return True
    if _is_key(sentence) or has_hole(sentence):
        return True
    if sentence.tokens[0].tag == "CC" and sentence.tokens[0].text[:1].islower():
        # "and articles , making it a paper of note": the end of what was cut.
        return passage.block.kind is BlockKind.PARAGRAPH
    if passage.block.kind is BlockKind.HEADING and not _is_told(sentence):
        return True
    if passage.block.kind is BlockKind.ITEM and sentence.tokens[0].text[:1] in _INSIDE:
        return True
    if passage.block.kind is BlockKind.PARAGRAPH and _is_bare(sentence):
        return True
    if any(c.lemma for c in clauses) or passage.block.kind not in {BlockKind.PARAGRAPH, BlockKind.ITEM}:
        return False
    tokens = [t for t in sentence.tokens if t.text[:1].isalnum()]
    if any(t.text == "=" for t in sentence.tokens[:3]):
        return True
    if passage.block.kind is BlockKind.ITEM:
        return False
    return len(tokens) <= _MAX_FRAGMENT and not any(t.time is not None or t.tag == "CD" for t in tokens)


def is_bare_item(item: Passage, lead: Passage | None) -> bool:
    """Whether a list item is a name or a figure without date or key, under no line that is a sentence:
    what it is to the thing of the document, nothing says."""
    led = lead is not None and any(_is_told(s) for s in lead.sentences[-1:])
    words_ = [t for s in item.sentences for t in s.tokens]
    if led and lead is not None and any(t.lower in _OF_EACH for t in lead.sentences[-1].tokens):
        # "These are the towns of each district": which items are towns and which districts, nothing says.
        led = False
    if not led and _is_only_when(words_):
        return True
    dated = item.carried is not None or any(t.time is not None or t.text == ":" for t in words_)
    return not (led or dated or any(_is_told(s) for s in item.sentences))


def _is_only_when(item: Sequence[Token]) -> bool:
    """ "1958 ( Leeds )": when, and no word for what."""
    opens = next((k for k, t in enumerate(item) if t.text == "("), len(item))
    return opens > 0 and all(t.time is not None or not any(c.isalpha() for c in t.text) for t in item[:opens])


def _is_told(sentence: Sentence) -> bool:
    return any(t.tag in _FINITE and t.name is None for t in sentence.tokens)


def _is_bare(sentence: Sentence) -> bool:
    """A line of running text without any verb: the rest of a list or of a heading."""
    verbs = any(t.pos in {"VERB", "AUX"} for t in sentence.tokens if t.name is None)
    return not verbs and not any(t.text == ":" for t in sentence.tokens)


def _is_unbalanced(sentence: Sentence) -> bool:
    """Half a bracket, or a full stop right before the first letter of a word (") .His")."""
    opened = sum(t.text.count("(") - t.text.count(")") for t in sentence.tokens)
    return opened != 0 or any(_RUN_ON.match(t.text) for t in sentence.tokens if t.name is None)


def _is_legend(sentence: Sentence) -> bool:
    """ "Captains are listed in bold": tells how to read a list."""
    told = " ".join(t.lower for t in sentence.tokens)
    return any(phrase in told for phrase in _LEGEND) or any(_is_announced(t) for t in sentence.tokens)


def _is_announced(noun: Token) -> bool:
    """ "The following languages were spoken .": what they are stands in another place."""
    return (
        noun.tag == "NNS"
        and noun.time is None
        and noun.dep in _SUBJECTS
        and any(c.lower == "following" and c.dep == "amod" for c in noun.children)
    )


def is_glued(sentence: Sentence) -> bool:
    """Two sentences without a full stop on both sides of an empty line: "He came ninth ¶ Poll won"."""
    for k, (token, following) in enumerate(pairwise(sentence.tokens), 1):
        if following.start - token.end < _BREAK or not following.text[:1].isupper():
            continue
        if token.tag in {"IN", "DT", "CC", "TO", ",", "PRP$"} or token.text in {",", ";", ":", "("}:
            continue
        told = any(t.tag in _FINITE and t.name is None for t in sentence.tokens[:k])
        if told and _begins(following, sentence.tokens[k + 1 : k + 2]) and token.tag not in _WH:
            return True
        begun = next((t for t in sentence.tokens[k:] if t.dep in _SUBJECTS and t.head.i > t.i), None)
        if not told or begun is None:
            continue
        opens = following.pos in {"ADP", "PRON", "DET"} or begun.subtree()[0].i <= following.i
        if opens and not any(t.pos in {"VERB", "AUX"} for t in sentence.tokens[k:] if t.i < begun.i):
            return True
    return any(
        after.text in _CAPITAL_PRONOUNS and (before.text[-1:].isalnum() or before.text == ")")
        for before, after in pairwise(sentence.tokens)
    )


def _begins(name: Token, after: Sequence[Token]) -> bool:
    """ "Roe won": a name and its verb."""
    return (name.name is not None or name.pos == "PROPN") and any(
        t.tag in _FINITE and t.name is None for t in after
    )


def _is_key(sentence: Sentence) -> bool:
    """ "W = Games won": what a letter of a table stands for."""
    opening = sentence.tokens
    return len(opening) > 2 and opening[1].text == "=" and len(opening[0].text) <= 3


def has_hole(sentence: Sentence) -> bool:
    """Whether a word is missing ("a speed of .", "at the , he finished sixth"), as where markup was lost."""
    asked = any(t.tag in _WH for t in sentence.tokens)
    if _opens_without(sentence) or any(_is_gap(a, b) for a, b in pairwise(sentence.tokens)):
        return True
    if sum(a.text == "(" and b.text == ")" for a, b in pairwise(sentence.tokens)) > 1:
        return True
    for before, token, following in zip(
        [None, *sentence.tokens], sentence.tokens, sentence.tokens[1:], strict=False
    ):
        if token.text in _ARTICLES and token.tag == "DT" and following.tag in _NEVER_AFTER_ARTICLES:
            return True
        if _lacks_what_follows(before, token, following):
            return True
        if following.text not in _ENDS:
            continue
        if token.text in _ARTICLES and token.tag == "DT":
            return True
        if token.lower in _UNFINISHED and following.text == ".":
            return True
        bare = token.lower in _PREPOSITIONS and token.tag == "IN" and not token.children
        # "what it was made of", "taken in", "the house he lived in" are whole.
        if bare and not asked and before is not None and _is_governing(before):
            return True
        if token.lemma == "be" and following.text == "." and token.head is token and len(token.children) == 2:
            return True
    return any(a.lower == "of" and b.lower in _NO_OBJECTS for a, b in pairwise(sentence.tokens))


def _is_gap(token: Token, following: Token) -> bool:
    """ ", ,", "Roe and ( )", "Roe and were sent", "supplied by ,", "includes : -", "elected as 2 ."."""
    if token.text == following.text == "," or (token.text in {":", "."} and following.text in {"-", "–"}):
        return True
    if token.tag == "CC":
        bare = token.head.dep in _SUBJECTS and token.head.child("conj") is None
        return following.text == "(" or (bare and following.tag in _FINITE and following.name is None)
    if token.lower == "by" and following.text in {",", "."}:
        return not token.children
    return token.tag == "CD" and following.text == "." and token.head.lower == "as"


def _opens_without(sentence: Sentence) -> bool:
    """ "In he drove for Harrow": the year is gone."""
    first, *rest = sentence.tokens[:2]
    return bool(rest) and first.lower in _OPENING_PREPOSITIONS and rest[0].lower in _NOMINATIVE


def _lacks_what_follows(before: Token | None, token: Token, following: Token) -> bool:
    """ "Lies about northwest of Leeds", "raced in Leeds in with the team": a number or year is gone."""
    if token.lower in _ROUGHLY:
        return following.lower in _DIRECTIONS or following.text in _ENDS
    if token.tag == "IN" and token.lower in _PREPOSITIONS and following.text == "(":
        # "Scenes in ( 2002 )"
        return True
    if token.lower in _PREPOSITIONS | {"on"} and token.tag in {"IN", "TO"} and following.lower == "and":
        return not token.children
    named = before is not None and (before.name is not None or before.pos == "NOUN")
    if named and token.lower == "by" and following.text == "." and not token.children:
        return True
    return named and token.lower == "in" and following.lower in _NEVER_AFTER_IN


def _is_governing(token: Token) -> bool:
    """Whether a preposition right behind a word lacks something: behind a noun or another such word."""
    return (
        (token.pos in {"NOUN", "ADP"} and token.tag in {"NN", "NNS", "IN"})
        or token.tag == "NNP"
        or token.lower in {"up", "to"}
    )
