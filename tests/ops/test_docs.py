"""The documents are complete and their links lead somewhere."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from tests.ops.repository import ROOT, relative, tracked

from tidegraph import settings

DOCS = ROOT / "docs"
MARKDOWN = [path for path in tracked() if path.suffix == ".md" and path.is_relative_to(ROOT / "docs")]
MARKDOWN += [path for path in tracked() if path.suffix == ".md" and path.parent == ROOT]


class Recorder(dict[str, str]):
    """An empty environment that remembers which variables were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get(self, key: str, default: str | None = None) -> str | None:  # type: ignore[override]
        self.asked.append(key)
        return default


def variables() -> list[str]:
    recorder = Recorder()
    settings.load(recorder)
    return recorder.asked


def configuration() -> dict[str, str]:
    """{variable: documented default} from the tables of docs/configuration.md."""
    rows = re.findall(r"^\| `(TIDEGRAPH_\w+)` \| (.*?) \|", (DOCS / "configuration.md").read_text(), re.M)
    return {name: default.strip("`") for name, default in rows}


def test_every_setting_is_documented_and_no_other() -> None:
    assert sorted(configuration()) == sorted(variables())


def test_documented_defaults_are_the_defaults() -> None:
    """Loading the documented defaults gives the settings of an empty environment."""
    documented = {name: default for name, default in configuration().items() if default != "empty"}
    assert settings.load(documented) == settings.load({})


def dependency_rows() -> dict[str, str]:
    """{distribution: its row} from the tables of docs/dependencies.md."""
    text = (DOCS / "dependencies.md").read_text()
    return {row.split("`")[1].lower(): row for row in re.findall(r"^\| `.*\|$", text, re.M)}


def direct_dependencies() -> list[Requirement]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = table["project"]
    asked = [*project["dependencies"], *table["dependency-groups"]["dev"]]
    asked += [name for extra in project["optional-dependencies"].values() for name in extra]
    return [Requirement(text) for text in asked]


def test_every_direct_dependency_is_explained_and_no_other() -> None:
    assert sorted(dependency_rows()) == sorted({name.name.lower() for name in direct_dependencies()})


@pytest.mark.parametrize("requirement", direct_dependencies(), ids=lambda requirement: requirement.name)
def test_licences_are_those_of_the_packages(requirement: Requirement) -> None:
    """Where a package is installed, its row names the licence that its metadata name."""
    try:
        found = metadata.metadata(requirement.name)
    except metadata.PackageNotFoundError:
        return
    stated = dependency_rows()[requirement.name.lower()].split("|")[2].strip()
    told = " ".join([found.get("License-Expression") or "", *(found.get_all("Classifier") or [])])
    told += " " + (found.get("License") or "")
    family = re.split(r"[- ]", stated)[0]
    assert family.lower() in told.lower() or "not stated" in stated, (stated, told[:300])


@pytest.mark.parametrize("path", MARKDOWN, ids=relative)
def test_links_lead_to_files(path) -> None:  # type: ignore[no-untyped-def]
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert [target for target in targets if target and not (path.parent / target).exists()] == []


def test_decisions_are_numbered_without_gaps_and_listed() -> None:
    pages = sorted(path.name for path in (DOCS / "adr").glob("[0-9]*.md"))
    assert [name[:4] for name in pages] == [f"{number:04}" for number in range(1, len(pages) + 1)]
    index = (DOCS / "adr" / "README.md").read_text()
    assert [name for name in pages if name not in index] == []


def test_the_changelog_has_an_open_section() -> None:
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text()
