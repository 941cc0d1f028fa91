"""The cascade: number words first, then the stages of rules, longest match at each place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tidegraph.language.grounding.build import BUILDERS, Match
from tidegraph.language.grounding.lexicon import Grammar
from tidegraph.language.grounding.nodes import Token
from tidegraph.language.grounding.numerals import integer_symbol
from tidegraph.language.grounding.patterns import Rule

_MAX_REPEATS: Final = 3
_REPEATED_STAGES: Final = (2, 4)


class Reducer:
    """Reduces token runs of one language; holds no state between runs."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        symbols = grammar.symbols
        self._names = symbols.names
        plain = "".join(symbols.char(n) for n in ("OTHER", "CAP", "PLURAL", "BREAK", "SEMI", "STOP", "JUNK"))
        self._run = re.compile(f"[^{plain}]+")
        self._core = re.compile("[" + "".join(grammar.core) + "]")
        self._numbers = re.compile("[" + "".join(symbols.members("NUMBERWORD")) + "]")
        self._outside = plain

    def runs(self, tokens: Sequence[Token]) -> list[list[Token]]:
        """The stretches of a text that may hold an expression, one neighbour token on each side."""
        line = "".join(t.symbol for t in tokens)
        found = []
        for match in self._run.finditer(line):
            if self._core.search(line, match.start(), match.end()):
                start, end = max(0, match.start() - 1), match.end()
                while end < len(tokens) and end < match.end() + 3 and line[end] in self._outside:
                    end += 1
                found.append(self.reduce(list(tokens[start:end])))
        return found

    def reduce(self, tokens: list[Token]) -> list[Token]:
        """One run through number words and all stages."""
        tokens = self._number_words(tokens)
        for stage in range(1, len(self._grammar.stages)):
            for _ in range(_MAX_REPEATS if stage in _REPEATED_STAGES else 1):
                reduced = self._stage(tokens, stage)
                if reduced is None:
                    break
                tokens = reduced
        return tokens

    def _stage(self, tokens: list[Token], stage: int) -> list[Token] | None:
        """The tokens after one stage, or None when no rule applied."""
        rules = self._grammar.stages[stage]
        line = "".join(t.symbol for t in tokens)
        result: list[Token] = []
        at, changed = 0, False
        while at < len(tokens):
            made = self._longest(tokens, line, at, rules.get(line[at], ()))
            if made is None:
                result.append(tokens[at])
                at += 1
            else:
                token, at = made
                result.append(token)
                changed = True
        return result if changed else None

    def _longest(
        self, tokens: list[Token], line: str, at: int, rules: Sequence[Rule]
    ) -> tuple[Token, int] | None:
        matches = []
        for order, rule in enumerate(rules):
            match = rule.regex.match(line, at)
            if match:
                matches.append((-match.end(), order, rule, match))
        for _, _, rule, match in sorted(matches, key=lambda m: m[:2]):
            named = {
                k.partition("__")[0]: tokens[match.start(k) : match.end(k)]
                for k in match.groupdict()
                if match.start(k) >= 0
            }
            part = tokens[at : match.end()]
            node = BUILDERS[rule.make](Match(part, named, rule.arguments, self._names))
            if node is not None:
                return Token(
                    rule.symbol, part[0].start, part[-1].end, node, rule.id, tuple(part)
                ), match.end()
        return None

    def _number_words(self, tokens: list[Token]) -> list[Token]:
        line = "".join(t.symbol for t in tokens)
        if not self._numbers.search(line):
            return tokens
        result: list[Token] = []
        at = 0
        while at < len(tokens):
            name = self._names[tokens[at].symbol]
            if name not in ("CARD", "ONE"):
                result.append(tokens[at])
                at += 1
                continue
            symbol, value, size = self._number(tokens, at)
            last = tokens[at + size - 1]
            result.append(Token(self._grammar.symbols.char(symbol), tokens[at].start, last.end, value))
            at += size
        return result

    def _number(self, tokens: list[Token], at: int) -> tuple[str, int, int]:
        """(symbol, value, number of tokens) of the number words from here."""
        names = [self._names[t.symbol] for t in tokens[at : at + 8]]
        values = [t.value if isinstance(t.value, int) else 0 for t in tokens[at : at + 8]]
        if (
            len(names) > 1
            and names[:2] == ["CARD", "CARD"]
            and 16 <= values[0] <= 20
            and 10 <= values[1] <= 99
        ):
            return "YWORD", values[0] * 100 + values[1], 2
        total, group, size = 0, 0, 0
        previous = ""
        for name, value in zip(names, values, strict=True):
            if name in ("CARD", "ONE") and previous not in ("CARD", "ONE"):
                group += value
            elif name == "HUNDRED" and previous in ("CARD", "ONE"):
                group *= 100
            elif name == "THOUSAND" and previous in ("CARD", "ONE", "HUNDRED"):
                total, group = total + group * 1000, 0
            elif (
                name == "AND"
                and previous in ("HUNDRED", "THOUSAND")
                and size + 1 < len(names)
                and names[size + 1] in ("CARD", "ONE")
            ):
                pass
            else:
                break
            previous = name
            size += 1
        total += group
        if size == 1 and names[0] == "ONE":
            return "ONE", 1, 1
        if total >= 1000:
            return ("YWORD" if 1000 <= total <= 2999 and size > 1 else "IBIG"), total, size
        return integer_symbol(total), total, size
