"""Claims about things: values and prices, versions, statuses, names, sites, suppliers."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidegraph.domain.documents import EntityType, Verb
from tidegraph.language.claims import Builder, Claim, Side, make
from tidegraph.language.clauses import Clause, spell_out
from tidegraph.language.matching import Pattern, fits, take
from tidegraph.language.phrases import is_group, joined, literal_text, noun_text
from tidegraph.language.roles import Role, is_role
from tidegraph.language.tree import Token
from tidegraph.language.words import words

_ATTRIBUTES: Final = words("values", "attributes")
_PRICES: Final = words("values", "prices")
_REGIONS: Final = words("values", "regions")
_CLASSES: Final = words("values", "customer_classes")
_PLANS: Final = words("values", "plan_nouns")
_ENVIRONMENTS: Final = words("values", "environments")
_QUALIFYING: Final = ("for", "in", "of", "on", "to", "from", "within", "across", "under")


# --- values -------------------------------------------------------------------------------------------


def _value(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    subjects = [t for t in _subjects(clause, pattern) if _is_attribute(t)]
    if not subjects:
        return []
    if clause.slots.get("from") and (ranged := _ranged(clause, pattern, subjects[0])):
        return ranged
    news = [t for t in clause.slot(pattern.b) if t.time is None or t.time.interval is None]
    strict = pattern.does is Verb.STATE or not (clause.slots.get("from") or subjects[0].lemma in _ATTRIBUTES)
    news = [
        t
        for t in news
        if t.name is None
        and t.lemma not in {"version", "release"}
        and (fits(t, "value") or (not strict and t.tag[:2] in {"NN", "JJ", "CD", "RB"}))
    ]
    claims: list[Claim] = []
    for subject in subjects[:1]:
        does = Verb.STATE if pattern.does is Verb.STATE else Verb.START
        claims += [_valued(clause, pattern, subject, new, does) for new in news[:1]]
        olds = [t for t in clause.slot(pattern.d)[:1] if t.time is None or t.time.interval is None]
        claims += [_valued(clause, pattern, subject, old, Verb.STOP) for old in olds if news]
    return [claim for claim in claims if claim.object.literal]


def _ranged(clause: Clause, pattern: Pattern, subject: Token) -> list[Claim]:
    """ "from $10 to $12", which the parser took for one number."""
    for token in clause.slots["from"]:
        inside = token.subtree()
        cut = next((t for t in inside if t.tag == "TO" and t.dep == "quantmod" and t.i < token.i), None)
        if cut is None or clause.slots.get("to"):
            continue
        old = joined([t for t in inside if t.i < cut.i]).strip()
        new = joined([t for t in inside if cut.i < t.i <= token.i]).strip()
        made = [(old, Verb.STOP), (new, Verb.START)]
        return [
            replace(_valued(clause, pattern, subject, token, verb), object=Side(None, text))
            for text, verb in made
            if any(c.isdigit() for c in text)
        ]
    return []


def _subjects(clause: Clause, pattern: Pattern) -> list[Token]:
    return [t for slot in pattern.a for t in clause.slots.get(slot, ())]


def _is_attribute(token: Token) -> bool:
    """A common noun that can have a value: not a person, a group, a post, a name."""
    if token.name is not None or (token.time is not None and token.time.interval is not None):
        return False
    if token.tag not in {"NN", "NNS"} or is_role(token) or is_group(token):
        return False
    return (
        token.lemma in _ATTRIBUTES
        or token.lemma in _PRICES
        or any(c.dep in {"compound", "amod"} and c.name is None for c in token.children)
    )


def _valued(clause: Clause, pattern: Pattern, subject: Token, value: Token, verb: Verb) -> Claim:
    owner, attribute, qualifiers = attribute_of(subject)
    _restrict(clause, value, qualifiers)
    literal = literal_text(value)
    if subject.lemma in _PRICES and owner is not None:
        claim = make(
            clause,
            pattern,
            Side(owner),
            "price",
            Side(None, literal),
            **{k: v for k, v in qualifiers.items() if k != "attribute"},
        )
    else:
        side = Side(owner) if owner is not None else Side(subject, attribute)
        claim = make(
            clause, pattern, side, "has_value", Side(None, literal), attribute=attribute, **qualifiers
        )
    return replace(claim, verb=verb)


def _restrict(clause: Clause, value: Token, qualifiers: dict[str, str]) -> None:
    """ "was extended to 90 days for EU customers": for whom, where it stands behind the value."""
    for slot in ("for", "in"):
        below = [p for c in value.children if c.dep == "prep" and c.lower == slot and (p := c.child("pobj"))]
        for target in (*clause.slots.get(slot, ()), *below):
            known = target.lemma in _CLASSES | _PLANS or target.lower in _ENVIRONMENTS | _REGIONS
            if known and target.time is None:
                _qualify(slot, target, qualifiers, [], None)


def attribute_of(token: Token) -> tuple[Token | None, str, dict[str, str]]:
    """(owner, attribute, qualifiers) of a noun phrase: "Acme's retention period for EU customers"."""
    owner: Token | None = None
    qualifiers: dict[str, str] = {}
    attribute = []
    for child in sorted(token.children, key=lambda c: c.i):
        if child.dep == "poss" and child.tag != "PRP$":
            owner = child
        elif child.i < token.i and child.dep in {"compound", "amod", "nmod"}:
            if child.name is not None and child.lower in _REGIONS | _names_of_places(child):
                qualifiers["region"] = child.text
            elif child.name is not None and owner is None and child.name.type is EntityType.ORGANISATION:
                owner = child
            elif child.lower not in {
                "new",
                "current",
                "present",
                "old",
                "previous",
                "standard",
                "default",
                "existing",
            }:
                attribute.append(noun_text(child).lower())
    attribute.append(token.lower)
    for child in token.children:
        if child.dep == "prep" and child.lower in _QUALIFYING:
            for target in child.children:
                if target.dep == "pobj":
                    owner = _qualify(child.lower, target, qualifiers, attribute, owner)
    return owner, " ".join(attribute), qualifiers


def _names_of_places(token: Token) -> frozenset[str]:
    place = token.name is not None and token.name.type is EntityType.PLACE
    return frozenset({token.lower}) if place else frozenset()


def _qualify(
    preposition: str, target: Token, qualifiers: dict[str, str], attribute: list[str], owner: Token | None
) -> Token | None:
    """Put a prepositional phrase where it belongs: region, customer class, plan, environment, owner."""
    for child in target.children:
        if child.name is not None and child.lower in _REGIONS | _names_of_places(child):
            qualifiers.setdefault("region", child.text)
    if target.lemma in _CLASSES:
        text = noun_text(target).lower()
        region = qualifiers.get("region", "").lower()
        text = text.replace(region, "").strip() if region else text
        if not (region and text in _CLASSES | {target.lower}):
            qualifiers["customer_class"] = text
    elif target.lemma in _PLANS:
        qualifiers["plan"] = noun_text(target).lower()
    elif target.lower in _ENVIRONMENTS:
        qualifiers["environment"] = target.lower
    elif target.name is not None and (
        target.lower in _REGIONS
        or preposition in {"in", "within", "across"}
        or target.name.type is EntityType.PLACE
    ):
        qualifiers["region"] = target.text
    elif target.name is not None and owner is None and preposition in {"of", "for", "at"}:
        return target
    elif preposition in {"of", "for", "on", "to"}:
        attribute.append(f"{preposition} {noun_text(target).lower()}")
    return owner


def _price(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    values = take(clause, pattern.b, "value")
    return [
        make(clause, pattern, Side(subject), "price", Side(None, literal_text(value)))
        for subject in take(clause, pattern.a, "thing")[:1]
        for value in values[:1]
    ]


# --- versions and releases ----------------------------------------------------------------------------


def _version(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    versions = take(clause, pattern.b, "version") or _misread_version(clause)
    subjects = [t for t in _subjects(clause, pattern) if not fits(t, "version") and fits(t, "thing")]
    if (
        not versions
        or not subjects
        or (clause.lemma == "be" and not any(s.lemma == "version" for s in subjects))
    ):
        return []
    claims = []
    for subject in subjects[:1]:
        holder = complement(subject, ("of", "for", "on")) if subject.lemma == "version" else subject
        if holder is not None:
            verb = Verb.STATE if clause.lemma in {"run", "use", "be"} else Verb.START
            side = Side(holder, noun_text(holder) if holder.name is None else "")
            number = Side(None, _version_text(versions[0]))
            claims.append(replace(make(clause, pattern, side, "version", number), verb=verb))
    return claims


def _version_text(token: Token) -> str:
    """ "version 3.1": the number, where it stands behind the noun."""
    return next((c.text for c in token.children if c.dep == "nummod" and c.i > token.i), literal_text(token))


def _misread_version(clause: Clause) -> list[Token]:
    """ "upgraded to version 4.2", where the parser took "version" for a verb: its number."""
    for child in clause.verb.children:
        if child.lower in {"version", "release"} and child.dep in {"xcomp", "advcl"}:
            number = child.child("dobj", "attr", "npadvmod", "nummod", "oprd")
            return [number] if number is not None and fits(number, "version") else []
    return []


def _release(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    makers = [t for t in clause.slot(pattern.b) if t.name is not None and fits(t, "organisation")]
    return [
        make(clause, pattern, Side(maker), "released", _numbered(thing))
        for thing in clause.slot(pattern.a)
        for maker in makers
        if thing is not maker and (thing.name is not None or _numbered(thing).literal)
    ]


def _numbered(token: Token) -> Side:
    """ "Altoscan 4.2": a product with its version is told apart from the product."""
    number = next((c for c in token.children if c.dep == "nummod" and c.i == token.i + 1), None)
    if number is None:
        return Side(token)
    return Side(None, f"{token.text} {number.text}", (token.start, number.end), EntityType.OTHER)


def complement(token: Token, prepositions: tuple[str, ...]) -> Token | None:
    for child in token.children:
        if child.dep == "prep" and child.lower in prepositions:
            return child.child("pobj")
    return next((c for c in token.children if c.dep == "poss"), None)


# --- names --------------------------------------------------------------------------------------------


def _rename(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    if clause.lemma in {"call", "name"} and not any(
        c.lower in {"now", "renamed", "officially"} for c in clause.verb.children
    ):
        return []
    if (
        clause.lemma == "know"
        and not clause.aspect
        and clause.governor is None
        and clause.verb.dep != "xcomp"
        and not any(c.lower == "since" for c in clause.verb.children)
    ):
        return []
    olds = [t for t in _subjects(clause, pattern) if t.name is not None or is_group(t) or t.lower == "it"]
    news = [t for t in clause.slot(pattern.b) if t.name is not None]
    return [make(clause, pattern, Side(o), "name", Side(n)) for o in olds[:1] for n in news[:1] if o is not n]


def _change_name(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    if not any(t.lemma == "name" for t in clause.slots.get("obj", ())):
        return []
    news = [t for t in take(clause, pattern.b, "") if t.name is not None]
    return [
        make(clause, pattern, Side(o), "name", Side(n))
        for o in clause.slots.get("subj", [])[:1]
        for n in news[:1]
    ]


# --- sales and mergers ---------------------------------------------------------------------------


def _sold(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    return [
        replace(make(clause, pattern, Side(buyer), "acquired", Side(thing)), verb=Verb.START)
        for buyer in take(clause, pattern.a, "organisation")
        for thing in take(clause, pattern.b, "organisation")
        if thing.name is not None and buyer.name is not None
    ]


def _merged(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    sides = [t for t in _subjects(clause, pattern) if fits(t, "organisation") and t.name is not None]
    others = [t for t in take(clause, ("with",), "organisation") if t.name is not None]
    pair = [*sides[:1], *others[:1]] if others else sides[:2]
    if len(pair) < 2:
        return []
    return [make(clause, pattern, Side(pair[0]), "merged_with", Side(pair[1]))]


def spelled(token: Token) -> list[Token]:
    """The members of a coordination."""
    return spell_out(token)


BUILDERS: Final[dict[str, Builder]] = {
    "value": _value,
    "price": _price,
    "version": _version,
    "release": _release,
    "rename": _rename,
    "change-name": _change_name,
    "sold": _sold,
    "merged_with": _merged,
}
