"""The pinned requirements: complete, hashed, free of addresses, and one inside the other."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from tests.ops.repository import ROOT

LOCKS = ("build.txt", "runtime.txt", "dev.txt", "uv.txt", "vllm.txt")


def entries(lock: str) -> dict[str, set[tuple[str, frozenset[str]]]]:
    """{name: {(requirement line, its hashes)}}; a name has several lines where markers split it."""
    text = (ROOT / "requirements" / lock).read_text().replace("\\\n", " ")
    found: dict[str, set[tuple[str, frozenset[str]]]] = {}
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            pinned, *hashes = (part.strip() for part in line.split("--hash="))
            name = canonicalize_name(Requirement(pinned).name)
            found.setdefault(name, set()).add((pinned, frozenset(hashes)))
    return found


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.mark.parametrize("lock", LOCKS)
def test_every_line_is_pinned_with_hashes(lock: str) -> None:
    for lines in entries(lock).values():
        for pinned, hashes in lines:
            assert re.match(r"[\w.-]+==\S+", pinned), pinned
            assert hashes, f"{pinned} has no hash"
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), pinned


@pytest.mark.parametrize("lock", LOCKS)
def test_no_address_is_named(lock: str) -> None:
    assert "://" not in (ROOT / "requirements" / lock).read_text()


@pytest.mark.parametrize("part", ["build.txt", "runtime.txt"])
def test_the_development_lock_contains_the_others(part: str) -> None:
    whole = entries("dev.txt")
    assert {name: lines for name, lines in entries(part).items() if whole.get(name) != lines} == {}


def test_what_the_project_asks_for_is_locked() -> None:
    asked = {
        "runtime.txt": project()["project"]["dependencies"],
        "dev.txt": project()["dependency-groups"]["dev"],
        "build.txt": project()["build-system"]["requires"],
        "vllm.txt": project()["project"]["optional-dependencies"]["vllm"],
    }
    for lock, requirements in asked.items():
        locked = entries(lock)
        for requirement in map(Requirement, requirements):
            lines = locked.get(canonicalize_name(requirement.name))
            assert lines, f"{requirement} is not in {lock}"
            for pinned, _ in lines:
                version = Version(pinned.split(";")[0].split("==")[1].strip())
                assert requirement.specifier.contains(version), f"{pinned} is not {requirement}"
