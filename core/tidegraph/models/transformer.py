"""An encoder over any sentence-transformers model; needs the extra ``st``."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.errors import Rejected

BATCH_MAX: Final = 32


class SentenceTransformerEncoder:
    """A model by name or path, loaded when the encoder is made; safe to share between threads.

    Raises:
        Rejected: ENCODER_NOT_INSTALLED (the extra is missing) or ENCODER_NOT_FOUND (no such model).
    """

    def __init__(self, model: str) -> None:
        self.model_id = model
        self._lock = threading.Lock()
        self._model = _load(model)
        self.dimensions = int(self._model.get_sentence_embedding_dimension())

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions). Blocking."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        with self._lock:
            vectors = self._model.encode(
                list(texts), batch_size=BATCH_MAX, normalize_embeddings=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float32)


def _load(model: str) -> Any:
    try:
        package = importlib.import_module("sentence_transformers")  # optional and heavy
    except ImportError:
        message = "sentence-transformers is not installed; install tidegraph[st]"
        raise Rejected("ENCODER_NOT_INSTALLED", message) from None
    try:
        return package.SentenceTransformer(model)
    except (OSError, ValueError) as error:
        message = f"no sentence-transformers model {model!r} could be loaded: {type(error).__name__}"
        raise Rejected("ENCODER_NOT_FOUND", message, model=model) from error
