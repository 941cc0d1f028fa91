"""A document part as the passages that are read: text units with their layout and what dates them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.documents import ExpressionKind, GroundedDocument, TimeExpression
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, Granularity, Interval
from tidegraph.language.blocks import Block, BlockKind, blocks
from tidegraph.language.orders import marked
from tidegraph.language.parsing import Unit
from tidegraph.language.run_in import RUN_IN_LEVEL, closing_head
from tidegraph.language.telling_times import STILL
from tidegraph.language.tree import Sentence
from tidegraph.language.words import words

_READ: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.HEADING, BlockKind.PAIR})
_LEADING_DATE: Final = re.compile(r"^[\s*_\[(]*(?:on|in)?[\s*_\[(]*$", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
_GIVEN: Final = words("names", "given_names_male") | words("names", "given_names_female")
_SENTENCE_BREAK: Final = re.compile(r"(?<=[.!?])\s+")
_LEGAL_FORM: Final = re.compile(r" (?:Ltd|Limited|plc|PLC|Inc|Corp|Corporation|LLC|LLP|GmbH|AG|SE|NV|BV)\b")
_MAX_LEAD_CHARS: Final = 240
_MAX_LEAD_WORDS: Final = 8
_ENGLISH: Final = frozenset(
    [
        "the",
        "of",
        "and",
        "to",
        "in",
        "a",
        "is",
        "was",
        "for",
        "on",
        "as",
        "by",
        "with",
        "at",
        "from",
        "that",
        "it",
        "be",
        "has",
        "had",
        "were",
        "are",
        "been",
        "will",
        "not",
        "or",
        "an",
        "his",
        "her",
        "their",
        "which",
        "who",
        "after",
        "before",
        "this",
        "its",
        "joined",
        "left",
        "said",
        "no",
        "may",
        "now",
    ]
)
_MIN_WORDS: Final = 12
_YEAR: Final = 366 * MICROS_PER_DAY


@dataclass(slots=True, eq=False)
class Passage:
    """One unit of text. ``headings`` is the path of section titles above it, ``title`` the document's.

    ``lead`` is the line that a list item stands under ("The governors were:"), without its colon;
    ``leads`` is True where an item follows.
    ``carried`` dates its sentences from outside: a date in the heading, or at the head of a list item.
    ``trusted`` is False where the text speaks to software or is in no language that is read; such a
    passage yields events, but no assertions.
    """

    block: Block
    unit: Unit
    headings: tuple[str, ...]
    carried: TimeExpression | None
    trusted: bool
    title: str = ""
    lead: str = ""
    leads: bool = False
    sentences: list[Sentence] = field(default_factory=list)


@dataclass(slots=True)
class Layout:
    """The passages of one document part, and its table rows as spans."""

    base: int
    passages: list[Passage]
    tables: list[Table]


@dataclass(frozen=True, slots=True)
class Table:
    """A run of table rows (spans of the part) under a heading path, with the date that stands above it."""

    rows: tuple[tuple[int, int], ...]
    headings: tuple[str, ...]
    carried: TimeExpression | None


def base_of(document: GroundedDocument) -> int:
    """Where the part's text begins in its document."""
    return document.chunks[0].start_char if document.chunks else 0


def layout(document: GroundedDocument) -> Layout:
    """The passages and tables of a part, in reading order. Linear in the text."""
    return _Reader(document).read()


class _Reader:
    def __init__(self, document: GroundedDocument) -> None:
        self.text = document.text
        self.base = base_of(document)
        self.title = " ".join(document.header.title.split())
        self.times = sorted(document.expressions, key=lambda t: (t.start_char, -t.end_char))
        self.next_time = 0
        self.headings: list[tuple[int, str, TimeExpression | None]] = []
        self.result = Layout(self.base, [], [])
        self.rows: list[tuple[int, int]] = []
        self.lead = ""
        self.paragraphs = 0
        self.item_words: list[int] = []
        self.title_spans = sorted([*_spans_of(self.title, self.text), *_surname_spans(self.title, self.text)])
        self.next_title = 0

    def read(self) -> Layout:
        for block, ordering in marked(self.text, blocks(self.text)):
            if block.kind is BlockKind.ROW:
                self._take_times(block)
                self.rows.append((block.start, block.end))
                continue
            self._flush_table()
            if block.kind is BlockKind.ITEM and self.result.passages:
                self.result.passages[-1].leads = True
            inside = self._take_times(block)
            known = self._take_titles(block)
            if block.kind in _READ:
                self._passage(block, inside, known, ordering)
        self._flush_table()
        return self.result

    def _passage(
        self,
        block: Block,
        times: tuple[TimeExpression, ...],
        known: tuple[tuple[int, int], ...],
        ordering: bool,
    ) -> None:
        text = self.text[block.start : block.end]
        if block.kind is BlockKind.HEADING:
            self._leave(block.level)
            date = next((t for t in times if _dates(t)), None)
            if date is not None and STILL.match(self.text, date.end_char - self.base, block.end):
                date = _going_on(date)
            self.headings.append((block.level, " ".join(text.split()), date))
            self.paragraphs = 0
        else:
            self._leave_sections(times, again=block.kind is BlockKind.PARAGRAPH and self.paragraphs > 0)
            self.paragraphs += block.kind is BlockKind.PARAGRAPH
        unit = Unit(text, self.base + block.start, times, known)
        carried = self._leading(block, times) or self._heading_date()
        path = tuple(title for _, title, _ in self.headings)
        trusted = not ordering and _is_read(text)
        lead, head = self._lead(block, text)
        if head and text.rstrip(" .").endswith(head):
            # The heading of the next list is no part of the item.
            text = text.rstrip(" .").removesuffix(head).rstrip()
            end = self.base + block.start + len(text)
            unit = Unit(
                text,
                unit.start,
                tuple(t for t in times if t.end_char <= end),
                tuple(k for k in known if k[1] <= end),
            )
            block = replace(block, end=block.start + len(text))
        self.result.passages.append(Passage(block, unit, path, carried, trusted, self.title, lead))

    def _leave_sections(self, times: Sequence[TimeExpression], *, again: bool) -> None:
        """A heading within prose stands over nothing any more once a time outside its own is told, and one of
        a year over no paragraph but the first (``again``) that does not tell the year: no mark tells where
        its section ends."""
        for level, _, date in self.headings:
            if level < RUN_IN_LEVEL or date is None:
                continue
            year = date.interval is not None and date.interval.end - date.interval.start <= _YEAR
            told = [t for t in times if _dates(t)]
            silent = again and year and all(_is_outside(t, date) for t in told)
            # What stands right under it may look back or ahead, but does not begin with another time.
            if silent or any(_is_outside(t, date) for t in (told if again else told[:1])):
                self._leave(level)
                return

    def _leave(self, level: int) -> None:
        """Drop the headings of a level and below it."""
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()

    def _lead(self, block: Block, text: str) -> tuple[str, str]:
        """What a list item stands under, and the heading of the next list that it ends with; a paragraph or
        heading begins anew."""
        if block.kind is BlockKind.ITEM:
            lead, head = self.lead, closing_head(text, self.item_words)
            self.item_words.append(len(text.split()))
            if head:
                self.lead, self.item_words = "", []
                self._leave(RUN_IN_LEVEL)
                self.headings.append((RUN_IN_LEVEL, head, None))
            return lead, head
        self.lead, self.item_words = "", []
        last = _SENTENCE_BREAK.split(text.rstrip())[-1]
        short = last == text.strip() and len(last.split()) <= _MAX_LEAD_WORDS
        if block.kind is BlockKind.PARAGRAPH and (last.endswith(":") or last[-1:].isalpha() or short):
            self.lead = " ".join(last.strip(" :.-–•*").split()) if len(last) <= _MAX_LEAD_CHARS else ""
        return "", ""

    def _leading(self, block: Block, times: Sequence[TimeExpression]) -> TimeExpression | None:
        """ "- 3 May 2021: ..." and "2021-05-03 - ...": the date at the head dates the whole item."""
        if not times or not _dates(times[0]):
            return None
        before = self.text[block.start : times[0].start_char - self.base]
        after = self.text[times[0].end_char - self.base : block.end].lstrip(" )]*_")
        return times[0] if _LEADING_DATE.match(before) and after[:1] in {":", "-", "–", "—", "|"} else None

    def _heading_date(self) -> TimeExpression | None:
        return next((date for _, _, date in reversed(self.headings) if date is not None), None)

    def _take_times(self, block: Block) -> tuple[TimeExpression, ...]:
        start, end = self.base + block.start, self.base + block.end
        inside = []
        while self.next_time < len(self.times) and self.times[self.next_time].start_char < end:
            time = self.times[self.next_time]
            if time.start_char >= start and time.end_char <= end:
                inside.append(time)
            self.next_time += 1
        return tuple(inside)

    def _take_titles(self, block: Block) -> tuple[tuple[int, int], ...]:
        inside = []
        while self.next_title < len(self.title_spans) and self.title_spans[self.next_title][0] < block.end:
            start, end = self.title_spans[self.next_title]
            if start >= block.start and end <= block.end:
                inside.append((self.base + start, self.base + end))
            self.next_title += 1
        return tuple(inside)

    def _flush_table(self) -> None:
        if self.rows:
            path = tuple(title for _, title, _ in self.headings)
            self.result.tables.append(Table(tuple(self.rows), path, self._heading_date()))
            self.rows = []


def _going_on(date: TimeExpression) -> TimeExpression:
    """ "Harrow Racing (2009-present)": a heading over all years since."""
    assert date.interval is not None
    return replace(
        date,
        kind=ExpressionKind.OPEN_RANGE,
        interval=Interval(date.interval.start, OPEN_END, Granularity.RANGE),
    )


def _is_outside(time: TimeExpression, section: TimeExpression) -> bool:
    mine, whole = time.interval, section.interval
    return (
        _dates(time)
        and mine is not None
        and whole is not None
        and (mine.end <= whole.start or mine.start >= whole.end)
    )


def _dates(time: TimeExpression) -> bool:
    return time.interval is not None and time.kind not in {ExpressionKind.DURATION, ExpressionKind.RECURRING}


def _spans_of(title: str, text: str) -> list[tuple[int, int]]:
    """Where the title stands in the text as a name of several words."""
    words_ = title.split()
    if not words_ or len(words_) > 12 or ":" in title:
        return []
    if len(words_) == 1 and title[:1].isupper() and title[1:].isalpha() and title[1:].islower():
        # One capitalised word may be anything; the general rules see to it.
        return []
    if len(words_) > 1 and not title[:1].isupper() and not any(c.isupper() for c in title):
        return []
    if _is_post(words_):
        return []
    spans = []
    at = text.find(title)
    while at >= 0:
        tail = _LEGAL_FORM.match(text, at + len(title))
        end = tail.end() if tail else at + len(title)
        whole = (at == 0 or not text[at - 1].isalnum()) and not text[end : end + 1].isalnum()
        if whole and not _follows_given_name(text, at):
            spans.append((at, end))
        at = text.find(title, end)
    return spans


def _follows_given_name(text: str, at: int) -> bool:
    """ "Elizabeth Diane Downs" is more than the title "Diane Downs"."""
    before = text[max(0, at - 24) : at]
    return before.endswith(" ") and before.split()[-1:] != [] and before.split()[-1].lower() in _GIVEN


def _surname_spans(title: str, text: str) -> list[tuple[int, int]]:
    """Where the last word of a title opens a sentence by itself, in a text that uses it as a name."""
    words_ = title.split()
    name = words_[-1] if 1 < len(words_) <= 4 else ""
    if len(name) < 3 or not (name[:1].isupper() and name.isalpha()) or name.isupper():
        return []
    if not re.search(rf"[a-z,] {re.escape(name)}\b(?! [A-Z])", text):
        return []
    opening = re.compile(rf"(?:^|[.!?\n][\"'”’)]*\s+)({re.escape(name)})\b(?! [A-Z])", re.MULTILINE)
    return [m.span(1) for m in opening.finditer(text)]


def _is_post(title: Sequence[str]) -> bool:
    """ "Head of Payments", "Chief Financial Officer": a post, which is read as one in the text."""
    first, last = title[0].lower(), title[-1].lower()
    joined = len(title) > 2 and title[1] in {"of", "for", "to"} and first in words("roles", "heads")
    return joined or last in {"officer", "director"}


def _is_read(text: str) -> bool:
    """Whether a text is in the language of the rules (English), judged by its function words."""
    found = _WORD.findall(text[:2_000].lower())
    if len(found) < _MIN_WORDS:
        return True
    return sum(w in _ENGLISH for w in found) * 12 >= len(found)
