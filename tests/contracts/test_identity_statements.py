"""Names that words between them say are those of one thing, as read out of running text."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.contracts.feed import retraction, since, writing
from tests.contracts.samples import at
from tests.contracts.test_identity_orders import id_of, run, sets

from tidegraph.domain.documents import EntityType, ExtractedDocument
from tidegraph.domain.predicates import Registry
from tidegraph.ports import GraphStore

ORGANISATION, PERSON = EntityType.ORGANISATION, EntityType.PERSON


def read(text: str, **names: EntityType) -> ExtractedDocument:
    """A document of one sentence, with its names where they stand; blanks are written as "_"."""
    paper = writing("told", recorded_at=at(2024, 2)).tells(text, None)
    for name, kind in names.items():
        paper.mention(name.replace("_", " "), kind)
    made = paper.done()
    placed = [
        replace(
            mention,
            start_char=text.index(mention.name),
            end_char=text.index(mention.name) + len(mention.name),
        )
        for mention in made.mentions
    ]
    return replace(made, mentions=tuple(placed))


@pytest.mark.parametrize("former", [ORGANISATION, PERSON])
async def test_what_an_organisation_was_formerly_is_one_with_it_whatever_it_was_taken_for(
    store: GraphStore, registry: Registry, rng: random.Random, former: EntityType
) -> None:
    """A former name may look like that of a person."""
    paper = writing("a", recorded_at=at(2024))
    paper.mention("Brightmere Glass", former)
    old = paper.says("Brightmere Glass", "has_value", "9", since(at(2020))).done()
    text = "Corvel Optics, formerly Brightmere Glass, makes lenses."
    told = read(text, Corvel_Optics=ORGANISATION, Brightmere_Glass=former)
    await run(store, registry, [old, told], rng)
    both = tuple(sorted((id_of("Corvel Optics"), id_of("Brightmere Glass"))))
    assert (await sets(store))[id_of("Corvel Optics")] == both
    await run(store, registry, [retraction("told", at(2024, 3))], rng, 2)
    assert id_of("Corvel Optics") not in await sets(store)


async def test_what_a_person_was_formerly_is_no_name(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    old = writing("a", recorded_at=at(2024)).says("Corvel Optics", "has_value", "9", since(at(2020))).done()
    told = read("Ida Marsh, formerly Corvel Optics, spoke.", Ida_Marsh=PERSON, Corvel_Optics=ORGANISATION)
    await run(store, registry, [old, told], rng)
    assert id_of("Ida Marsh") not in await sets(store)
