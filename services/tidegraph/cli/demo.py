"""``tidegraph demo``: the whole system on a small feed, from the first record to a dated answer.

Always the embedded stack and the built-in reasoner, in a folder of its own that is removed at the end,
so that it is the same everywhere and touches nothing that is configured.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Final

import click

from tidegraph import settings as settings_module
from tidegraph.api.v1.query_pb2 import Change
from tidegraph.cli import demo_feed
from tidegraph.cli.demo_feed import FeedRecord
from tidegraph.cli.demo_view import Tally, View
from tidegraph.client import ApiError, Client, Fact, Options
from tidegraph.domain.errors import TidegraphError
from tidegraph.embedded.stack import Stack, StackEvent
from tidegraph.log.producer import KafkaLog
from tidegraph.log.topics import Topic
from tidegraph.services.tokens import await_token

EXIT_FAILED: Final = 1
GRAPH: Final = "demo"
COMPANY: Final = "Brightwater Logistics"
ROLE: Final = "chief technology officer"
PERSON: Final = "Anna Virtanen"
TURNING_POINT: Final = "news-2023-02"
"""The document whose arrival is shown on its own."""
_OUTCOME_SECONDS: Final = 100.0
_REST_SECONDS: Final = 1.0


@click.command("demo", short_help="Show the whole loop on a small feed.")
def command() -> None:
    """Start an embedded stack, send it forty documents of an invented company, and ask it questions.

    Ends by itself and leaves nothing behind.
    """
    try:
        asyncio.run(_run(View()))
    except (ApiError, TidegraphError, TimeoutError) as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_FAILED)


async def _run(view: View) -> None:
    started = time.monotonic()
    view.title(f"Tidegraph demo: three years of {COMPANY}, an invented company, in forty records")
    folder = tempfile.mkdtemp(prefix="tidegraph-demo-")
    environment = _environment(folder)
    view.act("Starting a broker, a store, the stages and the server on this machine")
    async with Stack(
        settings_module.load(environment), events=partial(_tell, view), environment=environment
    ) as stack:
        where = settings_module.load({**environment, "TIDEGRAPH_KAFKA_BOOTSTRAP": stack.kafka_bootstrap})
        async with KafkaLog(where) as log, Client(stack.grpc_address, graph=GRAPH) as client:
            await _unless_failed(stack, Demo(log, client, view).play())
    shutil.rmtree(folder)  # kept when something failed: the logs in it say what
    view.act(f"Done in {time.monotonic() - started:.0f} seconds; everything is stopped and removed")
    view.say("To keep a stack running, and to ask it from another terminal:")
    view.command("make up", apart=False)
    view.command(".venv/bin/tidegraph ingest PATH --wait", apart=False)
    view.command('.venv/bin/tidegraph ask "QUESTION" --as-of DATE --known-at DATE', apart=False)


def _environment(folder: str) -> dict[str, str]:
    """That of this process, without settings of another stack."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TIDEGRAPH_")}
    return {**kept, "TIDEGRAPH_DATA_DIR": folder, "TIDEGRAPH_GRAPH": GRAPH}


def _tell(view: View, event: StackEvent) -> None:
    """Say what becomes of the parts of the stack."""
    match event.what:
        case "ready":
            view.pair(event.part, f"ready at {event.text}" if ":" in event.text else "ready")
        case "notice":
            view.say(event.text, "dim")
        case "crashed":
            view.pair(event.part, f"crashed: {event.text}")


async def _unless_failed(stack: Stack, acts: Coroutine[None, None, None]) -> None:
    """Play the acts; a part of the stack that ends by itself ends them with its error."""
    playing = asyncio.create_task(acts)
    failing = asyncio.create_task(stack.wait_failed())
    try:
        await asyncio.wait((playing, failing), return_when=asyncio.FIRST_COMPLETED)
        if failing.done() and not playing.done():
            raise failing.result()
        await playing
    finally:
        playing.cancel()
        failing.cancel()


class Demo:
    """The acts, one after the other."""

    def __init__(self, log: KafkaLog, client: Client, view: View) -> None:
        self._log = log
        self._client = client
        self._view = view

    async def play(self) -> None:
        feed = demo_feed.load(GRAPH)
        turn = next(place for place, record in enumerate(feed) if record.document_id == TURNING_POINT)
        await self._first_part(feed[:turn])
        await self._supersession(feed[turn])
        await self._last_part(feed[turn + 1 :])
        await self._two_dates()
        await self._two_states_of_knowledge()
        await self._timeline()
        await self._dead_letters()

    async def _first_part(self, records: Sequence[FeedRecord]) -> None:
        self._view.act(f"The first {len(records)} records go through Kafka into the graph")
        await self._send(records)
        self._view.facts(await self._holders())

    async def _supersession(self, record: FeedRecord) -> None:
        self._view.act("One more arrives, and a fact is superseded")
        self._view.pair(record.document_id, json.loads(record.value or b"{}")["text"])
        before = (await self._client.status()).graph_version
        await self._send([record])
        for change in await self._changes(before):
            self._view.pair(change.action, change.text)
        self._view.facts(await self._holders())

    async def _last_part(self, records: Sequence[FeedRecord]) -> None:
        self._view.act(
            f"The other {len(records)}: plans, corrections, a retraction, a late one and a broken one"
        )
        await self._send(records)
        self._view.facts(await self._holders())

    async def _two_dates(self) -> None:
        self._view.act("The same question at two dates")
        for date in ("1 June 2022", "1 June 2024"):
            await self._ask(f"Who was CTO of {COMPANY} on {date}?")

    async def _two_states_of_knowledge(self) -> None:
        self._view.act("The same question in two states of knowledge")
        self._view.say("The minutes of February 2023 reached the feed in September: a late document.")
        question = f"Who was CTO of {COMPANY} on 15 March 2023?"
        await self._ask(question, known="2023-06-01")
        await self._ask(question)

    async def _timeline(self) -> None:
        self._view.act("A timeline")
        self._view.command(f'tidegraph timeline "{PERSON}"')
        found = await self._client.timeline(entity=PERSON)
        for entry in (*found.undated, *found.dated):
            self._view.say(entry.text, hang=4)

    async def _dead_letters(self) -> None:
        self._view.act("The broken record waits as a dead letter, with its cause")
        for letter in await self._client.dead_letters():
            self._view.pair(letter.document_id, letter.cause)

    async def _send(self, records: Sequence[FeedRecord]) -> None:
        """Append records and follow them until each has its outcome."""
        tokens = [
            await_token(
                await self._log.append(
                    Topic.DOCUMENTS, record.key, record.value, record.headers, record.recorded_at
                )
            )
            for record in records
        ]
        tally = Tally(len(tokens))
        with self._view.progress("records", tally) as bar:
            task = bar.add_task("", total=tally.total)
            async with asyncio.timeout(_OUTCOME_SECONDS):
                async for status in self._client.watch_ingest(*tokens):
                    if status.outcome:
                        tally.outcomes[status.outcome] += 1
                        bar.update(task, completed=tally.done)

    async def _changes(self, before: int) -> list[Change]:
        """What the commits after ``before`` changed; the feed has no end, so it is read until it rests."""
        found: list[Change] = []
        changes = aiter(self._client.changes(before))
        with contextlib.suppress(TimeoutError):
            while True:
                found.append(await asyncio.wait_for(anext(changes), _REST_SECONDS))
        return sorted(found, key=lambda change: (change.sequence, change.action, change.text))

    async def _holders(self) -> list[Fact]:
        """Who held the role, at any time, as best known, in order of time."""
        facts = await self._client.facts(predicate="holds_role", object=COMPANY, any_valid_time=True)
        held = [fact for fact in facts if ("role", ROLE) in fact.qualifiers]
        return sorted(held, key=lambda fact: fact.valid.start_text)

    async def _ask(self, question: str, known: str = "") -> None:
        self._view.command(f'tidegraph ask "{question}"' + (f" --known-at {known}" if known else ""))
        self._view.answer(await self._client.ask(question, Options(known=known)))
