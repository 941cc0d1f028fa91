"""``tidegraph``: one group of commands, each imported when it is used, so that ``--help`` is quick."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Final

import click


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is and what its line in the help says."""

    module: str
    name: str
    help: str


COMMANDS: Final[dict[str, Entry]] = {
    "ask": Entry("ask", "command", "Answer a question, as of any date, with its evidence."),
    "timeline": Entry("timeline", "command", "Show events and facts in order of time."),
    "entity": Entry("entity", "command", "Show an entity's facts, or their whole history."),
    "why": Entry("why", "command", "Show why a fact is believed."),
    "ingest": Entry("ingest", "command", "Send files, folders or standard input."),
    "status": Entry("status", "command", "Show what the graph holds and where documents are."),
    "dead-letters": Entry("dead_letters", "command", "List documents that could not be used."),
    "erase": Entry("erase", "command", "Remove a document or a person from every place."),
    "diff": Entry("diff", "command", "Show what is believed otherwise than at an earlier date."),
    "conflicts": Entry("conflicts", "command", "List what evidence disagrees on, and decide it."),
    "policies": Entry("policies", "command", "Show or set the policies of predicates."),
    "decisions": Entry("admin", "decisions", "List what was decided, by whom and why."),
    "reextract": Entry("admin", "reextract", "Have documents read again by the present extractor."),
    "seal": Entry("admin", "seal", "Take no more backfill."),
    "rebuild": Entry("rebuild", "command", "Build the graph anew from the record of belief."),
    "canaries": Entry("canaries", "command", "Look up the facts that should always hold."),
    "check": Entry("check", "command", "Check that every part answers."),
    "demo": Entry("demo", "command", "Show the whole loop on a small feed."),
    "up": Entry("up", "up", "Start the stack and keep it running."),
    "down": Entry("up", "down", "Stop the stack that runs on the data folder."),
    "worker": Entry("worker", "command", "Run the stream stages."),
    "serve": Entry("serve", "command", "Run the gRPC server."),
}


class LazyGroup(click.Group):
    """Commands by name from the table; the help is written without importing any of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"tidegraph.cli.{entry.module}")
        found: click.Command = getattr(module, entry.name)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tidegraph")
def main() -> None:
    """Tidegraph: what was true, and what was known, at any moment."""


if __name__ == "__main__":
    main()
