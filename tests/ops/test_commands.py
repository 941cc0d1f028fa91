"""The Makefile and the CI script: what the documents promise of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from tests.ops.repository import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
PROMISED = {
    "demo",
    "up",
    "down",
    "test",
    "test-slow",
    "test-vllm",
    "test-st",
    "lint",
    "types",
    "proto",
    "bench",
    "ci",
    "clean",
    "help",
}


def test_every_target_explains_itself() -> None:
    phony = set(re.findall(r"[\w-]+", " ".join(re.findall(r"^\.PHONY:(.*)$", MAKEFILE, re.MULTILINE))))
    explained = set(re.findall(r"^([a-z-]+):.*## \S", MAKEFILE, re.MULTILINE))
    assert phony == explained
    assert phony >= PROMISED


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_help_lists_the_targets() -> None:
    out = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {target for target in PROMISED if f"make {target} " not in out} == set()


@pytest.mark.parametrize(
    ("script", "shell"),
    [
        (".ci/run", "bash"),
        ("tools/venv.sh", "sh"),
        ("tools/venv_apart.sh", "sh"),
    ],
)
def test_scripts_are_sound(script: str, shell: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    subprocess.run([shell, "-n", script], cwd=ROOT, check=True)


def test_clean_removes_every_environment() -> None:
    assert set(re.findall(r"^\w+ := (\.venv[\w-]*)", MAKEFILE, re.MULTILINE)) <= {
        ".venv" if word == "$(VENV)" else word
        for word in re.findall(r"^\trm -rf (.*)$", MAKEFILE, re.MULTILINE)[0].split()
    }


def test_ci_runs_every_check() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert "set -euo pipefail" in script
    wanted = ["test", "lint", "types", "proto-check", "test-st", "test-slow"]
    assert [target for target in wanted if f"step make {target}\n" not in script] == []
