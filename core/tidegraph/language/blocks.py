"""The layout of a text: paragraphs, list items, headings, tables, key-value lines, code.

One pass over the lines, no look-back, so the cost is linear. Offsets are code points of the text
that was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from tidegraph.language.inline_lists import pieces
from tidegraph.language.run_in import LONE_LEVEL, RUN_IN_LEVEL, cut_at, is_lone_line, run_in_heads

MAX_UNIT_CHARS: Final = 6_000
"""Longer paragraphs are read in pieces, cut at a sentence or a space."""


class BlockKind(Enum):
    """What a block of lines is."""

    PARAGRAPH = "paragraph"
    ITEM = "item"
    HEADING = "heading"
    ROW = "row"
    PAIR = "pair"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text of one kind. ``level``: depth of a heading (1 is the top), indent of a list item."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0


_FENCE: Final = re.compile(r"[ \t]*(```|~~~)")
_HEADING: Final = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_ITEM: Final = re.compile(r"([ \t]*)(?:[-*+•‣▪–—]|\d{1,3}[.)]|[a-z][.)]|\([0-9a-z]{1,3}\))[ \t]+")
_PAIR: Final = re.compile(r"[ \t>*_]*([A-Za-z][\w()/&' -]{0,48}?)[*_]*[ \t]*[:=][*_]*[ \t]+(\S.*)$")
_RULE: Final = re.compile(r"[ \t]*[-=*_]{3,}[ \t]*$")
_CODE_LINE: Final = re.compile(
    r"[ \t]*(?:[{}()\[\];]+[ \t]*$"
    r"|(?:def|class|import|from|return|if|for|while|public|private|static|const|let|var|function|#include"
    r"|SELECT|INSERT|UPDATE)\b.*[;:{(]"
    r"|.*[;{}][ \t]*$|[\w.\[\]\"']+[ \t]*[+*/-]?=[^=].*\)[;]?$)"
)
_SENTENCE_END: Final = re.compile(r"[.!?。！？][\"')\]”’]*\s")
_TERMINAL: Final = re.compile(r"[.!?;,][\"')\]”’*_]*\s*$")
_MAX_HEADING_WORDS: Final = 10
_WRAPPED_CHARS: Final = 50
"""A line of this length right above another is prose that was wrapped, as in mail, not a heading."""
_MAX_LAYOUT_CHARS: Final = 4_000  # no heading, row or pair is longer; keeps the patterns linear
_MAX_PAIR_WORDS: Final = 14
_PROSE: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM})
_TORN_CHARS: Final = 60  # shorter lines are headings or verses
_LONG_CHARS: Final = 240  # prose of this length does not end without a full stop
_MAX_GAP_CHARS: Final = 8


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text in order; blank lines and rules belong to none."""
    before: Block | None = None
    found = _blocks(text)
    block = next(found, None)
    while block is not None:
        after = next(found, None)
        if _is_lone(text, before, block, after):
            block = Block(BlockKind.HEADING, block.start, block.end, LONE_LEVEL)
        yield block
        before, block = block, after


def _is_lone(text: str, before: Block | None, block: Block, after: Block | None) -> bool:
    """A single item that opens what follows: prose on both sides, and nothing that announces a list."""
    if block.kind is not BlockKind.ITEM or after is None or after.kind is not BlockKind.PARAGRAPH:
        return False
    listed = before is not None and (
        before.kind is BlockKind.ITEM or text[before.start : before.end].rstrip().endswith(":")
    )
    return not listed and is_lone_line(text[block.start : block.end])


def _blocks(text: str) -> Iterator[Block]:
    pending: Block | None = None
    in_code = False
    lines = list(_lines(text))
    for number, (start, end) in enumerate(lines):
        line = text[start:end]
        if _FENCE.match(line):
            in_code = not in_code
            kind: Block | None = Block(BlockKind.CODE, start, end)
        elif in_code:
            kind = Block(BlockKind.CODE, start, end)
        else:
            kind = _classify(text, lines, number)
        if kind is None and not line.strip() and pending is not None and pending.kind in _PROSE:
            # What follows may be the rest of it.
            continue
        if pending and kind and _continues(text, pending, kind):
            pending = Block(pending.kind, pending.start, kind.end, pending.level)
            continue
        if pending:
            yield from _cut(text, pending)
        pending = kind
    if pending:
        yield from _cut(text, pending)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _classify(text: str, lines: list[tuple[int, int]], number: int) -> Block | None:
    start, end = lines[number]
    line = text[start:end]
    stripped = line.strip()
    if not stripped or _RULE.match(line):
        return None
    if len(line) > _MAX_LAYOUT_CHARS:
        return Block(BlockKind.PARAGRAPH, start, end)
    if match := _HEADING.match(line):
        return Block(BlockKind.HEADING, start + match.start(2), start + match.end(2), len(match.group(1)))
    if stripped.count("|") >= 2 or line.count("\t") >= 2:
        return Block(BlockKind.ROW, start, end)
    if match := _ITEM.match(line):
        indent = len(match.group(1).expandtabs(4))
        return Block(BlockKind.ITEM, start + match.end(), end, 1 + indent)
    if _CODE_LINE.match(line):
        return Block(BlockKind.CODE, start, end)
    if (match := _PAIR.match(line)) and _is_pair(match.group(1), match.group(2)):
        return Block(BlockKind.PAIR, start, end)
    if _is_heading_line(text, lines, number, stripped):
        return Block(BlockKind.HEADING, start, end, 2)
    return Block(BlockKind.PARAGRAPH, start, end)


def _is_pair(key: str, value: str) -> bool:
    """A short key and a short value that is no sentence."""
    return len(key.split()) <= 5 and len(value.split()) <= _MAX_PAIR_WORDS and not _TERMINAL.search(value)


def _is_heading_line(text: str, lines: list[tuple[int, int]], number: int, stripped: str) -> bool:
    """A short line of its own without a full stop, with text below it or a rule under it."""
    if len(stripped.split()) > _MAX_HEADING_WORDS or _TERMINAL.search(stripped) or not stripped[0].isalnum():
        return False
    above = number == 0 or not text[slice(*lines[number - 1])].strip()
    if not above or number + 1 >= len(lines):
        return False
    below = text[slice(*lines[number + 1])]
    if below.strip():
        wrapped = len(stripped) >= _WRAPPED_CHARS or below.strip()[0].islower()
        return bool(_RULE.match(below)) or not wrapped
    return any(text[slice(*span)].strip() for span in lines[number + 2 : number + 4])


def _continues(text: str, pending: Block, block: Block) -> bool:
    """Whether a line belongs to the block before it: wrapped prose and wrapped list items."""
    if block.start > pending.end + 1 and not _is_torn(text, pending, block):
        return False
    if pending.kind is BlockKind.PARAGRAPH:
        return block.kind is BlockKind.PARAGRAPH
    if pending.kind is BlockKind.ITEM:
        return block.kind is BlockKind.PARAGRAPH
    return pending.kind is BlockKind.CODE and block.kind is BlockKind.CODE


def _is_torn(text: str, pending: Block, block: Block) -> bool:
    """A paragraph torn apart in the middle of a sentence, as where a page ended."""
    if pending.kind not in _PROSE or block.kind is not BlockKind.PARAGRAPH:
        return False
    if pending.end - pending.start < _TORN_CHARS or block.start - pending.end > _MAX_GAP_CHARS:
        return False
    last = text[pending.start : pending.end].rstrip()[-1:]
    unfinished = last.isalnum() or last == ","
    return unfinished and (text[block.start].islower() or pending.end - pending.start >= _LONG_CHARS)


def _cut(text: str, block: Block) -> Iterator[Block]:
    """A block in pieces of bounded length; headings within prose and the items of a list that was written in
    one line are blocks."""
    heads = run_in_heads(text, block.start, block.end) if block.kind is BlockKind.PARAGRAPH else []
    if heads:
        for start, end, heading in cut_at(block.start, block.end, heads):
            if heading:
                yield Block(BlockKind.HEADING, start, end, RUN_IN_LEVEL)
            elif text[start:end].strip():
                yield from _cut(text, _rest(text, start, end))
        return
    spans = pieces(text, block.start, block.end) if block.kind in _PROSE else []
    if len(spans) < 2:
        yield from _bounded(text, block)
        return
    led = block.kind is BlockKind.PARAGRAPH
    for number, (start, end) in enumerate(spans):
        kind = BlockKind.PARAGRAPH if led and number == 0 else BlockKind.ITEM
        yield from _bounded(text, Block(kind, start, end, max(block.level, 1) if number or not led else 0))


def _rest(text: str, start: int, end: int) -> Block:
    """What stands beside a heading within prose: prose, or a list that begins there."""
    start = end - len(text[start:end].lstrip())
    mark = _ITEM.match(text, start, end)
    return Block(BlockKind.ITEM, mark.end(), end, 1) if mark else Block(BlockKind.PARAGRAPH, start, end)


def _bounded(text: str, block: Block) -> Iterator[Block]:
    start = block.start
    while block.end - start > MAX_UNIT_CHARS:
        limit = start + MAX_UNIT_CHARS
        ends = [m.end() for m in _SENTENCE_END.finditer(text, start + MAX_UNIT_CHARS // 2, limit)]
        stop = ends[-1] if ends else max(text.rfind(" ", start + MAX_UNIT_CHARS // 2, limit) + 1, 0)
        stop = stop or limit
        yield Block(block.kind, start, stop, block.level)
        start = stop
    if text[start : block.end].strip():
        yield Block(block.kind, start, block.end, block.level)
