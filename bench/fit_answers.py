"""Fit the weights by which the built-in reasoner chooses a phrase as an answer, on development questions.

    fit_answers.py --cases DIR [--out FILE] [--folds 5]

The documents go through the real stages; the candidates of every question are those of the service. Four
lists of weights are fitted one after another: what is said (the right values of any time are right),
when it holds, how it stands to a value that the question names, and how sure the best candidate is. Folds
go by document, so that no article is both learned from and judged. The threshold of abstaining is taken on
the predictions of the folds: the highest share of right decisions over answerable and unanswerable
questions. Gold fields are read here, and nowhere in the product or in ``quality.py``.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from quality_lib._world import World, graph_name, progress, read_lines, world
from quality_lib.qa import ingest, work_of
from tidegraph.domain.interval import Interval
from tidegraph.domain.naming import normalise
from tidegraph.services.usecases.question import Relation
from tidegraph.services.usecases.retrieve import retrieve
from tidegraph.services.usecases.scope import window_of
from tidegraph.services.usecases.spans.decision import beside_rows, sure_row, timed_rows
from tidegraph.services.usecases.spans.features import SAID
from tidegraph.services.usecases.spans.intent import intent_of
from tidegraph.services.usecases.spans.model import FILE, Model, parse
from tidegraph.services.usecases.spans.pool import Pool, pool
from tidegraph.services.usecases.spans.reader import HITS
from tidegraph.services.usecases.spans.times import CHAINED, SURE, TIMED

OUT = Path(__file__).resolve().parent.parent / "services/tidegraph/services/data" / FILE
PRIOR = json.loads((Path(__file__).resolve().parent / "answer_prior.json").read_text(encoding="utf-8"))
"""What a reader would say of each feature: the fit is drawn to it where the questions say little."""
PENALTY = 2.0
SURE_PENALTY = 0.02
STEPS = 200
LONGER = 2.0
RATE = 0.08
THRESHOLDS = np.arange(0.02, 0.6, 0.02)
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its candidates; ``right``: values of then, ``values``: of any time."""

    question: Mapping[str, Any]
    found: Pool
    rows: Floats
    window: Interval | None
    after: bool | None
    right: NDArray[np.bool_]
    values: NDArray[np.bool_]

    @property
    def document(self) -> str:
        return str(self.question["document_ids"][0])


def main(argv: Sequence[str] | None = None) -> int:
    """Gather, fit, report by fold, write the weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", required=True, help="folder with corpus.jsonl and questions.jsonl")
    parser.add_argument("--out", default=str(OUT), help="where the weights go")
    parser.add_argument("--folds", type=int, default=5)
    arguments = parser.parse_args(argv)
    cases = asyncio.run(_gathered(Path(arguments.cases)))
    judged = [
        row
        for fold in range(arguments.folds)
        for row in _judged(
            _fit([case for case in cases if _fold(case.document, arguments.folds) != fold]),
            [case for case in cases if _fold(case.document, arguments.folds) == fold],
        )
    ]
    _report(judged)
    rows = np.array([row for _, _, row in judged if row is not None])
    right = np.array([float(good) for _, good, row in judged if row is not None])
    weights, bias = _logistic(rows, right)
    least = _threshold([case for case, _, row in judged if row is not None], right, rows @ weights + bias)
    data = _as_data(replace(_fit(cases), sure=weights, bias=bias, least=least))
    Path(arguments.out).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


async def _gathered(folder: Path) -> list[Case]:
    questions, corpus = read_lines(folder / "questions.jsonl"), read_lines(folder / "corpus.jsonl")
    found: list[Case] = []
    async with world() as played:
        await ingest(played, corpus)
        for number, question in enumerate(questions, start=1):
            case = await _case(played, question)
            if case is not None:
                found.append(case)
            progress(number, len(questions), "questions")
    return found


async def _case(played: World, question: Mapping[str, Any]) -> Case | None:
    work, scope = await work_of(played, graph_name(question["collection"]), question["question"], frozenset())
    found = await pool(work, intent_of(work.question), await retrieve(work, scope, HITS))
    if not found.candidates:
        return None
    values = [candidate.value for candidate in found.candidates]
    right = _standing_for(values, question["answers"])
    others = _standing_for(values, question["sibling_answers"])
    anchor = work.question.anchor
    return Case(
        question=question,
        found=found,
        rows=np.array(found.rows),
        window=window_of(scope.relation, scope.interval) if scope.given else None,
        after=None if anchor is None else anchor.relation is Relation.AFTER,
        right=right,
        values=right | others,
    )


def _standing_for(values: Sequence[str], answers: Sequence[str]) -> NDArray[np.bool_]:
    """Which values are one of the answers; where none is one, those that hold it and little more."""
    wanted = {normalise(answer) for answer in answers} - {""}
    exact = np.array([value in wanted for value in values])
    if exact.any():
        return exact
    return np.array(
        [
            any(f" {answer} " in f" {value} " and len(value) <= LONGER * len(answer) for answer in wanted)
            for value in values
        ],
        dtype=bool,
    )


def _fold(document: str, folds: int) -> int:
    return int(hashlib.sha1(f"f{document}".encode()).hexdigest(), 16) % folds


def _fit(cases: Sequence[Case]) -> Model:
    model = parse({"said": {}, "timed": {}, "chained": {}, "sure": {}, "bias": 0.0, "least": 0.0})
    told = [case for case in cases if case.values.any()]
    even = [_evenly(case) for case in told]
    model = replace(model, said=_listwise([c.rows for c in told], even, "said", SAID))
    timed, chained = _Lists(), _Lists()
    for case in cases:
        _then(model, case, timed, chained)
    return replace(
        model,
        timed=_listwise(timed.rows, timed.right, "timed", TIMED),
        chained=_listwise(chained.rows, chained.right, "chained", CHAINED),
    )


def _evenly(case: Case) -> NDArray[np.int64]:
    """For each candidate the number of the value that it is, from 1; 0 for none. All values are to be likely,
    not the easiest alone: the chain is made of them.
    """
    names = [candidate.value for candidate in case.found.candidates]
    numbers = {
        name: n
        for n, name in enumerate(sorted({v for v, ok in zip(names, case.values, strict=True) if ok}), 1)
    }
    return np.array(
        [numbers[v] if ok else 0 for v, ok in zip(names, case.values, strict=True)], dtype=np.int64
    )


class _Lists:
    def __init__(self) -> None:
        self.rows: list[Floats] = []
        self.right: list[NDArray[np.integer]] = []

    def add(self, rows: Floats, right: NDArray[np.bool_]) -> None:
        if right.any():
            self.rows.append(rows)
            self.right.append(right.astype(np.int64))


def _then(model: Model, case: Case, timed: _Lists, chained: _Lists) -> None:
    """Add the second list of rows of one case."""
    candidates, anchors = case.found.candidates, [i for i, own in enumerate(case.found.asked) if own]
    if case.after is not None:
        found = beside_rows(model, candidates, case.rows, anchors, after=case.after)
        if found is not None:
            chained.add(found.rows, case.right[list(found.best)])
    elif case.window is not None:
        then = timed_rows(model, candidates, case.rows, case.window, case.found.facts)
        timed.add(then.rows, case.right[list(then.best)])


def _judged(model: Model, cases: Sequence[Case]) -> list[tuple[Case, bool, Sequence[float] | None]]:
    """(case, whether the best value is right, its row of SURE)."""
    out: list[tuple[Case, bool, Sequence[float] | None]] = []
    for case in cases:
        candidates, anchors = case.found.candidates, [i for i, own in enumerate(case.found.asked) if own]
        if case.after is not None:
            found = beside_rows(model, candidates, case.rows, anchors, after=case.after)
            good = False
            if found is not None:
                good = bool(case.right[found.best[int(np.argmax(found.rows @ model.chained))]])
            out.append((case, good, None))
        elif case.window is not None:
            then = timed_rows(model, candidates, case.rows, case.window, case.found.facts)
            first, row = sure_row(model, candidates, case.rows, then, case.found.facts)
            out.append((case, bool(case.right[first]), row))
    return out


def _listwise(
    rows: Sequence[Floats], right: Sequence[NDArray[np.integer]], name: str, features: Sequence[str]
) -> Floats:
    """Weights that give the right rows of each list the largest share of its exponential scores.

    Args:
        right: for each row 0, or the number of the group that it belongs to. Every group of a list is to
            have an equal share, by whichever of its rows.
    """
    prior = np.array([float(PRIOR[name].get(feature, 0.0)) for feature in features])
    if not rows:
        return prior
    everything, good = np.concatenate(rows), np.concatenate(right).astype(float) > 0
    scale = everything.std(axis=0) + 1e-3
    everything, prior = everything / scale, prior * scale
    lengths = [len(each) for each in rows]
    starts, owner = np.cumsum([0, *lengths[:-1]]), np.repeat(np.arange(len(rows)), lengths)
    offsets = np.cumsum([0, *(int(each.max()) + 1 for each in right[:-1])])
    group = np.concatenate(right).astype(np.int64) + np.repeat(offsets, lengths)
    groups = np.array([int(each.max()) for each in right])[owner]

    def gradient(weights: Floats) -> Floats:
        scores = everything @ weights
        shares = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        of_right = shares * good
        expected = shares / np.add.reduceat(shares, starts)[owner]
        wanted = of_right / (np.bincount(group, of_right)[group] + 1e-12) / groups
        return np.asarray(everything.T @ (expected - wanted) / len(rows) + PENALTY * (weights - prior))

    weights: Floats = _descended(gradient, prior) / scale
    return weights


def _logistic(rows: Floats, right: Floats) -> tuple[Floats, float]:
    scale = rows.std(axis=0) + 1e-3
    wide = np.hstack([rows / scale, np.ones((len(rows), 1))])
    penalty = np.full(wide.shape[1], SURE_PENALTY)
    penalty[-1] = 0.0

    def gradient(weights: Floats) -> Floats:
        chance = 1.0 / (1.0 + np.exp(-(wide @ weights)))
        return np.asarray(wide.T @ (chance - right) / len(right) + penalty * weights)

    weights = _descended(gradient, np.zeros(wide.shape[1]))
    return weights[:-1] / scale, float(weights[-1])


def _descended(gradient: Callable[[Floats], Floats], start: Floats) -> Floats:
    """The minimum by Adam, a fixed number of steps."""
    weights, mean, square = start.copy(), np.zeros(len(start)), np.zeros(len(start))
    for step in range(1, STEPS + 1):
        slope = gradient(weights)
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        weights = weights - RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


def _threshold(cases: Sequence[Case], right: Floats, scores: Floats) -> float:
    """The confidence under which abstaining is right more often than answering."""
    chance = 1.0 / (1.0 + np.exp(-scores))
    unanswerable = np.array([not case.question["answerable"] for case in cases])

    def decided(least: float) -> float:
        return float(np.where(chance < least, unanswerable, right > 0).mean())

    return float(max(THRESHOLDS, key=decided))


def _report(judged: Sequence[tuple[Case, bool, Sequence[float] | None]]) -> None:
    for source in sorted({str(case.question["source"]) for case, _, _ in judged}):
        good = [
            right
            for case, right, _ in judged
            if case.question["source"] == source
            and case.question["answerable"]
            and case.question.get("answer_in_text", True)
        ]
        print(f"{source}: {np.mean(good):.3f} of {len(good)} best values right, by folds")


def _as_data(model: Model) -> dict[str, Any]:
    def named(weights: Floats, names: Sequence[str]) -> dict[str, float]:
        return {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}

    return {
        "said": named(model.said, SAID),
        "timed": named(model.timed, TIMED),
        "chained": named(model.chained, CHAINED),
        "sure": named(model.sure, SURE),
        "bias": round(model.bias, 4),
        "least": round(model.least, 3),
    }


if __name__ == "__main__":
    sys.exit(main())
