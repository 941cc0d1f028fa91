"""The memory of vectors: the same vectors, fewer computations, bounded."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tidegraph.models.caching import CachingEncoder
from tidegraph.models.factory import make_encoder
from tidegraph.models.hashing import HashingEncoder


class _Counting(HashingEncoder):
    """Notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        return super().encode(texts)


def test_any_questions_give_the_vectors_of_the_encoder_within(rng: random.Random) -> None:
    words = ["", "ice", "harbour", "日本", *(f"w{n}" for n in range(20))]
    plain, cached = HashingEncoder(), CachingEncoder(_Counting(), texts_max=7)
    assert (cached.model_id, cached.dimensions) == (plain.model_id, plain.dimensions)
    for _ in range(200):
        texts = rng.choices(words, k=rng.randrange(12))
        assert np.array_equal(cached.encode(texts), plain.encode(texts))


def test_a_text_is_computed_once() -> None:
    within = _Counting()
    cached = CachingEncoder(within)
    cached.encode(["a", "b", "a"])
    cached.encode(["b", "c"])
    assert within.asked == ["a", "b", "c"]


def test_the_texts_used_longest_ago_are_forgotten() -> None:
    within = _Counting()
    cached = CachingEncoder(within, texts_max=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        cached.encode([text])
    assert within.asked == ["a", "b", "c", "b"]


def test_what_a_caller_does_to_its_vectors_stays_with_it() -> None:
    cached = CachingEncoder(HashingEncoder())
    first = cached.encode(["harbour"])
    kept = first.copy()
    first[:] = 0.0
    assert np.array_equal(cached.encode(["harbour"]), kept)


def test_threads_share_it() -> None:
    cached, plain = CachingEncoder(HashingEncoder(), texts_max=5), HashingEncoder()
    wrong: list[int] = []

    def ask(number: int) -> None:
        draw = random.Random(number)
        for _ in range(200):
            texts = [f"w{draw.randrange(12)}" for _ in range(4)]
            if not np.array_equal(cached.encode(texts), plain.encode(texts)):
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_default_encoder_remembers() -> None:
    assert isinstance(make_encoder(), CachingEncoder)
    assert not isinstance(make_encoder("hashing"), CachingEncoder)
