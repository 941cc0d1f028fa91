"""The prompt of extraction: its example is what it asks for, and its wording is fixed by its version."""

from __future__ import annotations

import hashlib
import re
from importlib import resources

from tests.unit.language.documents import claims, document
from tests.unit.llm.fake_server import FakeServer, said
from tests.unit.llm.reading import llm, registry

from tidegraph.domain.interval import instant
from tidegraph.language.llm.asking import listed
from tidegraph.models.prompts import load_prompt

WORDINGS = {"extract.v1": "6a16e8862742ff9eb7072878ded294eac5f9aa129fcfd85ca614aba008bb74ed"}
"""What a version says, as SHA-256: another wording is another version, or answers kept under it would lie."""


def test_the_wording_of_a_version_does_not_change() -> None:
    folder = resources.files("tidegraph.models.prompts")
    found = {
        version: hashlib.sha256(folder.joinpath(f"{version}.md").read_bytes()).hexdigest()
        for version in WORDINGS
    }
    assert found == WORDINGS


def test_the_example_is_an_answer_that_stands_every_check() -> None:
    system = load_prompt("extract.v1").system
    match = re.search(
        r'The passage "(.*?)" is answered by:\n(\{.*?\]\}\]\})\n\nPredicates:', system, re.DOTALL
    )
    assert match is not None
    passage, answer = (" ".join(part.split()) for part in match.groups())
    found = llm(FakeServer(said(answer))).extract(document(passage))
    assert [event.extractor for event in found.events] == ["llm", "llm"]
    assert not [r for e in found.events for r in e.reasons if r.startswith(("time_", "unclear"))]
    assert claims(found) == [
        ("Ines Carrow", "holds_role", "Northgate Shipping", "start"),
        ("Ines Carrow", "employer", "Northgate Shipping", "state"),
    ]
    assert [a.valid.start for a in found.assertions] == [instant(2022, 5, 2), instant(2016)]


def test_every_predicate_of_the_registry_is_offered() -> None:
    lines = listed(registry()).splitlines()
    assert [line.split(":")[0].removeprefix("- ") for line in lines] == [policy.name for policy in registry()]
    assert (
        "- holds_role: subject is {role} of object (qualifiers: role, department, product, region)" in lines
    )
