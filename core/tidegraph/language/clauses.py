"""Clauses: the verb groups of a sentence with their arguments in active form.

"Acme appointed Jane Roe", "Jane Roe was appointed by Acme" and "Jane Roe, appointed by Acme" give the
same slots, so that a pattern is written once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.documents import Verb
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

_ASPECTS: Final = {
    **dict.fromkeys(words("clauses", "aspect_start"), Verb.START),
    **dict.fromkeys(words("clauses", "aspect_stop"), Verb.STOP),
    **dict.fromkeys(words("clauses", "aspect_continue"), Verb.STATE),
}
_PARTICLES: Final = words("clauses", "particles")
_SHARING: Final = frozenset(
    {"xcomp", "conj", "advcl", "ccomp", "pcomp", "dep", "parataxis", "acomp", "attr", "oprd"}
)
_RELATIVES: Final = frozenset({"who", "which", "that", "whom"})
_COMPLEMENTS: Final = frozenset({"attr", "oprd", "acomp"})
_NOMINAL: Final = frozenset(
    {
        "NN",
        "NNS",
        "NNP",
        "NNPS",
        "PRP",
        "CD",
        "PRP$",
        "DT",
        "WP",
        "WDT",
        "EX",
        "JJ",
        "VBG",
        "FW",
        "ADD",
        "GW",
        "XX",
        "NFP",
        "LS",
        "UH",
        "SYM",
        "AFX",
    }
)
_MAX_LIST: Final = 60


@dataclass(slots=True, eq=False)
class Clause:
    """One verb (or a verbless head) with what it is said of.

    ``slots``: ``subj``, ``obj``, ``dative``, ``comp`` (what one becomes or is), and one slot for each
    preposition; lists are spelled out. ``aspect`` is set when another verb says that it begins, ends
    or goes on.
    """

    verb: Token
    lemma: str
    particles: frozenset[str]
    slots: dict[str, list[Token]]
    passive: bool
    aspect: Verb | None
    governor: Token | None
    sentence: Sentence
    members: list[Token] = field(default_factory=list)

    def slot(self, names: Iterable[str]) -> list[Token]:
        """The first slot of the names that is filled."""
        for name in names:
            if found := self.slots.get(name):
                return found
        return []


def clauses(sentence: Sentence) -> list[Clause]:
    """The clauses of a sentence in text order, verbless headlines included."""
    found = [_clause(token, sentence) for token in sentence.tokens if _is_verb(token)]
    root = sentence.root
    if not found or not _is_verb(root):
        found.insert(0, _verbless(root, sentence))
    return found


def _is_verb(token: Token) -> bool:
    if token.name or token.time or token.dep in {"aux", "auxpass", "amod", "compound"}:
        return False
    if token.pos == "AUX":
        return token.dep not in {"aux", "auxpass"}
    return token.pos == "VERB" and token.tag.startswith("VB")


def _clause(verb: Token, sentence: Sentence) -> Clause:
    aspect, governor = _aspect(verb)
    passive = _is_passive(verb)
    slots: dict[str, list[Token]] = {}
    subjects = _subjects(verb, governor)
    slots["obj" if passive else "subj"] = subjects
    particles = set()
    for child in verb.children:
        if child.dep in {"dobj", "obj"}:
            slots.setdefault("obj", []).extend(spell_out(child))
        elif child.dep in {"dative", "iobj"}:
            target = child.child("pobj") if child.tag in {"IN", "TO"} else child
            if target:
                slots.setdefault("dative", []).extend(spell_out(target))
                slots.setdefault("to", []).extend(spell_out(target))
        elif child.dep in _COMPLEMENTS or (child.dep == "xcomp" and child.tag in {"NN", "NNS", "NNP", "JJ"}):
            slots.setdefault("comp", []).extend(spell_out(child))
        elif child.dep in {"ccomp", "xcomp"} and _small_clause(child):
            _read_small_clause(child, slots)
        if child.dep == "prt" or (child.lower in _PARTICLES and _beside(verb, child)):
            particles.add(child.lower)
        if child.dep in {"advmod", "acomp"}:
            for below in child.children:
                if below.dep == "prep":
                    _read_prepositions(below, slots)
        if child.dep in {"prep", "agent", "dative", "prt"} or child.tag in {"IN", "TO"}:
            _read_prepositions(child, slots)
    if governor:
        for child in governor.children:
            if child.dep in {"prep", "agent"}:
                _read_prepositions(child, slots)
    if passive and "by" in slots:
        slots.setdefault("subj", []).extend(slots["by"])
    _as_complement(slots)
    return Clause(verb, verb.lemma, frozenset(particles), slots, passive, aspect, governor, sentence)


def _beside(verb: Token, child: Token) -> bool:
    """ "took on Ada": a preposition right after the verb may be its particle; an adverb stands anywhere."""
    return child.dep == "advmod" or (child.dep == "prep" and child.i == verb.i + 1)


def _verbless(root: Token, sentence: Sentence) -> Clause:
    slots: dict[str, list[Token]] = {"head": [root]}
    for child in root.children:
        if child.dep == "prep":
            _read_prepositions(child, slots)
    return Clause(root, "", frozenset(), slots, False, None, None, sentence)


def _is_passive(verb: Token) -> bool:
    if any(c.dep in {"nsubjpass", "auxpass", "csubjpass"} for c in verb.children):
        return True
    if verb.tag != "VBN":
        return False
    if verb.dep == "acl" or (verb.dep in {"advcl", "amod", "relcl"} and not _has_auxiliary(verb)):
        return True
    if verb.dep == "conj" and verb.head.tag == "VBN" and not _has_auxiliary(verb):
        return _is_passive(verb.head)
    return False


def _has_auxiliary(verb: Token) -> bool:
    return any(c.dep in {"aux", "auxpass"} for c in verb.children)


def _aspect(verb: Token) -> tuple[Verb | None, Token | None]:
    """ "started working", "ceased to be": the outer verb and what it makes of the inner one."""
    head = verb.head
    if verb.dep in {"xcomp", "ccomp", "pcomp"} and head is not verb:
        outer = head.head if verb.dep == "pcomp" else head
        if outer.lemma in _ASPECTS and outer.pos == "VERB":
            return _ASPECTS[outer.lemma], outer
        if outer.lemma == "give" and any(c.lower == "up" for c in outer.children):
            return Verb.STOP, outer
    return None, None


def _subjects(verb: Token, governor: Token | None) -> list[Token]:
    """Whom the verb is said of: its own subject, or the one that the sentence shares with it."""
    seen = 0
    current = verb
    while seen < 8:
        seen += 1
        own = current.child("nsubj", "nsubjpass", "expl") or (
            None if current is verb else current.child("csubj")
        )
        if own is not None:
            if own.lower in _RELATIVES and current.dep == "relcl":
                return spell_out(current.head)
            return spell_out(own)
        head = current.head
        if current.dep in {"acl", "relcl"}:
            relative = current.child("nsubj", "nsubjpass", "dobj")
            return spell_out(head) if relative is None or relative.lower in _RELATIVES else []
        if current.dep == "xcomp":
            controlled = head.child("dobj") or head.child("dative")
            if controlled is not None and controlled.i < current.i and head is not governor:
                return spell_out(controlled)
        if current.dep == "pcomp" and head is not current:
            head = head.head
        if current.dep not in _SHARING or head is current:
            return []
        if current.dep == "ccomp" and current.tag not in {"VBG", "VBN", "VB"}:
            return []
        current = head
    return []


def _small_clause(token: Token) -> bool:
    return token.tag in {"NN", "NNS", "NNP", "JJ"} and token.child("nsubj") is not None


def _read_small_clause(token: Token, slots: dict[str, list[Token]]) -> None:
    """ "named Jane Roe director", read by the parser as a clause of its own."""
    subject = token.child("nsubj")
    if subject:
        slots.setdefault("obj", []).extend(spell_out(subject))
        slots.setdefault("comp", []).append(token)


def _read_prepositions(token: Token, slots: dict[str, list[Token]]) -> None:
    stack = [token]
    while stack:
        current = stack.pop()
        for child in current.children:
            if child.dep in {"pobj", "dobj", "obj"} or (
                child.dep == "pcomp" and child.tag in {"NN", "NNS", "NNP"}
            ):
                slots.setdefault(current.lower, []).extend(spell_out(child))
            elif child.dep == "prep" and (child.tag in {"IN", "TO"}):
                stack.append(child)


def _as_complement(slots: dict[str, list[Token]]) -> None:
    """ "appointed as CEO" says what "appointed CEO" says."""
    if "as" not in slots:
        # "was succeeded by Ada Poll as director": the parser hung it under the name.
        for token in [t for name in ("obj", "by", "from", "with", "for", "to") for t in slots.get(name, ())]:
            for child in token.children:
                if (
                    child.dep == "prep"
                    and child.lower == "as"
                    and (target := child.child("pobj")) is not None
                ):
                    slots["as"] = spell_out(target)
    if "comp" not in slots and "as" in slots:
        slots["comp"] = list(slots["as"])


def spell_out(token: Token) -> list[Token]:
    """A coordination as the list of its members, in text order; a lone word as itself."""
    found = [token]
    for member in found:
        if len(found) > _MAX_LIST:
            break
        for child in member.children:
            if child in found:
                continue
            if (child.dep == "conj" and child.tag in _NOMINAL) or (
                child.dep == "appos" and _is_enumeration(member, child)
            ):
                found.append(child)
    return sorted(found, key=lambda t: t.i)


def _is_enumeration(member: Token, child: Token) -> bool:
    """A comma list that the parser took for an apposition: names only, closed by "and"."""
    if member.name is None or child.name is None:
        return False
    if any(c.dep in {"conj", "cc"} for c in child.children):
        return True
    return any(c.dep == "appos" and _is_enumeration(child, c) for c in child.children)
