"""Words: those of the glossary and none of their rivals; nothing that only one machine knows."""

from __future__ import annotations

import re
from pathlib import Path

from tests.ops.repository import ROOT, relative, tracked

TEXT_SUFFIXES = {".md", ".py", ".pyi", ".proto", ".toml", ".txt", ".sh", ".yaml", ".yml", ".json", ".jsonl"}
TEXT_NAMES = {"Makefile", "run", "LICENSE", "NOTICE", ".gitignore"}

# Put together from halves, so that this file does not find itself.
MACHINE_PATHS = [f"/{name}/" for name in ("work", "root", "home")] + ["/" + "tmp/"]
REGISTRIES = ["py" + "pi.org", "python" + "hosted", "registry.np" + "mjs", "crates" + ".io", "maven" + ".org"]
REGISTRIES += ["proxy.go" + "lang", "maven.apache" + ".org/maven2"]


def text_files() -> list[Path]:
    return [path for path in tracked() if path.suffix in TEXT_SUFFIXES or path.name in TEXT_NAMES]


def occurrences(needles: list[str], files: list[Path]) -> list[str]:
    return [
        f"{relative(path)}: {needle}"
        for path in files
        for needle in needles
        if needle in path.read_text(encoding="utf-8", errors="replace")
    ]


def test_no_path_of_one_machine() -> None:
    assert occurrences(MACHINE_PATHS, text_files()) == []


def test_no_registry_is_named() -> None:
    assert occurrences(REGISTRIES, text_files()) == []


def glossary() -> dict[str, tuple[str, ...]]:
    """{word: the words not to be used for it}, from the table of docs/glossary.md."""
    rows = re.findall(
        r"^\| \*\*(.+?)\*\* \|.*\| (.*?) \|$", (ROOT / "docs" / "glossary.md").read_text(), re.M
    )
    return {word: tuple(re.findall(r"\w[\w -]*", rivals)) for word, rivals in rows}


def test_the_glossary_fixes_the_words_of_the_design() -> None:
    wanted = "document, chunk, time expression, event, mention, entity, assertion, fact, valid time"
    wanted += ", recorded time, valid_at, known_at, conflict key, position, basis"
    assert [word for word in wanted.split(", ") if word not in glossary()] == []


def test_documents_and_protos_use_no_rival_word() -> None:
    """Prose and the public surface; code may speak of what it is made of (a graph has edges)."""
    public = [ROOT / "docs", ROOT / "protos"]
    files = [
        path
        for path in text_files()
        if path.suffix in {".md", ".proto"} and (path.parent == ROOT or any(map(path.is_relative_to, public)))
    ]
    files = [path for path in files if path.name != "glossary.md"]
    rivals = [rival for words in glossary().values() for rival in words]
    found = [
        f"{relative(path)}: {rival}"
        for path in files
        for rival in rivals
        if re.search(rf"\b{re.escape(rival)}s?\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    ]
    assert len(rivals) >= 15
    assert found == []
