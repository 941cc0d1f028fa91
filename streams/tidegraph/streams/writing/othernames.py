"""Other names that a document states of a thing in so many words: "X, formerly Y", "X, also known as Y".

They become claims like any other, whoever extracted the document, and so count while the document does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tidegraph.domain.documents import (
    Chunk,
    EndpointBasis,
    EntityType,
    ExtractedAssertion,
    ExtractedDocument,
    Mention,
    Status,
    Term,
    ValidTime,
    Verb,
)
from tidegraph.domain.identity import ALSO_CALLED, FORMERLY_CALLED
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity
from tidegraph.domain.naming import normalise
from tidegraph.resolution.profiles import LinkKind
from tidegraph.resolution.statements import stated_pairs

_CONFIDENCE: Final = 0.8
_ALWAYS: Final = ValidTime(
    OPEN_START, OPEN_END, Granularity.UNKNOWN, Granularity.UNKNOWN, EndpointBasis.NONE, EndpointBasis.NONE
)


def other_names(document: ExtractedDocument) -> tuple[ExtractedAssertion, ...]:
    """A claim for each statement, told once, in the order of the text. When a name was borne is not told."""
    found: dict[str, ExtractedAssertion] = {}
    for chunk in document.chunks:
        for claim in _of_chunk(chunk, document):
            found.setdefault(claim.assertion_id, claim)
    return tuple(sorted(found.values(), key=lambda claim: (claim.start_char, claim.assertion_id)))


def _of_chunk(chunk: Chunk, document: ExtractedDocument) -> Iterator[ExtractedAssertion]:
    inside = [
        mention
        for mention in document.mentions
        if chunk.start_char <= mention.start_char and mention.end_char <= chunk.end_char
    ]
    spans = [(m.start_char - chunk.start_char, m.end_char - chunk.start_char) for m in inside]
    for kind, first, second in stated_pairs(chunk.text, spans):
        one, other = inside[first], inside[second]
        if _may_be_one(kind, one, other):
            yield _claim(kind, one, other)


def _may_be_one(kind: LinkKind, one: Mention, other: Mention) -> bool:
    """Things of one type whose full names stand here. People are "formerly" many things but their names.

    What an organisation was formerly is no person, though its name may have been read as that of one.
    """
    types = {one.type, other.type} - {EntityType.UNSPECIFIED}
    if kind is LinkKind.RENAMED:
        if one.type is EntityType.ORGANISATION:
            types.discard(EntityType.PERSON)
        if EntityType.PERSON in types:
            return False
    if len(types) > 1:
        return False
    named = [normalise(m.name) == normalise(m.canonical_name or m.name) for m in (one, other)]
    return all(named) and normalise(one.name) != normalise(other.name)


def _claim(kind: LinkKind, one: Mention, other: Mention) -> ExtractedAssertion:
    predicate = FORMERLY_CALLED if kind is LinkKind.RENAMED else ALSO_CALLED
    return ExtractedAssertion(
        assertion_id=make_id(predicate, one.mention_id, other.mention_id),
        subject=Term(one.mention_id, ""),
        predicate=predicate,
        object=Term("", other.name),
        qualifiers=(),
        valid=_ALWAYS,
        verb=Verb.STATE,
        status=Status.ASSERTED,
        confidence=_CONFIDENCE,
        start_char=one.start_char,
        end_char=other.end_char,
        event_id="",
        rule_id="other-name",
    )
