"""Posts: what "chief executive of Acme", "the lead role on the docs team" and the like name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.clauses import spell_out
from tidegraph.language.phrases import is_group, joined, left_chain, objects
from tidegraph.language.tree import Token
from tidegraph.language.words import mapping, words

_HEADS: Final = words("roles", "heads")
_MEMBERS: Final = words("roles", "member_heads")
_LEADS: Final = words("roles", "lead_heads")
_POSTS: Final = words("roles", "post_nouns")
_POST_FORMS: Final = mapping("roles", "post_forms")
_DROPPED: Final = words("roles", "dropped_modifiers")
_FIELDS: Final = words("roles", "fields")
_PORTFOLIO: Final = words("roles", "portfolio_heads")
_ORG_NOUNS: Final = words("roles", "definite_organisation")
_ORG_PREPOSITIONS: Final = ("of", "at", "for", "in", "with", "on", "to", "within", "over", "under")
_FOLLOWING: Final = frozenset({"of", "for", "to", "at", "without"})
_MAX_ROLE_WORDS: Final = 12
_TIES: Final = mapping("roles", "ties")
_LEGISLATURES: Final = words("roles", "legislatures")


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
    """Whether a noun phrase names a post, or people by their tie ("player", "student")."""
    return token.name is None and token.time is None and (_role_word(token) in _HEADS or token.lemma in _TIES)


def tie_of(token: Token) -> str:
    """The predicate that a noun such as "player" or "student" says of a person, or ""."""
    return "" if token.name is not None else _TIES.get(token.lemma, "")


def is_legislature(text: str) -> bool:
    """Whether a name is that of a parliament: its members hold a position."""
    return bool(set(text.lower().split()) & _LEGISLATURES)


def _role_word(token: Token) -> str:
    if token.lower in _HEADS:
        return token.lower
    return token.lemma if token.lemma in _HEADS else token.lower.rstrip("s")


def is_post(token: Token) -> bool:
    """Whether a noun only says "post" ("the position of", "the lead role", "the presidency")."""
    return token.name is None and (
        token.lemma in _POSTS or token.lower in _POSTS or token.lemma in _POST_FORMS
    )


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
        for target in objects(token, (preposition,)):
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
                text = target.name.text
                return _written_title(token) or Role(
                    target, "role", text, [], True, text, target.start, target.end
                )
    if (title := _written_title(token)) is not None:
        return title
    for owner in (c for c in token.children if c.dep == "poss" and is_role(c)):
        # "the chief executive's post at Acme"
        role = _role(owner, explicit=True)
        role.organisations = role.organisations or _organisations(token, skip=owner)
        return role
    modifiers = [t for t in left_chain(token) if t.name is None and t.dep != "poss"]
    if token.lemma == "office" and modifiers and modifiers[-1].lower == "head":
        # A building, not a post.
        return None
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
    if not below or below[0].name is None or below[0].name.certain:
        return None
    text = " ".join(joined(below).split())
    return Role(below[0], "role", text, [], True, text, below[0].start, below[-1].end)


def _is_title(token: Token) -> bool:
    """A name after "position of" that is a title, not the organisation ("the post of Teachta Dála")."""
    return token.name is not None and not token.name.certain


def _role(token: Token, *, explicit: bool) -> Role:
    words_: list[str] = []
    organisations: list[Token] = []
    for item in left_chain(token):
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
    beside = _beside(token)
    elsewhere = bool(stack) and beside is not None and beside.lower == "at"
    if beside is not None and (elsewhere or not stack):
        # "Head of Payments at Acme": with the organisation told, what stands before it is a field of work.
        stack.append((token, beside))
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
            more = bool(nested) or _has_later(preposition) or (elsewhere and preposition is not beside)
            if (portfolio and _is_field(target, more)) or preposition.lower == "without":
                extra += [preposition.lower, *_field_words(target)]
                stack += nested
            elif preposition.lower in _ORG_PREPOSITIONS and _is_holder(target):
                organisations += [t for t in spell_out(target) if _is_holder(t)]
    return organisations, extra


def _has_later(preposition: Token) -> bool:
    """Another "of" after this one, under the same post: "of Commercial Marine of Greece"."""
    return any(
        c.i > preposition.i and c.dep == "prep" and c.lower == "of" and preposition.lower in {"of", "for"}
        for c in preposition.head.children
    )


def _beside(token: Token) -> Token | None:
    """A preposition right after a post that the parser hung higher up ("Chief Secretary to the Treasury")."""
    last = max(t.i for t in token.subtree())
    current = token
    for _ in range(4):
        current = current.head
        for child in current.children:
            if child.i == last + 1 and child.dep == "prep" and child.lower in _FOLLOWING:
                target = child.child("pobj")
                named = target is not None and target.name is not None and target.time is None
                return child if named or child.lower == "without" else None
        if current.head is current:
            break
    return None


def _is_field(target: Token, has_more: bool) -> bool:
    """ "procurement", "Finance": a field of work, not the organisation where the post is."""
    if target.name is not None:
        lowered = target.name.text.lower().replace(",", " ").split()
        known = all(w in _FIELDS or w in {"and", "&", "of", "the"} for w in lowered)
        return known or (has_more and target.name.type is not EntityType.PLACE and not target.name.certain)
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
        chain = [t for t in left_chain(member) if t.dep != "poss"]
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
    found += [t for t in left_chain(token) if t.name is not None and t.dep != "poss"]
    for target in objects(token, _ORG_PREPOSITIONS):
        if target is not skip and _is_holder(target):
            found.append(target)
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
    return " ".join(joined(kept).split())


def _first(token: Token) -> int:
    chain = [
        t
        for t in left_chain(token)
        if t.lower not in _DROPPED and t.dep not in {"poss", "case"} and t.text not in {"'s", "’s"}
    ]
    return chain[0].i if chain else token.i
