"""A model that reads by the letter: what a good language model would answer to plain sentences.

It lists each sentence of the passage, marks dates that look like "3 March 2020" or "2020", and knows four
ways of telling a fact. It obeys whatever the text asks of it, too: only the checks behind it can help.
"""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
from tests.unit.llm.fake_server import passage_of, said

_DATE = r"(?:\d{1,2} [A-Z][a-z]+ )?(?:[A-Z][a-z]+ )?\d{4}"
_NAME = r"(?:the )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*"
_SENTENCE = re.compile(r"[^.!?\n|]*[^.!?\s|][^.!?\n|]*[.!?]?")
_FACTS = (
    (rf"({_NAME}) (?:joined|will join) ({_NAME})", "member_of", "start"),
    (rf"({_NAME}) left ({_NAME})", "member_of", "stop"),
    (rf"({_NAME}) became chief executive of ({_NAME})", "chief_executive_officer_of", "start"),
    (rf"({_NAME}) was appointed chief executive of ({_NAME})", "chief_executive_officer_of", "start"),
    (rf"({_NAME}) (?:is based|has its head office) in ({_NAME})", "headquarters", "state"),
    (rf"({_NAME}) is the lead of ({_NAME})", "leads", "state"),
)


def read(body: dict[str, Any]) -> httpx.Response:
    """The answer to a request."""
    return said(json.dumps({"events": [event(text) for text in sentences(passage_of(body))][:40]}))


def sentences(passage: str) -> list[str]:
    return [match[0].strip() for match in _SENTENCE.finditer(passage) if len(match[0].split()) > 2]


def event(sentence: str) -> dict[str, Any]:
    """One sentence as an event, with the facts that it tells."""
    found = [
        (match, predicate, verb)
        for pattern, predicate, verb in _FACTS
        for match in re.finditer(pattern, sentence[:600])
    ]
    dates = re.findall(_DATE, sentence)[:4]
    names = list(dict.fromkeys(name for match, _, _ in found for name in match.groups()))[:12]
    planned = " will " in sentence
    return {
        "quote": sentence[:600],
        "statement": sentence[:600],
        "kind": "event",
        "status": "planned" if planned else "asserted",
        "times": dates,
        "time_value": "",
        "names": [{"name": name[:120], "type": "other"} for name in names],
        "facts": [
            {
                "subject": match[1][:120],
                "predicate": predicate,
                "object": match[2][:120],
                "qualifiers": [],
                "verb": verb,
                "start": dates[0] if dates and verb != "stop" else "",
                "end": dates[0] if dates and verb == "stop" else "",
            }
            for match, predicate, verb in found[:8]
        ],
    }
