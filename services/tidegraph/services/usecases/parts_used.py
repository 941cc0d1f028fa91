"""Which parts of the way to an answer are used: all by default; a measurement leaves some out."""

from __future__ import annotations

from enum import StrEnum


class Part(StrEnum):
    """A part that can be left out to see what it earns.

    GRAPH: neighbours in the event graph. TIME: the asked time in search and ranking. FACTS: believed facts.
    RERANK: the second ranking. CHUNKS: passages. TIMELINE: the chain of values in time. COT: the steps of
    reasoning; without them the likeliest phrase answers, whatever its time.
    """

    GRAPH = "graph"
    TIME = "time"
    FACTS = "facts"
    RERANK = "rerank"
    CHUNKS = "chunks"
    TIMELINE = "timeline"
    COT = "cot"


ALL_USED: frozenset[Part] = frozenset()
