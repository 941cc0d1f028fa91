"""Noun phrases: what a name or a group ("the docs team") stands for, and how a phrase was written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.clauses import spell_out
from tidegraph.language.tree import Token
from tidegraph.language.words import words

_DROPPED: Final = words("roles", "dropped_modifiers")
_GROUPS: Final = words("roles", "groups")
_WORKING: Final = words("roles", "working_groups")
_SPORTS: Final = words("roles", "sports_words")
_CLUBS: Final = words("names", "club_words")
_PARTIES: Final = words("names", "party_words")
_SCHOOLS: Final = words("names", "school_words")
_TAILS: Final = words("names", "organisation_tails")
_MODIFIERS: Final = frozenset(
    {"compound", "amod", "nmod", "nummod", "poss", "npadvmod", "advmod", "punct", "case"}
)
_VALUE_MODIFIERS: Final = frozenset(
    {"nummod", "quantmod", "compound", "amod", "nmod", "advmod", "punct", "poss", "npadvmod", "det", "neg"}
)
_SERVICES: Final = words("roles", "services")
_AMBIGUOUS_CLUBS: Final = frozenset(
    {
        "city",
        "county",
        "town",
        "athletic",
        "palace",
        "orient",
        "vale",
        "united",
        "alexandra",
        "villa",
        "academy",
    }
)
_GOVERNING: Final = frozenset({"board", "council", "committee", "senate", "secretariat"})
_MEMBERS: Final = frozenset({"director", "trustee", "governor", "regent", "manager", "minister"})
_ROSTERS: Final = words("roles", "rosters")


@dataclass(slots=True, eq=False)
class Ref:
    """What a noun phrase refers to, as far as the phrase itself says.

    ``named`` is True for names and for groups called by a description of their own ("docs team");
    pronouns and definite nouns ("the company") are False until their referent is put in. ``noun`` is the
    kind that stands before a name ("the party Les Centristes").
    """

    token: Token
    start: int
    end: int
    text: str
    type: EntityType
    named: bool
    noun: str = ""

    @property
    def words(self) -> set[str]:
        """The words that tell of what kind it is, in lower case."""
        found = set(self.text.lower().replace("(", " ").replace(")", " ").split())
        found |= {c.lemma for c in self.token.children if c.dep in {"compound", "nmod"} and c.name is None}
        if (
            self.token.dep in {"appos", "nmod", "dep"}
            and self.token.head.name is None
            and self.token.head.lemma in _GROUPS
        ):
            found.add(self.token.head.lemma)
        return found | ({self.noun} if self.noun else set())


def is_group(token: Token) -> bool:
    """Whether a noun phrase is a group or an organisation described by a noun ("the docs team")."""
    return token.name is None and (token.lemma in _GROUPS or token.lower in _GROUPS)


def reference(token: Token) -> Ref:
    """The thing that a noun phrase refers to."""
    if is_group(token):
        called = _called(token)
        if called is None:
            return _group(token)
        named = reference(called)
        named.noun = token.lemma
        return named
    if token.name is not None:
        group = _enclosing_group(token)
        if group is not None:
            return _group(group)
        return Ref(token, token.name.start, token.name.end, token.name.text, token.name.type, True)
    start, end = _core_span(token)
    return Ref(token, start, end, _surface(token, start, end), EntityType.UNSPECIFIED, False)


def _called(token: Token) -> Token | None:
    """ "the party Les Centristes": the name that follows the noun."""
    if any(c.dep in {"compound", "amod", "nmod"} and c.i < token.i for c in token.children):
        return None
    current = token
    for _ in range(3):
        for child in current.children:
            if child.name is not None and child.i == token.i + 1:
                return child
        current = current.head
    return None


def _enclosing_group(token: Token) -> Token | None:
    """ "the [Compiler] team": the name only modifies the group."""
    head = token.head
    if head is not token and token.dep in {"compound", "nmod", "amod"} and is_group(head):
        return head
    return None


def _group(token: Token) -> Ref:
    """A group with its modifiers: "docs team"; of "the docs team roster" the team is meant."""
    left = [c for c in left_chain(token) if c.dep not in {"poss", "case"} and c.lower not in _DROPPED]
    words_ = [*left, token]
    if token.lemma in _ROSTERS and left and is_group(left[-1]):
        words_ = left
    elif token.lemma in _ROSTERS and not left:
        below = [t for t in objects(token, ("of", "for")) if is_group(t)]
        if below:
            return _group(below[0])
    text = " ".join(joined(words_).split())
    if not left and token.lemma in _GOVERNING and (body := _body(token)) is not None:
        return body
    return Ref(token, words_[0].start, words_[-1].end, text, EntityType.ORGANISATION, len(words_) > 1)


def _body(token: Token) -> Ref | None:
    """ "the board of Acme", "Acme's board": a governing body is called by what it governs."""
    for child in token.children:
        if child.dep == "prep" and child.lower in {"of", "at"} and child.i == token.i + 1:
            target, text = child.child("pobj"), f"{token.text} {child.text}"
            if target is not None and target.name is None and target.lemma in _MEMBERS:
                # "the board of directors of Acme"
                text, inner = f"{text} {target.text}", _after(token, target)
                target, text = (inner.child("pobj"), f"{text} {inner.text}") if inner else (None, text)
            if target is not None and target.name is not None and target.time is None:
                text = f"{text} {target.name.text}"
                return Ref(token, token.start, target.name.end, text, EntityType.ORGANISATION, True)
        if child.dep == "poss" and child.name is not None:
            mark = next((c.text for c in child.children if c.dep == "case"), "")
            text = f"{child.name.text}{mark} {token.text}"
            return Ref(token, child.name.start, token.end, text, EntityType.ORGANISATION, True)
    return None


def _after(*tokens: Token) -> Token | None:
    """The preposition right behind the last of some nouns, under whichever of them it hangs."""
    found = (c for t in tokens for c in t.children if c.dep == "prep" and c.i == tokens[-1].i + 1)
    return next((c for c in found if c.lower in {"of", "at"}), None)


def left_chain(token: Token) -> list[Token]:
    """Modifiers that stand directly before a noun, in order (determiners left out)."""
    below = {id(t): t for t in _modifiers(token)}
    chain = [t for t in below.values() if t.i < token.i]
    chain.sort(key=lambda t: t.i)
    kept: list[Token] = []
    expected = token.i - 1
    for item in reversed(chain):
        if item.i != expected:
            break
        kept.append(item)
        expected -= 1
    kept.reverse()
    while kept and not kept[0].text[:1].isalnum():
        kept.pop(0)
    return kept


def _modifiers(token: Token) -> list[Token]:
    found: list[Token] = []
    stack = [token]
    while stack:
        for child in stack.pop().children:
            if child.dep in _MODIFIERS and child.time is None:
                found.append(child)
                stack.append(child)
    return found


def joined(tokens: list[Token]) -> str:
    """The tokens as they were written."""
    text = ""
    previous: Token | None = None
    for token in tokens:
        gap = " " if previous is not None and token.start > previous.end else ""
        text += gap + token.text
        previous = token
    return text


def _core_span(token: Token) -> tuple[int, int]:
    chain = [t for t in left_chain(token) if t.dep not in {"poss", "case"}]
    return (chain[0].start if chain else token.start), token.end


def _surface(token: Token, start: int, end: int) -> str:
    inside = [t for t in token.subtree() if start <= t.start and t.end <= end]
    return " ".join(joined(inside or [token]).split())


def noun_text(token: Token) -> str:
    """A noun with the modifiers before it, as written and without articles."""
    start, end = _core_span(token)
    return _surface(token, start, end)


def literal_text(token: Token) -> str:
    """A value as written: "90 days", "at least 12 characters", "$12 per user per month"."""
    kept = [t for t in token.subtree() if t.time is None or t.time.interval is None]
    low = min((t.i for t in kept if t.i <= token.i), default=token.i)
    inside = {token.i}
    stack = [token]
    for current in stack:
        for child in current.children:
            before = child.i < token.i and child.dep in _VALUE_MODIFIERS
            rate = child.dep in {"prep", "npadvmod", "quantmod"} and child.lower in {
                "per",
                "a",
                "an",
                "each",
                "/",
                "month",
                "year",
                "user",
            }
            tail = current is not token and current.lower in {"per", "/"}
            if child.i >= low and (before or rate or tail) and child.lower not in {"the"}:
                inside.add(child.i)
                stack.append(child)
    return " ".join(joined([t for t in token.subtree() if t.i in inside]).split())


def objects(token: Token, prepositions: tuple[str, ...]) -> list[Token]:
    found = []
    for child in token.children:
        if child.dep == "prep" and child.lower in prepositions:
            for target in child.children:
                if target.dep == "pobj":
                    found += spell_out(target)
    return found


def is_working_group(ref: Ref) -> bool:
    """Small groups that have leads, as opposed to organisations that have officers."""
    last = ref.text.lower().split()[-1:] or [""]
    return last[0] in _WORKING and not ref.words & (_SPORTS | _CLUBS)


def affiliation(ref: Ref) -> str:
    """The predicate of belonging to a group or an organisation of this kind."""
    return affiliation_of(ref)[0]


def affiliation_of(ref: Ref) -> tuple[str, bool]:
    """(predicate of belonging, whether the name shows it). A plain name is taken for an employer."""
    found = ref.words
    if found & _PARTIES and not ref.text.lower().endswith((" team", " company")):
        return "member_of_party", True
    if (found & _SPORTS and found & {"team", "club", "squad", "association"}) or _is_club(ref):
        return "plays_for", True
    if ref.token.lemma in _SERVICES and ref.token.name is None:
        return "employer", True
    if is_group(ref.token) or ref.text.lower().split()[-1:] == ["team"]:
        return "member_of", True
    if ref.token.name is None:
        return "employer", True
    if found & _SCHOOLS:
        return "employer", False
    return "employer", bool(found & _TAILS)


def _is_club(ref: Ref) -> bool:
    """ "Derwent F.C.", "FC Levan", "Leeds United": words such as "United" count only at the end."""
    tokens = ref.text.lower().split()
    if not tokens:
        return False
    inner = set(tokens[1:]) & (_CLUBS - _AMBIGUOUS_CLUBS)
    closing = len(tokens) > 1 and tokens[-1] in _AMBIGUOUS_CLUBS and ref.type is not EntityType.PLACE
    return bool(inner) or closing or tokens[0] in {"fc", "afc", "f.c.", "cf", "sc", "ac", "fk", "bk", "club"}


def served(token: Token) -> Token:
    """ "the staff of Acme", "the employment of Acme": the organisation itself, else the noun."""
    if token.name is None and token.lemma in _SERVICES:
        named = [t for t in objects(token, ("of", "at", "with")) if t.name is not None or is_group(t)]
        named += [c for c in token.children if c.dep in {"poss", "compound", "nmod"} and c.name is not None]
        return named[0] if named else token
    return token


def is_school(ref: Ref) -> bool:
    """Whether a name is that of a school or university."""
    return bool(ref.words & _SCHOOLS)
