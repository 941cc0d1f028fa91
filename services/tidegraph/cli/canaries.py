"""``tidegraph canaries``: whether the facts that should hold are believed."""

from __future__ import annotations

import os

import click

from tidegraph import settings as settings_module
from tidegraph.cli.calling import EXIT_NOT_KNOWN, runs
from tidegraph.cli.ingest_target import located
from tidegraph.cli.render import console, print_json
from tidegraph.domain.errors import Rejected
from tidegraph.models.clock import SystemClock
from tidegraph.streams.canaries import load_canaries, violated
from tidegraph.streams.setup import Graphs


@click.command("canaries")
@click.option("--file", "path", default="", help="File of canaries; otherwise TIDEGRAPH_CANARIES_FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def command(path: str, as_json: bool) -> None:
    """Look up the facts that an operator knows to hold; exit code 1 when one of them is not believed.

    The store is that of TIDEGRAPH_FALKORDB_URL, or of the stack on the data folder.
    """
    _canaries(path, as_json)


@runs
async def _canaries(path: str, as_json: bool) -> int:
    configured = located(settings_module.load(os.environ))
    path = path or configured.metrics.canaries_file
    if not path:
        raise Rejected("NO_CANARIES", "name a file with --file, or set TIDEGRAPH_CANARIES_FILE")
    canaries = load_canaries(path, configured.default_graph)
    graphs = Graphs(configured)
    try:
        gone = await violated(graphs.store, canaries, SystemClock().now())
    finally:
        await graphs.close()
    if as_json:
        print_json({"canaries": len(canaries), "violated": [str(canary) for canary in gone]})
    else:
        lines = [f"not believed: {canary}" for canary in gone] or [f"all {len(canaries)} hold"]
        console.print("\n".join(lines), markup=False)
    return EXIT_NOT_KNOWN if gone else 0
