"""How many of the pairs that belong together blocking finds, and with how many candidates a mention.

    bench/blocking.py --mentions FILE [--holders 20,40,80]

Labelled mentions are taken group by group. Three ways are measured: the index in memory (``Blocks``, at
most 50 candidates); the writer's keys with every mention for an id of its own; and the writer's keys as a
graph has them, where all mentions of one normal name and type are one id. The writer's keys leave the rough
ones out, and a key that more ids have than ``--holders`` says finds nobody; pairs of one document are left
to its own reading. Recall is the share of the pairs of mentions with one right entity that share an id or
are candidates.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent))

from quality_lib._world import read_lines
from quality_lib.entities import by_group, read_rows
from tidegraph.domain.naming import normalise
from tidegraph.resolution.aliases import keys as keys_of_names
from tidegraph.resolution.blocking import Blocks, blocking_keys, name_chains
from tidegraph.resolution.profiles import Link, Profile

_ALL: Final = "all"

Found = Mapping[str, frozenset[str]]
"""By mention the others that blocking brings to it."""


def main() -> int:
    """Measure every way on every task."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mentions", required=True, help="labelled mentions, JSON lines")
    parser.add_argument("--holders", default="20", help="most ids of a key that the writer looks up")
    arguments = parser.parse_args()
    groups = by_group(read_lines(arguments.mentions))
    read = {name: (rows, *read_rows(rows)) for name, rows in groups.items()}
    counts = Tally()
    for rows, profiles, links in read.values():
        counts.add(rows, in_memory(profiles, links))
    counts.show("in memory")
    for most in map(int, arguments.holders.split(",")):
        for title, merged in (("each mention an id", False), ("as in a graph", True)):
            counts = Tally(across=True)
            for rows, profiles, links in read.values():
                counts.add(rows, by_writer(profiles, links, most, merged=merged))
            counts.show(f"writer, at most {most} ids a key, {title}")
    return 0


class Tally:
    """Pairs that belong together, pairs found, candidates looked at; by task.

    Args:
        across: leave out pairs of one document.
    """

    def __init__(self, *, across: bool = False) -> None:
        self._across = across
        self._pairs: Counter[str] = Counter()
        self._found: Counter[str] = Counter()
        self._candidates: Counter[str] = Counter()
        self._mentions: Counter[str] = Counter()

    def add(self, rows: Sequence[dict[str, Any]], found: Found) -> None:
        """Count one group."""
        members: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in rows:
            members[row["gold_entity_id"]].append(row)
            for task in (row["task"], _ALL):
                self._mentions[task] += 1
                self._candidates[task] += len(found[row["mention_id"]])
        for one, other in (pair for same in members.values() for pair in combinations(same, 2)):
            if self._across and one["document"] and one["document"] == other["document"]:
                continue
            a, b = one["mention_id"], other["mention_id"]
            for task in (one["task"], _ALL):
                self._pairs[task] += 1
                self._found[task] += b in found[a] or a in found[b]

    def show(self, title: str) -> None:
        """Print a line for every task."""
        print(title)
        for task in sorted(self._pairs, key=lambda name: (name == _ALL, name)):
            recall = self._found[task] / max(1, self._pairs[task])
            near = self._candidates[task] / self._mentions[task]
            print(
                f"  {task:16} recall {recall:.3f} of {self._pairs[task]} pairs, {near:.1f} candidates",
                flush=True,
            )


def in_memory(profiles: Sequence[Profile], links: Sequence[Link]) -> Found:
    """What the index of a set in memory brings."""
    blocks = Blocks(links)
    for profile in profiles:
        blocks.add(profile)
    return {profile.entity_id: frozenset(blocks.candidates(profile)) for profile in profiles}


def by_writer(profiles: Sequence[Profile], links: Sequence[Link], most: int, *, merged: bool) -> Found:
    """What the keys that a graph keeps bring, where a key of more than ``most`` ids finds nobody."""
    chains = name_chains(links)
    id_of = {
        p.entity_id: (p.type, normalise(p.names[0], p.type)) if merged else p.entity_id for p in profiles
    }
    mentions: dict[object, set[str]] = defaultdict(set)
    holders: dict[object, set[object]] = defaultdict(set)
    for profile in profiles:
        mentions[id_of[profile.entity_id]].add(profile.entity_id)
        for key in _keys(profile, chains):
            holders[key].add(id_of[profile.entity_id])
    near: dict[object, set[object]] = defaultdict(set)
    for ids in holders.values():
        if len(ids) <= most:
            for entity_id in ids:
                near[entity_id] |= ids
    brought = {
        entity_id: frozenset().union(own, *(mentions[other] for other in near[entity_id]))
        for entity_id, own in mentions.items()
    }
    return {name: brought[entity_id] - {name} for name, entity_id in id_of.items()}


def _keys(profile: Profile, chains: Mapping[Any, Any]) -> Iterator[object]:
    for key in blocking_keys(profile):
        if key[0] not in "dk":
            yield profile.type, key
    yield from ((profile.type, chains[key]) for key in keys_of_names(profile) if key in chains)


if __name__ == "__main__":
    sys.exit(main())
