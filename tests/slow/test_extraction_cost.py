"""The language extractor costs little more than the pipeline that it stands on, and does not grow."""

from __future__ import annotations

import random
import statistics
from itertools import islice

import psutil
import pytest
from bench import extraction

from tidegraph.language.extractor import LanguageExtractor

pytestmark = pytest.mark.slow

RATIO_MAX = 1.6
"""CPU of the extractor over that of the bare spaCy pipeline on the same texts."""
GROWTH_MAX = 40_000_000
"""Bytes of resident memory over documents that each bring names of their own."""
WARM, DOCUMENTS = 300, 1_300


def test_the_cost_against_the_bare_pipeline() -> None:
    documents = extraction.documents("", 20)
    bare, whole = extraction.workloads(documents)
    bare()
    whole()
    ratios = [extraction.cpu(whole) / extraction.cpu(bare) for _ in range(3)]
    assert statistics.median(ratios) <= RATIO_MAX, ratios


def test_memory_stays_flat_over_many_documents() -> None:
    extractor, process = LanguageExtractor(), psutil.Process()
    found = extractor.extract_many(extraction.invented(random.Random(7), DOCUMENTS))
    assert all(each.events for each in islice(found, WARM))
    before = process.memory_info().rss
    assert sum(1 for _ in found) == DOCUMENTS - WARM
    assert process.memory_info().rss - before < GROWTH_MAX
