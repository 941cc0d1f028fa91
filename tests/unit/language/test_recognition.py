"""Another recogniser in the place of spaCy's: its names are the rules' names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.unit.language.documents import document

from tidegraph.domain.documents import EntityType
from tidegraph.language.extractor import LanguageExtractor
from tidegraph.models import token_classifier
from tidegraph.ports import NameFound


class Listed:
    """Finds the names that it was given, where they stand."""

    model_id = "listed"

    def __init__(self, **names: EntityType) -> None:
        self._names = {name.replace("_", " "): kind for name, kind in names.items()}

    def recognise(self, texts: Sequence[str]) -> list[list[NameFound]]:
        return [
            [
                NameFound(text.find(name), text.find(name) + len(name), kind)
                for name, kind in self._names.items()
                if name in text
            ]
            for text in texts
        ]


def kinds(recogniser: Listed | None, text: str) -> dict[str, EntityType]:
    found = LanguageExtractor(recogniser=recogniser).extract(document(text))
    return {mention.name: mention.type for mention in found.mentions}


def test_kinds_are_those_of_the_recogniser():
    text = "Ostrava Brno met Vlta Morava on 3 March 2020."
    found = kinds(Listed(Ostrava_Brno=EntityType.PERSON, Vlta_Morava=EntityType.ORGANISATION), text)
    assert found["Ostrava Brno"] is EntityType.PERSON
    assert found["Vlta Morava"] is EntityType.ORGANISATION
    other = kinds(Listed(Ostrava_Brno=EntityType.PLACE, Vlta_Morava=EntityType.PERSON), text)
    assert other["Ostrava Brno"] is EntityType.PLACE
    assert other["Vlta Morava"] is EntityType.PERSON


def test_spans_that_cut_words_or_overlap_do_no_harm():
    class Odd(Listed):
        def recognise(self, texts: Sequence[str]) -> list[list[NameFound]]:
            spans = [(1, 6), (0, 8), (5, 900), (40, 30), (7, 7)]
            return [[NameFound(a, b, EntityType.PERSON) for a, b in spans] for _ in texts]

    found = LanguageExtractor(recogniser=Odd()).extract(
        document("Ada Poll joined the Docs Team.\n\nShe left it.")
    )
    assert all(m.start_char < m.end_char for m in found.mentions)


def test_the_epoch_names_another_recogniser():
    plain = LanguageExtractor().epoch
    assert LanguageExtractor(recogniser=Listed()).epoch == f"{plain}+ner:listed"


@pytest.mark.parametrize(
    ("label", "text", "kind"),
    [
        ("PER", "Ada Poll", EntityType.PERSON),
        ("ORG", "Moss Ltd", EntityType.ORGANISATION),
        ("LOC", "Leeds", EntityType.PLACE),
        ("GPE", "Leeds", EntityType.PLACE),
        ("MISC", "British", EntityType.UNSPECIFIED),
        ("MISC", "Turner Prize", EntityType.OTHER),
        ("PRODUCT", "Pump", EntityType.OTHER),
    ],
)
def test_the_usual_labels_are_known(label: str, text: str, kind: EntityType):
    groups = [{"entity_group": label, "start": 0, "end": len(text)}]
    assert token_classifier._names(groups, text) == [NameFound(0, len(text), kind)]


def test_dates_blanks_and_overlaps_are_left_out():
    groups = [
        {"entity_group": "DATE", "start": 0, "end": 4},
        {"entity_group": "PER", "start": 4, "end": 9},
        {"entity_group": "ORG", "start": 6, "end": 12},
        {"entity_group": "ORG", "start": 12, "end": 12},
    ]
    assert token_classifier._names(groups, "2020 Adam Poll") == [NameFound(5, 9, EntityType.PERSON)]
