"""docs/architecture.md speaks of folders that exist and names every package and layer.

A layer in brackets is one that need not exist.
"""

from __future__ import annotations

import re

from tests.ops.repository import ROOT, packages

PAGE = (ROOT / "docs" / "architecture.md").read_text()


def test_paths_on_the_page_exist() -> None:
    named = re.findall(r"`((?:core|protos|streams|services)/[\w/.]+)`", PAGE)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_package_is_on_the_page() -> None:
    assert [path.name for path in packages() if not re.search(rf"\b{path.name}\b", PAGE)] == []


def test_every_layer_is_on_the_page() -> None:
    contracts = (ROOT / "pyproject.toml").read_text()
    layers = re.findall(r"(?<!\()tidegraph\.(\w+)", contracts.split("layers = [", 1)[1].split("]", 1)[0])
    diagram = PAGE.split("## Layers", 1)[1].split("```")[1]
    assert [layer for layer in layers if not re.search(rf"\b{layer}\b", diagram)] == []


def test_every_package_has_its_layer() -> None:
    contracts = (ROOT / "pyproject.toml").read_text().split("layers = [", 1)[1].split("]", 1)[0]
    layers = set(re.findall(r"tidegraph\.(\w+)", contracts))
    generated = {"api", "events"}
    assert {path.name for path in packages()} - generated - layers == set()
