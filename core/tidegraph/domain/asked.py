"""What a question may ask for."""

from __future__ import annotations

from enum import StrEnum


class Asked(StrEnum):
    """What the answer is to be."""

    WHO = "who"
    WHAT = "what"
    WHERE = "where"
    ROLE = "role"
    WHEN = "when"
    START = "start"
    END = "end"
    DURATION = "duration"
    COUNT = "count"
    TRUTH = "truth"
    EVENTS = "events"
