"""Mapping files: what is wrong with one is said with its line."""

from __future__ import annotations

import pytest

from tidegraph.domain.errors import Rejected
from tidegraph.inputs import mapping


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("document:\n  id: /id\n  txt: /text\n", 3, "txt"),
        ("document:\n  id: id\n", 2, "/id"),
        ("document:\n  id: /id\n  time: 5\n", 3, "pointer"),
        ("document:\n  id: /a~b\n", 2, "~0"),
        ("document:\n  time: [/a, /b]\n", 2, "pointer"),
        ("document:\n  time: /t\n  time_unit: weeks\n", 3, "weeks"),
        ("document:\n  timezone: Mars/Olympus\n", 2, "Mars"),
        ("document:\n  kind: novel\n", 2, "novel"),
        ("document:\n  types:\n    /price: money\n", 3, "money"),
        ("document:\n  types:\n    price: ms\n", 3, "/price"),
        ("document:\n  id: /a\n  id: /b\n", 3, "twice"),
        ("document: [1]\n", 1, "document"),
        ("documents:\n  id: /id\n", 1, "documents"),
        ("document:\n  id: [unclosed\n", 3, "YAML"),
        ("- a\n- b\n", 1, "parts"),
        ("", 1, "parts"),
        ("document:\n  id: {/a: 1}\n", 2, "pointer"),
    ],
)
def test_errors_name_the_line(text, line, word):
    with pytest.raises(Rejected) as caught:
        mapping.parse_mapping(text, "m.yaml")
    assert f"m.yaml, line {line}:" in str(caught.value)
    assert word in str(caught.value)


def test_missing_and_unreadable_files(tmp_path):
    with pytest.raises(Rejected, match="cannot be read"):
        mapping.load_mapping(str(tmp_path / "none.yaml"))
    (tmp_path / "m.yaml").write_bytes(b"document:\n  id: /\xff\n")
    with pytest.raises(Rejected, match="UTF-8"):
        mapping.load_mapping(str(tmp_path / "m.yaml"))


def test_assertions_are_left_alone():
    found = mapping.parse_mapping("assertions:\n  anything: [{x: 1}]\n", "m.yaml")
    assert found.has_assertions
    assert found.document == {}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("/a/0/b", 1), ("/x~1y", 2), ("/x~0y", 3), ("/", 4), ("/a/1", None), ("/a/-", None), ("/none", None)],
)
def test_pointers(pointer, value):
    record = {"a": [{"b": 1}], "x/y": 2, "x~y": 3, "": 4}
    found = mapping.resolve_pointer(record, pointer)
    assert (None if found is mapping.MISSING else found) == value
