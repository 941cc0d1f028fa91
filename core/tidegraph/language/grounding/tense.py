"""Which side of the document a sentence speaks of: from a parse when given, else from cue words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from tidegraph.language.grounding.lexicon import Grammar

_REACH: Final = 160
_SENTENCE: Final = re.compile(
    r"[!?;](?=\s|$)|\n\s*\n"
    r"|(?<!\.m)(?<!\b[A-Z])(?<!\.[A-Z])(?<!Jan)(?<!Feb)(?<!Mar)(?<!Apr)(?<!Aug)(?<!Sep)(?<!Sept)(?<!Oct)"
    r"(?<!Nov)(?<!Dec)(?<!Mr)(?<!Mrs)(?<!Ms)(?<!Dr)(?<!St)(?<!Inc)(?<!Corp)(?<!Co)(?<!Ltd)(?<!No)\.(?=\s|$)"
)


class Tense(Enum):
    """The side of the document time that a verb speaks of."""

    PAST = "past"
    FUTURE = "future"
    PRESENT = "present"


@dataclass(frozen=True, slots=True)
class TenseCues:
    """Verbs of a parse: (start_char, end_char, tense), in reading order."""

    verbs: Sequence[tuple[int, int, Tense]]

    def at(self, start: int, end: int) -> Tense | None:
        """The tense of the verb nearest to a span, within 160 characters."""
        place = bisect_left(self.verbs, (start,), key=lambda v: (v[0],))
        near = self.verbs[max(0, place - 2) : place + 2]
        best = min(near, key=lambda v: max(v[0] - end, start - v[1]), default=None)
        return best[2] if best and max(best[0] - end, start - best[1]) <= _REACH else None


@lru_cache(maxsize=8)
def _words(
    grammar_language: str, future: frozenset[str], past: frozenset[str], endings: str
) -> re.Pattern[str]:
    def alternation(words: frozenset[str]) -> str:
        return "|".join(sorted((re.escape(w) for w in words), key=len, reverse=True))

    return re.compile(
        rf"(?<![\w])(?:(?P<future>{alternation(future)})|(?<!be )(?<!is )(?<!are )(?<!get )"
        rf"(?P<past>{alternation(past)}|[^\W\d_]{{2,20}}(?:{endings})))(?!\w)",
        re.IGNORECASE,
    )


class Cues:
    """Cheap tense: the nearest cue word of the same sentence."""

    def __init__(self, text: str, grammar: Grammar, parsed: TenseCues | None) -> None:
        self._text = text
        self._parsed = parsed
        self._regex = _words(
            grammar.language,
            grammar.cues["future"],
            grammar.cues["past"],
            grammar.options.get("past_endings", "ed"),
        )

    def at(self, start: int, end: int) -> Tense | None:
        """The tense around a span, or None when nothing tells."""
        if self._parsed is not None:
            found = self._parsed.at(start, end)
            if found is not None and found is not Tense.PRESENT:
                return found
        left = self._text[max(0, start - _REACH) : start]
        cuts = list(_SENTENCE.finditer(left))
        left = left[cuts[-1].end() :] if cuts else left
        right = self._text[end : end + _REACH]
        cut = _SENTENCE.search(right)
        right = right[: cut.start()] if cut else right
        best: tuple[int, Tense] | None = None
        for match in self._regex.finditer(left):
            best = self._nearer(best, len(left) - match.end(), match)
        if best is not None:
            right = right.partition(",")[0]
        for match in self._regex.finditer(right):
            best = self._nearer(best, match.start() + 8, match)
            break
        return best[1] if best else None

    @staticmethod
    def _nearer(best: tuple[int, Tense] | None, gap: int, match: re.Match[str]) -> tuple[int, Tense]:
        tense = Tense.FUTURE if match.group("future") else Tense.PAST
        return (gap, tense) if best is None or gap < best[0] else best
