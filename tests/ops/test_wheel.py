"""The wheel holds every file of the four folders, as one namespace."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.ops.repository import ROOT, SOURCE_ROOTS, tracked


def test_everything_is_in_the_wheel(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("tidegraph/")}
    parts = [ROOT / root for root in SOURCE_ROOTS]
    sources = {
        path.relative_to(part).as_posix()
        for part in parts
        for path in tracked()
        if path.is_relative_to(part / "tidegraph")
    }
    assert sources - packed == set()
    assert "tidegraph/__init__.py" not in packed
