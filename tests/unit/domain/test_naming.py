"""Names: one normal form for all ways to write one name; nothing more than that is taken for equal."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegraph.domain import naming
from tidegraph.domain.documents import EntityType, Mention

PERSON, ORGANISATION = EntityType.PERSON, EntityType.ORGANISATION


@pytest.mark.parametrize(
    "group",
    [
        [
            "Acme",
            "ACME",
            "Acme Inc.",
            "Acme, Inc",
            "The Acme Corporation",
            "acme's",
            "Ａｃｍｅ",
            " Acme  Ltd. ",
        ],
        ["J.R. Smith", "J. R. Smith", "JR Smith", "Dr. J. R. Smith", "J. R. Smith, PhD"],
        ["O'Brien & Sons", "O’Brien and Sons", "O’Brien & Sons Ltd."],
        ["Coca-Cola", "Coca Cola", "COCA–COLA"],
        ["U.S.", "US", "U. S."],
        ["Straße", "STRASSE", "strasse"],
        ["ООО «Ромашка»", "Ромашка", "РОМАШКА"],
        ["株式会社 日立", "日立"],
        ["Société Générale S.A.", "SOCIÉTÉ GÉNÉRALE", "Socie\u0301te\u0301 Ge\u0301ne\u0301rale"],
    ],
)
def test_ways_to_write_one_name(group: list[str]) -> None:
    assert len({naming.normalise(name) for name in group}) == 1, [naming.normalise(name) for name in group]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++", "C"),
        ("C#", "C"),
        ("Version 3.1", "Version 31"),
        ("Ann Smith", "Anna Smith"),
        ("Smith Ann", "Ann Smith"),
        ("A. Smith", "Ann Smith"),
        ("José", "Jose"),
        ("Ford", "Ford Credit"),
        ("John Smith Jr.", "John Smith"),
        ("Apple Company", "Apple"),
        ("CVE-2021-44228", "CVE-2021-44229"),
        ("हिन्दी", "हन्द"),
        ("Inc", "Ltd"),
    ],
)
def test_names_that_differ(one: str, other: str) -> None:
    assert naming.normalise(one) != naming.normalise(other)


def test_what_is_taken_off_is_kept_as_data() -> None:
    assert naming.parse("Dr. Ann Smith") == naming.ParsedName("ann smith", ("dr",), ())
    assert naming.parse("Acme Holdings GmbH & Co. KG") == naming.ParsedName(
        "acme holdings", (), ("gmbh", "co", "kg")
    )


def test_the_type_says_what_may_be_taken_off() -> None:
    assert naming.normalise("Kim Co", PERSON) == "kim co"
    assert naming.normalise("Dr. Oetker GmbH", ORGANISATION) == "dr oetker"
    assert naming.normalise("The Hague", PERSON) == "the hague"


def mention(name: str, canonical: str = "", type_: EntityType = ORGANISATION) -> Mention:
    return Mention("m", name, canonical or name, type_, 0, len(name))


def test_the_canonical_name_decides_and_the_written_one_is_an_alias() -> None:
    assert naming.entity_key(mention("Smith", "Ann Smith", PERSON)) == "ann smith"
    assert naming.aliases(mention("Smith", "Ann Smith", PERSON)) == (
        ("ann smith", "Ann Smith"),
        ("smith", "Smith"),
    )
    assert ("ibm", "IBM") in naming.aliases(mention("IBM", "International Business Machines"))
    assert naming.aliases(mention("the agency", "Environment Office")) == (
        ("environment office", "Environment Office"),
    ), "a description is no name"


def test_the_display_name_is_a_function_of_the_set() -> None:
    names = [("acme", "ACME INC."), ("acme", "Acme Inc."), ("acme", "Acme"), ("acme", "acme"), ("ac", "AC")]
    for order in itertools.permutations(names):
        assert naming.display_name("acme", order) == "Acme"
    assert naming.display_name("ibm", [("ibm", "IBM")]) == "IBM"
    assert naming.display_name("acme", [("ac", "AC")]) == "AC"
    assert naming.display_name("acme", []) == "acme"


@given(st.text(max_size=60), st.sampled_from(list(EntityType)))
def test_a_visible_name_has_a_normal_form(name: str, type_: EntityType) -> None:
    normal = naming.normalise(name, type_)
    assert normal == " ".join(normal.split())
    if any(char.isalnum() for char in name):
        assert normal


@given(
    st.lists(
        st.sampled_from(["Acme", "Birch", "north", "3.1", "Ann", "O'Neil", "本"]), min_size=1, max_size=4
    )
)
def test_capitals_and_spaces_do_not_matter(words: list[str]) -> None:
    name = " ".join(words)
    assert (
        naming.normalise(name.upper()) == naming.normalise(name) == naming.normalise(f"  {'  '.join(words)} ")
    )
