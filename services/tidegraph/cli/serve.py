"""``tidegraph serve``: the gRPC server.

Exit codes: 0 stopped on request; 1 it could not start or died; 2 settings are wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from typing import Final

import click

from tidegraph import settings as settings_module
from tidegraph.cli.ingest_target import located
from tidegraph.domain.errors import NotFound, Rejected, TidegraphError
from tidegraph.embedded.notify import notify
from tidegraph.language.llm.question import ModelQuestionReader
from tidegraph.language.registry import load_registry
from tidegraph.log.producer import KafkaLog
from tidegraph.models.budget import process_budget
from tidegraph.models.clock import SystemClock
from tidegraph.models.factory import make_encoder, make_reranker
from tidegraph.models.metering import Meter
from tidegraph.models.openai_chat import ChatOptions, OpenAiChat
from tidegraph.models.prompts import load_prompt
from tidegraph.models.structured import OpenAiStructured, StructuredOptions
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases.context import ChatLimits, Ports
from tidegraph.services.usecases.opening import fitting
from tidegraph.settings import LlmSettings, Settings
from tidegraph.storage.connection import Connection
from tidegraph.storage.falkor import open_store
from tidegraph.storage.status import RedisStatusStore
from tidegraph.telemetry import expose

EXIT_FAILED: Final = 1
EXIT_SETTINGS: Final = 2
READING_SECONDS: Final = 10.0
"""A question waits no longer for what the model makes of it."""


@click.command("serve")
@click.option("--withdraw-seconds", default=0.0, show_default=True, help="Wait before taking no more calls.")
@click.option("--grace-seconds", default=10.0, show_default=True, help="How long calls may go on then.")
def command(withdraw_seconds: float, grace_seconds: float) -> None:
    """Run the gRPC server until it is told to stop; it then finishes the calls that are under way.

    In Kubernetes let --withdraw-seconds cover the time until no more calls are sent here.
    """
    try:
        configured = settings_module.load(os.environ)
        logging.basicConfig(
            level=configured.log_level.upper(),
            format="%(asctime)s %(levelname)s %(name)s: %(message)s",
            stream=sys.stderr,
        )
        logging.getLogger("httpx").setLevel(logging.WARNING)
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_serve(located(configured), DrainTimes(withdraw_seconds, grace_seconds)))
    except Rejected as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_SETTINGS)
    except TidegraphError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(EXIT_FAILED)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The faster loop of the `serve` extra where it is installed, else the standard one."""
    try:
        import uvloop  # noqa: PLC0415 (optional)
    except ImportError:
        return None
    return uvloop.new_event_loop


async def _serve(configured: Settings, times: DrainTimes) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop.set)
    with expose(configured.metrics):
        async with open_ports(configured) as ports:
            await _run(configured, ports, stop, times)


async def _run(configured: Settings, ports: Ports, stop: asyncio.Event, times: DrainTimes) -> None:
    await _told_of_another_encoder(ports, configured.default_graph)
    server = ApiServer(configured.server, ports, configured.default_graph)
    port = await server.start()
    logging.getLogger(__name__).info("listening on %s:%d", configured.server.host, port)
    notify("READY=1", os.environ)
    await stop.wait()
    notify("STOPPING=1", os.environ)
    await server.drain(times)


async def _told_of_another_encoder(ports: Ports, graph: str) -> None:
    """Say at once that the graph is to be rebuilt, and whether questions are refused until then. What needs
    no vector, the order to rebuild among it, is served.
    """
    logger = logging.getLogger(__name__)
    try:
        fits = fitting(ports, await ports.store.made(graph)).encoder
    except NotFound:
        return
    except TidegraphError as error:
        logger.error("graph %s: %s", graph, error)
        return
    if fits is not ports.encoder:
        message = "graph %s: %s answers until `tidegraph rebuild` embeds it by %s; documents wait for that"
        logger.warning(message, graph, fits.model_id, ports.encoder.model_id)


@contextlib.asynccontextmanager
async def open_ports(configured: Settings) -> AsyncIterator[Ports]:
    """The real outside of the service: FalkorDB, redis, Kafka, the models."""
    registry = load_registry(configured.predicates_file)
    models = configured.embeddings
    encoder = make_encoder(models.encoder, server=models)
    url = configured.store.url
    async with contextlib.AsyncExitStack() as cleanup:
        store = open_store(url, configured.store, registry, encoder.dimensions, encoder.model_id)
        cleanup.push_async_callback(store.close)
        statuses = Connection(url, configured.store.graph_prefix, configured.store.query_timeout_ms)
        cleanup.push_async_callback(statuses.close)
        log = await cleanup.enter_async_context(KafkaLog(configured))
        chat = await _chat(configured.llm, cleanup)
        yield Ports(
            store=store,
            status=RedisStatusStore(statuses),
            log=log,
            encoder=encoder,
            former_encoder=make_encoder(models.former, server=models) if models.former else None,
            clock=SystemClock(),
            registry=registry,
            chat=chat,
            chat_limits=ChatLimits(configured.llm.max_tokens, configured.llm.timeout_seconds),
            grounding=configured.grounding,
            max_document_bytes=configured.max_document_bytes,
            reranker=make_reranker(models.reranker),
            question_reader=_question_reader(configured.llm, cleanup),
            event_graph=configured.event_graph.parameters,
        )


def _question_reader(settings: LlmSettings, cleanup: contextlib.AsyncExitStack) -> ModelQuestionReader | None:
    """Who reads what the rules leave open in a question; nobody unless the settings say so."""
    if not settings.url or not settings.reads_questions:
        return None
    meter = Meter("question", settings.prompt_price, settings.completion_price)
    seconds = min(settings.timeout_seconds, READING_SECONDS)
    options = StructuredOptions(settings.url, settings.model, settings.api_key, seconds, meter)
    model = OpenAiStructured(options, process_budget(settings.concurrency, settings.tokens_per_minute))
    cleanup.callback(model.close)
    return ModelQuestionReader(model, load_prompt("question.v1"))


async def _chat(settings: LlmSettings, cleanup: contextlib.AsyncExitStack) -> OpenAiChat | None:
    """The language model, when one is configured; its id is asked for at the first question."""
    if not settings.url:
        return None
    chat = OpenAiChat(
        ChatOptions(settings.url, settings.model, settings.api_key),
        budget=process_budget(settings.concurrency, settings.tokens_per_minute),
        meter=Meter("answer", settings.prompt_price, settings.completion_price),
    )
    cleanup.push_async_callback(chat.close)
    return chat
