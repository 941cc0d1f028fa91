"""The kinds of mentions that names alone get wrong, each with the right decision."""

from __future__ import annotations

from tests.unit.resolution.mentions import (
    ORGANISATION,
    OTHER,
    PLACE,
    Seen,
    apart,
    profiles_of,
    resolved,
    together,
)

from tidegraph.resolution.engine import score
from tidegraph.resolution.standing import NAMES_ALONE, model
from tidegraph.resolution.statistics import Statistics


def test_same_full_name_and_two_years_of_birth_are_two_people() -> None:
    found = resolved(
        Seen("a", "Anton B. Walder", facts={"state": "Ohio", "born": "1831"}),
        Seen("b", "Anton B. Walder", facts={"state": "Ohio", "born": "1866"}),
    )
    assert apart(found, "a", "b")


def test_a_missing_generation_is_unknown_and_a_differing_one_is_a_veto() -> None:
    found = resolved(
        Seen("sr", "Corben, Dale K., Sr.", facts={"state": "Texas", "born": "1953"}),
        Seen("bare", "Dale K. Corben", facts={"state": "Texas", "born": "1953"}),
        Seen("jr", "Dale K. Corben Jr.", facts={"state": "Texas"}),
    )
    assert together(found, "sr", "bare")
    assert apart(found, "sr", "jr")


def test_a_surname_is_the_full_name_of_its_own_document() -> None:
    found = resolved(
        Seen("full", "Marta Ellinger", document="d1", text="Marta Ellinger opened the session."),
        Seen("short", "Ellinger", document="d1", text="Ellinger asked for a recess."),
        Seen("other", "Ellinger", document="d2", text="Ellinger asked for a recess."),
    )
    assert together(found, "full", "short")
    assert apart(found, "full", "other")


def test_a_surname_that_two_people_of_the_document_bear_is_nobody_s() -> None:
    found = resolved(
        Seen("m", "Marta Ellinger", document="d1", text="Marta Ellinger opened the session."),
        Seen("p", "Paul Ellinger", document="d1", text="Paul Ellinger sat beside her."),
        Seen("short", "Ellinger", document="d1", text="Ellinger asked for a recess."),
    )
    assert apart(found, "m", "p")
    assert not (together(found, "m", "short") and together(found, "p", "short"))


def test_a_title_and_a_surname_go_to_the_full_name_of_the_document() -> None:
    full = Seen(
        "full", "Joseph Harrow", document="d1", text="Senator Joseph Harrow of Maine opened the hearing."
    )
    senator = Seen("short", "Sen. Harrow", document="d1", text="Sen. Harrow thanked the witness.")
    wife = Seen("mrs", "Mrs. Harrow", document="d1", text="Mrs. Harrow left early.")
    assert together(resolved(full, senator), "full", "short")
    assert apart(resolved(full, wife), "full", "mrs")


def test_initials_need_evidence_and_conflict_with_nothing_compatible() -> None:
    found = resolved(
        Seen("full", "James Moore Tarrant", facts={"office": "Representative", "state": "Georgia"}),
        Seen("short", "Tarrant, J.M.", facts={"office": "Representative", "state": "Georgia"}),
        Seen("else", "Tarrant, K.P.", facts={"office": "Representative", "state": "Georgia"}),
    )
    assert together(found, "full", "short")
    assert apart(found, "full", "else")


def test_a_middle_name_used_as_the_first_is_the_same_person() -> None:
    found = resolved(
        Seen("full", "James Moore Tarrant", facts={"office": "Representative", "state": "Georgia"}),
        Seen("middle", "J. Moore Tarrant", facts={"office": "Representative", "state": "Georgia"}),
    )
    assert together(found, "full", "middle")


def test_inverted_and_in_capitals_is_the_same_name() -> None:
    found = resolved(
        Seen("a", "Osric Fennell", facts={"state": "Utah"}),
        Seen("b", "FENNELL, OSRIC", facts={"state": "Utah"}),
    )
    assert together(found, "a", "b")


def test_a_nickname_counts_when_the_rest_agrees() -> None:
    found = resolved(
        Seen("a", "William Dorrance", facts={"office": "Representative", "state": "Iowa", "party": "Whig"}),
        Seen("b", "Bill Dorrance", facts={"office": "Representative", "state": "Iowa", "party": "Whig"}),
        Seen("c", "Bill Dorrance", facts={"office": "Representative", "state": "Maine", "born": "1801"}),
    )
    assert together(found, "a", "b")
    assert apart(found, "a", "c")


def test_east_asian_names_are_equal_in_both_orders() -> None:
    facts = {"role": "councillor", "since": "2011-03-05"}
    found = resolved(Seen("a", "Mei Tso-lin", facts=facts), Seen("b", "Tso-lin Mei", facts=facts))
    assert together(found, "a", "b")


def test_a_person_in_two_scripts_by_sound_and_seat() -> None:
    facts = {"area": "Kolara", "since": "2014-05-16"}
    found = resolved(
        Seen("latin", "Ramesh Gupta", facts=facts | {"role": "member of parliament"}),
        Seen("deva", "रमेश गुप्ता", facts=facts | {"role": "सांसद"}),
    )
    assert together(found, "latin", "deva")


def test_a_name_of_another_sound_with_only_the_office_in_common_is_not_joined() -> None:
    found = resolved(
        Seen("latin", "Ms Lo Wing Yan Betty", facts={"role": "councillor"}),
        Seen("han", "陳大文", facts={"role": "councillor"}),
    )
    assert apart(found, "latin", "han")


def test_an_acronym_of_an_organisation_in_the_same_town() -> None:
    found = resolved(
        Seen("long", "Northern Valdor University", ORGANISATION, facts={"city": "Sarnoth", "country": "TH"}),
        Seen("short", "NVU", ORGANISATION, facts={"city": "Sarnoth", "country": "TH"}),
    )
    assert together(found, "long", "short")


def test_an_acronym_that_two_bodies_share_follows_the_country() -> None:
    found = resolved(
        Seen("a", "Jarvis University", ORGANISATION, facts={"city": "Goyang", "country": "KR"}),
        Seen("b", "Jalgar University", ORGANISATION, facts={"city": "Gwalior", "country": "IN"}),
        Seen("ju", "JU", ORGANISATION, facts={"city": "Gwalior", "country": "IN"}),
    )
    assert apart(found, "a", "ju")
    assert apart(found, "a", "b")


def test_an_organisation_named_in_two_languages_in_one_town() -> None:
    found = resolved(
        Seen("en", "Management Research Laboratory", ORGANISATION, facts={"city": "Lescar", "country": "FR"}),
        Seen(
            "fr",
            "Laboratoire de Recherche en Management",
            ORGANISATION,
            facts={"city": "Lescar", "country": "FR"},
        ),
    )
    assert together(found, "en", "fr")


def test_sites_of_one_body_are_things_of_their_own() -> None:
    found = resolved(
        Seen("g", "Ostrava Optics Institute Brenn", ORGANISATION, facts={"city": "Brenn", "country": "AT"}),
        Seen("r", "Ostrava Optics Institute Rovigo", ORGANISATION, facts={"city": "Rovigo", "country": "IT"}),
    )
    assert apart(found, "g", "r")


def test_national_branches_are_kept_apart() -> None:
    found = resolved(
        Seen("us", "Veldtmann (United States)", ORGANISATION, facts={"city": "Trenton", "country": "US"}),
        Seen("pt", "Veldtmann (Portugal)", ORGANISATION, facts={"city": "Oeiras", "country": "PT"}),
    )
    assert apart(found, "us", "pt")


def test_a_generic_name_is_told_by_its_town() -> None:
    found = resolved(
        Seen("b", "Horizon Bank", ORGANISATION, facts={"city": "Bellhaven", "state": "WA"}),
        Seen("b2", "HORIZON BANK", ORGANISATION, facts={"city": "Bellhaven", "state": "WA"}),
        Seen("f", "Horizon Bank", ORGANISATION, facts={"city": "Bradenhead", "state": "FL"}),
    )
    assert together(found, "b", "b2")
    assert apart(found, "b", "f")


def test_in_a_family_of_funds_the_differing_word_is_the_name() -> None:
    facts = {"city": "Calder", "state": "Ontario, Canada"}
    found = resolved(
        Seen("gold", "Merrow Physical Gold Trust", ORGANISATION, facts=facts),
        Seen("gold2", "MERROW PHYSICAL GOLD TRUST", ORGANISATION, facts=facts),
        Seen("silver", "Merrow Physical Silver Trust", ORGANISATION, facts=facts),
    )
    assert together(found, "gold", "gold2")
    assert apart(found, "gold", "silver")


def test_an_acquirer_is_not_what_it_acquired() -> None:
    text = "The deposits of Horizon Bank were acquired by Palmetto Savings on Friday."
    found = resolved(
        Seen("a", "Horizon Bank", ORGANISATION, text=text, document="d1"),
        Seen("b", "Palmetto Savings", ORGANISATION, text=text, document="d1"),
    )
    assert apart(found, "a", "b")


def test_a_name_that_another_company_took_over_is_told_by_its_date() -> None:
    text = "Effective 1 July 2015, Corvex Holdings, Inc. changed its name to Talbot Personal Care Co."
    found = resolved(
        Seen(
            "before",
            "Corvex Holdings, Inc.",
            ORGANISATION,
            year=2012,
            facts={"city": "Linden", "state": "MO"},
        ),
        Seen("stmt-a", "Corvex Holdings, Inc.", ORGANISATION, text=text, document="d1", year=2015),
        Seen("stmt-b", "Talbot Personal Care Co.", ORGANISATION, text=text, document="d1", year=2015),
        Seen(
            "after",
            "Talbot Personal Care Co.",
            ORGANISATION,
            year=2018,
            facts={"city": "Linden", "state": "MO"},
        ),
        Seen(
            "taken", "Corvex Holdings, Inc.", ORGANISATION, year=2018, facts={"city": "Darby", "state": "OH"}
        ),
    )
    assert together(found, "stmt-a", "stmt-b", "after")
    assert apart(found, "taken", "after")
    assert apart(found, "taken", "before")


def test_a_chain_of_renames_is_one_company() -> None:
    facts = {"city": "Sarmouth", "state": "NY"}
    first, second = "Quillmark Corp", "Brightfen Networks, Inc."
    third = "Ostrel Group, Inc."
    one = f"{first} was renamed {second} in 1998."
    two = f"{third} (formerly {second}) announced the new name on 4 June 2004."
    found = resolved(
        Seen("old", first, ORGANISATION, year=1995, facts=facts),
        Seen("s1", first, ORGANISATION, text=one, document="d1", year=1998),
        Seen("s2", second, ORGANISATION, text=one, document="d1", year=1998),
        Seen("s3", second, ORGANISATION, text=two, document="d2", year=2004),
        Seen("s4", third, ORGANISATION, text=two, document="d2", year=2004),
        Seen("new", third, ORGANISATION, year=2010, facts=facts),
    )
    assert together(found, "old", "s1", "s2", "s3", "s4", "new")


def test_an_unlike_new_name_is_joined_by_the_statement_alone() -> None:
    old = Seen("old", "Emberfind, Inc.", ORGANISATION, year=2014, facts={"state": "PA"})
    new = Seen("new", "Medvantis AI, Inc.", ORGANISATION, year=2019, facts={"state": "PA"})
    record = Seen(
        "record",
        "Medvantis AI, Inc.",
        ORGANISATION,
        year=2017,
        document="d1",
        facts={"former_name": "Emberfind, Inc.", "changed_on": "2017-08-03"},
    )
    assert apart(resolved(old, new), "old", "new")
    assert together(resolved(old, new, record), "old", "new", "record")


def test_a_renamed_place_keeps_its_alias_inside_its_own_region() -> None:
    text = "The commune of Vaudreuil was renamed Vaudreuil-sur-Orne in 1962."
    found = resolved(
        Seen("old", "Vaudreuil", PLACE, year=1955, facts={"departement": "21", "country": "FR"}),
        Seen("s1", "Vaudreuil", PLACE, text=text + " (21)", document="d1", year=1962),
        Seen("s2", "Vaudreuil-sur-Orne", PLACE, text=text + " (21)", document="d1", year=1962),
        Seen("new", "VAUDREUIL SUR ORNE", PLACE, year=1970, facts={"departement": "21", "country": "FR"}),
        Seen("else", "Vaudreuil", PLACE, year=1955, facts={"departement": "64", "country": "FR"}),
    )
    assert together(found, "old", "s1", "s2", "new")
    assert apart(found, "old", "else")


def test_differing_versions_are_a_veto() -> None:
    found = resolved(
        Seen("a", "Tallow Studio 2", OTHER, facts={"product": "Tallow"}),
        Seen("a2", "tallow-studio-2", OTHER, facts={"product": "Tallow"}),
        Seen("b", "Tallow Studio 3", OTHER, facts={"product": "Tallow"}),
    )
    assert together(found, "a", "a2")
    assert apart(found, "a", "b")


def test_slugs_and_catalogue_ids_are_the_product_and_keep_its_number() -> None:
    found = resolved(
        Seen("label", "Opal Cluster Manager 4.2", OTHER, facts={"category": "server-app"}),
        Seen("slug", "opal-cluster-manager-4.2", OTHER, facts={"category": "server-app"}),
        Seen("id", "opal:cluster-manager:4.2", OTHER, facts={"category": "server-app"}),
        Seen("next", "opal-cluster-manager-4.3", OTHER, facts={"category": "server-app"}),
    )
    assert together(found, "label", "slug", "id")
    assert apart(found, "slug", "next")


def test_names_alone_count_less_in_a_graph_and_as_much_with_a_fact_that_agrees() -> None:
    calder, other = {"city": "Calder", "country": "US"}, {}
    for facts, kept in ((calder, True), (other, False)):
        one, two = profiles_of(
            [
                Seen("a", "Horizon Trust", ORGANISATION, facts=facts),
                Seen("b", "Horizon", ORGANISATION, facts=facts),
            ]
        )
        plain, there = score(one, two, Statistics.of()), score(one, two, Statistics.of(), model())
        less = plain.log_odds - there.log_odds
        assert (less == 0.0) is kept
        if not kept:
            assert abs(less - NAMES_ALONE) < 1e-9
            assert "names alone" in {reason.feature for reason in there.reasons}
