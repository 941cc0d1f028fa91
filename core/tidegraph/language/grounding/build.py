"""Builders: what a rule's match becomes. Each is a small function named by a rule's ``make``.

A builder returns ``None`` when the match is no date after all (30 February); the rule then does not
apply and the next longest is tried.
"""

from tidegraph.language.grounding import build_dates, build_relative, build_times
from tidegraph.language.grounding.match import BUILDERS, Match

__all__ = ["BUILDERS", "Match", "build_dates", "build_relative", "build_times"]
