"""What a renaming says of the name before it: the name that the document calls the thing by ended then."""

from __future__ import annotations

from collections.abc import Callable

from tidegraph.domain.documents import (
    EndpointBasis,
    ExtractedAssertion,
    ExtractedDocument,
    Status,
    Term,
    ValidTime,
    Verb,
)
from tidegraph.domain.identity import NAME
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import OPEN_START, Granularity
from tidegraph.domain.naming import normalise
from tidegraph.domain.predicates import Registry


def former_names(
    document: ExtractedDocument, registry: Registry, name_of: Callable[[str], str]
) -> tuple[ExtractedAssertion, ...]:
    """For each dated renaming the claim that the thing was called by its former name until then.

    "Lumen was renamed Aurelle in 2022" says that Lumen was its name up to 2022; the same evidence.

    Args:
        name_of: the full name of a mention by its id.
    """
    found = []
    for claim in document.assertions:
        if claim.predicate not in registry or registry.policy(claim.predicate).name != NAME:
            continue
        if claim.verb not in (Verb.START, Verb.CHANGE) or claim.status is Status.DENIED:
            continue
        if claim.valid.start == OPEN_START or not claim.subject.mention_id:
            continue
        former = name_of(claim.subject.mention_id)
        later = name_of(claim.object.mention_id) if claim.object.mention_id else claim.object.literal
        if later and normalise(former) != normalise(later):
            found.append(_until(claim, former))
    return tuple(found)


def _until(claim: ExtractedAssertion, former: str) -> ExtractedAssertion:
    start = claim.valid
    return ExtractedAssertion(
        assertion_id=make_id("former", claim.assertion_id),
        subject=claim.subject,
        predicate=claim.predicate,
        object=Term("", former),
        qualifiers=claim.qualifiers,
        valid=ValidTime(
            start=OPEN_START,
            end=start.start,
            start_granularity=Granularity.UNKNOWN,
            end_granularity=start.start_granularity,
            start_basis=EndpointBasis.NONE,
            end_basis=start.start_basis,
        ),
        verb=Verb.STOP,
        status=claim.status,
        confidence=claim.confidence,
        start_char=claim.start_char,
        end_char=claim.end_char,
        event_id=claim.event_id,
        rule_id=claim.rule_id,
    )
