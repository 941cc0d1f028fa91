"""An encoder and a reranker over any sentence-transformers model; both need the extra ``st``."""

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
        named = getattr(self._model, "get_embedding_dimension", None)  # its name since version 5
        self.dimensions = int((named or self._model.get_sentence_embedding_dimension)())

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions). Blocking."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        with self._lock:
            vectors = self._model.encode(
                list(texts), batch_size=BATCH_MAX, normalize_embeddings=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float32)


class CrossEncoderReranker:
    """A cross-encoder by name or path, loaded when it is made; safe to share between threads.

    Raises:
        Rejected: ENCODER_NOT_INSTALLED or ENCODER_NOT_FOUND, as for the encoder.
    """

    def __init__(self, model: str) -> None:
        self.model_id = model
        self._lock = threading.Lock()
        self._model = _load(model, "CrossEncoder")

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Logits, shape (len(texts),); the last column where the model gives several. Blocking."""
        if not texts:
            return np.empty(0, dtype=np.float32)
        with self._lock:
            found = self._model.predict(
                [(question, text) for text in texts],
                batch_size=BATCH_MAX,
                show_progress_bar=False,
                activation_fn=_identity,
            )
        logits = np.asarray(found, dtype=np.float32)
        return logits if logits.ndim == 1 else logits[:, -1]


def _identity(logits: Any) -> Any:
    return logits


def _load(model: str, kind: str = "SentenceTransformer") -> Any:
    try:
        package = importlib.import_module("sentence_transformers")  # optional and heavy
    except ImportError:
        message = "sentence-transformers is not installed; install tidegraph[st]"
        raise Rejected("ENCODER_NOT_INSTALLED", message) from None
    try:
        return getattr(package, kind)(model)
    except (OSError, ValueError) as error:
        message = f"no sentence-transformers model {model!r} could be loaded: {type(error).__name__}"
        raise Rejected("ENCODER_NOT_FOUND", message, model=model) from error
