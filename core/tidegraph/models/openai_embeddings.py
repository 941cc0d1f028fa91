"""An encoder behind an OpenAI-compatible ``/v1/embeddings`` (vLLM, TEI and others)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import httpx
import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable

BATCH_MAX: Final = 64
DIMENSIONS_MAX: Final = 4_096
TIMEOUT_SECONDS: Final = 30.0
_BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class OpenAiEncoder:
    """A model of a server; its dimension is asked for when the encoder is made.

    Raises:
        Rejected: ENCODER_NOT_FOUND, the server refuses the model or answers with no vectors.
        Retryable: ENCODER_UNAVAILABLE, it is away or busy.
        LimitExceeded: VECTOR_TOO_LONG, more dimensions than the store takes.
    """

    def __init__(
        self, url: str, model: str, api_key: str = "", transport: httpx.BaseTransport | None = None
    ) -> None:
        self.model_id = model
        base = url.rstrip("/")
        self._client = httpx.Client(
            base_url=(base if base.endswith("/v1") else f"{base}/v1") + "/",
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=TIMEOUT_SECONDS,
            transport=transport,
        )
        self.dimensions = int(self._ask(["dimension"]).shape[1])
        if not 0 < self.dimensions <= DIMENSIONS_MAX:
            message = f"{model} gives {self.dimensions} dimensions; the store takes up to {DIMENSIONS_MAX}"
            raise LimitExceeded("VECTOR_TOO_LONG", message, model=model)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), dimensions). Blocking.

        Raises:
            Retryable: ENCODER_UNAVAILABLE. Rejected: ENCODER_NOT_FOUND, or vectors of another length.
        """
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), BATCH_MAX):
            part = self._ask(texts[start : start + BATCH_MAX])
            if part.shape[1] != self.dimensions:
                raise Rejected("ENCODER_CHANGED", f"{self.model_id} now gives vectors of another length")
            vectors[start : start + len(part)] = part
        return vectors

    def close(self) -> None:
        self._client.close()

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        body = {"model": self.model_id, "input": list(texts), "encoding_format": "float"}
        try:
            reply = self._client.post("embeddings", json=body)
        except httpx.HTTPError as error:
            message = f"the embeddings server does not answer: {type(error).__name__}"
            raise Retryable("ENCODER_UNAVAILABLE", message) from error
        if reply.status_code in _BUSY:
            message = f"the embeddings server is busy: HTTP {reply.status_code}"
            raise Retryable("ENCODER_UNAVAILABLE", message)
        if reply.status_code != httpx.codes.OK:
            message = f"the embeddings server refuses {self.model_id!r}: HTTP {reply.status_code}"
            raise Rejected("ENCODER_NOT_FOUND", message, model=self.model_id)
        return _vectors(reply, len(texts), self.model_id)


def _vectors(reply: httpx.Response, count: int, model: str) -> NDArray[np.float32]:
    """The vectors of a reply in the order of what was asked, scaled to L2 norm 1."""
    try:
        rows: list[dict[str, Any]] = sorted(reply.json()["data"], key=lambda row: int(row["index"]))
        vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
    except (ValueError, KeyError, TypeError) as error:
        message = "the embeddings server gave no vectors"
        raise Rejected("ENCODER_NOT_FOUND", message, model=model) from error
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        raise Rejected(
            "ENCODER_NOT_FOUND", "the embeddings server gave other vectors than asked", model=model
        )
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (vectors / np.maximum(norms, 1e-12)).astype(np.float32)
    return unit
