"""A recogniser over any token-classification model of transformers; needs the extra ``ner``.

The paper names dslim/bert-base-NER. Texts longer than the model's window are read in overlapping pieces.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.errors import Rejected
from tidegraph.ports import NameFound

BATCH_MAX: Final = 16
WINDOW_TOKENS_MAX: Final = 512
_KINDS: Final = {
    "PER": EntityType.PERSON,
    "PERSON": EntityType.PERSON,
    "ORG": EntityType.ORGANISATION,
    "ORGANIZATION": EntityType.ORGANISATION,
    "ORGANISATION": EntityType.ORGANISATION,
    "CORPORATION": EntityType.ORGANISATION,
    "LOC": EntityType.PLACE,
    "LOCATION": EntityType.PLACE,
    "GPE": EntityType.PLACE,
    "FAC": EntityType.PLACE,
    "PLACE": EntityType.PLACE,
}
_PEOPLES: Final = frozenset({"MISC", "NORP"})
_NO_NAMES: Final = frozenset(
    {"DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "PERCENT", "QUANTITY", "LANGUAGE", "O"}
)


class TokenClassifier:
    """A model by name or path, loaded when it is made; safe to share between threads.

    Raises:
        Rejected: MISSING_EXTRA, or NER_MODEL_NOT_FOUND (no such model, or none for this task).
    """

    def __init__(self, model: str) -> None:
        self.model_id = model
        self._lock = threading.Lock()
        self._classify = _load(model)

    def recognise(self, texts: Sequence[str]) -> list[list[NameFound]]:
        """The names of each text, in order, without overlap."""
        filled = [place for place, text in enumerate(texts) if text.strip()]
        found: list[list[NameFound]] = [[] for _ in texts]
        if filled:
            with self._lock:
                answers = self._classify([texts[place] for place in filled], batch_size=BATCH_MAX)
            for place, groups in zip(filled, answers, strict=True):
                found[place] = _names(groups, texts[place])
        return found


def _names(groups: Iterable[Mapping[str, Any]], text: str) -> list[NameFound]:
    names: list[NameFound] = []
    for group in sorted(groups, key=lambda each: int(each["start"])):
        start, end = int(group["start"]), int(group["end"])
        while start < end and text[start].isspace():
            start += 1
        label = str(group["entity_group"]).upper()
        if start >= end or label in _NO_NAMES or (names and start < names[-1].end):
            continue
        kind = _KINDS.get(label, EntityType.OTHER)
        if label in _PEOPLES and not any(character.isspace() for character in text[start:end]):
            kind = EntityType.UNSPECIFIED  # "British"; a cup or a work has several words
        names.append(NameFound(start, end, kind))
    return names


def _load(model: str) -> Any:
    try:
        package = importlib.import_module("transformers")  # optional and heavy
        importlib.import_module("torch")
    except ImportError:
        message = "TIDEGRAPH_NER_MODEL needs transformers and torch: install tidegraph[ner]"
        raise Rejected("MISSING_EXTRA", message, extra="ner") from None
    try:
        tokenizer = package.AutoTokenizer.from_pretrained(model)
        network = package.AutoModelForTokenClassification.from_pretrained(model)
    except (OSError, ValueError, KeyError) as error:
        message = f"no token-classification model {model!r} could be loaded: {type(error).__name__}"
        raise Rejected("NER_MODEL_NOT_FOUND", message, model=model) from error
    window = min(int(tokenizer.model_max_length), WINDOW_TOKENS_MAX)
    tokenizer.model_max_length = window
    return package.pipeline(
        "token-classification",
        model=network,
        tokenizer=tokenizer,
        aggregation_strategy="first",
        stride=window // 4,
        device="cpu",
    )
