"""Fit the weights by which the built-in reasoner chooses a phrase as an answer, on development questions.

    fit_answers.py --cases DIR [--out FILE] [--folds 5]

The documents go through the real stages; the candidates of every question are those of the service. Three
lists of weights are fitted one after another: what is said (the right values of any time are right), when it
holds, and how it stands to a value that the question names. Folds go by document, so that no article is both
learned from and judged.

How much the prior counts beside the questions is chosen by the folds (STRENGTHS): the largest mean share of
what is right. On what the folds predict two chances are fitted: that the best value is right, and that the
texts hold no answer. The reader abstains where the second is so many times the first (SILENCES) that most
decisions are right, as the folds say: a value that is right where there is an answer, silence where there is
none. What is printed is nested: the folds that are judged took no part in any of these choices.

Gold fields are read here, and nowhere in the product or in ``quality.py``.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent))

from quality_lib._fitting import listwise, logistic
from quality_lib._world import World, graph_name, progress, read_lines, world
from quality_lib.qa import ingest, work_of
from tidegraph.domain.interval import Interval
from tidegraph.domain.naming import normalise
from tidegraph.services.usecases.question import Relation
from tidegraph.services.usecases.retrieve import retrieve
from tidegraph.services.usecases.scope import window_of
from tidegraph.services.usecases.spans.decision import beside_rows, chosen, sure_row, timed_rows, vacant_row
from tidegraph.services.usecases.spans.features import SAID
from tidegraph.services.usecases.spans.intent import intent_of
from tidegraph.services.usecases.spans.model import FILE, Model, parse
from tidegraph.services.usecases.spans.pool import Pool, pool
from tidegraph.services.usecases.spans.reader import HITS
from tidegraph.services.usecases.spans.times import CHAINED, SURE, TIMED, VACANT

OUT = Path(__file__).resolve().parent.parent / "services/tidegraph/services/data" / FILE
PRIOR = json.loads((Path(__file__).resolve().parent / "answer_prior.json").read_text(encoding="utf-8"))
"""What a reader would say of each feature: the fit is drawn to it where the questions say little."""
STRENGTHS = (40.0, 80.0, 160.0)
"""What the prior may count, in questions: a list of weights for which there are few is drawn to it more."""
SURE_PENALTY, VACANT_PENALTY = 0.02, 0.05
LONGER = 2.0
EMPTY: Mapping[str, Any] = {
    **{name: {} for name in ("said", "timed", "chained", "sure", "vacant")},
    "bias": 0.0,
    "vacant_bias": 0.0,
    "silence": 1.0,
}
SILENCES = (1.0, 1.5, 2.0, 3.0)
FLOOR = 1e-3
"""The least share of what is right that counts: a question that is missed wholly tells nothing of how far."""
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


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with whether the best value is right, what share the right ones have, and its rows of SURE and
    VACANT (None for the neighbour of a named value).
    """

    case: Case
    good: bool
    share: float
    sure: tuple[float, ...] | None = None
    vacant: tuple[float, ...] | None = None

    @property
    def log_share(self) -> float:
        return float(np.log(max(FLOOR, self.share)))

    @property
    def tells(self) -> bool:
        """Whether the right value could have been chosen."""
        return bool(self.case.right.any())

    def silent(self, model: Model) -> bool:
        """Whether the reader gives no answer."""
        if self.sure is None or self.vacant is None:
            return False
        return model.is_silent(model.confidence(self.sure), model.vacancy(self.vacant))

    def is_right(self, model: Model) -> bool:
        """Whether the value is right, or silence is."""
        silent = self.silent(model)
        return (self.good and not silent) if self.case.question["answerable"] else silent


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
    parts = parted(cases, arguments.folds)
    found: list[tuple[Judged, bool]] = []
    for own in parts:
        others = [case for part in parts if part is not own for case in part]
        model = fit(others, arguments.folds)
        found += [(row, row.silent(model)) for row in judged(model, own)]
    report(found)
    data = _as_data(fit(cases, arguments.folds))
    Path(arguments.out).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


async def _gathered(folder: Path) -> list[Case]:
    questions, corpus = read_lines(folder / "questions.jsonl"), read_lines(folder / "corpus.jsonl")
    found: list[Case] = []
    async with world() as played:
        await ingest(played, corpus)
        for number, question in enumerate(questions, start=1):
            case = await _case(played, question) if is_known(question) else None
            if case is not None:
                found.append(case)
            progress(number, len(questions), "questions")
    return found


def is_known(question: Mapping[str, Any]) -> bool:
    """Whether it is known if the texts hold an answer: of one that they word otherwise it is not."""
    return not question["answerable"] or bool(question.get("answer_in_text", True))


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


def parted(cases: Sequence[Case], folds: int) -> list[list[Case]]:
    """The cases of each fold, by document."""
    found: list[list[Case]] = [[] for _ in range(folds)]
    for case in cases:
        found[int(hashlib.sha1(f"f{case.document}".encode()).hexdigest(), 16) % folds].append(case)
    return [part for part in found if part]


def fit(cases: Sequence[Case], folds: int) -> Model:
    """All weights, with the strength of the prior that the folds like best, and when to be silent."""
    tried = {strength: _predicted(cases, folds, strength) for strength in STRENGTHS}
    best = max(tried, key=lambda strength: np.mean([row.log_share for row in tried[strength] if row.tells]))
    told = [row for row in tried[best] if row.sure is not None]
    model = _with_chances(_weights(cases, best), told)
    right = dict.fromkeys(SILENCES, 0)
    for part in parted([row.case for row in told], folds):
        inside = {case.document for case in part}
        other = _with_chances(model, [row for row in told if row.case.document not in inside])
        for silence in SILENCES:
            trial = replace(other, silence=silence)
            right[silence] += sum(row.is_right(trial) for row in told if row.case.document in inside)
    return replace(model, silence=max(SILENCES, key=lambda silence: right[silence]))


def _with_chances(model: Model, told: Sequence[Judged]) -> Model:
    """The model with the chances that the best value is right, and that there is no answer."""
    good = np.array([float(row.good) for row in told])
    empty = np.array([float(not row.case.question["answerable"]) for row in told])
    sure, bias = logistic(np.array([row.sure for row in told]), good, SURE_PENALTY)
    vacant, vacant_bias = logistic(np.array([row.vacant for row in told]), empty, VACANT_PENALTY)
    return replace(model, sure=sure, bias=bias, vacant=vacant, vacant_bias=vacant_bias)


def _predicted(cases: Sequence[Case], folds: int, strength: float) -> list[Judged]:
    parts = parted(cases, folds)
    found: list[Judged] = []
    for own in parts:
        model = _weights([case for part in parts if part is not own for case in part], strength)
        found += judged(model, own)
    return found


def _weights(cases: Sequence[Case], strength: float) -> Model:
    model = parse(EMPTY)
    told = [case for case in cases if case.values.any()]
    even = [_evenly(case) for case in told]
    model = replace(model, said=_listwise([c.rows for c in told], even, "said", SAID, strength))
    timed, chained = _Lists(), _Lists()
    for case in cases:
        _then(model, case, timed, chained)
    return replace(
        model,
        timed=_listwise(timed.rows, timed.right, "timed", TIMED, strength),
        chained=_listwise(chained.rows, chained.right, "chained", CHAINED, strength),
    )


def _listwise(
    rows: Sequence[Floats],
    right: Sequence[NDArray[np.integer]],
    name: str,
    features: Sequence[str],
    strength: float,
) -> Floats:
    prior = np.array([float(PRIOR[name].get(feature, 0.0)) for feature in features])
    return listwise(rows, right, prior, strength / max(1, len(rows)))


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


def judged(model: Model, cases: Sequence[Case]) -> list[Judged]:
    """What a model says of each case that has a time or a neighbour."""
    return [row for case in cases if (row := _judged(model, case)) is not None]


def _judged(model: Model, case: Case) -> Judged | None:
    candidates, anchors = case.found.candidates, [i for i, own in enumerate(case.found.asked) if own]
    if case.after is not None:
        beside = beside_rows(model, candidates, case.rows, anchors, after=case.after)
        if beside is None:
            return Judged(case, False, FLOOR)
        shares = np.exp(model.log_shares(beside.rows, model.chained))
        right = case.right[list(beside.best)]
        return Judged(case, bool(right[int(np.argmax(shares))]), float(shares[right].sum()))
    if case.window is None:
        return None
    kept = [i for i, own in enumerate(case.found.asked) if not own]
    rows, right = case.rows[kept], case.right[kept]
    candidates = tuple(candidates[i] for i in kept)
    if not candidates:
        return Judged(case, False, FLOOR)
    then = timed_rows(model, candidates, rows, case.window, case.found.facts)
    shares = np.exp(model.log_shares(then.rows, model.timed))
    choices, told_off = chosen(model, candidates, then, case.window)
    return Judged(
        case,
        bool(right[choices[0].index]),
        float(shares[right[list(then.best)]].sum()),
        tuple(sure_row(choices, then, rows[choices[0].index].tolist(), case.found.facts)),
        tuple(vacant_row(model, choices[0], then, case.window, told_off=told_off)),
    )


def report(found: Sequence[tuple[Judged, bool]]) -> None:
    """Print what came out by source; each row with whether it is left without an answer."""
    for source in sorted({str(row.case.question["source"]) for row, _ in found}):
        own = [(row, silent) for row, silent in found if row.case.question["source"] == source]
        told = [(row.good, row.good and not silent) for row, silent in own if row.case.question["answerable"]]
        best, answered = np.mean(told, axis=0) if told else (0.0, 0.0)
        print(f"{source}: of {len(told)} best values right {best:.3f}, and answered {answered:.3f}, by folds")
        left = [not row.case.question["answerable"] for row, silent in own if silent]
        vacant = sum(not row.case.question["answerable"] for row, _ in own)
        print(f"{source}: no answer for {len(left)}, rightly for {sum(left)} of {vacant}")


def _as_data(model: Model) -> dict[str, Any]:
    def named(weights: Floats, names: Sequence[str]) -> dict[str, float]:
        return {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}

    return {
        "said": named(model.said, SAID),
        "timed": named(model.timed, TIMED),
        "chained": named(model.chained, CHAINED),
        "sure": named(model.sure, SURE),
        "bias": round(model.bias, 4),
        "vacant": named(model.vacant, VACANT),
        "vacant_bias": round(model.vacant_bias, 4),
        "silence": model.silence,
    }


if __name__ == "__main__":
    sys.exit(main())
