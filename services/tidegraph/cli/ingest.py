"""``tidegraph ingest``: files, folders or standard input onto the documents topic.

Exit codes: 0 all documents were sent (with ``--wait``: committed); 1 some were rejected; 2 the command
line is wrong; 3 the service cannot be reached.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from tidegraph import settings as settings_module
from tidegraph.cli.ingest_progress import Outcomes, Progress, wait_for
from tidegraph.domain.documents import DocumentKind, DocumentTime, Position
from tidegraph.domain.errors import Rejected, Retryable, TidegraphError
from tidegraph.inputs import envelope, times
from tidegraph.inputs.document import Defaults, iso_text
from tidegraph.inputs.files import formats, walk
from tidegraph.inputs.files.model import FileDocument, FileResult, ReadOptions, Rejection
from tidegraph.inputs.mapping import Mapping, load_mapping, parse_mapping
from tidegraph.settings import Settings

EXIT_REJECTED: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNREACHABLE: Final = 3
IN_FLIGHT: Final = 256
"""Records sent and not yet acknowledged; more would only wait in memory."""


@dataclass(frozen=True, slots=True)
class _Command:
    """What the command line asks for."""

    paths: tuple[str, ...]
    options: ReadOptions
    backfill: bool
    wait: bool
    timeout: float
    as_json: bool


@click.command("ingest", short_help="Send files, folders or standard input to the service.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH... | -")
@click.option("--date", metavar="TIME", help="Time of the documents, instead of what they say of themselves.")
@click.option("--format", "file_format", type=click.Choice(formats.FORMATS), help="Read every file as this.")
@click.option(
    "--mapping", metavar="FILE", help="Mapping file (YAML) for JSON records, or the name of a ready one."
)
@click.option("--graph", metavar="NAME", help="Tenant; default is TIDEGRAPH_GRAPH.")
@click.option("--register", is_flag=True, help="The documents state the whole of their subject.")
@click.option("--source", default="", metavar="NAME", help="Source of documents that name none.")
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="Access label; may be repeated.")
@click.option("--backfill", is_flag=True, help="An archive: each document was known at its own time.")
@click.option("--wait", is_flag=True, help="Wait until every document is committed or rejected.")
@click.option(
    "--timeout", type=click.FloatRange(min=0), default=600.0, show_default=True, help="Seconds to wait."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON line a document.")
@click.option("--dry-run", is_flag=True, help="Only read: show what would be sent.")
def command(paths: tuple[str, ...], dry_run: bool, **given: Any) -> None:
    """Send documents to the service.

    Reads text, markdown, HTML, e-mail (.eml, mbox), PDF, Word (.docx), JSON and JSON Lines. A folder is
    read with all that is in it, except hidden files. A file's id is its path, unless it names one.
    """
    try:
        settings = settings_module.load(os.environ)
        asked = _Command(
            paths=paths,
            options=_read_options(settings, given),
            backfill=given["backfill"],
            wait=given["wait"],
            timeout=given["timeout"],
            as_json=given["as_json"],
        )
        _check_paths(paths)
    except Rejected as error:
        raise click.UsageError(str(error.args[0])) from None
    sys.exit(_dry_run(asked) if dry_run else asyncio.run(_ingest(asked, settings)))


def _read_options(settings: Settings, given: dict[str, Any]) -> ReadOptions:
    rules = times.TimeRules(settings.grounding.timezone, settings.grounding.day_first)
    times.zone_of(rules.zone)
    return ReadOptions(
        defaults=Defaults(
            graph=settings.default_graph,
            source=given["source"],
            kind=DocumentKind.REGISTER if given["register"] else DocumentKind.NARRATIVE,
            labels=tuple(given["labels"]),
            max_bytes=settings.max_document_bytes,
        ),
        rules=rules,
        mapping=_mapping(given["mapping"]) if given["mapping"] else None,
        format=given["file_format"] or "",
        graph=given["graph"] or "",
        date=times.require(given["date"], "--date", rules) if given["date"] else None,
    )


def _mapping(name: str) -> Mapping:
    """A mapping file, or one that ships with the package, checked in both of its parts."""
    from tidegraph.language import record_mapping, records  # noqa: PLC0415  (not needed without --mapping)

    if name in records.READY and not Path(name).exists():
        mapping = parse_mapping(records.ready_mapping(name), name)
    elif Path(name).exists():
        mapping = load_mapping(name)
    else:
        message = f"there is no mapping file {name}; those that ship are {', '.join(records.READY)}"
        raise Rejected("INVALID_MAPPING", message)
    record_mapping.parse_entries(mapping.text, mapping.name)
    return mapping


def _check_paths(paths: tuple[str, ...]) -> None:
    if "-" in paths and len(paths) > 1:
        raise Rejected("INVALID_ARGUMENT", "standard input (-) cannot be mixed with paths")
    for path in paths:
        if path != "-" and not Path(path).exists():
            raise Rejected("NO_SUCH_FILE", f"{path} does not exist")


def _results(asked: _Command) -> Iterator[FileResult]:
    if asked.paths == ("-",):
        yield from walk.read_stream(sys.stdin.buffer, asked.options)
        return
    for path in asked.paths:
        try:
            for file, name in walk.list_files(Path(path)):
                yield from walk.read_file(file, name, asked.options)
        except Rejected as error:
            yield Rejection(path, "", error.reason, str(error.args[0]))


def _dry_run(asked: _Command) -> int:
    rejected = 0
    for found in _results(asked):
        result = _with_backfill(found, asked)
        rejected += isinstance(result, Rejection)
        _echo_json(describe(result)) if asked.as_json else click.echo(_line(result))
    return EXIT_REJECTED if rejected else 0


def describe(result: FileResult) -> dict[str, Any]:
    """One document as it would be sent, or its rejection, for ``--dry-run --json``."""
    line: dict[str, Any] = {"path": result.path, "position": result.position}
    if isinstance(result, Rejection):
        return line | {"outcome": "rejected", "reason": result.reason, "cause": result.cause}
    document = result.document
    time = document.document_time
    return line | {
        "outcome": "ok",
        "id": document.document_id,
        "revision": document.revision,
        "graph": document.graph,
        "source": document.source,
        "title": document.title,
        "kind": document.kind.name.lower(),
        "document_time": iso_text(time) if time else None,
        "granularity": time.granularity.name.lower() if time else None,
        "provenance": time.provenance if time else None,
        "labels": list(document.labels),
        "language": document.language,
        "text": document.text,
        "records": [json.loads(record) for record in document.records],
    }


def _line(result: FileResult) -> str:
    place = f"{result.path} {result.position}".strip()
    if isinstance(result, Rejection):
        return f"rejected  {place}: {result.reason}: {result.cause}"
    document = result.document
    time = document.document_time
    when = f"{iso_text(time)} ({time.provenance})" if time else "no time"
    size = f"{len(document.text):,} characters"
    return f"ok        {place}: {document.document_id}, {when}, {size}: {document.title}"


def _with_backfill(result: FileResult, asked: _Command) -> FileResult:
    if asked.backfill and isinstance(result, FileDocument) and result.document.document_time is None:
        cause = "a backfill needs the time of each document: give it in the file or with --date"
        return Rejection(result.path, result.position, "NO_DOCUMENT_TIME", cause)
    return result


async def _ingest(asked: _Command, settings: Settings) -> int:
    from tidegraph.cli.ingest_target import open_target  # noqa: PLC0415  (loads the Kafka client)

    outcomes = Outcomes()
    try:
        async with open_target(settings, needs_status=asked.wait) as target:
            with Progress(enabled=not asked.as_json and sys.stderr.isatty()) as progress:
                await _send_all(asked, target.log, outcomes, progress)
                if target.status is not None and outcomes.sent:
                    await wait_for(target.status, outcomes, asked.timeout, progress)
    except Retryable as error:
        _stop(error, outcomes, EXIT_UNREACHABLE)
    except Rejected as error:
        _stop(error, outcomes, EXIT_USAGE)
    _report(asked, outcomes)
    return outcomes.exit_code


async def _send_all(asked: _Command, log: Any, outcomes: Outcomes, progress: Progress) -> None:
    """Send in the order of reading, with a bounded number under way; the order in a partition is kept."""
    under_way: deque[tuple[FileDocument, asyncio.Task[Position]]] = deque()

    async def settle() -> None:
        result, task = under_way.popleft()
        try:
            outcomes.sent_to(result, await task)
        except Rejected as error:
            outcomes.reject(Rejection(result.path, result.position, error.reason, str(error.args[0])))
        progress.sent(len(outcomes.sent))

    try:
        results = _results(asked)
        # Reading blocks (a PDF takes its time); meanwhile the loop takes in what the broker confirms.
        while (found := await asyncio.to_thread(next, results, None)) is not None:
            result = _with_backfill(found, asked)
            if isinstance(result, Rejection):
                outcomes.reject(result)
                progress.rejected(result)
                continue
            key, value, headers = envelope.encode(result.document)
            stamp = _stamp(result.document.document_time) if asked.backfill else None
            under_way.append(
                (result, asyncio.create_task(log.append("documents", key, value, headers, stamp)))
            )
            await asyncio.sleep(0)
            while len(under_way) >= IN_FLIGHT:
                await settle()
        while under_way:
            await settle()
    finally:
        for _, task in under_way:
            task.cancel()


def _stamp(time: DocumentTime | None) -> int | None:
    return None if time is None else time.instant


def _report(asked: _Command, outcomes: Outcomes) -> None:
    if asked.as_json:
        for line in outcomes.lines():
            _echo_json(line)
        return
    for rejection in outcomes.rejected:
        click.echo(_line(rejection), err=True)
    for sent, cause in outcomes.dead_letters():
        click.echo(f"dead letter  {f'{sent.path} {sent.position}'.strip()}: {cause}", err=True)
    click.echo(outcomes.summary(waited=asked.wait))


def _stop(error: TidegraphError, outcomes: Outcomes, code: int) -> NoReturn:
    click.echo(f"{error.args[0]} ({len(outcomes.sent)} documents were sent before)", err=True)
    sys.exit(code)


def _echo_json(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
