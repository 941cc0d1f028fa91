"""Noun phrases: what a name, a group ("the docs team"), a post ("chief executive of Acme") stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.clauses import spell_out
from tidegraph.language.parsing import Token
from tidegraph.language.words import mapping, words

_HEADS: Final = words("roles", "heads")
_MEMBERS: Final = words("roles", "member_heads")
_LEADS: Final = words("roles", "lead_heads")
_POSTS: Final = words("roles", "post_nouns")
_POST_FORMS: Final = mapping("roles", "post_forms")
_DROPPED: Final = words("roles", "dropped_modifiers")
_GROUPS: Final = words("roles", "groups")
_FIELDS: Final = words("roles", "fields")
_PORTFOLIO: Final = words("roles", "portfolio_heads")
_WORKING: Final = words("roles", "working_groups")
_SPORTS: Final = words("roles", "sports_words")
_CLUBS: Final = words("names", "club_words")
_PARTIES: Final = words("names", "party_words")
_SCHOOLS: Final = words("names", "school_words")
_TAILS: Final = words("names", "organisation_tails")
_ORG_NOUNS: Final = words("roles", "definite_organisation")
_MODIFIERS: Final = frozenset(
    {"compound", "amod", "nmod", "nummod", "poss", "npadvmod", "advmod", "punct", "case"}
)
_VALUE_MODIFIERS: Final = frozenset(
    {"nummod", "quantmod", "compound", "amod", "nmod", "advmod", "punct", "poss", "npadvmod", "det", "neg"}
)
_ORG_PREPOSITIONS: Final = ("of", "at", "for", "in", "with", "on", "to", "within", "over", "under")
_MAX_ROLE_WORDS: Final = 12
_ROSTERS: Final = words("roles", "rosters")


@dataclass(slots=True, eq=False)
class Ref:
    """What a noun phrase refers to, as far as the phrase itself says.

    ``named`` is True for names and for groups called by a description of their own ("docs team");
    pronouns and definite nouns ("the company") are False until their referent is put in.
    """

    token: Token
    start: int
    end: int
    text: str
    type: EntityType
    named: bool

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
        return found


@dataclass(slots=True, eq=False)
class Role:
    """A post: its name in lower case without articles, and the organisations that it is at.

    ``kind`` is ``member``, ``lead`` or ``role``. ``explicit`` when a word such as "position" said
    that it is a post. ``title`` is the post as written with its organisation.
    """

    token: Token
    kind: str
    name: str
    organisations: list[Token]
    explicit: bool
    title: str
    start: int
    end: int


def is_role(token: Token) -> bool:
    """Whether a noun phrase names a post."""
    return token.name is None and token.time is None and _role_word(token) in _HEADS


def _role_word(token: Token) -> str:
    if token.lower in _HEADS:
        return token.lower
    return token.lemma if token.lemma in _HEADS else token.lower.rstrip("s")


def is_post(token: Token) -> bool:
    """Whether a noun only says "post" ("the position of", "the lead role", "the presidency")."""
    return token.name is None and (
        token.lemma in _POSTS or token.lower in _POSTS or token.lemma in _POST_FORMS
    )


def is_group(token: Token) -> bool:
    """Whether a noun phrase is a group or an organisation described by a noun ("the docs team")."""
    return token.name is None and (token.lemma in _GROUPS or token.lower in _GROUPS)


def reference(token: Token) -> Ref:
    """The thing that a noun phrase refers to."""
    if is_group(token):
        called = _called(token)
        return reference(called) if called is not None else _group(token)
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
    return next(
        (
            c
            for c in token.children
            if c.name is not None and c.dep in {"appos", "nmod", "dep", "npadvmod"} and c.i == token.i + 1
        ),
        None,
    )


def _enclosing_group(token: Token) -> Token | None:
    """ "the [Compiler] team": the name only modifies the group."""
    head = token.head
    if head is not token and token.dep in {"compound", "nmod", "amod"} and is_group(head):
        return head
    return None


def _group(token: Token) -> Ref:
    """A group with its modifiers: "docs team", "Compiler team"; of "the docs team roster" the team is meant."""
    left = [c for c in _left_chain(token) if c.dep not in {"poss", "case"} and c.lower not in _DROPPED]
    words_ = [*left, token]
    if token.lemma in _ROSTERS and left and is_group(left[-1]):
        words_ = left
    elif token.lemma in _ROSTERS and not left:
        below = [t for t in _objects(token, ("of", "for")) if is_group(t)]
        if below:
            return _group(below[0])
    text = " ".join(_join(words_).split())
    return Ref(token, words_[0].start, words_[-1].end, text, EntityType.ORGANISATION, len(words_) > 1)


def _left_chain(token: Token) -> list[Token]:
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


def _join(tokens: list[Token]) -> str:
    """The tokens as they were written."""
    text = ""
    previous: Token | None = None
    for token in tokens:
        gap = " " if previous is not None and token.start > previous.end else ""
        text += gap + token.text
        previous = token
    return text


def _core_span(token: Token) -> tuple[int, int]:
    chain = [t for t in _left_chain(token) if t.dep not in {"poss", "case"}]
    return (chain[0].start if chain else token.start), token.end


def _surface(token: Token, start: int, end: int) -> str:
    inside = [t for t in token.subtree() if start <= t.start and t.end <= end]
    return " ".join(_join(inside or [token]).split())


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
    return " ".join(_join([t for t in token.subtree() if t.i in inside]).split())


def role_of(token: Token) -> Role | None:
    """The post that a noun phrase names, or None."""
    if token.name is not None or token.time is not None:
        return None
    if is_post(token) and (found := _explicit(token)):
        return found
    if not is_role(token):
        return None
    return _role(token, explicit=False)


def _explicit(token: Token) -> Role | None:
    """ "the position of mayor", "the lead role on the docs team", "the presidency of the club"."""
    for preposition in ("of", "as"):
        for target in _objects(token, (preposition,)):
            if is_role(target):
                role = _role(target, explicit=True)
                role.organisations = role.organisations or _organisations(token, skip=target)
                role.start, role.end = min(role.start, token.start), max(role.end, token.end)
                return role
            if (
                target.name is not None
                and token.lemma in {"position", "post", "office", "title", "role", "seat"}
                and _is_title(target)
            ):
                return Role(
                    target, "role", target.name.text, [], True, target.name.text, target.start, target.end
                )
    if (title := _written_title(token)) is not None:
        return title
    modifiers = [t for t in _left_chain(token) if t.name is None and t.dep != "poss"]
    words_ = [t.lower for t in modifiers if t.lower not in _DROPPED]
    if words_ and (words_[-1] in _HEADS or words_[-1] in _LEADS):
        return _made(token, words_[-1], words_, _organisations(token), True)
    if token.lemma in _POST_FORMS and token.lemma not in _LEADS:
        form = _POST_FORMS[token.lemma]
        return _made(token, form, [form], _organisations(token), True)
    return None


def _written_title(token: Token) -> Role | None:
    """ "the position of Shujishi of Qing dynasty": what is written with a capital after "position of"."""
    preposition = next((c for c in token.children if c.dep == "prep" and c.lower == "of"), None)
    if preposition is None or token.lemma not in {"position", "post", "office", "title", "rank"}:
        return None
    below = [t for t in preposition.subtree() if t is not preposition and t.time is None]
    if (
        not below
        or below[0].name is None
        or below[0].name.type in {EntityType.ORGANISATION, EntityType.PLACE}
    ):
        return None
    text = " ".join(_join(below).split())
    return Role(below[0], "role", text, [], True, text, below[0].start, below[-1].end)


def _is_title(token: Token) -> bool:
    """A name after "position of" that is a title, not the organisation ("the post of Teachta Dála")."""
    return token.name is not None and token.name.type in {
        EntityType.UNSPECIFIED,
        EntityType.OTHER,
        EntityType.PERSON,
    }


def _role(token: Token, *, explicit: bool) -> Role:
    words_: list[str] = []
    organisations: list[Token] = []
    for item in _left_chain(token):
        if item.dep == "poss":
            organisations += [item]
        elif item.name is not None and not (set(item.name.text.lower().split()) <= _FIELDS):
            organisations.append(item)
        elif item.lower not in _DROPPED and item.text not in {"'s", "’s"}:
            words_ += item.lower.split()
    organisations += [c for c in token.children if c.dep == "poss" and c not in organisations]
    found, more = _complements(token)
    if found and organisations and all(o.dep != "poss" for o in organisations):
        # "Metropolitan Archbishop of Tarragona"
        words_ = [w for o in organisations for w in o.lower.split()] + words_
        organisations = []
    words_.append(_role_word(token) if token.tag in {"NNS", "NNPS"} else token.lower)
    return _made(token, _role_word(token), [*words_, *more], organisations + found, explicit)


def _complements(token: Token) -> tuple[list[Token], list[str]]:
    """(organisations, words that belong to the post) of what follows the head of a post."""
    organisations: list[Token] = []
    extra: list[str] = []
    stack = [(token, c) for c in sorted(token.children, key=lambda c: c.i) if c.dep == "prep"]
    if not stack and (beside := _beside(token)) is not None:
        stack = [(token, beside)]
    for _, preposition in stack:
        if len(extra) > _MAX_ROLE_WORDS:
            break
        for target in (c for c in preposition.children if c.dep in {"pobj", "pcomp"}):
            nested = [
                (target, c) for c in target.children if c.dep == "prep" and c.lower in _ORG_PREPOSITIONS
            ]
            portfolio = preposition.lower == "of" or (
                preposition.lower == "for" and _role_word(token) in _PORTFOLIO
            )
            if (portfolio and _is_field(target, bool(nested))) or preposition.lower == "without":
                extra += [preposition.lower, *_field_words(target)]
                stack += nested
            elif preposition.lower in _ORG_PREPOSITIONS and _is_holder(target):
                organisations += [t for t in spell_out(target) if _is_holder(t)]
    return organisations, extra


def _beside(token: Token) -> Token | None:
    """A preposition right after a post that the parser hung higher up ("Chief Secretary to the Treasury")."""
    last = max(t.i for t in token.subtree())
    current = token
    for _ in range(4):
        current = current.head
        for child in current.children:
            if child.i == last + 1 and child.dep == "prep" and child.lower in {"of", "for", "to", "at"}:
                target = child.child("pobj")
                return (
                    child if target is not None and target.name is not None and target.time is None else None
                )
        if current.head is current:
            break
    return None


def _is_field(target: Token, has_more: bool) -> bool:
    """ "procurement", "Finance": a field of work, not the organisation where the post is."""
    if target.name is not None:
        lowered = target.name.text.lower().replace(",", " ").split()
        known = all(w in _FIELDS or w in {"and", "&", "of", "the"} for w in lowered)
        return known or (has_more and target.name.type not in {EntityType.ORGANISATION, EntityType.PLACE})
    if target.tag.startswith("PRP"):
        return False
    return (not is_group(target) and target.lemma not in _ORG_NOUNS) or target.lemma in {
        "government",
        "state",
        "opposition",
        "department",
    }


def _field_words(target: Token) -> list[str]:
    words_: list[str] = []
    for member in spell_out(target):
        chain = [t for t in _left_chain(member) if t.dep != "poss"]
        if words_:
            words_.append("and")
        words_ += " ".join(t.lower for t in [*chain, member]).split()
    return words_


def _is_holder(token: Token) -> bool:
    """Whether a noun phrase can be what a post is at."""
    return (
        token.name is not None or is_group(token) or token.lemma in _ORG_NOUNS or token.tag in {"PRP", "PRP$"}
    )


def _organisations(token: Token, skip: Token | None = None) -> list[Token]:
    found = [c for c in token.children if c.dep == "poss"]
    found += [t for t in _left_chain(token) if t.name is not None and t.dep != "poss"]
    for target in _objects(token, _ORG_PREPOSITIONS):
        if target is not skip and _is_holder(target):
            found.append(target)
    return found


def _objects(token: Token, prepositions: tuple[str, ...]) -> list[Token]:
    found = []
    for child in token.children:
        if child.dep == "prep" and child.lower in prepositions:
            for target in child.children:
                if target.dep == "pobj":
                    found += spell_out(target)
    return found


def _made(token: Token, head: str, words_: list[str], organisations: list[Token], explicit: bool) -> Role:
    name = " ".join(w for w in words_ if w not in {"the", "a", "an"})
    kind = "role"
    if name in _MEMBERS or (head == "member" and not explicit):
        kind = "member"
    elif head in _LEADS and name in {*_LEADS, "team lead", "team leader"}:
        kind = "lead"
    members = [t for t in token.subtree() if t.time is None and t.tag != "."]
    title = _title(token, members)
    return Role(token, kind, name, organisations, explicit, title, members[0].start, members[-1].end)


def _title(token: Token, members: list[Token]) -> str:
    """The post as written, from its first modifier to the last word of its complements."""
    kept = [t for t in members if not (t.dep in {"det", "poss"} and t.head is token) and t.i >= _first(token)]
    while kept and kept[-1].tag in {",", ":", "IN", "TO", "CC", ".", "-LRB-", "-RRB-", "HYPH", "``", "''"}:
        kept.pop()
    return " ".join(_join(kept).split())


def _first(token: Token) -> int:
    chain = [
        t
        for t in _left_chain(token)
        if t.lower not in _DROPPED and t.dep not in {"poss", "case"} and t.text not in {"'s", "’s"}
    ]
    return chain[0].i if chain else token.i


def is_working_group(ref: Ref) -> bool:
    """Small groups that have leads, as opposed to organisations that have officers."""
    last = ref.text.lower().split()[-1:] or [""]
    return last[0] in _WORKING and not ref.words & (_SPORTS | _CLUBS)


def affiliation(ref: Ref) -> str:
    """The predicate of belonging to a group or an organisation of this kind."""
    return affiliation_of(ref)[0]


def affiliation_of(ref: Ref) -> tuple[str, bool]:
    """(predicate of belonging, whether the words of the name show it). A plain name is taken for an employer."""
    found = ref.words
    if found & _PARTIES and not ref.text.lower().endswith((" team", " company")):
        return "member_of_party", True
    if found & _SPORTS and found & {"team", "club", "squad", "association"} or _is_club(ref):
        return "plays_for", True
    if is_group(ref.token) or ref.text.lower().split()[-1:] == ["team"]:
        return "member_of", True
    if ref.token.name is None:
        return "employer", True
    if found & _SCHOOLS:
        return "employer", False
    return "employer", bool(found & _TAILS)


def _is_club(ref: Ref) -> bool:
    tokens = ref.text.lower().split()
    if not tokens:
        return False
    return bool(set(tokens[1:]) & _CLUBS) or tokens[0] in {
        "fc",
        "afc",
        "f.c.",
        "cf",
        "sc",
        "ac",
        "fk",
        "bk",
        "club",
    }


def is_school(ref: Ref) -> bool:
    """Whether a name is that of a school or university."""
    return bool(ref.words & _SCHOOLS)
