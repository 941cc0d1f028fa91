"""Commands that the documents show exist, with the options that they show."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from tests.ops.repository import ROOT, relative, tracked

from tidegraph.cli.main import main

PAGES = [path for path in tracked() if path.suffix == ".md"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def shown(page: Path) -> list[str]:
    """Lines of fenced and indented blocks, and code spans, without prompt and remark."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:sh|console)\n(.*?)^```$", text, re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    lines += re.findall(r"^    (\S.*)$", outside, re.M) + re.findall(r"`([^`\n]+)`", outside)
    return [re.sub(r"^\$ ", "", line.strip()).split("  #")[0] for line in lines]


def command_of(words: list[str]) -> click.Command | None:
    command = main.get_command(click.Context(main), words[0]) if words else None
    if isinstance(command, click.Group) and len(words) > 1:
        # `entity NAME` is short for `entity show NAME`.
        return command.commands.get(words[1]) or command.commands.get("show", command)
    return command


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_tidegraph_commands_exist(page: Path) -> None:
    for line in shown(page):
        match = re.match(r"(?:\.venv/bin/)?tidegraph ([a-z].*)$", line)
        if match is None:
            continue
        words = shlex.split(match[1])
        command = command_of(words)
        assert command is not None, f"{line}: no such command"
        known = {name for option in command.params for name in option.opts} | {"--help"}
        assert [
            word for word in words[1:] if word.startswith("-") and word.split("=")[0] not in known
        ] == [], line


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_make_targets_exist(page: Path) -> None:
    for line in shown(page):
        match = re.match(r"make ([a-z][a-z -]*)", line)
        targets = match[1].split("  ")[0].split() if match else []
        assert [target for target in targets if target not in TARGETS] == [], line
