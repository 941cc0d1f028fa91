"""Trees to intervals: the policy of temporal grounding, one function a node class.

Anaphoric words take the anchor stack, deictic words the document time, verb tense the side of what is
underspecified. A function returns ``None`` when there is nothing to count from.
"""

from __future__ import annotations

from tidegraph.language.grounding.nodes import (
    At,
    Clock,
    ClockRange,
    Date,
    DayPart,
    Edge,
    Lasting,
    Node,
    Nth,
    Numeric,
    Open,
    Part,
    Period,
    Range,
    Relative,
    Same,
    Shift,
    Window,
    Within,
)
from tidegraph.language.grounding.resolve_composed import ComposedResolver
from tidegraph.language.grounding.values import Value


class Resolver(ComposedResolver):
    """Resolves the nodes of one document in reading order."""

    def resolve(self, node: Node) -> Value | None:
        """The value of a node, or None when it has none or none is known."""
        match node:
            case Date():
                return self._date(node)
            case Numeric():
                return self._date(self._ordered(node))
            case Within():
                return self._within(node)
            case Period():
                return self._period(node)
            case Relative():
                return self._relative(node)
            case Same():
                return self._same(node)
            case Shift():
                return self._shift(node)
            case Window():
                return self._window(node)
            case Nth():
                return self._nth(node)
            case Part():
                return self._part(node)
            case Edge():
                return self._edge(node)
            case At():
                return self._at(node)
            case Clock() | ClockRange() | DayPart():
                return self._time_alone(node)
            case Range():
                return self._range(node)
            case Lasting():
                return self._lasting(node)
            case Open():
                return self._open(node)
        return None
