"""Input made to be slow is not: each of these took minutes with a careless pattern."""

from __future__ import annotations

import time

import pytest

SIZE = 300_000

TRAPS = {
    "hashes.md": "# " * (SIZE // 2),
    "fences.md": "```\n" * (SIZE // 4),
    "blank.md": "\n" * SIZE + "x",
    "stars.md": "# " + "*" * SIZE,
    "open.md": "---\n" + "a: b\n" * (SIZE // 5),
    "nested.md": "---\na: " + "[" * 30_000 + "\n---\nx",
    "words.eml": "Subject: " + "=?a?q?" * (SIZE // 6) + "\n\nx",
    "comments.eml": "Date: " + "(" * SIZE + "\n\nx",
    "folds.eml": "X: y\n" + " z\n" * (SIZE // 3) + "\nx",
    "quotes.eml": "Content-Type: text/plain; format=flowed\n\n" + "> \n" * (SIZE // 3) + "x",
    "from.mbox": "From x Mon Feb  5 10:00:00 2024\nSubject: y\n\n" + "From \n\n" * (SIZE // 7),
    "meta.html": "<meta " * (SIZE // 6) + "x",
    "open.html": "<div>" * (SIZE // 5) + "x",
    "tables.html": "<table><tr><td>" * (SIZE // 15) + "x",
    "comments.html": "<!--" * (SIZE // 4) + "--><p>x",
    "times.html": "<time itemprop=datePublished>soon</time>" * (SIZE // 40) + "x",
    "linked.html": "<script type='application/ld+json'>[</script>" * (SIZE // 45) + "x",
    "brackets.json": "[" * SIZE,
    "quotes.json": '"' + "\\" * SIZE,
    "strings.json": '["' + '","' * (SIZE // 3),
    "spaces.jsonl": " \n" * (SIZE // 2) + "x",
    "catalogs.pdf": "%PDF-1.4\n" + "/Type/Catalog obj /Metadata 1 0 R <rdf:RDF" * (SIZE // 42),
    "accents.txt": "é " * (SIZE // 2),
}


@pytest.mark.parametrize("name", TRAPS)
def test_traps(read, name):
    encoding = "latin-1" if name == "accents.txt" else "utf-8"
    started = time.process_time()
    read(name, TRAPS[name].encode(encoding))
    assert time.process_time() - started < 10.0  # a quadratic reader takes minutes
