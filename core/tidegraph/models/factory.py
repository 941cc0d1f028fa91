"""Encoders by name, as settings give them."""

from __future__ import annotations

from tidegraph.domain.errors import Rejected
from tidegraph.models.caching import CachingEncoder
from tidegraph.models.hashing import HashingEncoder
from tidegraph.models.minilm import MiniLmEncoder
from tidegraph.models.transformer import SentenceTransformerEncoder
from tidegraph.ports import Encoder


def make_encoder(name: str = "", threads: int = 1) -> Encoder:
    """``""`` or ``minilm``: the default; ``hashing``: the twin without weights; ``st:<model>``.

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
    message = f"no encoder {name!r}; use minilm, hashing or st:<sentence-transformers model>"
    raise Rejected("UNKNOWN_ENCODER", message, encoder=name)
