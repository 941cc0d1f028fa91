"""The files of the repository, as the tests of it see them."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE_ROOTS = ("core", "protos", "streams", "services")


@cache
def tracked() -> tuple[Path, ...]:
    """Every file under version control that exists; outside a clone, every file that is no by-product."""
    try:
        out = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return tuple(sorted(path for path in ROOT.rglob("*") if path.is_file() and not _by_product(path)))
    return tuple(path for name in out.split("\0") if name and (path := ROOT / name).is_file())


@cache
def python_files() -> tuple[Path, ...]:
    """Hand-written Python modules, tests and tools included."""
    return tuple(path for path in tracked() if path.suffix == ".py" and "_pb2" not in path.name)


def packages() -> list[Path]:
    """The folders directly inside the parts of the ``tidegraph`` namespace."""
    parts = (ROOT / root / "tidegraph" for root in SOURCE_ROOTS)
    children = {
        part / path.relative_to(part).parts[0]
        for part in parts
        for path in tracked()
        if path.is_relative_to(part)
    }
    return sorted(path for path in children if path.is_dir())


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _by_product(path: Path) -> bool:
    names = path.relative_to(ROOT).parts
    return any(name.startswith(".venv") or name in {"__pycache__", "build", "dist"} for name in names)
