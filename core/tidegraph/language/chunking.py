"""Chunks and parts: how a text is cut before anything is read out of it (design section 6).

Offsets are code points of the whole document. A chunk is a window of tokens; a part is what one
record carries of a long text. Both functions are linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain import ids
from tidegraph.domain.documents import Chunk

CHUNK_TOKENS: Final = 1_200
"""Tokens of one chunk (DyG-RAG section 3.3)."""
OVERLAP_TOKENS: Final = 64
"""Tokens that a chunk shares with the one before it."""
MAX_CHUNKS_PER_PART: Final = 64
"""A text of more chunks travels in several parts."""

# A word without a break counts once per 64 characters, so that no chunk is unbounded.
_TOKEN: Final = re.compile(r"\w{1,64}|[^\w\s]")
_PART_TOKENS: Final = (CHUNK_TOKENS - OVERLAP_TOKENS) * MAX_CHUNKS_PER_PART
_BREAKS: Final = (re.compile(r"\n[ \t]*\n\s*"), re.compile(r"\n+"), re.compile(r"(?<=[.!?;])\s+"))
_BREAK_SEARCH_CHARS: Final = 8_000


def chunk_text(
    graph: str,
    document_id: str,
    revision: str,
    title: str,
    text: str,
    base: int = 0,
    first_ordinal: int = 0,
) -> tuple[Chunk, ...]:
    """The chunks of a text (or of a part of one that begins ``base`` code points into its document).

    The first chunk starts where the text starts, the last one ends where it ends; a text of at most
    1,200 tokens is one chunk; there is no tail chunk that only repeats an overlap. A text without
    any token has no chunks. The ordinal counts on from ``first_ordinal``.
    """
    chunks = []
    for number, (start, end) in enumerate(_windows(text)):
        ordinal = first_ordinal + number
        chunks.append(
            Chunk(
                chunk_id=ids.chunk_id(graph, document_id, revision, ordinal),
                ordinal=ordinal,
                start_char=base + start,
                end_char=base + end,
                title=title,
                text=text[start:end],
            )
        )
    return tuple(chunks)


def _windows(text: str) -> list[tuple[int, int]]:
    """Spans of the windows: 1,200 tokens each, the next one starting 1,136 tokens on."""
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    windows: list[tuple[int, int]] = []
    first = 0
    while first < len(tokens):
        begin = tokens[first][0] if first else 0
        if first + CHUNK_TOKENS >= len(tokens):
            return [*windows, (begin, len(text))]
        windows.append((begin, tokens[first + CHUNK_TOKENS - 1][1]))
        first += CHUNK_TOKENS - OVERLAP_TOKENS
    return windows


@dataclass(frozen=True, slots=True)
class Part:
    """What one record carries of a text: ``text[start_char:end_char]`` and its chunks."""

    start_char: int
    end_char: int
    chunks: tuple[Chunk, ...]


def cut(graph: str, document_id: str, revision: str, title: str, text: str) -> tuple[Part, ...]:
    """The parts of a whole text with their chunks; one part unless it needs more than 64 chunks.

    The first chunk of a part starts where the part does, so ``chunks[0].start_char`` tells where a
    part's text lies in its document.
    """
    parts: list[Part] = []
    ordinal = 0
    for start, end in split_parts(text):
        chunks = chunk_text(graph, document_id, revision, title, text[start:end], start, ordinal)
        ordinal += len(chunks)
        parts.append(Part(start, end, chunks))
    return tuple(parts)


def split_parts(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of the parts of a text, in order and without gap; one span unless it needs more than 64 chunks.

    A part ends at a paragraph, else at a line, else at a sentence, when one of them is near the
    limit, so that no statement is torn without need.
    """
    parts: list[tuple[int, int]] = []
    begin = count = 0
    for match in _TOKEN.finditer(text):
        count += 1
        if count > _PART_TOKENS:
            cut = _break_before(text, begin, match.start())
            parts.append((begin, cut))
            begin = cut
            # What was put off to the next part is counted there.
            count = 1 + sum(1 for _ in _TOKEN.finditer(text, begin, match.start()))
    if begin < len(text) or not parts:
        parts.append((begin, len(text)))
    return tuple(parts)


def _break_before(text: str, begin: int, limit: int) -> int:
    low = max(begin + 1, limit - _BREAK_SEARCH_CHARS)
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(text, low, limit)]
        if ends:
            return ends[-1]
    return limit


def chunk_ids_at(chunks: Sequence[Chunk], start_char: int, end_char: int) -> tuple[str, ...]:
    """Ids of the chunks that hold the whole span, else of those that touch it; in order."""
    whole = tuple(c.chunk_id for c in chunks if c.start_char <= start_char and end_char <= c.end_char)
    if whole:
        return whole
    return tuple(c.chunk_id for c in chunks if c.start_char < end_char and start_char < c.end_char)
