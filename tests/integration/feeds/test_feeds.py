"""Real revision feeds through the whole stack: every document arrives, and answers fit the asked date."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from tests.integration.feeds.conftest import Fed
from tests.integration.feeds.revisions import (
    FOLDER,
    OWN,
    Feed,
    Holding,
    Revision,
    expected_roles,
    rewordings,
    words_of,
)
from tests.integration.streams.feed import ALL

from tidegraph.cli.serve import open_ports
from tidegraph.client import Answer, Client, Options
from tidegraph.log.deadletter import list_letters
from tidegraph.ports import FactFilter
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.streams.setup import Graphs

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(1_800)]

CALL_SECONDS: Final = 60.0
REWORDINGS_MAX: Final = 12
"""Of one feed, spread evenly."""


async def test_every_document_is_committed(fed: Fed) -> None:
    sent = Counter((r.document_id, r.revision) for feed in fed.feeds for r in feed.revisions)
    assert Counter((line["id"], line["revision"]) for line in fed.lines) == sent
    assert {line["outcome"] for line in fed.lines} == {"committed"}
    for feed in fed.feeds:
        counts = await fed.here.status.summary(feed.name)
        assert {name: count for name, count in counts.items() if count} == {"committed": len(feed.revisions)}
    assert await list_letters(fed.here.log, limit=10) == []


async def test_a_person_is_in_a_role_while_the_table_shows_it(fed: Fed) -> None:
    expected = {feed.name: expected_roles(feed) for feed in fed.feeds}
    assert any(expected.values()) or FOLDER != OWN, "no feed holds a table of roles"
    for name, roles in expected.items():
        if roles:
            assert await _roles(fed, name) == roles


async def _roles(fed: Fed, graph: str) -> set[tuple[Holding, int, int]]:
    graphs = Graphs(fed.here.settings)
    try:
        facts = await graphs.store.facts(graph, FactFilter(predicates=("holds_role",), limit=100_000), ALL)
        ids = {fact.subject for fact in facts} | {fact.object for fact in facts}
        names = {record.entity_id: record.name for record in await graphs.store.entities(graph, sorted(ids))}
    finally:
        await graphs.close()
    rows = [
        (
            (names[fact.subject], dict(fact.qualifiers)["role"], names[fact.object]),
            fact.valid.start,
            fact.valid.end,
        )
        for fact in facts
    ]
    assert len(rows) == len(set(rows)), "a fact is there twice"
    return set(rows)


async def test_evidence_comes_from_the_revision_in_force(fed: Fed) -> None:
    asked = 0
    async with _clients(fed) as clients:
        for feed in fed.feeds:
            found = list(rewordings(feed))
            for each in found[:: -(-len(found) // REWORDINGS_MAX) or 1]:
                for revision, wording, other in (
                    (each.before, each.old, each.new),
                    (each.after, each.new, each.old),
                ):
                    answer = await clients[feed.name].ask(each.question, _at(revision.middle))
                    said = _cited_in_force(feed, revision, answer)
                    missing = set(words_of(wording)) - set(words_of(other)) - set(words_of(said))
                    assert not missing, f"{each.question} at {revision.document_time}: {said}"
                    asked += 1
    assert asked or FOLDER != OWN, "no revision words a sentence anew"


def _cited_in_force(feed: Feed, revision: Revision, answer: Answer) -> str:
    """The sentences cited of the revision's document; all that is cited was in force with it."""
    assert answer.known, answer.text
    at, documents = revision.middle, feed.documents()
    for cited in answer.citations:
        force = [each for each in documents[cited.document_id] if each.at <= at < each.until]
        assert [each.revision for each in force] == [cited.revision], cited
        if not cited.event_id:  # an event's sentence has its referents put in
            assert " ".join(cited.sentence.split()) in " ".join(force[0].text.split()), cited
    return " ".join(c.sentence for c in answer.citations if c.document_id == revision.document_id)


async def test_a_removed_document_says_nothing_any_more(fed: Fed) -> None:
    removed = [(feed, r) for feed in fed.feeds for r in feed.revisions if r.is_removal]
    async with _clients(fed) as clients:
        for feed, removal in removed:
            before = next(
                r for r in feed.revisions if r.document_id == removal.document_id and r.until == removal.at
            )
            hits = await clients[feed.name].retrieve(before.title, _at(before.middle), limit=100)
            assert before.document_id in {hit.document_id for hit in hits}
            hits = await clients[feed.name].retrieve(before.title, _at(removal.middle), limit=100)
            said = {hit.text for hit in hits if hit.document_id == removal.document_id}
            assert said <= {removal.text, f"{removal.title}: {removal.text}"}


def _at(instant: int) -> Options:
    valid = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=instant)
    return Options(valid=valid, timeout_seconds=CALL_SECONDS)


@asynccontextmanager
async def _clients(fed: Fed) -> AsyncIterator[dict[str, Client]]:
    """A client of each feed's graph, on a server with everything real behind it."""
    settings = fed.here.settings
    async with open_ports(settings) as ports, AsyncExitStack() as cleanup:
        server = ApiServer(replace(settings.server, port=0), ports, settings.default_graph)
        target = f"127.0.0.1:{await server.start()}"
        cleanup.push_async_callback(server.drain, DrainTimes(0, 0))
        yield {
            feed.name: await cleanup.enter_async_context(Client(target, graph=feed.name))
            for feed in fed.feeds
        }
