"""What the query commands share: where the server is, as-of options, exit codes, errors in words.

Exit codes: 0 done and answered; 1 not known, or something is not as it should be; 2 wrong usage or
settings; 3 the service cannot be reached or is busy; 4 the service failed.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec

import click

from tidegraph import settings as settings_module
from tidegraph.api.v1 import types_pb2
from tidegraph.client import ApiError, Client, Options
from tidegraph.client.readings import names_of
from tidegraph.domain.errors import Retryable, TidegraphError
from tidegraph.embedded.lock import read_note

STATUSES: Final = names_of(types_pb2.ClaimStatus, "CLAIM_STATUS_")
EXIT_NOT_KNOWN: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNREACHABLE: Final = 3
EXIT_FAILED: Final = 4
_CALLERS_FAULT: Final = frozenset({"INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "UNIMPLEMENTED"})
_P = ParamSpec("_P")


@dataclass(frozen=True, slots=True)
class Call:
    """Where to call and how: server address, graph, as-of, output."""

    server: str
    graph: str
    options: Options
    json: bool


def address(server: str) -> str:
    """The server's address: as given, by the environment, or that of the stack on the data folder.

    Raises:
        Retryable: NOT_RUNNING.
    """
    if server:
        return server
    configured = settings_module.load(os.environ)
    if configured.server.port:
        return f"{configured.server.host}:{configured.server.port}"
    note = read_note(Path(configured.data_dir).resolve())
    if note is None or not note.grpc_address:
        message = (
            f"no stack runs on the data folder {configured.data_dir}: start one with `tidegraph up`, or "
            "name a server with --server"
        )
        raise Retryable("NOT_RUNNING", message)
    return note.grpc_address


def connection(command: Callable[..., None]) -> Callable[..., None]:
    """Options of every command that calls the server."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON for programs."),
        click.option("--graph", envvar="TIDEGRAPH_GRAPH", default="", help="The graph (tenant) to read."),
        click.option("--server", default="", help="host:port; otherwise the stack on the data folder."),
    ):
        command = option(command)
    return command


def as_of(command: Callable[..., None]) -> Callable[..., None]:
    """Options for the two axes of a read."""
    for option in (
        click.option("--known-at", metavar="DATE", default="", help="Answer from what was known then."),
        click.option("--as-of", "valid", metavar="DATE", default="", help="What held then; default: now."),
    ):
        command = option(command)
    return command


def statuses(command: Callable[..., None]) -> Callable[..., None]:
    """The option that says how documents have to put what is shown."""
    return click.option(
        "--status",
        "statuses",
        multiple=True,
        type=click.Choice(STATUSES),
        help="Only what documents put so (repeatable); default: all but denied and planned.",
    )(command)


def runs(action: Callable[_P, Coroutine[Any, Any, int]]) -> Callable[_P, None]:
    """Run a coroutine as a command: its result is the exit code, errors are told in words."""

    @wraps(action)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> None:
        try:
            code = asyncio.run(action(*args, **kwargs))
        except ApiError as error:
            _fail(str(error), _exit_code(error))
        except Retryable as error:
            _fail(str(error), EXIT_UNREACHABLE)
        except TidegraphError as error:
            _fail(str(error), EXIT_USAGE)
        except KeyboardInterrupt:
            code = 130
        sys.exit(code)

    return run


def client(call: Call) -> Client:
    """A client for the call; close it."""
    return Client(address(call.server), graph=call.graph)


def _exit_code(error: ApiError) -> int:
    if error.retryable or error.code.name == "DEADLINE_EXCEEDED":
        return EXIT_UNREACHABLE
    return EXIT_USAGE if error.code.name in _CALLERS_FAULT else EXIT_FAILED


def _fail(message: str, code: int) -> None:
    click.echo(f"error: {message}", err=True)
    sys.exit(code)
