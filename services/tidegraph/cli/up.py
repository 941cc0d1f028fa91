"""``tidegraph up`` and ``tidegraph down``: the whole stack on this machine.

Exit codes: 0 stopped on request; 1 a part died or did not start; 2 settings are wrong or the data
folder is in use.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

import click

from tidegraph import settings as settings_module
from tidegraph.domain.errors import Rejected, TidegraphError
from tidegraph.embedded.lock import RunningStack, read_note
from tidegraph.embedded.stack import Stack, StackEvent
from tidegraph.settings import Settings
from tidegraph.storage.connection import shown_url

EXIT_FAILED: Final = 1
EXIT_SETTINGS: Final = 2
_DOWN_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.1


@click.command("up", short_help="Start the stack and keep it running.")
def up() -> None:
    """Start broker, store, worker and server, and keep them running until Ctrl-C.

    What the settings name (TIDEGRAPH_KAFKA_BOOTSTRAP, TIDEGRAPH_FALKORDB_URL) is used; the rest is
    embedded, with its data in TIDEGRAPH_DATA_DIR.
    """
    try:
        asyncio.run(_up(settings_module.load(os.environ)))
    except Rejected as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_SETTINGS)
    except TidegraphError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_FAILED)


@click.command("down", short_help="Stop the stack that runs on the data folder.")
def down() -> None:
    """Stop the stack that ``tidegraph up`` started on TIDEGRAPH_DATA_DIR, and wait until it has ended."""
    folder = Path(settings_module.load(os.environ).data_dir).resolve()
    note = read_note(folder)
    if note is None:
        click.echo(f"no stack runs on {folder}")
        return
    os.kill(note.pid, signal.SIGTERM)
    if not _ended(folder, note):
        click.echo(f"error: process {note.pid} has not stopped within {_DOWN_SECONDS:g} s", err=True)
        sys.exit(EXIT_FAILED)
    click.echo("stopped")


async def _up(configured: Settings) -> None:
    stop, ready = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    keeping = asyncio.create_task(_keep(configured, stop, ready))
    stopped = asyncio.create_task(stop.wait())
    await asyncio.wait((keeping, stopped), return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if not keeping.done() and not ready.is_set():
        keeping.cancel()  # told to stop while it starts
    with contextlib.suppress(asyncio.CancelledError):
        await keeping


async def _keep(configured: Settings, stop: asyncio.Event, ready: asyncio.Event) -> None:
    async with Stack(configured, events=_tell) as stack:
        ready.set()
        click.echo("")
        click.echo(f"  Kafka     {stack.kafka_bootstrap}")
        click.echo(f"  FalkorDB  {shown_url(stack.falkordb_url)}")
        click.echo(f"  gRPC      {stack.grpc_address}")
        click.echo("")
        click.echo(f"Ready. Data and logs: {stack.data_dir}. Ctrl-C stops everything.")
        failed = asyncio.create_task(stack.wait_failed())
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((failed, stopped), return_when=asyncio.FIRST_COMPLETED)
            if failed.done():
                raise failed.result()
        finally:
            failed.cancel()
            stopped.cancel()


def _tell(event: StackEvent) -> None:
    match event.what:
        case "notice":
            click.echo(f"note: {event.text}")
        case "crashed":
            click.echo(f"{event.part} crashed", err=True)
        case _:
            click.echo(f"{event.what:<9} {event.part:<9} {event.text}".rstrip())


def _ended(folder: Path, note: RunningStack) -> bool:
    deadline = time.monotonic() + _DOWN_SECONDS
    while time.monotonic() < deadline:
        present = read_note(folder)
        if present is None or present.pid != note.pid:
            return True
        time.sleep(_POLL_SECONDS)
    return False
