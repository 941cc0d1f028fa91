"""``tidegraph erase``: a document or a person removed from every place, with a certificate and its check."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import click

from tidegraph import settings as settings_module
from tidegraph.cli.calling import EXIT_NOT_KNOWN, Call, client, connection, runs
from tidegraph.cli.deciding import outcome
from tidegraph.cli.ingest_target import located
from tidegraph.cli.render import console, print_json
from tidegraph.client import Options
from tidegraph.log.producer import KafkaLog
from tidegraph.storage.connection import Connection
from tidegraph.storage.status import RedisStatusStore
from tidegraph.streams.erasure_check import remains
from tidegraph.streams.setup import Graphs


@click.command("erase")
@click.argument("document", required=False)
@click.option(
    "--person", metavar="NAME", default="", help="Erase a person or other entity instead: name or id."
)
@click.option("--reason", default="", help="Why; kept with the decision. Give no name in it.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the certificate there.")
@click.option(
    "--check",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Check that what a certificate says is erased is nowhere.",
)
@connection
def command(
    document: str | None,
    person: str,
    reason: str,
    out: Path | None,
    check: Path | None,
    as_json: bool,
    graph: str,
    server: str,
) -> None:
    """Remove DOCUMENT, or a person, from graph, vectors, status and topics, the past included.

    Prints the certificate: what was removed, where, and when the last raw copy ages out. With --check it
    reads a certificate and looks into graph, status and topics, as TIDEGRAPH_KAFKA_BOOTSTRAP and
    TIDEGRAPH_FALKORDB_URL name them, whether anything is left; exit code 1 when there is.
    """
    if sum(map(bool, (document, person, check))) != 1:
        raise click.UsageError("name a document, or --person NAME, or --check CERTIFICATE")
    if check is not None:
        _check(check.read_text(encoding="utf-8"), as_json)
    else:
        _erase(Call(server, graph, Options(), as_json), document or "", person, reason, out)


@runs
async def _erase(call: Call, document: str, person: str, reason: str, out: Path | None) -> int:
    async with client(call) as service:
        if person:
            token = await service.erase_entity(person, reason)
        else:
            token = await service.erase(document, reason)
        ended = await outcome(service, token)
        if ended.outcome != "committed":
            console.print(ended.cause, markup=False)
            return EXIT_NOT_KNOWN
        certificate = await service.erasure_certificate(token)
    if out is not None:
        await asyncio.to_thread(out.write_text, certificate + "\n", encoding="utf-8")
    console.print(certificate, markup=False, highlight=False, soft_wrap=True)
    if found_nothing(certificate):
        click.echo("note: nothing was found to erase; is the id right? `tidegraph why` shows ids", err=True)
    return 0


def found_nothing(certificate: str) -> bool:
    """Whether a certificate tells of no row, record or raw position: as a rule, of a misspelt id."""
    told = json.loads(certificate)
    return not (any(told["removed"].values()) or told["raw_positions"] or told["documents"])


@runs
async def _check(certificate: str, as_json: bool) -> int:
    configured = located(settings_module.load(os.environ))
    graphs = Graphs(configured)
    store = configured.store
    statuses = Connection(store.url, store.graph_prefix, store.query_timeout_ms)
    try:
        async with KafkaLog(configured) as log:
            found = await remains(certificate, graphs.store, log, RedisStatusStore(statuses))
    finally:
        await statuses.close()
        await graphs.close()
    if as_json:
        print_json({"remains": found})
    else:
        console.print("\n".join(found) or "nothing is left", markup=False)
    return EXIT_NOT_KNOWN if found else 0
