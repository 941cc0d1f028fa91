"""Run the demo and put its output into the README: the acts in ACTS, the others elided.

    .venv/bin/python tools/readme_demo.py

A test compares the README with what the demo prints, so run this after a change of either's words.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
ACTS = (2, 3, 4, 6, 8)
BLOCK = re.compile(r"(?<=^```console\n\$ make demo\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def main() -> int:
    command = [sys.executable, "-m", "tidegraph.cli.main", "demo"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    title, *acts = re.split(r"^(?=\d+  )", printed, flags=re.MULTILINE)
    pieces = [title.strip()]
    for number, act in enumerate(acts, start=1):
        if number in ACTS:
            pieces.append(act.rstrip())
        elif pieces[-1] != "...":
            pieces.append("...")
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda _: "\n\n".join(pieces) + "\n", text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
