"""Text to tokens: one regular expression finds units, the lexicon and the numeral shapes name them."""

from __future__ import annotations

import re
from typing import Final

from tidegraph.domain.interval import civil_from_days
from tidegraph.language.grounding.calendar import iso_week_days
from tidegraph.language.grounding.lexicon import Entry, Grammar
from tidegraph.language.grounding.nodes import Clock, Date, Period, Token
from tidegraph.language.grounding.numerals import (
    RUN,
    Lexed,
    classify,
    integer_symbol,
    iso_instant,
    split_range,
    two_digit_year,
    zone_minutes,
)

_YEARTAIL: Final = r"(?:\s?[-/ ]?(?:FY\s?|['\u2019])?(\d{4}|\d\d)(?![\d:.,/-]\d|\w))?"
_SHAPE: Final = rf"""
    (?P<URL>(?:https?://|www\.)[^\s<>"')\]]+|[\w.+-]{1, 64}@[\w-]{1, 64}\.[\w.-]+)
  | (?P<MONEY>(?:[$\u20ac\u00a3\u00a5\u00a7]\s?|[#])\d+(?:[.,:/-]\d+)*\w*)
  | (?P<ISOWEEK>\b\d{{4}}-?W\d\d(?:-?[1-7])?\b)
  | (?P<HCLOCK>\b\d{{1,2}}h[0-5]\d\b)
  | (?P<YQ>\b(?:\d{{4}}[-/\x20]?[QqH]|\d\dQ)[1-4]\b)
  | (?P<QY>\b(?:[Qq][1-4]|[1-4]Q|H[12]|[12]H)\b{_YEARTAIL}|\b(?:[1-4]Q|[12]H)(?:\d{{4}}|\d\d)\b)
  | (?P<FY>\bFY\s?[-'\u2019]?(?:\d{{4}}|\d\d)(?:[-/\u2013]\d\d(?:\d\d)?)?\b)
  | (?P<DECADE>(?<![\w.,])['\u2019]?(?:\d\d)?\d0(?:['\u2019]?s|er)\b)
  | (?P<YY>(?<!\w)['\u2019`]\d\d(?![\w'\u2019]))
  | (?P<ORDINAL>\b\d{{1,3}}(?:st|nd|rd|th)\b)
  | (?P<RUN>{RUN})
  | (?P<WORD>[^\W\d_]+(?:['\u2019][^\W\d_]+)*)
  | (?P<PUNCT>[^\w\s]|_)
    """
_UNITS: Final = re.compile(r"(?P<BREAK>\n[^\S\n]*\n\s*) |" + _SHAPE, re.VERBOSE | re.IGNORECASE)
_UNITS_OF_LINES: Final = re.compile(r"(?P<BREAK>\n\s*) |" + _SHAPE, re.VERBOSE | re.IGNORECASE)
_LINE_IS_PARAGRAPH: Final = 160
"""From this mean line length on, a text is not hard-wrapped: every line is a paragraph."""
_MERIDIEM: Final = re.compile(r"\s?([ap])(?:\.\s?m\b\.?|\s?m\b)", re.IGNORECASE)
_DATE_IN_ADDRESS: Final = re.compile(r"(?<!\d)(?:\d{8}|\d{4}([-/])\d\d\1\d\d)(?!\d)")
_ZONE: Final = re.compile(r"(?:\s[+-]|\+)(?:0\d|1[0-4]):?[0-5]\d(?![\d:])")
_ERA_RANGE: Final = re.compile(r"(\d{1,4})[-\u2010-\u2014](\d{1,4})\s?(?:BCE?|B\.C\.|AD|CE|v\. ?Chr\.)(?!\w)")
_PUNCT_CLASSES: Final = {
    "COMMA": ",",
    "DOT": ".",
    "SLASH": "/",
    "DASH": "-~\u2010\u2011\u2012\u2013\u2014",
    "LPAR": "([",
    "RPAR": ")]",
    "COLON": ":",
    "SEMI": ";",
    "AND": "&",
    "QTY": "%\u00b0",
    "QUOTE": "\"'\u201c\u201d\u2019",
    "LESS": "<",
    "MORE": ">",
    "EQ": "=",
    "STOP": "!?|",
}
_PUNCT: Final = {char: name for name, chars in _PUNCT_CLASSES.items() for char in chars}


class Lexer:
    """One pass over one text."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        self._text = text
        self._grammar = grammar
        self._char = grammar.symbols.char
        self._verbs = grammar.cues["verbs_in_s"]
        self._tokens: list[Token] = []
        self._at = 0
        unwrapped = (text.count("\n") + 1) * _LINE_IS_PARAGRAPH <= len(text)
        self._units = _UNITS_OF_LINES if unwrapped else _UNITS

    def run(self) -> list[Token]:
        text = self._text
        match, find = self._units.match, self._units.search
        while True:
            unit = match(text, self._at) or find(text, self._at)
            if unit is None:
                return self._tokens
            self._at = unit.end()
            getattr(self, f"_{unit.lastgroup.lower()}" if unit.lastgroup else "_punct")(unit)

    def _add(self, symbol: str, start: int, end: int, value: object = None) -> None:
        self._tokens.append(Token(self._char(symbol), start, end, value))

    def _break(self, unit: re.Match[str]) -> None:
        self._add("BREAK", unit.start(), unit.end())

    def _url(self, unit: re.Match[str]) -> None:
        """An address is no text, but a whole date in it is one: ".../report-20170302.html"."""
        for match in _DATE_IN_ADDRESS.finditer(unit.group()):
            lexed = classify(match.group())
            if lexed is not None and lexed[0] in ("YMD", "YMD8"):
                self._add(lexed[0], unit.start() + match.start(), unit.start() + match.end(), lexed[1])
        self._add("JUNK", unit.end() - 1, unit.end())

    def _money(self, unit: re.Match[str]) -> None:
        self._add("JUNK", unit.start(), unit.end())

    def _punct(self, unit: re.Match[str]) -> None:
        self._add(_PUNCT.get(unit.group(), "OTHER"), unit.start(), unit.end(), unit.group())

    def _yq(self, unit: re.Match[str]) -> None:
        text = unit.group()
        year = int(text[:4]) if text[:4].isdecimal() else two_digit_year(int(text[:2]))
        self._quarter(unit, text[-2], int(text[-1]), year)

    def _isoweek(self, unit: re.Match[str]) -> None:
        text = unit.group().replace("-", "")
        year, week, day = int(text[:4]), int(text[5:7]), text[7:]
        first, _ = iso_week_days(year, week)
        if not 1 <= week <= 53 or not year >= 1:
            self._add("JUNK", unit.start(), unit.end())
        elif day:
            date = Date(*civil_from_days(first + int(day) - 1))
            self._add("YMD", unit.start(), unit.end(), date)
        else:
            self._add("ISOWEEK", unit.start(), unit.end(), Period("week_number", week, year))

    def _hclock(self, unit: re.Match[str]) -> None:
        hour, minute = unit.group().lower().split("h")
        if int(hour) > 24:
            self._add("JUNK", unit.start(), unit.end())
        else:
            self._add("CLOCK", unit.start(), unit.end(), Clock(int(hour), int(minute), fixed=True))

    def _qy(self, unit: re.Match[str]) -> None:
        digits = [int(d) for d in re.findall(r"[1-4](?=[QqHh])|(?<=[QqHh])[1-4](?!\d)", unit.group())[:1]]
        code = "Q" if "q" in unit.group().lower() else "H"
        tail = re.search(r"(\d{4}|\d\d)$", unit.group())
        year = None
        if tail and tail.start() >= 2:
            year = int(tail.group()) if len(tail.group()) == 4 else two_digit_year(int(tail.group()))
        self._quarter(unit, code, digits[0], year)

    def _quarter(self, unit: re.Match[str], code: str, index: int, year: int | None) -> None:
        half = code.upper() == "H"
        if half and index > 2:
            self._add("JUNK", unit.start(), unit.end())
            return
        node = Period("half_year" if half else "quarter", index, year)
        self._add("QHY" if year else "QHB", unit.start(), unit.end(), node)

    def _fy(self, unit: re.Match[str]) -> None:
        parts = re.findall(r"\d+", unit.group())
        value = int(parts[-1]) if len(parts[-1]) == 4 else two_digit_year(int(parts[-1]))
        self._add("FYEAR", unit.start(), unit.end(), Date(year=value, fiscal=True))

    def _decade(self, unit: re.Match[str]) -> None:
        digits = re.sub(r"\D", "", unit.group())
        value = int(digits)
        if len(digits) == 2:
            bare = unit.group()[0].isdigit()
            self._add("DEC2" if bare else "DEC4", unit.start(), unit.end(), 1900 + value)
        else:
            self._add(
                "CENT4" if value % 100 == 0 and value < 2000 else "DEC4", unit.start(), unit.end(), value
            )

    def _yy(self, unit: re.Match[str]) -> None:
        self._add("YY", unit.start(), unit.end(), two_digit_year(int(unit.group()[1:])))

    def _ordinal(self, unit: re.Match[str]) -> None:
        value = int(re.sub(r"\D", "", unit.group()))
        self._add("ORD" if value <= 31 else "ORDBIG", unit.start(), unit.end(), value)

    def _run(self, unit: re.Match[str]) -> None:
        start, run = unit.start(), unit.group()
        if (
            start
            and (self._text[start - 1].isalnum() or self._text[start - 1] == "_")
            and not self._glued(start)
        ):
            self._junk(unit)
            return
        instant = iso_instant(self._text, start)
        if instant:
            self._at = instant[0]
            self._add("INSTANT", start, self._at, instant[1])
            return
        lexed, end = classify(run), unit.end()
        if lexed is None:
            self._split(unit)
            return
        tail = self._text[end : end + 1]
        if (tail.isalpha() or tail == "_") and not self._tail(end):
            self._junk(unit)
            return
        self._number(lexed, start, end)

    def _number(self, lexed: Lexed, start: int, end: int) -> None:
        symbol, value = lexed
        if symbol == "IRANGE" and isinstance(value, tuple):
            dash = re.search(r"\D", self._text[start:end])
            at = start + (dash.start() if dash else 1)
            self._add(integer_symbol(value[0]), start, at, value[0])
            self._add("DASH", at, at + 1)
            self._add(integer_symbol(value[1]), at + 1, end, value[1])
        else:
            self._add(symbol, start, end, value)
            zone = _ZONE.match(self._text, end) if symbol == "CLOCK" else None
            if zone:
                self._at = zone.end()
                self._add("TZ", zone.start(), zone.end(), zone_minutes(zone.group().strip()))

    def _split(self, unit: re.Match[str]) -> None:
        parts = self._era_range(unit) or split_range(unit.group())
        if parts is None:
            self._junk(unit)
            return
        at, left, right = parts
        self._number(left, unit.start(), unit.start() + at)
        self._add("DASH", unit.start() + at, unit.start() + at + 1)
        self._number(right, unit.start() + at + 1, unit.end())

    def _era_range(self, unit: re.Match[str]) -> tuple[int, Lexed, Lexed] | None:
        """ "200-150 BC": any two numbers, when an era follows."""
        match = _ERA_RANGE.match(self._text, unit.start())
        if match is None or match.end(2) != unit.end():
            return None
        first, last = int(match.group(1)), int(match.group(2))
        return match.end(1) - unit.start(), (integer_symbol(first), first), (integer_symbol(last), last)

    def _junk(self, unit: re.Match[str]) -> None:
        end = unit.end()
        while end < len(self._text) and (self._text[end].isalnum() or self._text[end] == "_"):
            end += 1
        self._at = end
        self._add("JUNK", unit.start(), end)

    def _glued(self, start: int) -> bool:
        """Letters right before a number: only names of months and days may stand so (Dec31)."""
        last = self._tokens[-1] if self._tokens else None
        names = self._grammar.symbols.members("MONTHANY") | self._grammar.symbols.members("WDANY")
        return last is not None and last.end == start and last.symbol in names

    def _tail(self, end: int) -> bool:
        """Letters right behind a number: am/pm, a known unit letter, or a month or day name."""
        if _MERIDIEM.match(self._text, end):
            return True
        word = re.compile(r"[^\W\d_]{1,12}").match(self._text, end)
        entry = self._grammar.entries.get(word.group().lower()) if word else None
        allowed = ("MONTH", "MONTHN", "MONTHX", "WEEKDAY", "HSUFFIX", "UNIT", "UNITS")
        return bool(entry) and any(e.symbol in allowed and not e.rest for e in entry or ())

    def _word(self, unit: re.Match[str]) -> None:
        start, end, raw = unit.start(), unit.end(), unit.group()
        meridiem = _MERIDIEM.match(self._text, start) if raw[0] in "aApP" and self._after_number() else None
        if meridiem:
            self._at = meridiem.end()
            self._add("AMPM", start, self._at, meridiem.group(1).lower())
            return
        word = raw.lower().replace("\u2019", "'")
        entry, end = self._lookup(word, start, end)
        if entry is None and word.endswith("'s"):
            entry, end = self._lookup(word[:-2], start, end - 2)
            self._at = unit.end() if entry is None or end == unit.end() - 2 else self._at
        if entry is None:
            self._unknown(raw, word, unit)
            return
        symbol = entry.symbol
        if symbol in self._grammar.options["cased"]:
            symbol = self._grammar.options["cased"][symbol][0 if raw[0].isupper() else 1]
        if symbol in self._grammar.options["upper"] and not raw.isupper():
            self._unknown(raw, word, unit)
            return
        self._add(symbol, start, end, entry.value)

    def _after_number(self) -> bool:
        return bool(self._tokens) and self._tokens[-1].symbol in self._grammar.symbols.members("CLOCKISH")

    def _unknown(self, raw: str, word: str, unit: re.Match[str]) -> None:
        if raw[0].isupper():
            symbol = "CAP"
        elif word.endswith("s") and not word.endswith(("ss", "us", "is", "'s")) and word not in self._verbs:
            symbol = "PLURAL"
        else:
            symbol = "OTHER"
        self._add(symbol, unit.start(), unit.end(), word)

    def _lookup(self, word: str, start: int, end: int) -> tuple[Entry | None, int]:
        """The longest phrase of the lexicon that begins with this word."""
        for entry in self._grammar.entries.get(word, ()):
            if not entry.rest:
                return entry, end
            at, last = end, end
            for wanted in entry.rest:
                unit = _UNITS.match(self._text, self._skip(at))
                if unit is None or unit.group().lower().replace("\u2019", "'") != wanted:
                    break
                at = last = unit.end()
            else:
                self._at = last
                return entry, last
        return None, end

    def _skip(self, at: int) -> int:
        limit = min(len(self._text), at + 8)
        while at < limit and self._text[at].isspace():
            at += 1
        return at


def lex(text: str, grammar: Grammar) -> list[Token]:
    """All tokens of a text in order; unknown words and junk numbers are tokens too."""
    return Lexer(text, grammar).run()
