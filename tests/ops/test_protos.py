"""The generated code is what the .proto files give, and they keep the style guide."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.ops.repository import ROOT


@pytest.mark.parametrize("option", ["--check", "--lint"])
def test_protos(option: str) -> None:
    command = [sys.executable, "tools/gen_protos.py", option]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
