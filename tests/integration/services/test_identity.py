"""One entity under several names: renamings in every order of arrival, and an operator's merge and split."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import pytest

from tidegraph import settings as settings_module
from tidegraph.api.v1 import ingest_pb2
from tidegraph.client import ApiError, Client, Options
from tidegraph.domain.identity import Tie, components, is_open
from tidegraph.language.registry import load_registry
from tidegraph.models.factory import make_encoder
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases.context import ChatLimits, Ports
from tidegraph.storage import dump
from tidegraph.streams.inprocess import InProcess

GRAPH = "works"
Papers = Sequence[tuple[str, str, str]]
RENAMED: Papers = (
    ("first", "2018-06-12", "Elsa Lund was appointed CEO of Corvel Optics Ltd on 12 June 2018."),
    ("name", "2021-02-03", "Corvel Optics Ltd changed its name to Brightmere on 1 February 2021."),
    ("second", "2023-10-09", "Ivar Dahl took over as CEO of Brightmere on 6 October 2023."),
)
PASSED_ON: Papers = (
    ("old", "2014-05-05", "The utility Alder Gas was renamed Fennway Energy on 1 May 2014."),
    (
        "new",
        "2018-09-20",
        "A new company called Alder Gas was founded on 18 September 2018. It makes heaters.",
    ),
)


@dataclass
class Service:
    """A server over a pipeline that runs when it is told to."""

    pipeline: InProcess
    client: Client

    async def submit(self, papers: Papers) -> str:
        token = ""
        for document_id, day, text in papers:
            document = ingest_pb2.Document(document_id=document_id, document_time=day, text=text)
            token = (await self.client.submit(document)).await_token
            await self.pipeline.settle()
        return token

    async def names(self) -> list[list[str]]:
        """The sets of the graph, by the normal forms of their ids."""
        store = self.pipeline.store
        entities = await store.all_entities(GRAPH)
        rows = [r for r in await store.all_ties(GRAPH) if is_open(r) and r.tied.tie is Tie.SAME]
        keys = {entity.entity_id: entity.key for entity in entities}
        sets = components(keys, ((r.tied.left, r.tied.right) for r in rows))
        return sorted(sorted(keys[id_] for id_ in ids) for ids in set(sets.values()))


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with made() as running:
        yield running


class made:  # noqa: N801 (reads as a call)
    """A service on the in-memory twins, as a context."""

    async def __aenter__(self) -> Service:
        settings = settings_module.load({"TIDEGRAPH_GRAPH": GRAPH})
        pipeline = InProcess.in_memory(settings)
        ports = Ports(
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
        self._server = ApiServer(settings.server, ports, settings.default_graph)
        port = await self._server.start()
        self._client = Client(f"127.0.0.1:{port}")
        return Service(pipeline, self._client)

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()
        await self._server.drain(DrainTimes(0, 0))


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_a_renamed_firm_is_one_in_every_order(service: Service, order: tuple[int, ...]) -> None:
    await service.submit([RENAMED[place] for place in order])
    assert [keys for keys in await service.names() if len(keys) > 1] == [["brightmere", "corvel optics"]]
    ask, facts = service.client.ask, service.client.facts
    for name in ("Brightmere", "Corvel Optics"):
        then = await ask(f"Who was CEO of {name} in 2020?")
        assert then.values == ("Elsa Lund",)
        assert (await ask(f"Who is CEO of {name}?")).values == ("Ivar Dahl",)
    assert (await ask("What was Brightmere called in 2020?")).values == ("Corvel Optics Ltd",)
    held = await facts(subject="Elsa Lund", predicate="CEO of", options=Options(valid="2019-06-01"))
    assert [(fact.object, fact.valid.end_text) for fact in held] == [("Corvel Optics Ltd", "2023-10-06")]
    now = await facts(object="Corvel Optics", predicate="CEO of")
    assert [(fact.subject, fact.object) for fact in now] == [("Ivar Dahl", "Brightmere")]


@pytest.mark.parametrize(("day", "name"), [("2019-06-01", "Corvel Optics Ltd"), ("2024-01-05", "Brightmere")])
async def test_every_read_shows_the_name_in_force_at_the_asked_time(
    service: Service, day: str, name: str
) -> None:
    await service.submit(RENAMED)
    client, at_the_time = service.client, Options(valid=day)
    (asked,) = await client.facts(entity="Corvel Optics", predicate="CEO of", options=at_the_time)
    assert asked.object == name
    assert (await client.entity("Brightmere", at_the_time)).name == name
    hits = await client.retrieve(f"Who was CEO of {name}?", at_the_time)
    told = [hit.text for hit in hits if hit.kind == "fact" and "officer" in hit.text]
    assert told
    assert all(text.endswith(f"officer of {name}") for text in told)
    timeline = await client.timeline(entity="Brightmere", options=at_the_time)
    rows = [row.text for row in timeline.dated if row.HasField("fact") and "officer" in row.text]
    assert rows
    assert all(f"officer of {name}" in text for text in rows)


@pytest.mark.parametrize("order", list(permutations(range(2))))
async def test_a_name_that_passed_to_another_firm_does_not_join_the_two(
    service: Service, order: tuple[int, ...]
) -> None:
    await service.submit([PASSED_ON[place] for place in order])
    found = [keys for keys in await service.names() if "alder gas" in keys]
    assert found == [["alder gas"], ["alder gas", "fennway energy"]]
    info = await service.client.entity("Fennway Energy")
    assert "heaters" not in " ".join(fact.text for fact in info.facts)


async def test_an_operator_merges_and_splits_and_the_past_stays(service: Service) -> None:
    await service.submit(
        [
            ("a", "2021-03-02", "Vera Lind was appointed CTO of Corby Steel on 1 March 2021."),
            ("b", "2023-09-04", "Hugo Amsel took over as CTO of Corby Metals on 1 September 2023."),
        ]
    )
    client, store = service.client, service.pipeline.store
    before = await dump.content_hash(store, GRAPH)
    steel, metals = await client.entity("Corby Steel"), await client.entity("Corby Metals")
    assert not steel.member_ids
    question = "Who is CTO of Corby Steel?"
    assert (await client.ask(question)).values == ("Vera Lind",)
    known = (await client.ask(question)).basis.known_at.ToJsonString()
    token = await client.merge_entities(steel.entity_id, metals.entity_id, reason="one works, two signs")
    await service.pipeline.settle()
    merged = await client.ask(question, Options(await_token=token))
    assert merged.values == ("Hugo Amsel",)
    assert "until 1 September 2023: Vera Lind" in merged.transition
    assert (await client.ask(question, Options(known=known))).values == ("Vera Lind",)
    info = await client.entity("Corby Metals")
    assert info.member_ids == tuple(sorted((steel.entity_id, metals.entity_id)))
    assert [(tie.rule, tie.actor, tie.reason) for tie in info.ties if not tie.review] == [
        ("operator", "operator", "one works, two signs")
    ]
    why = await client.explain(
        (await client.facts(object="Corby Steel", options=Options(valid="2022")))[0].fact_id
    )
    assert why.evidence
    token = await client.split_entity(metals.entity_id, reason="two works after all")
    await service.pipeline.settle()
    assert (await client.ask(question, Options(await_token=token))).values == ("Vera Lind",)
    assert await dump.content_hash(store, GRAPH) == before
    assert "unmerged" in {row.action for row in await store.changes(GRAPH, 0, 500)}


async def test_wrong_decisions_say_what_is_wrong(service: Service) -> None:
    await service.submit(RENAMED[:1])
    info = await service.client.entity("Corvel Optics")
    for call, reason in (
        (service.client.merge_entities(info.entity_id), "TOO_FEW_ENTITIES"),
        (service.client.merge_entities(info.entity_id, "nobody"), "ENTITY_NOT_FOUND"),
        (service.client.split_entity(info.entity_id), "NOT_MERGED"),
        (service.client.merge_entities(*map(str, range(60))), "TOO_MANY_ENTITIES"),
        (service.client.reviews("nobody at all"), "ENTITY_NOT_FOUND"),
    ):
        with pytest.raises(ApiError) as caught:
            await call
        assert caught.value.reason == reason
    assert await service.client.reviews() == []
