"""What one more mention costs: blocking, scoring and deciding against graphs of growing size.

    bench/entities.py [--sizes 1000,100000] [--mentions 300] [--seed 1]

Entities are made up from syllables and places, so that nothing has to be fetched. For every size an index
of blocking keys is filled; then mentions of known entities (an initial, a dropped legal form, capitals)
are resolved one by one: keys, candidates from the index, scores, the likeliest. CPU time is that of the
process. Exits with 1 when the largest size costs over ``--limit`` milliseconds a mention or over
``--growth`` times the smallest.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.blocking import Blocks
from tidegraph.resolution.engine import score
from tidegraph.resolution.evidence import read_profile
from tidegraph.resolution.profiles import Profile
from tidegraph.resolution.statistics import Statistics

_SYLLABLES: Final = [c + v + e for c in "bdfgklmnprstvz" for v in "aeiou" for e in ("", "n", "r", "l")]
_FORMS: Final = ("Inc.", "Ltd", "GmbH", "Holdings", "Bank", "Systems", "Energy")
_GIVEN: Final = ("James", "Mary", "Omar", "Chen", "Lucia", "Pavel", "Ingrid", "Rahul", "Aiko", "Samuel")


def main() -> int:
    """Measure every size and compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,100000", help="numbers of entities, rising")
    parser.add_argument("--mentions", type=int, default=300, help="mentions resolved at each size")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=5.0, help="milliseconds of CPU a mention")
    parser.add_argument("--growth", type=float, default=1.5, help="largest over smallest size")
    arguments = parser.parse_args()
    costs = [_measure(int(size), arguments.mentions, arguments.seed) for size in arguments.sizes.split(",")]
    growth = costs[-1] / costs[0]
    print(f"growth {growth:.2f}")
    return int(costs[-1] > arguments.limit or growth > arguments.growth)


def _measure(size: int, mentions: int, seed: int) -> float:
    rng = random.Random(seed)
    entities = {f"e{number}": made_entity(rng, f"e{number}") for number in range(size)}
    blocks = Blocks()
    for profile in entities.values():
        blocks.add(profile)
    statistics = Statistics.of()
    asked = [made_mention(rng, entities[f"e{rng.randrange(size)}"], number) for number in range(mentions)]
    right = looked_at = 0
    began = time.process_time()
    for mention, expected in asked:
        found = blocks.candidates(mention)
        looked_at += len(found)
        scores = [
            (score(mention, entities[entity_id], statistics).log_odds, entity_id) for entity_id in found
        ]
        right += bool(scores) and max(scores)[1] == expected
    cost = (time.process_time() - began) * 1000 / mentions
    print(
        f"{size} entities: {cost:.2f} ms of CPU a mention, {looked_at / mentions:.1f} candidates, "
        f"{right / mentions:.3f} find their entity first"
    )
    return cost


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.choice((2, 3)))).capitalize()


def made_entity(rng: random.Random, entity_id: str) -> Profile:
    city = _word(rng)
    if rng.random() < 0.5:
        name, kind = f"{_word(rng)} {_word(rng)} {rng.choice(_FORMS)}", EntityType.ORGANISATION
        attributes = [("city", city), ("country", rng.choice(("US", "DE", "JP", "BR")))]
    else:
        name, kind = f"{rng.choice(_GIVEN)} {_word(rng)} {_word(rng)}", EntityType.PERSON
        attributes = [("born", str(rng.randrange(1900, 2000))), ("area", city)]
    return read_profile(entity_id, name, kind, attributes=attributes)


def made_mention(rng: random.Random, entity: Profile, number: int) -> tuple[Profile, str]:
    words = entity.names[0].split()
    if entity.type is EntityType.PERSON:
        name = rng.choice(
            (" ".join(words).upper(), f"{words[0][0]}. {words[1]} {words[2]}", f"{words[2]}, {words[0]}")
        )
    else:
        name = rng.choice((" ".join(words[:-1]), " ".join(words).upper(), "The " + " ".join(words)))
    attributes = [(slot, value) for slot, values in entity.slots.items() for value in values]
    return read_profile(f"m{number}", name, entity.type, attributes=attributes), entity.entity_id


if __name__ == "__main__":
    sys.exit(main())
