"""Ranked evidence: as of the asked time, nearer before farther, facts that surely hold first."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.services.orlan import COMPANY, orlan
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.domain.documents import Status
from tidegraph.domain.interval import instant
from tidegraph.services.caller import Caller
from tidegraph.services.times import read_date
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.opening import opened
from tidegraph.services.usecases.ranking import TimeEncoding
from tidegraph.services.usecases.retrieve import DEFAULT, Options, Rerank, Retrieved, retrieve
from tidegraph.services.usecases.scope import Scope
from tidegraph.services.usecases.work import Work


@pytest.fixture(scope="module")
def world() -> World:
    return asyncio.run(orlan().build())


async def search(
    world: World, text: str, valid: str = "", limit: int = 50, options: Options = DEFAULT
) -> Retrieved:
    work, scope = await opening(world, text, valid)
    return await retrieve(work, scope, limit, options)


async def opening(
    world: World, text: str, valid: str = "", statuses: frozenset[Status] = frozenset()
) -> tuple[Work, Scope]:
    asked = AskedTime(valid=read_date(valid, "valid") if valid else None)
    return await opened(world.ports(), Caller(GRAPH, None, "r"), text, asked, statuses=statuses)


async def test_no_leg_shows_what_came_after_the_asked_time(world: World) -> None:
    found = await search(world, f"What did {COMPANY} do?", valid="2021-06")
    times = [hit.event.event.interval for hit in found.hits if hit.event]
    assert times
    assert all(time is None or time.start < instant(2021, 7) for time in times)
    assert all(hit.fact.valid.overlaps(read_date("2021-06", "x")) for hit in found.hits if hit.fact)


async def test_the_fact_that_surely_holds_comes_first_and_others_are_counted(world: World) -> None:
    found = await search(world, f"Who was CEO of {COMPANY} in 2020?")
    first = found.hits[0].fact
    assert first is not None
    assert first.valid.contains(instant(2020, 6))
    assert dict(first.qualifiers)["role"] == "chief executive officer"
    assert found.suppressed == 2
    assert {leg.name for leg in found.legs} == {
        *(
            "facts",
            "text_event",
            "text_chunk",
            "vector_event",
            "vector_chunk",
            "entity_event",
            "document_event",
        ),
    }


WHEN = ("2008", "2014", "2016-03", "2017", "2018-05-04", "2018-09", "2018-11-30", "2019")


async def dated(
    weight: float = 1.0,
    rerank: Rerank = Rerank.FEATURES,
    valid: str = "2018",
    encoding: TimeEncoding = TimeEncoding.KERNEL,
) -> dict[str, float]:
    """Scores of one sentence that documents of one kind tell of many times, by time; "": of none."""
    world = World()
    for number, when in enumerate((*WHEN, "")):
        world.event("Nimbus moved its archive to Basel.", when, "Nimbus", doc=Doc(f"d{number}", "2000-01-01"))
    await world.build()
    found = await search(
        world,
        "Where did Nimbus move its archive?",
        valid,
        options=Options(rerank, weight, encoding),
    )
    start = {read_date(when, "x").start: when for when in WHEN}
    return {
        start[hit.event.event.interval.start] if hit.event.event.interval else "": hit.score
        for hit in found.hits
        if hit.event
    }


async def test_a_nearer_time_never_counts_less_at_equal_text() -> None:
    scores = await dated()
    before = [scores[when] for when in ("2008", "2014", "2016-03", "2017")]
    assert before == sorted(before)
    assert len(set(before)) == len(before)
    inside = [scores[when] for when in ("2018-05-04", "2018-09", "2018-11-30")]
    assert min(inside) >= max(before), "what lies in the asked time counts most"
    assert "2019" not in scores, "what came later says nothing of the asked time"
    assert scores[""] < min(score for when, score in scores.items() if when), "a dated match beats undated"


async def test_weight_zero_ignores_time() -> None:
    scores = await dated(weight=0.0)
    assert len({round(score, 9) for score in scores.values()}) == 1
    assert set(scores) == {*WHEN, ""} - {"2019"}


async def test_the_fourier_encoding_can_be_chosen() -> None:
    kernel, fourier = await dated(), await dated(encoding=TimeEncoding.FOURIER)
    assert fourier.keys() == kernel.keys()
    assert fourier["2008"] < fourier["2017"], "a decade moves it"
    assert kernel["2017"] - kernel["2008"] > fourier["2017"] - fourier["2008"], "and years hardly"


async def test_without_a_reranker_the_fused_ranks_order() -> None:
    scores = await dated(rerank=Rerank.NONE)
    assert all(0 < score < 0.2 for score in scores.values()), "a sum of reciprocal ranks"


async def test_as_much_of_the_fused_ranks_is_read_as_shows_the_asked_number() -> None:
    world = World()
    for number in range(30):
        when = "2018-05" if number % 10 else f"201{number // 10}"
        world.event("Nimbus moved its archive to Basel.", when, "Nimbus", doc=Doc(f"d{number}"))
        world.event(
            f"Nimbus denied a move to town {number}.", "2018", status=Status.DENIED, doc=Doc(f"n{number}")
        )
    await world.build()
    work, scope = await opening(world, "Where did Nimbus move its archive?", "2018")
    every = (await retrieve(work, scope, 250, Options(Rerank.NONE))).hits
    assert {hit.event.event.interval for hit in every if hit.event} == {
        read_date(when, "x") for when in ("2010", "2011", "2012", "2018-05")
    }, "the same words of one time once"
    for limit in range(1, len(every) + 2):
        work, scope = await opening(world, "Where did Nimbus move its archive?", "2018")
        found = await retrieve(work, scope, limit, Options(Rerank.NONE))
        assert found.hits == every[:limit]


async def test_denied_and_planned_events_are_shown_when_asked_for() -> None:
    world = World()
    said = {Status.ASSERTED: "opened", Status.PLANNED: "will open", Status.DENIED: "never opened"}
    for number, (status, verb) in enumerate(said.items()):
        text = f"Nimbus {verb} a depot in Basel."
        world.event(text, "2018-05", "Nimbus", doc=Doc(f"d{number}"), status=status)
    await world.build()
    for asked, shown in (
        (frozenset(), {Status.ASSERTED}),
        (frozenset({Status.DENIED}), {Status.DENIED}),
        (frozenset(said), set(said)),
    ):
        work, scope = await opening(world, "Did Nimbus open a depot?", "2018", asked)
        found = await retrieve(work, scope, 50)
        assert {hit.event.event.status for hit in found.hits if hit.event} == shown


async def test_what_says_the_same_of_one_time_is_shown_once() -> None:
    world = World()
    for number in range(4):
        world.event("Nimbus moved its archive to Basel.", "2018-05", "Nimbus", doc=Doc(f"d{number}"))
    world.event("Nimbus moved its archive to Basel.", "2019-05", "Nimbus", doc=Doc("e"))
    await world.build()
    found = await search(world, "Where did Nimbus move its archive?")
    assert sum(hit.event is not None for hit in found.hits) == 2


async def test_each_hit_says_what_it_was_ranked_by(world: World) -> None:
    work, scope = await opening(world, f"Who was CEO of {COMPANY} in 2020?")
    found = await retrieve(work, scope, 50)
    for hit in found.hits:
        assert hit.score == pytest.approx(sum(value for _, value in hit.parts))
        assert hit.ranks
    assert {"cosine", "named", "time"} <= {name for hit in found.hits for name, _ in hit.parts}
    (run,) = work.trail.searches
    assert run.pool >= len(found.hits)
    assert [name for name, _ in run.steps] == ["legs", "records", "ranking"]
    assert [leg.name for leg in work.trail.legs] == [leg.name for leg in found.legs]


async def test_the_same_request_gives_the_same_hits(world: World) -> None:
    one, two = [await search(world, f"Delta terminal of {COMPANY}") for _ in range(2)]
    assert one.hits == two.hits


async def test_what_a_later_revision_replaced_is_shown_only_for_its_time() -> None:
    sentences = {"2018": "Badges of visitors are grey.", "2022": "Badges of visitors are green."}
    world = World()
    for year, sentence in sentences.items():
        world.event(sentence, "", doc=Doc("badges", f"{year}-03-01", revision=year))
    await world.build()
    for valid, year in (("2020-05-01", "2018"), ("2023-05-01", "2022"), ("", "2022")):
        found = await search(world, "What colour are the badges of visitors?", valid)
        shown = {hit.event.event.sentence for hit in found.hits if hit.event}
        assert shown == {sentences[year]}, valid
    both = await search(world, "What colour are the badges of visitors?", valid="2022")
    assert {hit.event.event.sentence for hit in both.hits if hit.event} == set(sentences.values())
