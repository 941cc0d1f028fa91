"""Names in a question that no entity carries: an answer says so rather than pass them over."""

from __future__ import annotations

from dataclasses import replace

from tidegraph.services.usecases.answers import Answer, Outcome
from tidegraph.services.usecases.phrasing import listed
from tidegraph.services.usecases.question import Linked
from tidegraph.services.usecases.work import Work


def with_unknown(work: Work, answer: Answer) -> Answer:
    """The answer; where nothing is known, with the names that nobody carries and those that come near."""
    unknown = work.question.unknown
    if answer.outcome is not Outcome.NOT_KNOWN or not unknown:
        return answer
    told = " ".join(_told(link) for link in unknown)
    work.step("names", told)
    return replace(answer, text=f"{answer.text} {told}", steps=tuple(work.steps))


def _told(link: Linked) -> str:
    names = list(dict.fromkeys(record.name for record in link.candidates))
    near = f"; near it: {listed(names)}" if names else ""
    return f"Nothing is called \u201c{link.text}\u201d here{near}."
