"""Fit the weights of entity resolution on labelled mentions.

    fit_resolution.py --mentions FILE --weights FILE            fit on everything, write the weights
    fit_resolution.py --mentions FILE --predictions FILE        five folds over groups: every group is
                                                                resolved with weights that never saw it

A logistic model a type on the pairs that blocking brings together (Newton steps, L2). The figures of
docs/entities.md come from the second form; the package carries the weights of the first.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from quality_lib._world import read_lines, write_lines
from quality_lib.entities import by_group, read_rows, resolve
from tidegraph.domain.documents import EntityType
from tidegraph.resolution.blocking import candidate_pairs
from tidegraph.resolution.evidence import merge_profiles
from tidegraph.resolution.features import pair_features
from tidegraph.resolution.model import Model
from tidegraph.resolution.profiles import Profile
from tidegraph.resolution.statistics import Statistics

FOLDS: Final = 5
L2: Final = 0.5
Pair = tuple[str, EntityType, dict[str, float], bool]


def main() -> int:
    """Read, fit, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mentions", required=True, help="labelled mentions, JSON lines")
    parser.add_argument("--weights", help="where the weights go")
    parser.add_argument("--predictions", help="where the answers of the folds go")
    parser.add_argument("--accept", type=float, default=0.8, help="log-odds from which groups are joined")
    parser.add_argument(
        "--reject", type=float, default=-2.0, help="log-odds below which nothing is undecided"
    )
    parser.add_argument("--document", type=float, default=0.9, help="floor of joins inside one document")
    parser.add_argument("--sure", type=float, default=2.0, help="floor of the first pass across documents")
    parser.add_argument("--margin", type=float, default=1.5, help="lead over the second group that decides")
    arguments = parser.parse_args()
    groups = by_group(read_lines(arguments.mentions))
    pairs = {name: labelled_pairs(name, rows) for name, rows in groups.items()}
    thresholds = {
        name: getattr(arguments, name) for name in ("accept", "reject", "document", "sure", "margin")
    }
    if arguments.weights:
        table = fit([pair for part in pairs.values() for pair in part])
        _write_weights(Path(arguments.weights), table, thresholds)
    if arguments.predictions:
        answers: list[dict[str, Any]] = []
        for fold in range(FOLDS):
            held = [name for number, name in enumerate(groups) if number % FOLDS == fold]
            table = fit([pair for name, part in pairs.items() if name not in held for pair in part])
            model = Model({EntityType[t.upper()]: w for t, w in table.items()}, **thresholds)
            for name in held:
                answers += resolve(groups[name], model)
        write_lines(arguments.predictions, answers)
    return 0


def labelled_pairs(group: str, rows: list[dict[str, Any]]) -> list[Pair]:
    """The pairs of one group that blocking brings together, with their features and the right answer.

    Inside documents mentions are paired; across documents what one document says of one entity is one
    profile, as it is when the engine comes to it.
    """
    profiles, links = read_rows(rows)
    by_id = {profile.entity_id: profile for profile in profiles}
    gold = {row["mention_id"]: row["gold_entity_id"] for row in rows}
    statistics = Statistics.of(links, by_id)
    pairs: list[Pair] = []

    def add(units: Mapping[str, Profile], together: bool) -> None:
        for a, b in candidate_pairs(units, links):
            if bool(units[a].documents & units[b].documents) == together:
                features = pair_features(units[a], units[b], statistics)
                pairs.append((group, units[a].type, features, gold[a] == gold[b]))

    add(by_id, True)
    parts: dict[tuple[str, str], list[Profile]] = defaultdict(list)
    for profile in profiles:
        document = min(profile.documents, default=profile.entity_id)
        parts[document, gold[profile.entity_id]].append(profile)
    first = {min(p.entity_id for p in part): part for part in parts.values()}
    units = {entity_id: merge_profiles(entity_id, part) for entity_id, part in first.items()}
    add(units, False)
    add(_halves(units, gold), False)
    return pairs


def _halves(units: Mapping[str, Profile], gold: Mapping[str, str]) -> dict[str, Profile]:
    """Every entity cut in two by a hash of the ids: what later passes of the engine compare."""
    parts: dict[tuple[str, int], list[Profile]] = defaultdict(list)
    for entity_id, unit in sorted(units.items()):
        parts[gold[entity_id], zlib.crc32(entity_id.encode()) & 1].append(unit)
    return {
        part[0].entity_id: merge_profiles(part[0].entity_id, part) for part in parts.values() if len(part) > 1
    }


def fit(pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    """Weights by type and feature."""
    by_type: dict[EntityType, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_type[pair[1]].append(pair)
    return {kind.name.lower(): _fit_type(rows) for kind, rows in sorted(by_type.items())}


def _fit_type(rows: Sequence[Pair]) -> dict[str, float]:
    names = sorted({feature for row in rows for feature in row[2]})
    column = {name: number for number, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)))
    for number, row in enumerate(rows):
        for feature, value in row[2].items():
            matrix[number, column[feature]] = value
    target = np.array([row[3] for row in rows], dtype=float)
    weights = np.zeros(len(names))
    for _ in range(20):
        chance = 1.0 / (1.0 + np.exp(-np.clip(matrix @ weights, -30.0, 30.0)))
        gradient = matrix.T @ (chance - target) + L2 * weights
        curvature = (matrix * (chance * (1.0 - chance))[:, None]).T @ matrix + L2 * np.eye(len(names))
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if float(np.abs(step).max()) < 1e-3:
            break
    return {name: round(float(weights[column[name]]), 3) for name in names}


def _write_weights(path: Path, table: dict[str, dict[str, float]], thresholds: dict[str, float]) -> None:
    text = json.dumps({"thresholds": thresholds, "weights": table}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
