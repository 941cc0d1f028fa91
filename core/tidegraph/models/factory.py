"""Encoders by name, as settings give them."""

from __future__ import annotations

from tidegraph.domain.errors import Rejected
from tidegraph.models.caching import CachingEncoder
from tidegraph.models.hashing import HashingEncoder
from tidegraph.models.minilm import MiniLmEncoder
from tidegraph.models.openai_embeddings import OpenAiEncoder
from tidegraph.models.transformer import CrossEncoderReranker, SentenceTransformerEncoder
from tidegraph.ports import Encoder, Reranker
from tidegraph.settings import EmbeddingsSettings


def make_encoder(name: str = "", threads: int = 1, server: EmbeddingsSettings | None = None) -> Encoder:
    """``""`` or ``minilm``: the default; ``hashing``: the twin without weights; ``st:<model>`` of
    sentence-transformers; ``openai:<model>`` of the ``server``.

    Those with weights remember the texts used last.

    Raises:
        Rejected: UNKNOWN_ENCODER, or that of the encoder itself.
    """
    if name in ("", "minilm"):
        return CachingEncoder(MiniLmEncoder(threads))
    if name == "hashing":
        return HashingEncoder()
    kind, _, model = name.partition(":")
    if kind == "st" and model:
        return CachingEncoder(SentenceTransformerEncoder(model))
    if kind == "openai" and model and server is not None and server.url:
        return CachingEncoder(OpenAiEncoder(server.url, model, server.api_key))
    message = (
        f"no encoder {name!r}; use minilm, hashing, st:<sentence-transformers model> or openai:<model>, "
        "which needs TIDEGRAPH_EMBEDDINGS_URL"
    )
    raise Rejected("UNKNOWN_ENCODER", message, encoder=name)


def make_reranker(name: str) -> Reranker | None:
    """``""``: none; ``st:<model>``: a cross-encoder of sentence-transformers.

    Raises:
        Rejected: UNKNOWN_RERANKER, or that of the reranker itself.
    """
    if not name:
        return None
    kind, _, model = name.partition(":")
    if kind == "st" and model:
        return CrossEncoderReranker(model)
    raise Rejected("UNKNOWN_RERANKER", f"no reranker {name!r}; use st:<cross-encoder model>", reranker=name)
