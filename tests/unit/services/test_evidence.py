"""What an answer quotes, how it words time, and what a reader may know of: on small worlds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.services.world import GRAPH, NOW, Doc, World

from tidegraph.domain.documents import EntityType, Status, Verb
from tidegraph.domain.errors import NotFound
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import OPEN_END, Granularity, Interval, instant
from tidegraph.language.registry import load_registry
from tidegraph.ports import EntityRecord, FactFilter, Visibility
from tidegraph.services.caller import Caller
from tidegraph.services.usecases import facts
from tidegraph.services.usecases.answers import Outcome
from tidegraph.services.usecases.context import Moment
from tidegraph.services.usecases.moment import AskedTime, resolve
from tidegraph.services.usecases.phrasing import statement
from tidegraph.services.usecases.quoting import sentences
from tidegraph.services.usecases.sentence_parts import part_of

SECRET = Doc("sec", "2024-05-01", labels=("hr",))


async def _moment(world: World, labels: frozenset[str] | None = None, known_at: int | None = None) -> Moment:
    return await resolve(world.ports(), Caller(GRAPH, labels, "request"), AskedTime(None, known_at))


async def _evidence(world: World) -> list[tuple[FactVersion, Assertion]]:
    seen = Visibility(OPEN_END - 1, None)
    found = await world.store.facts(GRAPH, FactFilter(), seen)
    keys = list(dict.fromkeys(version.key for version in found))
    listed = await world.store.assertions(GRAPH, keys, seen)
    return [(v, a) for v in found for a in listed if a.key == v.key]


async def test_what_ends_a_fact_is_quoted_with_its_own_words_not_with_those_of_the_fact() -> None:
    world = World()
    one, other = Doc("policy", "2022-01-01", revision="1"), Doc("policy", "2023-07-01", revision="2")
    for doc, value in ((one, "30 days"), (other, "90 days")):
        world.claim(
            "Data policy", "has_value", value, doc.day, doc=doc, literal=True, attribute="retention period"
        )
    await world.build()
    answer = (await world.ask("What was the retention period of the data policy in 2022?")).answer
    assert answer.values == ("30 days",)
    assert [cited.revision for cited in answer.citations] == ["1", "2"]
    assert "30 days" in answer.citations[0].sentence
    assert "90 days" in answer.citations[1].sentence


async def test_evidence_without_an_event_is_quoted_from_its_document() -> None:
    world = World()
    doc = Doc("note", "2022-01-01")
    text = "A heading.\nRecords are\nkept for 30 days. More."
    world.chunk(text, doc)
    world.claim("Records", "has_value", "30 days", "2022-01-01", doc=doc, literal=True, attribute="age")
    await world.build()
    start, end = text.index("Records"), text.index(" More")
    evidence = [(v, replace(a, start_char=start, end_char=end)) for v, a in await _evidence(world)]
    said = await sentences(world.ports(), await _moment(world), evidence, {}, {})
    assert said == ["Records are kept for 30 days."]


async def test_a_denied_record_is_quoted_as_a_denial() -> None:
    world = World()
    doc = Doc("hr", "2022-01-01")
    world.claim("Ada Lind", "member_of", "Crew", "2022-01-01", doc=doc)
    world.claim("Ada Lind", "member_of", "Crew", "2022-01-01", doc=doc, status=Status.DENIED)
    await world.build()
    evidence = await _evidence(world)
    said = await sentences(world.ports(), await _moment(world), evidence, {}, {})
    denied = {text for text, (_, a) in zip(said, evidence, strict=True) if a.status is Status.DENIED}
    assert all(text.startswith("Denied: Ada Lind") for text in denied)
    assert all("Crew" in text for text in said)


async def test_what_lies_ahead_is_told_in_the_future() -> None:
    world = World()
    world.claim("Halden", "headquarters", "Bergen", "2021-03-01")
    world.claim("Halden", "headquarters", "Oslo", "2028-01-01", verb=Verb.START, status=Status.PLANNED)
    await world.build()
    answer = (await world.ask("Where will Halden be based in February 2028?")).answer
    assert answer.values == ("Oslo",)
    assert answer.text.startswith("Halden will have its headquarters in Oslo (announced) from 1 January 2028")
    assert answer.transition == "until 1 January 2028: Bergen; from 1 January 2028: Oslo"


@pytest.mark.parametrize(
    "question",
    [
        "When did Greta Voss step down as CEO of Halden?",
        "When did Greta Voss step down?",
        "When did Greta Voss resign as chief executive of Halden?",
    ],
)
async def test_a_question_for_an_end_may_use_any_verb_of_leaving(question: str) -> None:
    world = World()
    world.person("Greta Voss")
    world.claim("Greta Voss", "holds_role", "Halden", "2020-05-02", "2023-09-28", role="ceo")
    await world.build()
    assert (await world.ask(question)).answer.values == ("28 September 2023",)


async def test_a_verb_of_leaving_finds_nobody_who_took_office() -> None:
    world = World()
    world.person("Piet Bakker")
    world.claim("Piet Bakker", "holds_role", "Halden", "2023-11-01", role="ceo")
    await world.build()
    answer = (await world.ask("Who resigned as CEO of Halden in 2024?")).answer
    assert answer.outcome is Outcome.NOT_KNOWN


async def test_other_times_are_counted_in_good_english() -> None:
    world = World()
    world.person("Lena Ortiz")
    world.claim("Lena Ortiz", "holds_role", "Halden", "2021-03-01", "2022-03-01", role="cfo")
    await world.build()
    answer = (await world.ask("Who was CFO of Halden in 2019?")).answer
    assert answer.outcome is Outcome.NOT_KNOWN
    assert answer.text.endswith("1 fact of the kind holds at other times.")


@pytest.mark.parametrize(
    ("labels", "known_at", "found"),
    [
        (None, None, True),
        (frozenset({"hr"}), None, True),
        (frozenset(), None, False),
        (frozenset({"sales"}), None, False),
        (None, instant(2023), False),
    ],
)
async def test_an_entity_is_unknown_to_who_may_not_know_of_it(
    labels: frozenset[str] | None, known_at: int | None, found: bool
) -> None:
    world = World()
    world.person("Mira Kahn")
    world.claim("Mira Kahn", "holds_role", "Halden", "2024-05-01", doc=SECRET, role="cfo")
    await world.build()
    moment = await _moment(world, labels, known_at)
    assert moment.now == NOW
    if found:
        assert [e.name for e in await facts.get_entity(world.ports(), moment, "Mira Kahn")] == ["Mira Kahn"]
    else:
        with pytest.raises(NotFound, match="Mira Kahn"):
            await facts.get_entity(world.ports(), moment, "Mira Kahn")


RELEASES = (
    "Petrel Amber was released on 31 March 2023, Petrel Birch on 1 April 2023, Petrel Cedar on 30 June 2023 "
    "and Petrel Dogwood on 1 July 2023."
)


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Which Petrel releases came out in the second quarter of 2023?", {"Birch", "Cedar"}),
        ("Which Petrel releases came out after 1 April 2023?", {"Cedar", "Dogwood"}),
        ("Which was the last Petrel release before 1 July 2023?", {"Cedar"}),
        ("Which Petrel releases came out in 2022?", set()),
    ],
)
async def test_a_list_of_dated_items_answers_with_the_items_of_the_asked_time(
    question: str, named: set[str]
) -> None:
    world = World()
    doc = Doc("d1", "2023-07-10", title="Petrel releases")
    for day in ("2023-03-31", "2023-04-01", "2023-06-30", "2023-07-01"):
        world.event(RELEASES, day, "Petrel", doc=doc)
    await world.build()
    answer = (await world.ask(question)).answer
    assert {name for name in ("Amber", "Birch", "Cedar", "Dogwood") if name in answer.text} == named
    assert all(cited.sentence == RELEASES for cited in answer.citations)


@pytest.mark.parametrize(
    ("sentence", "day", "part"),
    [
        (
            "Quill version 1 came on 3 March 2021, version 2 on 10 May 2022.",
            "2022-05-10",
            "version 2 on 10 May 2022",
        ),
        ("It opened on 3 March 2021 and closed on 5 May 2022.", "2022-05-05", ""),
        ("Acme moved on 3 March 2021, and on 5 May 2022.", "2022-05-05", ""),
        ("On 3 March 2021 Acme moved; Bolt followed on 5 May 2022.", "2022-05-05", ""),
        ("Acme moved on 3 March 2021.", "2021-03-03", ""),
    ],
)
async def test_only_an_item_that_stands_for_itself_is_taken_out_of_its_sentence(
    sentence: str, day: str, part: str
) -> None:
    world = World()
    event_id = world.event(sentence, day, "Acme")
    await world.build()
    seen = Visibility(OPEN_END - 1, None)
    [record] = await world.store.events(GRAPH, [event_id], seen)
    assert part_of(record, world.ports().grounding) == (part or sentence)


async def _renamed() -> World:
    world = World()
    for person in ("Elsa Lund", "Ivar Dahl", "Tom Birk"):
        world.person(person)
    world.claim("Elsa Lund", "holds_role", "Norvik", "2019-04-01", role="ceo")
    world.claim("Tom Birk", "holds_role", "Tarn", "2019-04-01", role="ceo")
    world.claim("Norvik", "name", "Aurora", "2022-09-01", literal=True, doc=Doc("ren", "2022-09-01"))
    world.claim("Ivar Dahl", "holds_role", "Aurora", "2023-02-01", role="ceo")
    return await world.build()


async def test_what_was_told_under_a_former_name_answers_and_the_renaming_is_cited() -> None:
    answer = (await (await _renamed()).ask("Who was CEO of Aurora in 2020?")).answer
    assert answer.values == ("Elsa Lund",)
    assert answer.text.endswith("Norvik has been called Aurora since 1 September 2022 [3].")
    assert [check.passed for check in answer.checks] == [True] * 4
    assert answer.citations[-1].document_id == "ren"


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Who was CEO of Aurora in 2024?", ("Ivar Dahl",)),
        ("Who was CEO of Aurora in 2018?", ()),
        ("Who was CFO of Aurora in 2020?", ()),
        ("Who was CEO of Tarn in 2018?", ()),
    ],
)
async def test_other_names_are_only_a_last_resort(question: str, values: tuple[str, ...]) -> None:
    answer = (await (await _renamed()).ask(question)).answer
    assert answer.values == values
    assert (answer.outcome is Outcome.NOT_KNOWN) == (not values)


async def test_a_renaming_counts_from_when_it_was_known() -> None:
    world = World()
    world.person("Elsa Lund")
    early, late = Doc("a", known="2020-01-01"), Doc("ren", "2022-09-01", known="2022-09-01")
    world.claim("Elsa Lund", "holds_role", "Norvik", "2019-04-01", role="ceo", doc=early)
    world.claim("Norvik", "name", "Aurora", "2022-09-01", literal=True, doc=late)
    world.event("Aurora opened a site.", "2020-01-01", "Aurora", doc=early)
    await world.build()
    question = "Who was CEO of Aurora in 2020?"
    assert (await world.ask(question)).answer.values == ("Elsa Lund",)
    assert (await world.ask(question, known="2021")).answer.outcome is Outcome.NOT_KNOWN


async def test_a_question_for_an_end_tells_nothing_of_what_goes_on() -> None:
    world = World()
    world.person("Greta Voss")
    world.claim("Greta Voss", "holds_role", "Halden", "2020-05-02", "2023-09-28", role="ceo")
    world.claim("Greta Voss", "member_of", "Kestrel Board", "2020-06-01")
    await world.build()
    answer = (await world.ask("When did Greta Voss step down?")).answer
    assert answer.values == ("28 September 2023",)
    assert "Kestrel" not in answer.text


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ("Norvik", "Norvik has been called Aurora"),
        ("Aurora", "Norvik has been called Aurora"),
        ("AURORA", "Norvik has been called Aurora"),
    ],
)
def test_a_name_is_told_of_another_name(shown: str, told: str) -> None:
    """Whichever of its names a thing is shown under now."""
    start = instant(2022, 9, 1)
    fact = FactVersion(
        version_id="v",
        key="k",
        subject="e",
        predicate="name",
        object="Aurora",
        object_is_entity=False,
        qualifiers=(),
        valid=Interval(start, OPEN_END),
        start_granularity=Granularity.DAY,
        end_granularity=Granularity.UNKNOWN,
        start_known=True,
        end_inferred=False,
        announced=False,
        conflicted=False,
        recorded_at=start,
        invalidated_at=OPEN_END,
    )
    record = EntityRecord(
        "e", "norvik", shown, EntityType.ORGANISATION, ("AURORA", "Aurora", "Norvik"), start
    )
    assert statement(fact, load_registry(), {"e": record}, instant(2024, 1, 1)) == told
