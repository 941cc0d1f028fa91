"""One million mutated texts: grounding never raises, never hangs, and keeps its offsets in order.

Run with ``pytest tests/slow -m slow``; ``GROUNDING_FUZZ_INPUTS`` sets another number. A failure prints the
seed and the input.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.interval import Granularity, instant
from tidegraph.language.grounding import ground_with_operands
from tidegraph.settings import GroundingSettings, load

INPUTS = int(os.environ.get("GROUNDING_FUZZ_INPUTS", "1000000"))
SECONDS_AN_INPUT = 0.5
CASES = Path(__file__).parents[1] / "unit" / "grounding" / "cases"
GLUE = [
    *" -/.:,'\n()%$#+~<>=\u2013\u2019\u00a0\u200b\u0301\U0001f550",
    "  ",
    "\n\n",
    "--",
    "..",
    " the ",
    " of ",
    " to ",
]
SCRIPTS = "\u0660\u0663\u0966\uff11\u2163\u00bd\u6708\u65e5\u05d0\u0416\u00df\u0130\ud7a3"


def mutate(text: str, corpus: list[str], rng: random.Random) -> str:
    """One to six edits: bytes flipped, spans moved, doubled or dropped, digits and operators put in."""
    for _ in range(rng.randint(1, 6)):
        at = rng.randint(0, len(text))
        match rng.randrange(8):
            case 0:
                text = text[:at] + text[at + rng.randint(1, 8) :]
            case 1:
                text = text[:at] + rng.choice(GLUE) + text[at:]
            case 2:
                text = (
                    text[:at] + str(rng.randrange(10 ** rng.randint(1, 9))) + text[at + rng.randint(0, 4) :]
                )
            case 3:
                text = text[:at] + rng.choice(SCRIPTS) + text[at:]
            case 4:
                other = rng.choice(corpus)
                cut = rng.randint(0, len(other))
                text = text[:at] + other[cut : cut + 40]
            case 5:
                end = at + rng.randint(1, 20)
                text = text[:at] + text[at:end] * rng.randint(2, 6) + text[end:]
            case 6:
                text = text[:at] + chr(rng.randrange(0x11_0000 - 0x800) % 0xD800) + text[at + 1 :]
            case _:
                text = text.swapcase() if rng.random() < 0.5 else text[::-1]
    return text[:400]


def ground_one(text: str, document: DocumentTime | None, settings: GroundingSettings) -> None:
    last = 0
    for found in ground_with_operands(text, document, settings):
        expression = found.expression
        assert last <= expression.start_char < expression.end_char <= len(text)
        last = expression.end_char
        assert expression.interval is None or expression.interval.start < expression.interval.end


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_million_mutated_texts(request: pytest.FixtureRequest) -> None:
    seed = request.config.getoption("--seed", default=None) or random.randrange(2**32)
    rng = random.Random(seed)
    corpus = [
        line.split("\t")[-3].replace("«", "").replace("»", "")
        for name in ("en", "de")
        for line in (CASES / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    ]
    languages = [load({"TIDEGRAPH_LANGUAGE": name}).grounding for name in ("en", "de")]
    documents = [
        None,
        *(DocumentTime(instant(y, 12, 31, 23), Granularity.SECOND, "fuzz") for y in (-9_999, 2024, 9_999)),
    ]
    for number in range(INPUTS):
        text = mutate(rng.choice(corpus), corpus, rng)
        began = time.process_time()
        try:
            ground_one(text, rng.choice(documents), rng.choice(languages))
        except Exception as error:
            raise AssertionError(f"seed {seed}, input {number}: {text!r}") from error
        spent = time.process_time() - began
        assert spent < SECONDS_AN_INPUT, f"seed {seed}, {spent:.2f}s for {text!r}"
