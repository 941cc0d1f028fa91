"""A chunk put to a language model: at most two calls, and the answer kept for the next time.

A first answer that is of the wrong form, cut off, empty, or quotes nothing of the text is no answer; the
first half of the chunk is asked for once more, and what is still unread is left to the language extractor.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from tidegraph.domain.documents import GroundedDocument
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import format_instant
from tidegraph.domain.policies import ObjectKind
from tidegraph.domain.predicates import Registry
from tidegraph.language.llm.quotes import Span, fenced
from tidegraph.language.llm.reading import Window
from tidegraph.language.llm.schema import VERSION, EventSaid, Limits, read, schema
from tidegraph.ports import AnswerCache, StructuredModel
from tidegraph.telemetry import metrics

logger = logging.getLogger(__name__)

FENCE: Final = "document"
_LEAST_HALVED: Final = 400
"""A shorter text is not asked for by halves (characters)."""
_BREAKS: Final = ("\n\n", "\n", ". ", "; ", " ")
_TITLE_MAX: Final = 300


class PromptText(Protocol):
    """A prompt in two parts; ``version`` names its wording."""

    @property
    def version(self) -> str: ...

    @property
    def system(self) -> str: ...

    @property
    def user(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of a chunk. ``covered`` is what the model read of it (offsets of the chunk)."""

    said: tuple[EventSaid, ...]
    covered: Span
    ended: str
    """answered, halved or fallback"""


@dataclass(frozen=True, slots=True)
class Asker:
    """Puts chunks to a model. Thread-safe; blocking."""

    model: StructuredModel
    prompt: PromptText
    registry: Registry
    max_tokens: int
    cache: AnswerCache | None = None
    limits: Limits = field(default_factory=Limits)

    def ask(self, window: Window, document: GroundedDocument) -> Asked:
        """At most two calls; none for a text without words, or where the answer is known.

        Raises:
            Retryable: the model is away.
        """
        if not any(character.isalpha() for character in window.text):
            return Asked((), (0, 0), "fallback")
        form = schema(self.limits)
        system = self.prompt.system.replace("{predicates}", listed(self.registry))
        user = self._user(window.text, window, document)
        key = self._key(system, user)
        known = self._known(key, form)
        if known is not None:
            metrics.LLM_CHUNKS.labels("cached").inc()
            return known
        asked, text = self._answered(window, document, system, form)
        metrics.LLM_CHUNKS.labels(asked.ended).inc()
        if self.cache is not None:
            kept = {"ended": asked.ended, "end": asked.covered[1], "text": text}
            owner = (document.header.graph, document.header.document_id)
            # A failure may pass: it is kept only so long that a record read again comes out as before.
            self.cache.put(key, json.dumps(kept).encode(), owner, briefly=asked.ended != "answered")
        return asked

    def _answered(
        self, window: Window, document: GroundedDocument, system: str, form: dict[str, Any]
    ) -> tuple[Asked, str]:
        whole, half = len(window.text), _half(window.text)
        for end, ended in ((whole, "answered"), (half, "halved")):
            if not end:
                break
            try:
                user = self._user(window.text[:end], window, document)
                completion = self.model.complete(system, user, form, self.max_tokens)
                said = self._usable(completion.text, completion.finish, form, window)
                return Asked(said, (0, end), ended), completion.text
            except (Rejected, ValueError) as error:
                logger.info("chunk %s was not read by the model: %s", window.chunk.chunk_id, error)
        return Asked((), (0, 0), "fallback"), ""

    def _usable(self, text: str, finish: str, form: dict[str, Any], window: Window) -> tuple[EventSaid, ...]:
        """What was said, if it is an answer.

        Raises:
            ValueError: it is none, with why.
        """
        if finish != "stop":
            raise ValueError(f"the answer ended by {finish[:40] or 'nothing'!r} instead of its own end")
        if not text:
            raise ValueError("the answer is empty")
        said = read(text, form)
        if not any(window.folded.find(each.quote) for each in said):
            raise ValueError("the answer quotes nothing of the text" if said else "the answer lists nothing")
        return said

    def _known(self, key: str, form: dict[str, Any]) -> Asked | None:
        content = self.cache.get(key) if self.cache is not None else None
        if content is None:
            return None
        try:
            kept = json.loads(content)
            said = read(kept["text"], form) if kept["text"] else ()
            return Asked(said, (0, int(kept["end"])), str(kept["ended"]))
        except (ValueError, TypeError, KeyError):
            return None  # not ours, or of another version: ask again

    def _user(self, text: str, window: Window, document: GroundedDocument) -> str:
        written = document.header.document_time
        parts = {
            "title": fenced(" ".join(window.chunk.title.split())[:_TITLE_MAX], FENCE),
            "written": format_instant(written.instant)[:10] if written else "not known",
            "text": fenced(text, FENCE),
        }
        pieces = self.prompt.user
        for name in ("title", "written"):
            pieces = pieces.replace(f"{{{name}}}", parts[name].replace("{", "(").replace("}", ")"))
        before, _, after = pieces.partition("{text}")
        return f"{before}{parts['text']}{after}"

    def _key(self, system: str, user: str) -> str:
        """The answer's key: model, prompt version, form, and the hash of all that the model is shown."""
        what = (self.model.model_id, self.prompt.version, VERSION, repr(self.limits), str(self.max_tokens))
        digest = hashlib.sha256("\0".join((*what, system, user)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def listed(registry: Registry) -> str:
    """The predicates of a registry, one a line, as a prompt shows them."""
    lines = []
    for policy in registry:
        kind = "value" if policy.object_kind is ObjectKind.LITERAL else "object"
        lines.append(f"- {policy.name}: subject {policy.label} {kind}{_qualifiers(policy.per)}")
    return "\n".join(lines)


def _qualifiers(names: Sequence[str]) -> str:
    return f" (qualifiers: {', '.join(names)})" if names else ""


def _half(text: str) -> int:
    """Where the first half of a text ends: at the break nearest before its middle; 0: too short."""
    if len(text) < _LEAST_HALVED:
        return 0
    middle = len(text) // 2
    for mark in _BREAKS:
        at = text.rfind(mark, middle // 2, middle)
        if at >= 0:
            return at + len(mark)
    return middle
