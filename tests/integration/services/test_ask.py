"""Documents through the API into the log, the real stages into FalkorDB, answers through the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.ops.repository import ROOT

from tidegraph import settings as settings_module
from tidegraph.api.v1 import ingest_pb2
from tidegraph.client import Client, Options
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.language.registry import load_registry
from tidegraph.models.factory import make_encoder
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases.context import ChatLimits, Ports
from tidegraph.settings import Settings
from tidegraph.streams.inprocess import InProcess

DOCUMENTS = (
    ("notice-1", "2021-03-02", "Vera Lind was appointed CTO of Corby Steel on 1 March 2021."),
    ("notice-2", "2023-09-04", "Hugo Amsel took over as CTO of Corby Steel on 1 September 2023."),
    ("notice-3", "2022-05-10", "Corby Steel opened a plant in Wexley on 9 May 2022."),
)


@dataclass
class Service:
    """A server over a pipeline that runs when it is told to."""

    pipeline: InProcess
    client: Client
    stamps: list[str]

    async def submit(self, document_id: str, day: str, text: str) -> str:
        document = ingest_pb2.Document(document_id=document_id, document_time=day, text=text)
        accepted = await self.client.submit(document)
        await self.pipeline.settle()
        return accepted.await_token


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with EmbeddedFalkorDB(tmp_path, append_fsync="no") as store:
        environment = {"TIDEGRAPH_FALKORDB_URL": store.url, "TIDEGRAPH_GRAPH": "works"}
        settings = settings_module.load(environment)
        async with InProcess.on_store(settings) as pipeline:
            server = ApiServer(settings.server, _ports(settings, pipeline), settings.default_graph)
            port = await server.start()
            async with Client(f"127.0.0.1:{port}") as client:
                yield Service(pipeline, client, [])
            await server.drain(DrainTimes(0, 0))


def _ports(settings: Settings, pipeline: InProcess) -> Ports:
    return Ports(
        store=pipeline.store,
        status=pipeline.status,
        log=pipeline.log,
        encoder=make_encoder(),
        clock=pipeline.clock,
        registry=load_registry(),
        chat=None,
        chat_limits=ChatLimits(256, 5.0),
        grounding=settings.grounding,
        max_document_bytes=settings.max_document_bytes,
    )


async def test_a_question_at_two_dates_and_two_states_of_knowledge(service: Service) -> None:
    ask, question = service.client.ask, "Who is chief technology officer of Corby Steel?"
    await service.submit(*DOCUMENTS[0])
    first = await ask(question)
    assert first.values == ("Vera Lind",)
    token = await service.submit(*DOCUMENTS[1])
    after = await ask(question, Options(await_token=token))
    assert after.values == ("Hugo Amsel",)
    assert "until 1 September 2023: Vera Lind" in after.transition
    assert {cited.document_id for cited in after.citations} == {"notice-1", "notice-2"}
    then = await ask(question, Options(valid="2022"))
    assert then.values == ("Vera Lind",)
    known = await ask(question, Options(known=first.basis.known_at.ToJsonString()))
    assert known.values == ("Vera Lind",)
    assert "since 1 March 2021" in known.text


async def test_every_read_sees_the_same_belief(service: Service) -> None:
    for document in DOCUMENTS:
        await service.submit(*document)
    client = service.client
    facts = await client.facts(object="Corby Steel", predicate="chief technology officer of")
    assert [fact.subject for fact in facts] == ["Hugo Amsel"]
    rows = await client.history(entity="Corby Steel", predicate="holds_role")
    assert sum(row.current for row in rows) == 2
    why = await client.explain(facts[0].fact_id)
    told = [row for row in why.evidence if row.time_rule_id]
    assert told, "no evidence says which rule read its date"
    rules = (ROOT / "docs" / "grounding.md").read_text(encoding="utf-8")
    assert all(f"`{row.time_rule_id}`" in rules and row.rule_id for row in told)
    assert why.evidence[0].citation.source.document_id == "notice-2"
    hits = await client.retrieve("plant in Wexley", Options(valid="2022-05"))
    assert "Wexley" in hits[0].text
    timeline = await client.timeline(entity="Corby Steel")
    assert [entry.text for entry in timeline.dated if "Wexley" in entry.text]
    status = await client.status()
    assert status.documents["committed"] == 3
    assert status.graph_version >= 1
    changes = client.changes()
    first = await asyncio.wait_for(anext(changes), 10)
    assert first.action == "asserted"
    await changes.aclose()


async def test_what_a_retraction_had_closed_opens_again(service: Service) -> None:
    await service.submit(*DOCUMENTS[0])
    await service.submit(*DOCUMENTS[1])
    token = await service.client.retract("notice-2")
    await service.pipeline.settle()
    answer = await service.client.ask(
        "Who is chief technology officer of Corby Steel?", Options(await_token=token)
    )
    assert answer.values == ("Vera Lind",)
    assert {cited.document_id for cited in answer.citations} == {"notice-1"}


async def test_what_nobody_wrote_is_not_known(service: Service) -> None:
    await service.submit(*DOCUMENTS[0])
    for question in (
        "Who is chief financial officer of Corby Steel?",
        "Who is CFO of Corby Steel?",
        "Who owns Corby Steel?",
    ):
        answer = await service.client.ask(question)
        assert answer.outcome == "not_known"
        assert not answer.citations
