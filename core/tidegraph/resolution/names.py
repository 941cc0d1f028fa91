"""How two names relate, by the type of what they name."""

from __future__ import annotations

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.folding import latin
from tidegraph.resolution.grades import Match
from tidegraph.resolution.organisations import organisation, organisation_match
from tidegraph.resolution.persons import person, person_match
from tidegraph.resolution.places import place, place_match
from tidegraph.resolution.products import product, product_match


def match(kind: EntityType, a: str, b: str) -> Match:
    """The relation of two names of one type; symmetric."""
    if kind is EntityType.PERSON:
        return person_match(a, b)
    if kind is EntityType.PLACE:
        return place_match(a, b)
    if kind is EntityType.ORGANISATION:
        return organisation_match(a, b)
    return product_match(a, b)


def name_key(kind: EntityType, name: str) -> str:
    """One form for all ways to write one name: case, order, legal forms, titles and spacing off."""
    if kind is EntityType.PERSON:
        parts = person(name)
        return " ".join(sorted(parts.all_words)) + parts.generation
    if kind is EntityType.PLACE:
        return "".join(place(name))
    if kind is EntityType.ORGANISATION:
        return "".join(organisation(name).words)
    if kind is EntityType.OTHER:
        taken = product(name)
        return taken.joined + "|" + ".".join(taken.versions)
    return latin(name)
