"""The token tree that the rules read, and repairs of what the parser is known to tear apart."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.documents import EntityType, TimeExpression


@dataclass(slots=True, eq=False)
class Name:
    """A name as written at one place. The type may be made sharper by what the text says of it."""

    start: int
    end: int
    text: str
    type: EntityType
    certain: bool


@dataclass(slots=True, eq=False)
class Token:
    """One word of the tree; offsets are those of the unit's document part. A name is one token."""

    i: int
    start: int
    end: int
    text: str
    lower: str
    lemma: str
    tag: str
    pos: str
    dep: str
    name: Name | None
    time: TimeExpression | None
    head: Token = field(init=False, repr=False)
    children: list[Token] = field(default_factory=list, repr=False)

    def subtree(self) -> list[Token]:
        """The token and all below it, in text order."""
        found = [self]
        for token in found:
            found.extend(token.children)
        return sorted(found, key=lambda t: t.i)

    def child(self, *deps: str) -> Token | None:
        """The first child with one of the dependency labels."""
        for token in self.children:
            if token.dep in deps:
                return token
        return None


@dataclass(slots=True, eq=False)
class Sentence:
    """A parsed sentence. ``tokens[k].i - tokens[0].i == k``."""

    tokens: list[Token]

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    @property
    def root(self) -> Token:
        found = next((t for t in self.tokens if t.head is t), None)
        return found if found is not None else self._topmost()

    def _topmost(self) -> Token:
        """Of a part of a sentence: the verb that hangs on nothing in it, else its first word."""
        inside = {id(t) for t in self.tokens}
        loose = [t for t in self.tokens if id(t.head) not in inside]
        return next((t for t in loose if t.pos in {"VERB", "AUX"}), loose[0] if loose else self.tokens[0])


def subject_before(token: Token) -> Token | None:
    """The subject of the nearest clause that a token stands in, where it is told before the token."""
    current = token
    while current.head is not current:
        current = current.head
        subject = current.child("nsubj", "nsubjpass")
        if subject is not None and subject.i < token.i:
            return subject
    return None


def repair(tokens: Sequence[Token]) -> None:
    """Make lists of names one coordination, and give verbs the subjects that a list took from them."""
    _join_lists(tokens)
    _give_subjects(tokens)


_LIST_DEPS: Final = frozenset({"conj", "appos", "npadvmod", "compound", "nmod", "dep", "amod", "nummod"})


def _join_lists(tokens: Sequence[Token]) -> None:
    """ "A, B, C and D": names in a row are one coordination, whatever the parser made of its members."""
    i = 0
    while i < len(tokens):
        run = _list_at(tokens, i)
        if len(run) > 2:
            cores = [t for t in run if t.dep not in _LIST_DEPS]
            if cores and all(t.head is cores[0].head for t in cores):
                _coordinate(run, cores[0].head, cores[0].dep)
            elif not cores and (verb := _verb_after(tokens, run[-1].i + 1)) is not None:
                passive = any(c.dep == "auxpass" for c in verb.children)
                _coordinate(run, verb, "nsubjpass" if passive else "nsubj")
        i = run[-1].i + 1 if run else i + 1


def _list_at(tokens: Sequence[Token], i: int) -> list[Token]:
    """The names of a list that begins at a token and is closed by "and" or "or"; [] when there is none."""
    run: list[Token] = []
    closed = False
    while i < len(tokens) and tokens[i].name is not None and not closed:
        run.append(tokens[i])
        k = i + 1
        if k < len(tokens) and tokens[k].text == ",":
            k += 1
        if k < len(tokens) and tokens[k].lower in {"and", "or", "&"} and k + 1 < len(tokens):
            if tokens[k + 1].name is None:
                break
            run.append(tokens[k + 1])
            closed = True
        elif k == i + 1:
            break
        i = k
    return run if closed else []


def _verb_after(tokens: Sequence[Token], i: int) -> Token | None:
    """The verb that follows a list directly and has no subject yet."""
    if i >= len(tokens) or tokens[i].tag not in {"VBD", "VBZ", "VBP", "MD"}:
        return None
    verb = tokens[i] if tokens[i].dep not in {"aux", "auxpass"} else tokens[i].head
    has_subject = any(c.dep in {"nsubj", "nsubjpass"} for c in verb.children)
    return None if has_subject or verb.name is not None else verb


def _coordinate(run: Sequence[Token], head: Token, dep: str) -> None:
    if head in run:
        return
    for member in run:
        if member in member.head.children:
            member.head.children.remove(member)
    first = run[0]
    first.head, first.dep = head, dep
    head.children.append(first)
    head.children.sort(key=lambda t: t.i)
    for before, member in itertools.pairwise(run):
        member.head, member.dep = before, "conj"
        before.children.append(member)


def _give_subjects(tokens: Sequence[Token]) -> None:
    """ "... of Acme and Jane Roe took over": the joined name before a verb is its subject."""
    for verb in tokens[2:]:
        main = verb.head if verb.dep in {"aux", "auxpass"} else verb
        subjects = any(c.dep in {"nsubj", "nsubjpass"} for c in (*verb.children, *main.children))
        if verb.tag not in {"VBD", "VBZ", "VBP"} or subjects:
            continue
        name, joint = tokens[verb.i - 1], tokens[verb.i - 2]
        if name.name is None or name.dep != "conj" or joint.dep != "cc" or name.head.i > joint.i:
            continue
        if verb.head is name or verb.head.i == name.head.i:
            continue
        name.head.children.remove(name)
        name.head, name.dep = verb, "nsubj"
        verb.children.insert(0, name)
