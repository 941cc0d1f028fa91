"""What calls of a language model took, counted by the stage that asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidegraph.models.wire import CHARACTERS_PER_TOKEN
from tidegraph.telemetry import metrics


@dataclass(frozen=True, slots=True)
class Meter:
    """Counts calls, seconds, tokens and cost of one stage. Prices are for a million tokens."""

    stage: str
    prompt_price: float = 0.0
    completion_price: float = 0.0

    def ended(self, outcome: str) -> None:
        """A call came to an end: answered, or the reason why not."""
        metrics.LLM_CALLS.labels(self.stage, outcome.lower()[:40]).inc()

    def answered(self, seconds: float, prompt_tokens: int, completion_tokens: int) -> None:
        """A call was answered, whole or not."""
        metrics.LLM_SECONDS.labels(self.stage).observe(seconds)
        metrics.LLM_TOKENS.labels(self.stage, "prompt").inc(prompt_tokens)
        metrics.LLM_TOKENS.labels(self.stage, "completion").inc(completion_tokens)
        cost = prompt_tokens * self.prompt_price + completion_tokens * self.completion_price
        metrics.LLM_COST.labels(self.stage).inc(cost / 1_000_000)


def tokens_of(usage: object, name: str, characters: int) -> int:
    """A count of a response's ``usage``; where the server gave none, an estimate from the length."""
    counted: Mapping[str, Any] = usage if isinstance(usage, dict) else {}
    value = counted.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return characters // CHARACTERS_PER_TOKEN
