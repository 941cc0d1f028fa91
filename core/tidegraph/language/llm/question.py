"""What a question asks, read by a language model: names, what is asked for, and the time.

The model copies: a name that does not stand in the question is no name of it. What is no answer of the form
is none at all, and the question is then read by the rules alone. An answer is kept in memory by all that
the model is shown; a failure is not, for it may pass.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.errors import TidegraphError
from tidegraph.language.llm.asking import PromptText
from tidegraph.language.llm.quotes import fenced
from tidegraph.language.llm.schema import misfit
from tidegraph.ports import QuestionParts, StructuredModel

logger = logging.getLogger(__name__)

FENCE: Final = "question"
MAX_TOKENS: Final = 300
NAMES_MAX: Final = 8
KEPT_MAX: Final = 1_000
RELATIONS: Final = ("none", "in", "before", "after", "between", "since", "until")
_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "names": {"type": "array", "maxItems": NAMES_MAX, "items": {"type": "string", "maxLength": 200}},
        "asked_for": {"type": "string", "enum": [one.value for one in Asked]},
        "relation": {"type": "string", "enum": list(RELATIONS)},
        "date": {"type": "string", "maxLength": 40},
    },
    "required": ["names", "asked_for", "relation", "date"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelQuestionReader:
    """QuestionReader over a language model. Thread-safe; blocking."""

    model: StructuredModel
    prompt: PromptText
    _kept: OrderedDict[str, QuestionParts] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, question: str, today: str) -> QuestionParts | None:
        """See the port: at most one call, none where the answer is known."""
        before, _, after = self.prompt.user.partition("{question}")
        user = f"{before.replace('{today}', today)}{fenced(question, FENCE)}{after}"
        with self._lock:
            if user in self._kept:
                self._kept.move_to_end(user)
                return self._kept[user]
        found = self._answered(user, question)
        if found is not None:
            with self._lock:
                self._kept[user] = found
                while len(self._kept) > KEPT_MAX:
                    self._kept.popitem(last=False)
        return found

    def _answered(self, user: str, question: str) -> QuestionParts | None:
        try:
            completion = self.model.complete(self.prompt.system, user, _FORM, MAX_TOKENS)
        except TidegraphError as error:
            logger.info("the model did not read a question: %s", error.reason)
            return None
        found = _read(completion.text, question) if completion.finish == "stop" else None
        if found is None:
            logger.info("the model gave no reading of a question")
        return found


def _read(content: str, question: str) -> QuestionParts | None:
    """An answer of the form, or None."""
    try:
        value = json.loads(content, strict=False)
    except (ValueError, RecursionError):
        return None
    if misfit(value, _FORM):
        return None
    low = question.casefold()
    names = (" ".join(name.split()) for name in value["names"])
    kept = tuple(dict.fromkeys(name for name in names if name and name.casefold() in low))
    relation = "" if value["relation"] == "none" else value["relation"]
    return QuestionParts(kept, value["asked_for"], relation, value["date"].strip())
