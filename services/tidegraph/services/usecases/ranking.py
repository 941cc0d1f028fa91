"""The feature reranker: a weighted sum of what text, names, documents and time say of a candidate.

Pure and deterministic: the same candidates in any order get the same scores. Weights are data
(data/rerank.toml).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain import timeenc
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Interval
from tidegraph.services.usecases.question import Question, Relation
from tidegraph.services.usecases.spans.intent import intent_of
from tidegraph.services.usecases.words import load, stem, stems_of, tables, tokens

Floats = NDArray[np.float64]
_CAPITALISED: Final = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-z][\w'\u2019-]*")
_PLAIN: Final = re.compile(r"\w+")
NEW_NAMES_MAX: Final = 4
TOKENS_PER_LENGTH: Final = 30.0
OPEN_SPAN: Final = 30 * 365.2425
"""Days that an open side of the asked time reaches."""
NEAR_SPAN: Final = 365.2425
"""Days before or after a time that "before" and "after" mean first."""
NO_NAMES: Final = 0.5
"""How much of a hit without names counts as known."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is known of one event, fact or chunk before it is ranked.

    ``cosine`` is that of its text with the question; ``document`` the share of the best text match that
    its document has, ``named`` the share of the question's names that it speaks of; ``interval`` its own
    time; ``confirmed_at`` when it was said (microseconds); ``place`` its place in its document.
    """

    id: str
    text: str
    title: str
    cosine: float
    document_id: str
    document: float
    named: float
    interval: Interval | None
    confirmed_at: int
    place: int
    fact: float = 0.0
    """Of a fact how surely it is asked for and holds then, in [0, 1]."""
    untold: bool = False
    """Whether it is a sentence that no event tells."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Stems of what a question asks for: its words of content, and with weights in [0, 1] those that names of
    the asked kind hold ("club", "minister").
    """

    words: frozenset[str] = frozenset()
    shape: Mapping[str, float] = field(default_factory=dict)

    @staticmethod
    def of(question: Question) -> Wanted:
        intent = intent_of(question)
        return Wanted(intent.words, {stem(word): weight for word, weight in intent.shape.items()})


@dataclass(frozen=True, slots=True)
class AskedSpan:
    """The asked time in days since 1970, both ends finite."""

    start: float
    end: float

    @staticmethod
    def of(relation: Relation, interval: Interval | None) -> AskedSpan | None:
        """The stretch that evidence should tell of; None when no time is asked."""
        if interval is None:
            return None
        start, end = interval.start / MICROS_PER_DAY, interval.end / MICROS_PER_DAY
        match relation:
            case Relation.NONE:
                return None
            case Relation.AFTER:
                start, end = end, end + NEAR_SPAN
            case Relation.SINCE:
                end = start + OPEN_SPAN
            case Relation.BEFORE | Relation.UNTIL:
                start, end = start - NEAR_SPAN, start
        if interval.start == OPEN_START:
            start = end - OPEN_SPAN
        if interval.end == OPEN_END:
            end = start + OPEN_SPAN
        return AskedSpan(start, max(start, end))


def closeness(starts: Floats, ends: Floats, asked: AskedSpan, scale: float, after: float) -> Floats:
    """How much events at these times tell of the asked time, in (0, 1]; 0 where a time is NaN.

    The mean over the asked time's first instant, middle and last one of ``1 / (1 + gap / length)``: what
    began earlier may last, so its gap counts once; what begins only later counts ``after`` times. On either
    side a nearer time never counts less than a farther one, and one that lies wholly inside the asked time
    never less than one that ends where it begins.
    """
    length = max(scale, asked.end - asked.start)
    moments = np.array([asked.start, (asked.start + asked.end) / 2, asked.end - 1 / MICROS_PER_DAY])
    late = starts[:, None] - moments[None]
    early = moments[None] - ends[:, None]
    gaps = np.where(late > 0, after * late, np.maximum(early, 0.0)) / length
    close = (1.0 / (1.0 + gaps)).mean(axis=1)
    just_before = (1.0 / (1.0 + (moments - asked.start) / length)).mean()
    inside = (starts >= asked.start) & (ends <= asked.end)
    found: Floats = np.nan_to_num(np.where(inside, np.maximum(close, just_before), close))
    return found


NOTHING_WANTED: Final = Wanted()


class TimeEncoding(StrEnum):
    """How near two times are: the exact kernel, or the product of the paper's vectors (eq. 2, 7, 8)."""

    KERNEL = "kernel"
    FOURIER = "fourier"


def fourier_closeness(starts: Floats, asked: AskedSpan) -> Floats:
    """phi(start) . phi(asked start), in [0, 1] over two centuries; 0 where a time is NaN."""
    times = [None if np.isnan(start) else int(start * MICROS_PER_DAY) for start in starts]
    phi = timeenc.fourier([int(asked.start * MICROS_PER_DAY), *times]).astype(np.float64)
    found: Floats = np.clip(phi[1:] @ phi[0], 0.0, 1.0)
    return found


def score(
    candidates: Sequence[Candidate],
    question: str,
    asked: AskedSpan | None,
    time_weight: float = 1.0,
    encoding: TimeEncoding = TimeEncoding.KERNEL,
    wanted: Wanted = NOTHING_WANTED,
) -> tuple[Floats, dict[str, Floats]]:
    """The score of each candidate, and each feature's share in it.

    Args:
        time_weight: 0 ignores the asked time.
    """
    features = _text_features(candidates, question) | _wanted_features(candidates, wanted)
    if asked is not None and time_weight:
        features |= {
            name: time_weight * row for name, row in _time_features(candidates, asked, encoding).items()
        }
    parts = {name: _weights()[name] * row for name, row in features.items()}
    neighbour = _neighbour(candidates, parts["cosine"] + parts["named"] + parts["document"])
    parts["neighbour"] = _weights()["neighbour"] * neighbour
    return sum(parts.values(), np.zeros(len(candidates))), parts


def _text_features(candidates: Sequence[Candidate], question: str) -> dict[str, Floats]:
    asked = stems_of(question)
    latest = max((c.confirmed_at for c in candidates if c.confirmed_at != OPEN_START), default=0)
    years = [max(0.0, (latest - c.confirmed_at) / MICROS_PER_DAY / 365.0) for c in candidates]
    return {
        "cosine": np.array([c.cosine for c in candidates]),
        "named": np.array([c.named for c in candidates]),
        "document": np.array([c.document for c in candidates]),
        "new_name": np.array([_new_names(c.text, c.title, asked) for c in candidates]),
        "echo": np.array([_echo(c.text, c.title, asked) for c in candidates]),
        "length": np.array([len(c.text.split()) / TOKENS_PER_LENGTH for c in candidates]),
        "fact": np.array([c.fact for c in candidates]),
        "untold": np.array([float(c.untold) for c in candidates]),
        "recency": np.array(
            [
                0.0 if c.confirmed_at == OPEN_START else 1.0 / (1.0 + y)
                for c, y in zip(candidates, years, strict=True)
            ]
        ),
    }


def _wanted_features(candidates: Sequence[Candidate], wanted: Wanted) -> dict[str, Floats]:
    said, size = [_word_stems(c.text) for c in candidates], max(1, len(wanted.words))
    return {
        "asked_words": np.array([len(wanted.words & stems) / size for stems in said]),
        "asked_kind": np.array(
            [max((wanted.shape[word] for word in wanted.shape.keys() & stems), default=0.0) for stems in said]
        ),
    }


@lru_cache(maxsize=16_384)
def _word_stems(text: str) -> frozenset[str]:
    """Stems of the plain words of a text: those of "editor-in-chief" one by one."""
    return frozenset(map(stem, _PLAIN.findall(text.casefold())))


def _time_features(
    candidates: Sequence[Candidate], asked: AskedSpan, encoding: TimeEncoding
) -> dict[str, Floats]:
    starts, ends = _days(candidates)
    undated = np.isnan(starts)
    told_starts, told_ends = _inherited(candidates, starts, ends)
    if encoding is TimeEncoding.FOURIER:
        near, told = fourier_closeness(starts, asked), fourier_closeness(told_starts, asked)
    else:
        near = closeness(starts, ends, asked, *load_time())
        told = closeness(told_starts, told_ends, asked, *load_time())
    return {
        "time": near,
        "inherited_time": told,
        "undated": undated.astype(np.float64),
        "superseded": _superseded(candidates, starts, asked),
    }


def _days(candidates: Sequence[Candidate]) -> tuple[Floats, Floats]:
    nan = float("nan")
    pairs = [
        (c.interval.start / MICROS_PER_DAY, c.interval.end / MICROS_PER_DAY) if c.interval else (nan, nan)
        for c in candidates
    ]
    found = np.array(pairs, dtype=np.float64).reshape(len(pairs), 2)
    return found[:, 0], found[:, 1]


def _by_document(candidates: Sequence[Candidate]) -> list[list[int]]:
    """Candidates that stand in one document, in its order."""
    groups: dict[str, list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        if candidate.document_id:
            groups[candidate.document_id].append(index)
    return [sorted(group, key=lambda i: (candidates[i].place, candidates[i].id)) for group in groups.values()]


def _inherited(candidates: Sequence[Candidate], starts: Floats, ends: Floats) -> tuple[Floats, Floats]:
    """For undated candidates the time told last before them in their document; NaN for the others."""
    told_starts, told_ends = np.full_like(starts, np.nan), np.full_like(ends, np.nan)
    for group in _by_document(candidates):
        last: int | None = None
        for index in group:
            if not np.isnan(starts[index]):
                last = index
            elif last is not None:
                told_starts[index], told_ends[index] = starts[last], ends[last]
    return told_starts, told_ends


def _superseded(candidates: Sequence[Candidate], starts: Floats, asked: AskedSpan) -> Floats:
    """log(1 + how many dated candidates of its document begin after it and not after the asked start)."""
    found = np.zeros(len(candidates))
    for group in _by_document(candidates):
        own = starts[group]
        before = np.sort(own[~np.isnan(own) & (own <= asked.start)])
        later = len(before) - np.searchsorted(before, own, side="right")
        found[group] = np.where(np.isnan(own), 0.0, np.log1p(np.maximum(later, 0)))
    return found


def _neighbour(candidates: Sequence[Candidate], text: Floats) -> Floats:
    """The better text score of the candidates beside it in its document, scaled to [0, 1] over all."""
    if not len(text):
        return text
    low, spread = text.min(), float(np.ptp(text)) or 1.0
    scaled = (text - low) / spread
    found = np.zeros(len(text))
    for group in _by_document(candidates):
        own = np.concatenate([[0.0], scaled[group], [0.0]])
        found[group] = np.maximum(own[:-2], own[2:])
    return found


def _new_names(text: str, title: str, asked: frozenset[str]) -> float:
    """Share of NEW_NAMES_MAX names that a text holds and neither its title nor the question does."""
    known = asked | stems_of(title)
    count = sum(name not in known for name in _names(text))
    return min(count, NEW_NAMES_MAX) / NEW_NAMES_MAX


def _echo(text: str, title: str, asked: frozenset[str]) -> float:
    """Share of the words that a title has in common with the question that the text repeats."""
    common = asked & _content(title)
    return len(common & stems_of(text)) / len(common) if common else 0.0


def varied(scores: Floats, texts: Sequence[str], question: str) -> tuple[list[int], Floats]:
    """An order in which each hit names something new, and what was taken off each score for it.

    Greedy: of what is left the best comes next, less the share of its names that were named before, so that
    scores fall. Candidates of one text lose the same.
    """
    asked, weight = stems_of(question), -_weights()["variety"]
    names = [frozenset(_names(text)) - asked for text in texts]
    holders: dict[str, list[int]] = defaultdict(list)
    for index, held in enumerate(names):
        for name in held:
            holders[name].append(index)
    sizes = np.array([len(held) for held in names], dtype=np.float64)
    known = np.where(sizes == 0, NO_NAMES, 0.0)
    left, order, frozen, seen = scores - weight * known, [], set[str](), set[str]()
    for _ in range(len(texts)):
        best = int(np.argmax(left))
        order.append(best)
        left[best] = -np.inf
        frozen.add(texts[best])
        for name in sorted(names[best] - seen):
            seen.add(name)
            for index in holders[name]:
                if texts[index] not in frozen:
                    known[index] += 1.0 / sizes[index]
                    left[index] -= weight / sizes[index]
    return order, -weight * known


@lru_cache(maxsize=16_384)
def _names(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in _CAPITALISED.findall(text))


@lru_cache(maxsize=4_096)
def _content(text: str) -> frozenset[str]:
    stop = tables().stop
    return frozenset(stem(token.lower) for token in tokens(text) if token.lower not in stop)


def title_share(title: str, question: str) -> float:
    """Share of a title's words of content that a question holds."""
    words = _content(title)
    return len(words & stems_of(question)) / len(words) if words else 0.0


@cache
def _weights() -> Mapping[str, float]:
    return {name: float(value) for name, value in load("rerank.toml")["weights"].items()}


@cache
def load_time() -> tuple[float, float]:
    """(scale in days, factor of what begins later)."""
    table = load("rerank.toml")["time"]
    return float(table["scale_days"]), float(table["after_factor"])
