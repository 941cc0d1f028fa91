"""What the ranking of evidence makes of the words that a question asks with. Pure."""

from __future__ import annotations

import numpy as np

from tidegraph.services.usecases.ranking import Candidate, Wanted, score
from tidegraph.services.usecases.words import stem


def _said(number: int, text: str) -> Candidate:
    return Candidate(
        id=f"event:{number}",
        text=text,
        title="",
        cosine=0.5,
        document_id=f"d{number}",
        document=1.0,
        named=1.0,
        interval=None,
        confirmed_at=0,
        place=0,
    )


def test_of_equals_the_one_that_names_the_asked_kind_comes_first() -> None:
    texts = ("Mara Lind moved to Selmar Holdings.", "Mara Lind moved to Selmar Rovers.")
    candidates = [_said(n, text) for n, text in enumerate(texts)]
    without, _ = score(candidates, "What team was Mara Lind in?", None)
    assert without[0] == without[1]
    scores, parts = score(
        candidates, "What team was Mara Lind in?", None, wanted=Wanted(shape={stem("rovers"): 1.0})
    )
    assert scores[1] > scores[0]
    assert np.count_nonzero(parts["asked_kind"]) == 1


def test_of_equals_the_one_that_says_more_of_what_is_asked_comes_first() -> None:
    texts = ("Mara Lind saw the ferry.", "Mara Lind steered the ferry.", "Mara Lind left the house.")
    candidates = [_said(n, text) for n, text in enumerate(texts)]
    wanted = Wanted(words=frozenset((stem("steered"), stem("ferry"))))
    scores, _ = score(candidates, "Who steered the ferry?", None, wanted=wanted)
    assert scores[1] > scores[0] > scores[2]
