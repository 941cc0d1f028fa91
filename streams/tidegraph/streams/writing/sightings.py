"""What a document tells of the things that it names: their signatures, and what candidates are scored by.

The signature of a mention is the exclusive evidence that its own document states right at the name: when
somebody was born, when a firm was founded, in which country a town lies. It is a part of the entity id, so
that two holders of one name whom documents tell apart have different ids from the first day, whatever
arrives in which order. Most mentions have none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tidegraph.domain import naming
from tidegraph.domain.documents import Chunk, EntityType, ExtractedDocument, Mention, Status
from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import APART, CALLED, NAMES, SIGNED, Sighting
from tidegraph.domain.interval import OPEN_START
from tidegraph.ports import EntityWrite
from tidegraph.resolution.evidence import is_slot, merge_profiles, read_profile
from tidegraph.resolution.standing import keys_of

MAX_MENTIONS: Final = 3
"""Mentions of one thing that its context is read from, the first ones."""
MAX_WORDS: Final = 48
MAX_NAMES: Final = 6
MAX_CALLED: Final = 4
MAX_APART: Final = 4
MAX_FACTS: Final = 12
REACH: Final = 160
"""Characters before and after a mention that may belong to its sentence."""

_YEAR: Final = r"(?P<year>1[0-9]\d\d|20\d\d)"
_DATE: Final = rf"(?:[^.;()\n]{{0,24}}?\b)?{_YEAR}"
_BORN: Final = re.compile(
    rf"(?:,|\s*\()?\s*(?:\(|,)?\s*(?:(?:was\s+|who\s+was\s+)?born\b|b\.|\*)\s*(?:(?:on|in)\s+)?{_DATE}"
)
_LIFE: Final = re.compile(rf"\s*\({_YEAR}\s*[-\u2013\u2014]\s*(?:\d{{4}})?\s*\)")
_FOUNDED: Final = re.compile(
    r"(?:,|\s*\()?\s*(?:was\s+|which\s+was\s+)?(?:founded|established|incorporated|set up)\s+"
    rf"(?:on|in)\s+{_DATE}"
)
_SENTENCE_END: Final = re.compile(r"[.!?]\s+(?=[^a-z\s])|\n")
_PATTERNS: Final[Mapping[EntityType, tuple[tuple[str, re.Pattern[str]], ...]]] = {
    EntityType.PERSON: (("born", _BORN), ("born", _LIFE)),
    EntityType.ORGANISATION: (("established", _FOUNDED),),
}


def signatures(document: ExtractedDocument) -> dict[str, str]:
    """By mention id the signature, "" for a mention without.

    What is stated at one mention holds for all of the same name in the document, unless the document
    tells of several holders of the name: then for that mention alone.
    """
    own: dict[str, str] = {}
    by_key: dict[str, set[str]] = defaultdict(set)
    keys = {mention.mention_id: naming.entity_key(mention) for mention in document.mentions}
    for mention in document.mentions:
        stated = _stated(mention, _after(document.chunks, mention))
        own[mention.mention_id] = stated
        if stated:
            by_key[keys[mention.mention_id]].add(stated)
    found = {}
    for mention in document.mentions:
        told = by_key.get(keys[mention.mention_id], set())
        found[mention.mention_id] = own[mention.mention_id] or (min(told) if len(told) == 1 else "")
    return found


def _stated(mention: Mention, following: str) -> str:
    for slot, pattern in _PATTERNS.get(mention.type, ()):
        match = pattern.match(following)
        if match:
            return f"{slot}={match['year']}"
    return ""


def _after(chunks: Sequence[Chunk], mention: Mention) -> str:
    chunk = _chunk(chunks, mention)
    return chunk.text[mention.end_char - chunk.start_char :][:REACH] if chunk else ""


def _chunk(chunks: Sequence[Chunk], mention: Mention) -> Chunk | None:
    inside = (c for c in chunks if c.start_char <= mention.start_char and mention.end_char <= c.end_char)
    return next(inside, None)


def sightings_of(
    document: ExtractedDocument,
    entities: Iterable[EntityWrite],
    entity_of: Mapping[str, str],
    signed: Mapping[str, str],
    claims: Iterable[Assertion],
) -> tuple[Sighting, ...]:
    """One sighting of each entity that the document names.

    Args:
        entity_of: by mention id the entity.
        signed: by entity id the signature that is a part of it, "" for none.
        claims: what the document claims. Values of predicates of names are other names, what it relates
            to each other are two things, and facts that fill a slot are evidence.
    """
    mentions: dict[str, list[Mention]] = defaultdict(list)
    for mention in document.mentions:
        mentions[entity_of[mention.mention_id]].append(mention)
    called: dict[str, set[str]] = defaultdict(set)
    apart: dict[str, set[str]] = defaultdict(set)
    entities = tuple(entities)
    keys = {entity.entity_id: entity.key for entity in entities}
    types = {entity.entity_id: entity.type for entity in entities}
    facts: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for claim in claims:
        if is_slot(claim.predicate) and claim.status is Status.ASSERTED:
            value = keys.get(claim.object, "") if claim.object_is_entity else claim.object
            facts[claim.subject].append((claim.predicate, value))
        if claim.object_is_entity:
            if claim.object != claim.subject and types.get(claim.object) == types.get(claim.subject):
                apart[claim.subject].add(claim.object)
        elif claim.predicate in NAMES and naming.normalise(claim.object) != keys.get(claim.subject):
            called[claim.subject].add(claim.object)
    time = document.header.document_time.instant if document.header.document_time else OPEN_START
    return tuple(
        _sighting(
            document,
            entity,
            mentions[entity.entity_id],
            sorted(facts[entity.entity_id])[:MAX_FACTS],
            [
                (SIGNED, signed.get(entity.entity_id, "")),
                *((CALLED, name) for name in called[entity.entity_id]),
                *((APART, other) for other in sorted(apart[entity.entity_id])[:MAX_APART]),
            ],
            time,
        )
        for entity in entities
    )


def _sighting(
    document: ExtractedDocument,
    entity: EntityWrite,
    mentions: Sequence[Mention],
    facts: Sequence[tuple[str, str]],
    told: Sequence[tuple[str, str]],
    time: int,
) -> Sighting:
    names = _names(entity)
    first = sorted(mentions, key=lambda mention: (mention.start_char, mention.end_char))[:MAX_MENTIONS]
    read = [
        read_profile(str(place), mention.name, entity.type, text=_sentence(document.chunks, mention))
        for place, mention in enumerate(first)
    ]
    read += [read_profile("", names[0], entity.type, attributes=facts)] if facts else []
    profile = merge_profiles("", read)
    slots = {(slot, value) for slot, values in profile.slots.items() for value in values}
    signature = dict(told).get(SIGNED, "")
    if signature:
        slots.add((signature.partition("=")[0], signature.partition("=")[2]))
    stated = sorted({value for slot, value in told if slot == CALLED and value})[:MAX_CALLED]
    slots |= {(CALLED, value) for value in stated}
    slots |= {(SIGNED, signature)} if signature else set()
    slots |= {(slot, value) for slot, value in told if slot == APART}
    made = Sighting(
        entity_id=entity.entity_id,
        document_id=document.header.document_id,
        names=tuple((int(entity.type), name) for name in names),
        slots=tuple(sorted(slots)),
        keys=(),
        words=profile.context[:MAX_WORDS],
        time=time,
        recorded_at=entity.recorded_at,
    )
    return with_keys(made)


def with_keys(seen: Sighting) -> Sighting:
    """The sighting with the keys that follow from it."""
    return Sighting(
        seen.entity_id,
        seen.document_id,
        seen.names,
        seen.slots,
        keys_of(seen),
        seen.words,
        seen.time,
        seen.recorded_at,
    )


def _names(entity: EntityWrite) -> list[str]:
    """The names that tell: those that the id is made of, the one to show first, and its initials.

    A surname or another part of the name finds a thing but does not tell which one it is.
    """
    own = sorted(text for normal, text in entity.aliases if normal == entity.key)
    best = naming.display_name(entity.key, entity.aliases)
    short = sorted(text for normal, text in entity.aliases if normal != entity.key)
    initials = [text for text in short if naming.is_acronym(text, best)]
    return list(dict.fromkeys([best, *own, *initials]))[:MAX_NAMES]


def _sentence(chunks: Sequence[Chunk], mention: Mention) -> str:
    chunk = _chunk(chunks, mention)
    if chunk is None:
        return ""
    start, end = mention.start_char - chunk.start_char, mention.end_char - chunk.start_char
    before = _SENTENCE_END.split(chunk.text[max(0, start - REACH) : start])[-1]
    after = _SENTENCE_END.split(chunk.text[end : end + REACH])[0]
    return before + chunk.text[start:end] + after
