"""What is read around a name, and what statements say of names."""

from __future__ import annotations

import pytest
from tests.unit.resolution.mentions import DAY, ORGANISATION, PERSON, PLACE, YEAR, Seen, profiles_of

from tidegraph.resolution.aliases import Aliases, Tied
from tidegraph.resolution.evidence import MAX_CONTEXT_WORDS, merge_profiles, read_profile
from tidegraph.resolution.profiles import Link, LinkKind
from tidegraph.resolution.statements import Sighting, read_links, stated_pairs


def slots(text: str = "", kind=PERSON, **facts: str) -> dict[str, tuple[str, ...]]:
    return dict(read_profile("x", "Zed", kind, text=text, attributes=facts.items()).slots)


def test_slots_of_a_record_are_compared_forms() -> None:
    found = slots(
        state="New Mexico",
        born="1934-02-01",
        url="https://www.valdor.example/a",
        Country="Germany",
        other="x",
    )
    assert found == {
        "state": ("NM",),
        "country": ("DE",),
        "born": ("1934",),
        "site": ("valdor.example",),
    }


def test_slots_of_a_sentence() -> None:
    assert slots("Zed (R-WI), born in 1934, spoke.") == {
        "born": ("1934",),
        "country": ("US",),
        "faction": ("r",),
        "state": ("WI",),
    }
    assert slots("Zed (Calder, Austria) joined.", ORGANISATION) == {"city": ("calder",), "country": ("AT",)}
    assert slots("Zed, Senator for Maine, spoke.")["state"] == ("ME",)
    assert slots("the town of Zed (21) voted", PLACE) == {"region": ("21",)}
    assert slots("Zed went home.") == {}


@pytest.mark.parametrize(("lat", "lon"), [("91", "0"), ("x", "0"), ("1", "181"), ("1", "")])
def test_a_point_out_of_range_is_unknown(lat: str, lon: str) -> None:
    assert "point" not in slots(kind=PLACE, lat=lat, lon=lon)


def test_context_is_bounded_and_merging_is_free_of_order() -> None:
    many = " ".join(f"word{n}" for n in range(500))
    profiles = profiles_of(
        [Seen("b", "Bo", text=many, year=1990), Seen("a", "Bo Kim", facts={"born": "1950"}, year=2000)]
    )
    merged = merge_profiles("a", profiles)
    assert merged == merge_profiles("a", profiles[::-1])
    assert len(merged.context) == MAX_CONTEXT_WORDS
    assert merged.names == ("Bo Kim", "Bo")
    assert merged.active
    assert merged.active.start == 20 * YEAR
    assert merged.active.end == 30 * YEAR + 1


def sightings(text: str, *names: str, kind=ORGANISATION) -> list[Sighting]:
    return [Sighting(f"m{n}", name, kind, text, (), "d", 5 * DAY) for n, name in enumerate(names)]


@pytest.mark.parametrize(
    ("text", "kind", "former", "later"),
    [
        ("Quill Corp changed its name to Ostrel Inc in May.", LinkKind.RENAMED, "Quill Corp", "Ostrel Inc"),
        ("Quill Corp was renamed Ostrel Inc.", LinkKind.RENAMED, "Quill Corp", "Ostrel Inc"),
        ("Ostrel Inc, formerly known as Quill Corp, grew.", LinkKind.RENAMED, "Quill Corp", "Ostrel Inc"),
        ("Ostrel Inc (f/k/a Quill Corp) grew.", LinkKind.RENAMED, "Quill Corp", "Ostrel Inc"),
        ("Quill Corp est devenue Ostrel Inc.", LinkKind.RENAMED, "Quill Corp", "Ostrel Inc"),
        ("Quill Corp wurde umbenannt in Ostrel Inc.", LinkKind.RENAMED, "Quill Corp", "Ostrel Inc"),
        ("Quill Corp, also known as Ostrel Inc, grew.", LinkKind.ALIAS, "Quill Corp", "Ostrel Inc"),
        ("Quill Corp was acquired by Ostrel Inc.", LinkKind.MERGED, "Quill Corp", "Ostrel Inc"),
    ],
)
def test_statements(text: str, kind: LinkKind, former: str, later: str) -> None:
    links = read_links(sightings(text, "Quill Corp", "Ostrel Inc"))
    assert {(link.kind, link.former, link.later) for link in links} == {(kind, former, later)}
    assert all(link.at == 5 * DAY and link.document == "d" for link in links)
    assert links == read_links(sightings(text, "Quill Corp", "Ostrel Inc")[::-1])


def test_the_other_name_is_read_off_the_text_when_it_is_no_mention() -> None:
    text = "Ostrel, formerly Quill Desktop Environment, has a new logo."
    assert [link.former for link in read_links(sightings(text, "Ostrel"))] == ["Quill Desktop Environment"]
    assert not read_links(sightings("Ostrel, formerly minister, spoke.", "Ostrel", kind=PERSON))


def test_a_sentence_without_such_words_says_nothing() -> None:
    assert not read_links(sightings("Quill Corp met Ostrel Inc.", "Quill Corp", "Ostrel Inc"))


def test_a_record_of_a_change_is_a_statement_with_its_date() -> None:
    facts = (("former_name", "Quill Corp"), ("changed_on", "1970-01-11"))
    (link,) = read_links([Sighting("m", "Ostrel Inc", ORGANISATION, "", facts, "d", 50 * DAY)])
    assert (link.former, link.later, link.at) == ("Quill Corp", "Ostrel Inc", 10 * DAY)


def test_renames_hold_at_their_times_and_in_their_scope() -> None:
    at = 20 * YEAR
    link = Link(LinkKind.RENAMED, ORGANISATION, "Quill Corp", "Ostrel Inc", at, "s", "d")
    old, new, late, far, subject = profiles_of(
        [
            Seen("old", "QUILL CORP", ORGANISATION, year=1980),
            Seen("new", "Ostrel, Inc.", ORGANISATION, year=2000),
            Seen("late", "Quill Corp", ORGANISATION, year=2010),
            Seen("far", "Quill Corp", ORGANISATION, year=1980, facts={"state": "Ohio"}),
            Seen("s", "Ostrel Inc", ORGANISATION, year=1990, facts={"state": "Utah"}),
        ]
    )
    aliases = Aliases([link], {"s": subject})
    assert aliases.tied(old, new) is Tied.YES
    assert aliases.tied(new, old) is Tied.YES
    assert aliases.tied(late, new) is Tied.OUT_OF_TIME
    assert aliases.tied(far, new) is Tied.NO
    assert aliases.late(late)
    assert not aliases.late(old)


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("Corvel Ltd, formerly Glim, opened.", ("Corvel Ltd", "Glim"), (LinkKind.RENAMED, 0, 1)),
        ("Wexford (formerly the Old Mill) rose.", ("Wexford", "Old Mill"), (LinkKind.RENAMED, 0, 1)),
        ("Petra is also known as “Kilmar”.", ("Petra", "Kilmar"), (LinkKind.ALIAS, 0, 1)),
        ("Nord GmbH, vormals Sud GmbH, wuchs.", ("Nord GmbH", "Sud GmbH"), (LinkKind.RENAMED, 0, 1)),
        ("Petra, formerly head of Kilmar, left.", ("Petra", "Kilmar"), None),
        ("Petra, formerly Kilmar's bank, left.", ("Petra", "Kilmar"), None),
        ("Petra, the successor to Kilmar, left.", ("Petra", "Kilmar"), None),
        ("Petra grew. Also known as Kilmar.", ("Petra", "Kilmar"), None),
    ],
)
def test_names_of_one_thing_by_the_words_between_them_alone(
    text: str, names: tuple[str, str], expected: tuple[LinkKind, int, int] | None
) -> None:
    spans = [(text.index(name), text.index(name) + len(name)) for name in names]
    assert stated_pairs(text, spans) == ([expected] if expected else [])
