"""Keys that too many ids come to have: the same rows for every order, and no id looked at again in vain."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.contracts.feed import GRAPH
from tests.contracts.samples import DAY, at
from tests.contracts.test_identity_orders import cleared
from tests.contracts.test_writer import PARTITION

from tidegraph.domain.documents import EntityType
from tidegraph.domain.identity import IdentityWrites, Sighting
from tidegraph.domain.ids import entity_id
from tidegraph.domain.naming import normalise
from tidegraph.domain.predicates import Registry
from tidegraph.ports import Commit, EntityWrite, Fence, GraphStore
from tidegraph.storage import dump
from tidegraph.storage.falkor import FalkorStore
from tidegraph.storage.memory import MemoryStore
from tidegraph.streams.writing.holders import MAX_HOLDERS
from tidegraph.streams.writing.identities import Identified, Identifier, News
from tidegraph.streams.writing.sightings import with_keys

GIVEN = (
    *("Anna", "Bela", "Carla", "Dora", "Edith", "Fanny", "Greta", "Hanna", "Ida", "Josefa", "Karla", "Lena"),
    *(
        "Maria",
        "Nora",
        "Olga",
        "Paula",
        "Rosa",
        "Sofia",
        "Tilda",
        "Ursula",
        "Vera",
        "Wilma",
        "Xenia",
        "Yvonne",
    ),
)


def id_of(name: str) -> str:
    return entity_id(GRAPH, normalise(name, EntityType.PERSON), "")


def seen(name: str, born: str, recorded_at: int) -> Sighting:
    """What a document of its own told of a senator."""
    slots = (("born", born), ("role", "senator"), ("state", "maine"))
    names = ((int(EntityType.PERSON), name),)
    return with_keys(
        Sighting(id_of(name), f"of {name}", names, slots, (), ("harbour", "vote"), at(2020), recorded_at)
    )


async def take(
    store: GraphStore, identifier: Identifier, told: Sequence[Sighting], offset: int
) -> Identified:
    """Decide about a batch and store it with what was decided."""
    found = await identifier.identify(GRAPH, News(tuple(told)))
    writes = found.writes
    entities = []
    for one in told:
        kind, name = one.names[0]
        key = normalise(name)
        entities.append(EntityWrite(one.entity_id, key, EntityType(kind), ((key, name),), one.recorded_at))
    commit = Commit(
        graph=GRAPH,
        fence=Fence(PARTITION, offset - 1, offset),
        documents=(),
        withdrawn=(),
        recorded_earlier=(),
        vectors=(),
        entities=tuple(entities),
        insert_versions=(),
        close_versions=(),
        unlinked=(),
        linked=(),
        changes=(),
        identity=IdentityWrites(writes.insert, writes.close, writes.sightings, writes.decisions),
    )
    assert await store.commit(commit) is not None
    return found


async def test_a_key_that_becomes_common_gives_the_same_rows_in_any_order(
    falkor: FalkorStore, fresh_memory: Callable[[], MemoryStore], registry: Registry, rng: random.Random
) -> None:
    """Of one surname, at one instant or at a few; short names find the long ones until it is common."""
    for instants in (1, 1, 3, 12):
        born = [str(rng.randrange(1930, 1934)) for _ in GIVEN]
        written = [f"{given} Kronborg" for given in GIVEN] + ["Kronborg", "Lady Kronborg-Kronborg"]
        told = [
            seen(name, born[place % len(born)], at(2024) + rng.randrange(instants) * DAY)
            for place, name in enumerate(written)
        ]
        # These two share a key that stays rare, too.
        told += [seen(name, "1950", at(2024) + instants * DAY) for name in ("Zelda Kronborg", "Z. Kronborg")]
        dumps = set()
        for order in range(5):
            rng.shuffle(told)
            store: GraphStore = await cleared(falkor) if order == 0 else fresh_memory()
            await store.prepare(GRAPH)
            identifier, offset = Identifier(store, registry), 0
            again = [*told, *rng.sample(told, 3)]
            while again:
                size = rng.randrange(1, 7)
                batch, again = again[:size], again[size:]
                await take(store, identifier, batch, offset)
                offset += 1
            dumps.add(await dump.identity_dump(store, GRAPH))
        assert len(dumps) == 1
        assert id_of("Zelda Kronborg") in dumps.pop()


async def test_what_is_common_already_lets_nobody_be_looked_at_again(
    store: GraphStore, registry: Registry
) -> None:
    """Documents of one instant, as a bulk load brings them: a new holder changes nothing for the others."""
    await store.prepare(GRAPH)
    identifier = Identifier(store, registry)
    crowd = [seen(f"{given} Kronborg", str(1900 + n), at(2024)) for n, given in enumerate(GIVEN)]
    last = crowd.pop()
    first = await take(store, identifier, crowd[:MAX_HOLDERS], 0)
    assert set(first.after) == {one.entity_id for one in crowd[:MAX_HOLDERS]}
    crossing = await take(store, identifier, crowd[MAX_HOLDERS:], 1)
    assert set(crossing.after) == {one.entity_id for one in crowd}
    found = await take(store, identifier, [last], 2)
    assert set(found.after) == {last.entity_id}
