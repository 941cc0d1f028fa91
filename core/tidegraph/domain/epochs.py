"""The extractor epoch: everything that a reading depends on besides the document, as one text.

It is a part of every id that an extractor makes, and it is what makes a reading stale: a reading under
another epoch than the present extractor's would come out otherwise today. Computed here alone.
"""

from __future__ import annotations

import re
from typing import Final

LANGUAGE: Final = "language"
LLM: Final = "llm"
_FIGURES: Final = re.compile(r"([0-9]{1,18})")


def language_epoch(rules: str, model: str, recogniser: str = "") -> str:
    """The epoch of the language extractor: version of its rules, statistical model, recogniser if another."""
    named = f"+ner:{recogniser}" if recogniser else ""
    return f"{LANGUAGE}-{rules}-{model}{named}"


def llm_epoch(version: str, prompt: str, model: str, fallback: str) -> str:
    """The epoch of the LLM extractor: its version, the prompt's, the model, and who reads what it cannot."""
    return f"{LLM}-{version}-{prompt}-{model}+{fallback}"


def order_of(epoch: str) -> tuple[tuple[str | int, ...], str]:
    """What epochs are sorted by: figures in them count as numbers."""
    parts = _FIGURES.split(epoch)  # text and figures by turns
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), epoch


def extractor_of(epoch: str) -> str:
    """The name of the extractor that an epoch begins with: ``language`` or ``llm``; "" for others' own."""
    name = epoch.partition("-")[0]
    return name if name in (LANGUAGE, LLM) else ""
