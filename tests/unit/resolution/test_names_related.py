"""Names by type: how two of them relate."""

from __future__ import annotations

import pytest

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.concepts import concepts_of
from tidegraph.resolution.folding import fold, is_latin, latin, skeleton
from tidegraph.resolution.grades import strength
from tidegraph.resolution.names import match, name_key
from tidegraph.resolution.organisations import organisation
from tidegraph.resolution.persons import person
from tidegraph.resolution.products import product

PERSON, ORGANISATION = EntityType.PERSON, EntityType.ORGANISATION
PLACE, OTHER = EntityType.PLACE, EntityType.OTHER


@pytest.mark.parametrize(
    ("kind", "a", "b", "relation"),
    [
        (PERSON, "Osric Fennell", "FENNELL, OSRIC", "exact"),
        (PERSON, "Mei Tso-lin", "Tso-lin Mei", "reordered"),
        (PERSON, "Mei Tsolin", "Tso-lin Mei", "spaced"),
        (PERSON, "James Moore Tarrant", "James Tarrant", "extended"),
        (PERSON, "James Moore Tarrant", "Moore Tarrant", "middle"),
        (PERSON, "James Moore Tarrant", "Tarrant, J.M.", "initials"),
        (PERSON, "William Dorrance", "Bill Dorrance", "nickname"),
        (PERSON, 'William "Ned" Dorrance', "Ned Dorrance", "nickname"),
        (PERSON, "William Dorrance", "Dorrance", "surname"),
        (PERSON, "Rep. Dorrance", "William Dorrance", "surname"),
        (PERSON, "Sallie Dorrance", "Sallie", "given"),
        (PERSON, "Dorrance", "Mr. Dorrance", "mononym titled"),
        (PERSON, "poor Sallie", "Sallie", "mononym"),
        (PERSON, "the amiable Miss Dorrance", "Miss Dorrance", "mononym"),
        (PERSON, "Dale Corben Jr.", "Dale Corben, Sr.", "conflict"),
        (PERSON, "Mr. Dorrance", "Mrs. Dorrance", "conflict"),
        (PERSON, "Mrs. Dorrance", "Peter Dorrance", "conflict"),
        (PERSON, "Anna Dorrance", "Clara Dorrance", "conflict"),
        (PERSON, "Willem Dorrance", "Osric Fennell", "none"),
        (ORGANISATION, "Valdor Works, Inc.", "VALDOR WORKS", "exact"),
        (ORGANISATION, "Valdor (Spain)", "Valdor", "bracket"),
        (ORGANISATION, "Valdor (Spain)", "Valdor (Chile)", "conflict"),
        (ORGANISATION, "Valdor Trust II", "Valdor Trust III", "numbers"),
        (ORGANISATION, "Valdor Holdings", "Valdor", "soft"),
        (ORGANISATION, "Northern Valdor University", "NVU", "acronym"),
        (ORGANISATION, "Valdorr Instruments", "Valdor Instruments", "typo"),
        (ORGANISATION, "Valdor Copper Works", "Valdor Silver Works", "crossed"),
        (ORGANISATION, "Valdor Copper", "Valdor", "part"),
        (PLACE, "VAUDREUIL SUR ORNE", "Vaudreuil-sur-Orne", "exact"),
        (PLACE, "State of Texas", "Texas", "exact"),
        (PLACE, "Houston, Texas", "Houston", "exact"),
        (PLACE, "U.S.", "United States", "exact"),
        (PLACE, "France", "Spain", "conflict"),
        (PLACE, "L.A.", "Los Angeles", "acronym"),
        (PLACE, "Москва", "Moskwa", "translit"),
        (OTHER, "Opal Studio 2", "Opal Studio 3", "numbers"),
        (OTHER, "opal-studio", "Opal Studio", "exact"),
        (OTHER, "opalstudio", "Opal Studio", "spaced"),
        (OTHER, "vendor:opal", "Opal", "part"),
        (OTHER, "Opal v2.0", "Opal 2", "exact"),
        (OTHER, "Calder Kit Service", "CKS", "acronym"),
    ],
)
def test_relation(kind: EntityType, a: str, b: str, relation: str) -> None:
    assert match(kind, a, b).kind == relation
    assert match(kind, b, a) == match(kind, a, b)


@pytest.mark.parametrize("name", ["", " ", "...", "()", ", Jr.", "\u200d", "-", "株式会社", "Inc."])
@pytest.mark.parametrize("kind", [PERSON, ORGANISATION, PLACE, OTHER])
def test_names_without_letters_are_no_error(kind: EntityType, name: str) -> None:
    assert 0 <= match(kind, name, "Valdor").grade <= 1
    assert isinstance(name_key(kind, name), str)


def test_folding_keeps_the_script_and_the_vowel_signs() -> None:
    assert fold("  Ｃａｆé–Noir ") == "cafe noir"
    assert fold("विश्वविद्यालय") != fold("वशववदयलय")
    assert is_latin("Ångström")
    assert not is_latin("東京")
    assert latin("Москва") == "moskva"
    assert skeleton("Tsai Shih-ying") == skeleton("Tsai Shihying")


def test_concepts_are_shared_across_languages() -> None:
    words = ["City Hospital", "市立病院", "Szpital Miejski", "โรงพยาบาล", "Krankenhaus", "بيمارستان"]
    assert all("hospital" in concepts_of(word) for word in words[:5])
    assert "university" in concepts_of("Национальный университет") & concepts_of("大学")


def test_parts_of_names() -> None:
    parts = person("Dr. Dale van der Corben, Jr.")
    assert (parts.surname, parts.given, parts.generation) == ("van der corben", ("dale",), "jr")
    assert organisation("The Valdor & Sons Co., Ltd. (Japan)").branch == "JP"
    assert product("org:opal-db:3.12").versions == ("3.12",)


def test_every_relation_has_a_strength() -> None:
    pairs = [("Ann Lee", "Bo Kim"), ("Ann Lee", "Lee"), ("Ann Lee", "A. Lee"), ("Ann Lee", "Ann Lee")]
    assert [strength(match(PERSON, a, b)) for a, b in pairs] == ["weak", "short", "middle", "strong"]
