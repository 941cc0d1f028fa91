"""A bounded memory of vectors: successive revisions of a text repeat most of its sentences."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.ports import Encoder

TEXTS_MAX: Final = 16_384
"""At 384 dimensions about 30 MB: a vector of 1.5 KB each, and a digest in place of the text."""


class CachingEncoder:
    """An encoder that computes a text once and remembers the ``texts_max`` used last.

    A vector does not depend on what was asked before, so long as the encoder within gives a text the same
    vector whatever it is asked together with. Safe to share between threads, as the one within is.
    """

    def __init__(self, encoder: Encoder, texts_max: int = TEXTS_MAX) -> None:
        self.model_id = encoder.model_id
        self.dimensions = encoder.dimensions
        self._encoder = encoder
        self._texts_max = texts_max
        self._lock = threading.Lock()
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions). Blocking; each new text is computed once."""
        keys = [_digest(text) for text in texts]
        found = self._remembered(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            computed = self._encoder.encode(list(missing.values()))
            # Rows of their own: a view would keep the whole batch in memory.
            fresh = {key: row.copy() for key, row in zip(missing, computed, strict=True)}
            found |= fresh
            self._remember(fresh)
        vectors = np.empty((len(keys), self.dimensions), dtype=np.float32)
        for row, key in enumerate(keys):
            vectors[row] = found[key]
        return vectors

    def _remembered(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        with self._lock:
            found = {key: self._vectors[key] for key in keys if key in self._vectors}
            for key in found:
                self._vectors.move_to_end(key)
        return found

    def _remember(self, fresh: dict[bytes, NDArray[np.float32]]) -> None:
        with self._lock:
            self._vectors.update(fresh)
            while len(self._vectors) > self._texts_max:
                self._vectors.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
