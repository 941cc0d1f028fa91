"""Folders, and which reader a file gets."""

from __future__ import annotations

import os

import pytest

from tidegraph.domain.errors import Rejected
from tidegraph.inputs.document import Defaults
from tidegraph.inputs.files.formats import detect
from tidegraph.inputs.files.model import ReadOptions, Rejection
from tidegraph.inputs.files.walk import list_files, read_file


def test_folder_is_sorted_without_hidden_files_and_loops(tmp_path):
    for name in ("b/z.txt", "b/a.txt", "a.md", ".hidden.md", ".git/config", "c/.DS_Store"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    (tmp_path / "b" / "again").symlink_to(tmp_path / "b")
    assert [name for _, name in list_files(tmp_path)] == ["a.md", "b/a.txt", "b/z.txt"]


def test_a_linked_folder_outside_is_read_once(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "a.txt").write_text("x")
    (inside / "one").symlink_to(outside)
    (inside / "two").symlink_to(outside)
    assert [name for _, name in list_files(inside)] == ["one/a.txt"]


def test_paths_that_hold_nothing(tmp_path):
    with pytest.raises(Rejected, match="does not exist"):
        list(list_files(tmp_path / "none"))
    with pytest.raises(Rejected, match="no file"):
        list(list_files(tmp_path))


def test_special_files_and_dead_links_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "dead.txt").symlink_to(tmp_path / "none")
    options = ReadOptions(defaults=Defaults(graph="g"))
    results = [result for file, name in list_files(tmp_path) for result in read_file(file, name, options)]
    assert [type(result) for result in results] == [Rejection, Rejection]
    assert "regular file" in results[1].cause


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.TXT", b"x", "text"),
        ("a.md", b"x", "markdown"),
        ("a.htm", b"x", "html"),
        ("a.eml", b"x", "email"),
        ("archive.mbox", b"x", "mbox"),
        ("a.ndjson", b"x", "jsonl"),
        ("letter.txt", b"%PDF-1.7", "pdf"),
        ("report", b"%PDF-1.7", "pdf"),
        ("report.txt", b"PK\x03\x04", "docx"),
        ("mail", b"Received: from x\r\n\tby y\r\nSubject: z\r\n", "email"),
        ("mail", b"From a@x Mon Feb  5 10:00:00 2024\nSubject: z\n", "mbox"),
        ("page", b"<!DOCTYPE html><html>", "html"),
        ("page", b'{"id": 1}', "jsonl"),
        ("page", b"---\ntitle: x\n---\n", "markdown"),
        ("page", b"Just words: and more", "text"),
    ],
)
def test_detection(name, head, expected):
    assert detect(name, head) == expected


@pytest.mark.parametrize(
    ("name", "head"),
    [("a.png", b"\x89PNG"), ("a.xlsx", b"PK\x03\x04"), ("photo", b"\xff\xd8\xff\xe0"), ("a.exe", b"MZ")],
)
def test_unsupported(name, head):
    with pytest.raises(Rejected, match="formats are"):
        detect(name, head)
