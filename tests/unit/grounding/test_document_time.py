"""A document's own time, found in its text, with where it was found."""

# ruff: noqa: E501  (tables of cases)

from __future__ import annotations

import pytest

from tidegraph.domain.interval import format_instant
from tidegraph.language.grounding import find_document_time
from tidegraph.settings import GroundingSettings

FOUND = [
    ("---\ntitle: Travel\nlast_updated: 2024-03-01\ndate: 2019-01-01\n---\nText", "2024-03-01", "front-matter:last_updated"),
    ('+++\ndate = "2023-07-09"\n+++\nText', "2023-07-09", "front-matter:date"),
    ("---\npublished: 4 June 2021\n---\n", "2021-06-04", "front-matter:published"),
    ("From: a@example.org\nDate: Tue, 05 Mar 2024 10:00:00 +0100\nSubject: x\n\nHello", "2024-03-05T09:00:00Z", "mail-header:Date"),
    ("Von: a\nGesendet: 7. Mai 2021\nBetreff: x\n", "2021-05-07", "mail-header:Gesendet"),
    ("Subject: x\nSent: Monday, 3 May 2021 14:05\n\nHi", "2021-05-03T14:05:00Z", "mail-header:Sent"),
    ("Travel policy\n\nEffective date: 1 March 2024\nIssued: 3 January 2020\n", "2024-03-01", "label:effective date"),
    ("| Effective Date | 12/31/2021 |\n| Owner | HR |", "2021-12-31", "label:effective date"),
    ("Policy\nLast updated: July 2022\n", "2022-07-01", "label:last updated"),
    ("**Last reviewed:** 2 May 2018", "2018-05-02", "label:last reviewed"),
    ("Richtlinie\nStand: 1. April 2023\n", "2023-04-01", "label:stand"),
    ("# Revision history\n| 1.0 | 2020-01-02 | first |\n| 1.1 | 2021-05-06 | second |\n", "2021-05-06", "revision-log"),
    ("Change log\n3 May 2019 - started\n9 June 2020 - widened\n", "2020-06-09", "revision-log"),
    ("Text.\n\nVersion history\nv2 30 November 2022\nv1 2 March 2021\n", "2022-11-30", "revision-log"),
    ("Minutes\nMarch 3, 2021\n\nThose present", "2021-03-03", "date-line"),
    ("Basel, 14 October 2019\n\nDear all", "2019-10-14", "date-line"),
    ("2022-08-30\n\nNotes", "2022-08-30", "date-line"),
    ("LONDON, 12 November 2020 (Example) -- Shares fell.", "2020-11-12", "dateline"),
    ("OSLO, May 4, 2018 - A ferry sank.", "2018-05-04", "dateline"),
    ("LIMA (Example) 3 July 2015 -- Talks began.", "2015-07-03", "dateline"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "when", "where"), FOUND, ids=[f"{f[2]}-{i}" for i, f in enumerate(FOUND)])
def test_found(
    text: str, when: str, where: str, settings: GroundingSettings, german: GroundingSettings
) -> None:
    chosen = german if "Stand" in text or "Gesendet" in text else settings
    found = find_document_time(text, chosen)
    assert found is not None
    assert (format_instant(found.instant), found.provenance) == (when, where)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The plant opened in March 2016 and closed in 2020.",
        "Effective date: to be decided",
        "Date: tomorrow",
        "Updated on Friday",
        "OSLO, May 4 - A ferry sank.",
        "From: a\nSubject: b\nDate: soon\n",
        "---\ntitle: x\n---\nIn 2019 it rained.",
    ],
)
def test_none_found_stays_none(text: str, settings: GroundingSettings) -> None:
    assert find_document_time(text, settings) is None
