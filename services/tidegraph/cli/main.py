"""``tidegraph``: commands, imported when they are used."""

from __future__ import annotations

import importlib
from typing import Final

import click

_COMMANDS: Final = {
    "worker": ("tidegraph.cli.worker", "command"),
    "up": ("tidegraph.cli.up", "up"),
    "down": ("tidegraph.cli.up", "down"),
    "demo": ("tidegraph.cli.demo", "command"),
    "ingest": ("tidegraph.cli.ingest", "command"),
}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, name = _COMMANDS[cmd_name]
        found: click.Command = getattr(importlib.import_module(module), name)
        return found


@click.group(cls=_Lazy)
@click.version_option(package_name="tidegraph")
def main() -> None:
    """Tidegraph: what was true, and what was known, at any moment."""


if __name__ == "__main__":
    main()
