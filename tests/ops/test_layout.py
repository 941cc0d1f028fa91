"""One namespace in four folders: what packaging and type checkers need of it."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.ops.repository import ROOT, SOURCE_ROOTS, packages, relative, tracked


def test_no_init_file_hides_the_other_parts_of_the_namespace() -> None:
    assert [root for root in SOURCE_ROOTS if (ROOT / root / "tidegraph" / "__init__.py").exists()] == []


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in tracked() if path.suffix == ".py" and _is_source(relative(path))}
    namespace = {ROOT / root / "tidegraph" for root in SOURCE_ROOTS}
    bare = [relative(path) for path in sorted(folders - namespace) if not (path / "__init__.py").exists()]
    assert bare == []


def test_every_package_is_typed() -> None:
    assert [relative(path) for path in packages() if not (path / "py.typed").exists()] == []


def test_the_wheel_takes_every_part() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert build["packages"] == [f"{root}/tidegraph" for root in SOURCE_ROOTS]
    assert build["dev-mode-dirs"] == list(SOURCE_ROOTS)


@pytest.mark.parametrize("package", [path.name for path in packages()])
def test_every_package_imports(package: str) -> None:
    assert importlib.import_module(f"tidegraph.{package}")


def test_dependencies_point_one_way() -> None:
    """In a process of its own: the linter disables every logger that exists."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def _is_source(name: str) -> bool:
    return any(name.startswith(f"{root}/tidegraph/") for root in SOURCE_ROOTS)
