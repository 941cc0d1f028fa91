"""``tidegraph worker``: run stages until told to stop.

Exit codes: 0 stopped on request; 1 a stage died (start again); 2 settings or access are wrong.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from typing import Final

import click

from tidegraph import settings as settings_module
from tidegraph.domain.errors import Rejected, TidegraphError
from tidegraph.embedded.notify import notify
from tidegraph.log.status import Stage
from tidegraph.settings import Settings
from tidegraph.streams.worker import Worker
from tidegraph.telemetry import expose

EXIT_FAILED: Final = 1
EXIT_SETTINGS: Final = 2
ALL: Final = "all"
_LIBRARIES: Final = ("aiokafka", "faust", "mode", "tidegraph.streams.app")
"""The last one is Faust's own voice, which it takes from the module of the app."""
_REPEAT_SECONDS: Final = 60.0


@click.command("worker", short_help="Run the stream stages.")
@click.option(
    "--stage",
    "names",
    type=click.Choice([ALL, *(stage.value for stage in Stage)]),
    multiple=True,
    default=(ALL,),
    show_default=True,
    help="Stage to run; may be repeated. Each stage is a consumer group of its own.",
)
def command(names: tuple[str, ...]) -> None:
    """Run the stages ground, extract, resolve, write and track, or some of them, in this process.

    On SIGTERM or Ctrl-C it takes nothing new, finishes what is under way, commits and ends.
    """
    stages = tuple(stage for stage in Stage if ALL in names or stage in names)
    try:
        configured = settings_module.load(os.environ)
        _configure_logging(configured.log_level)
        asyncio.run(_run(configured, stages))
    except Rejected as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_SETTINGS)
    except TidegraphError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_FAILED)


async def _run(configured: Settings, stages: tuple[Stage, ...]) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    with expose(configured.metrics):
        await Worker(configured, stages).run(stop, ready=_tell_ready)
    notify("STOPPING=1", os.environ)


def _tell_ready() -> None:
    notify("READY=1", os.environ)


class _Seldom(logging.Filter):
    """Lets a client library say the same thing once in a while: a broker that is away is news once."""

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.name.startswith(_LIBRARIES):
            return True
        key = (record.name, str(record.msg))
        if record.created - self._told.get(key, 0.0) < _REPEAT_SECONDS:
            return False
        self._told[key] = record.created
        return True


def _configure_logging(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_Seldom())
    logging.basicConfig(
        level=level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s", handlers=[handler]
    )
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)
