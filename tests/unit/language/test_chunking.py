"""Chunks and parts cover the text, overlap as said, and never repeat a tail."""

from __future__ import annotations

import itertools
import re

import pytest

from tidegraph.language import chunking


def _chunks(text: str):
    return chunking.chunk_text("g", "doc", "1", "Title", text)


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w{1,64}|[^\w\s]", text)


def test_short_text_is_one_chunk_with_its_title():
    (chunk,) = _chunks("  The lease ends in May.\n")
    assert (chunk.start_char, chunk.end_char, chunk.title) == (0, 25, "Title")
    assert chunk.text == "  The lease ends in May.\n"


@pytest.mark.parametrize("text", ["", "   \n\t"])
def test_text_without_tokens_has_no_chunks(text: str):
    assert _chunks(text) == ()


@pytest.mark.parametrize("count", [1199, 1200, 1201, 1264, 1265, 2336, 2337, 5000])
def test_windows_have_1200_tokens_and_overlap_by_64(count: int):
    text = " ".join(f"w{i}" for i in range(count))
    chunks = _chunks(text)
    assert chunks[0].start_char == 0
    assert chunks[-1].end_char == len(text)
    assert all(c.text == text[c.start_char : c.end_char] for c in chunks)
    assert all(len(_tokens(c.text)) <= 1200 for c in chunks)
    for left, right in itertools.pairwise(chunks):
        shared = text[right.start_char : left.end_char]
        assert len(_tokens(shared)) == 64
        # The last chunk says something that the one before it does not.
        assert right.end_char > left.end_char
    assert len({c.chunk_id for c in chunks}) == len(chunks)


def test_one_line_of_100_kb_is_cut_too():
    chunks = _chunks("x" * 100_000)
    assert chunks[-1].end_char == 100_000
    assert all(len(c.text) <= 64 * 1200 for c in chunks)


def test_offsets_are_code_points_of_the_whole_document():
    text = "naïve 🙂 " * 2000
    for chunk in _chunks(text):
        assert text[chunk.start_char : chunk.end_char] == chunk.text


def test_parts_cover_the_text_and_hold_at_most_64_chunks():
    paragraph = "A sentence about the harbour and its crane. " * 40 + "\n\n"
    text = paragraph * 600
    parts = chunking.cut("g", "doc", "1", "T", text)
    assert len(parts) > 1
    assert "".join(text[p.start_char : p.end_char] for p in parts) == text
    assert all(len(p.chunks) <= 64 for p in parts)
    assert all(p.chunks[0].start_char == p.start_char for p in parts)
    ordinals = [c.ordinal for p in parts for c in p.chunks]
    assert ordinals == list(range(len(ordinals)))
    # Parts end at paragraphs.
    assert all(text[: p.end_char].endswith("\n\n") for p in parts)


def test_a_text_of_64_chunks_is_one_part():
    text = "word " * 70_000
    assert len(chunking.split_parts(text)) == 1


def test_chunk_ids_of_a_span_in_the_overlap_are_both():
    text = " ".join(f"w{i}" for i in range(2000))
    first, second = _chunks(text)
    place = text.index("w1150 ")
    assert chunking.chunk_ids_at((first, second), place, place + 5) == (first.chunk_id, second.chunk_id)
    assert chunking.chunk_ids_at((first, second), 0, 2) == (first.chunk_id,)
