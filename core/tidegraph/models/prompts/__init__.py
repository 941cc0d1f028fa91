"""Prompts as versioned files: a change of wording is a new file, named in every basis that used it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template in two parts. ``version`` is the file's name without its ending."""

    version: str
    system: str
    user: str


@cache
def load_prompt(version: str) -> Prompt:
    """The prompt of a file ``<version>.md``: the text under ``# system`` and under ``# user``."""
    text = resources.files(__name__).joinpath(f"{version}.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("# system\n")
    system, _, user = rest.partition("# user\n")
    return Prompt(version=version, system=system.strip(), user=user.strip())


@cache
def load_steps(version: str) -> dict[str, str]:
    """Texts by name of a file ``<version>.toml``."""
    text = resources.files(__name__).joinpath(f"{version}.toml").read_text(encoding="utf-8")
    return {name: str(value) for name, value in tomllib.loads(text).items()}
