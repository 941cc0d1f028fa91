"""Two ids of which the rules do not know whether they are one, put to a language model.

The model sees what documents told of each id and no more, fenced as untrusted text, and answers by a schema;
what is no answer of that form is "cannot tell". One question is asked once: the answer is kept by the hash
of all that the model is shown, in the name of every document that the question quotes.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.errors import Rejected
from tidegraph.domain.identity import Sighting
from tidegraph.domain.interval import OPEN_START, format_instant
from tidegraph.language.llm.asking import PromptText
from tidegraph.language.llm.quotes import fenced
from tidegraph.language.llm.schema import misfit
from tidegraph.ports import AnswerCache, Judgement, Ruling, StructuredModel

logger = logging.getLogger(__name__)

FENCE: Final = "description"
MAX_TOKENS: Final = 200
REASON_CHARS: Final = 300
DESCRIPTION_CHARS: Final = 2_400
_LINE_CHARS: Final = 400
_SIGHTINGS: Final = 6
_FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": [ruling.value for ruling in Ruling]},
        "reason": {"type": "string", "maxLength": REASON_CHARS},
    },
    "required": ["verdict", "reason"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """PairJudge over a language model. Thread-safe; blocking."""

    model: StructuredModel
    prompt: PromptText
    cache: AnswerCache | None = None

    @property
    def name(self) -> str:
        """The model as served."""
        return self.model.resolve()

    def judge(self, graph: str, left: Sequence[Sighting], right: Sequence[Sighting]) -> Judgement:
        """See the port: at most one call, none where the answer is known."""
        user = self.prompt.user
        before, _, rest = user.partition("{left}")
        between, _, after = rest.partition("{right}")
        user = f"{before}{described(left)}{between}{described(right)}{after}"
        key = self._key(user)
        known = _read(self.cache.get(key)) if self.cache is not None else None
        if known is not None:
            return known
        answer, lasting = self._answered(user)
        if self.cache is not None:
            content = json.dumps({"verdict": answer.ruling.value, "reason": answer.reason}).encode()
            for document_id in sorted({one.document_id for one in (*left, *right)}):
                self.cache.put(key, content, (graph, document_id), briefly=not lasting)
        return answer

    def _answered(self, user: str) -> tuple[Judgement, bool]:
        """The answer, and whether it is one: a failure may pass."""
        try:
            completion = self.model.complete(self.prompt.system, user, _FORM, MAX_TOKENS)
            if completion.finish == "stop":
                answer = _read(completion.text.encode())
                if answer is not None:
                    return answer, True
            logger.info("the model gave no answer about a pair of ids")
        except Rejected as error:
            logger.info("the model did not judge a pair of ids: %s", error)
        return Judgement(Ruling.CANNOT_TELL, ""), False

    def _key(self, user: str) -> str:
        what = ("judge", self.model.resolve(), self.prompt.version, self.prompt.system, user)
        return hashlib.sha256("\0".join(what).encode("utf-8", "surrogatepass")).hexdigest()


def described(sightings: Iterable[Sighting]) -> str:
    """What documents told of an id, one line each, in an order that does not depend on arrival."""
    lines = set()
    for one in sightings:
        names = "; ".join(f"{name} ({EntityType(kind).name.lower()})" for kind, name in one.names)
        told = "; ".join(f"{slot}: {value}" for slot, value in one.slots)
        written = format_instant(one.time)[:10] if one.time != OPEN_START else ""
        parts = (("names", names), ("facts", told), ("around", " ".join(one.words)), ("written", written))
        line = " | ".join(f"{title} {' '.join(text.split())[:_LINE_CHARS]}" for title, text in parts if text)
        lines.add(line)
    return fenced("\n".join(sorted(lines)[:_SIGHTINGS]), FENCE)[:DESCRIPTION_CHARS]


def _read(content: bytes | None) -> Judgement | None:
    """An answer of the form, or None."""
    try:
        value = json.loads(content or b"", strict=False)
    except (ValueError, RecursionError):
        return None
    if misfit(value, _FORM):
        return None
    return Judgement(Ruling(value["verdict"]), " ".join(value["reason"].split()))
