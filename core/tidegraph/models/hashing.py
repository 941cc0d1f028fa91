"""A deterministic encoder without weights: the twin of the real one in tests.

Words and character trigrams are hashed into buckets with a sign. Texts that share words are near, and
nothing more is claimed of it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_WORD: Final = re.compile(r"\w+")


class HashingEncoder:
    """Bag of words and trigrams, hashed to ``dimensions`` buckets, rows of L2 norm 1."""

    def __init__(self, dimensions: int = 64) -> None:
        self.model_id = f"hashing-{dimensions}"
        self.dimensions = dimensions

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions). An empty text gives the first unit vector."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                digest = hashlib.blake2b(feature.encode("utf-8"), digest_size=8).digest()
                value = int.from_bytes(digest, "big")
                vectors[row, (value >> 1) % self.dimensions] += weight if value & 1 else -weight
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in _WORD.findall(text.casefold()):
        yield word, 1.0
        padded = f"^{word}$"
        for start in range(len(padded) - 2):
            yield padded[start : start + 3], 0.3
