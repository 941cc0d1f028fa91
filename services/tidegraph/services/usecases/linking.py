"""Names in a question and the entities that carry them: exact names first, then close ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.errors import NotFound
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.naming import normalise
from tidegraph.domain.predicates import Registry
from tidegraph.ports import EntityRecord, FactFilter, Visibility
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.question import Linked, TimeConstraint
from tidegraph.services.usecases.similar import Similar, similar
from tidegraph.services.usecases.spans.intent import kind_nouns, offices
from tidegraph.services.usecases.words import Token, tables, tokens

NAME_WORDS_MAX: Final = 10
QUESTION_WORDS_MAX: Final = 200
CANDIDATES_MAX: Final = 8
CLOSE_SPANS_MAX: Final = 6
CLOSE_ENOUGH: Final = 0.9
NEAR_ENOUGH: Final = 0.6
NEAR_MAX: Final = 5
NAME_CHARS_MAX: Final = 200
"""Names that come near a longer one are not looked for."""


@dataclass(frozen=True, slots=True)
class Links:
    """Names in a question, left to right: those that entities carry, and those that none does.

    The candidates of an ``unknown`` name are those that come near it, perhaps none.
    """

    found: tuple[Linked, ...]
    unknown: tuple[Linked, ...] = ()


async def link(
    ports: Ports, graph: str, text: str, time: TimeConstraint, seen: Visibility | None = None
) -> Links:
    """The entities named in a question, no two overlapping.

    Longer names win over the names inside them. A run of capitalised words that no entity carries
    exactly is looked for among similar names. Which ids are one is as ``seen`` knows it (None: now).
    """
    listed = [token for token in tokens(text) if token.end <= time.start or token.start >= time.end]
    listed = listed[:QUESTION_WORDS_MAX]
    spans = _spans(listed, text)
    names = {(start, end): normalise(text[start:end]) for start, end in spans}
    wanted = sorted({name for name in names.values() if name})
    known = await ports.store.entities_by_name(graph, wanted, seen)
    found: list[Linked] = []
    for start, end in spans:
        records = known.get(names[start, end], [])
        if records and not _overlaps(found, start, end):
            found.append(Linked(text[start:end], start, end, tuple(records[:CANDIDATES_MAX])))
    found = [_with_given_names(linked, found, listed, text) for linked in found]
    unknown: list[Linked] = []
    for start, end in _capitalised(listed, text)[:CLOSE_SPANS_MAX]:
        if not _overlaps(found, start, end):
            scored = await _scored(ports, graph, text[start:end], seen)
            close = _close(scored)
            if close:
                found.append(_linked(text, start, end, close))
            elif not _is_office(ports.registry, text[start:end]):
                near = await _near(ports, graph, scored, seen)
                unknown.append(_linked(text, start, end, near))
    return Links(tuple(sorted(found, key=lambda linked: linked.start)), tuple(unknown))


def _with_given_names(linked: Linked, found: Sequence[Linked], listed: Sequence[Token], text: str) -> Linked:
    if " " in linked.text or not linked.text[:1].isupper():
        return linked
    start = _widened(listed, text, linked.start)
    if start == linked.start or _overlaps(found, start, linked.start):
        return linked
    return replace(linked, text=text[start : linked.end], start=start)


def _linked(text: str, start: int, end: int, near: Sequence[Similar]) -> Linked:
    records, scores = tuple(one.record for one in near), tuple(one.score for one in near)
    return Linked(text[start:end], start, end, records, scores)


def _is_office(registry: Registry, name: str) -> bool:
    """Whether capitalised words say a post or a kind of thing ("Prime Minister", "CEO"), not a name."""
    spelled = registry.normal_qualifiers((("role", name),))[0][1].casefold().split()
    kinds = offices() | tables().answer_nouns | tables().stop
    return spelled[-1] in offices() or all(word in kinds for word in spelled)


def _spans(listed: Sequence[Token], text: str) -> list[tuple[int, int]]:
    """Runs of words that may be names, longest first, then left to right."""
    stop = tables().stop
    found: list[tuple[int, int]] = []
    for first in range(len(listed)):
        for last in range(first, min(len(listed), first + NAME_WORDS_MAX)):
            if last > first and _breaks(text[listed[last - 1].end : listed[last].start]):
                break
            start, end = listed[first].start, listed[last].end
            inner = listed[first : last + 1]
            if listed[first].lower in stop and listed[first].text.islower():
                continue
            if listed[last].lower in stop and listed[last].text.islower():
                continue
            if all(token.lower in stop for token in inner) or _names_a_kind(inner):
                continue
            if len(inner) == 1 and first == 0 and listed[0].lower in stop:
                continue
            found.append((start, end))
    return sorted(found, key=lambda span: (span[0] - span[1], span[0]))


def _names_a_kind(inner: Sequence[Token]) -> bool:
    """Whether words in small letters only say what kind of thing is asked for, or that a time is meant:
    "which team", "the school", "in the year".

    A text may tell of "the team" as if that were a name; a question that says "team" does not mean it.
    """
    kinds = kind_nouns() | tables().answer_nouns | tables().time_nouns | tables().stop
    return all(token.text.islower() and token.lower in kinds for token in inner)


def _widened(listed: Sequence[Token], text: str, start: int) -> int:
    """Where a surname's given names begin: "Caution" is asked for as "Matt Caution"."""
    index = next((i for i, token in enumerate(listed) if token.start == start), 0)
    while index > 1 and listed[index - 1].text[:1].isupper() and listed[index - 1].text[1:].islower():
        before = listed[index - 1]
        plain = text[before.end : listed[index].start] == " "
        if not plain or before.lower in offices() or before.lower in tables().stop:
            break
        index -= 1
    return listed[index].start if listed else start


def _breaks(gap: str) -> bool:
    return any(mark in gap for mark in "?!;:()\n")


def _capitalised(listed: Sequence[Token], text: str) -> list[tuple[int, int]]:
    """Maximal runs of capitalised words that are not the question's first word alone."""
    found: list[tuple[int, int]] = []
    run: list[Token] = []
    for index, token in enumerate([*listed, Token("", len(text), len(text))]):
        capital = token.text[:1].isupper() and not (index == 0 and token.lower in tables().stop)
        if capital:
            run.append(token)
            continue
        if run and not (len(run) == 1 and run[0] is listed[0]):
            found.append((run[0].start, run[-1].end))
        run = []
    return found


def _overlaps(found: Sequence[Linked], start: int, end: int) -> bool:
    return any(linked.start < end and start < linked.end for linked in found)


async def _scored(ports: Ports, graph: str, name: str, seen: Visibility | None) -> list[Similar]:
    """Entities whose name or alias is near a name that nobody carries exactly, the nearest first."""
    return await similar(ports, graph, name, seen) if len(normalise(name)) >= 3 else []


def _close(scored: Sequence[Similar]) -> list[Similar]:
    """Those that are close enough to be meant; none where that leaves a choice between names."""
    best = max((one.score for one in scored), default=0.0)
    close = [one for one in scored if one.score >= max(CLOSE_ENOUGH, best)]
    whole = {frozenset(normalise(one.record.name).split()) for one in close}
    return close if len(whole) <= 1 else []


async def _near(
    ports: Ports, graph: str, scored: Sequence[Similar], seen: Visibility | None
) -> list[Similar]:
    """Those that may be meant, as far as the caller may know of them."""
    near = [one for one in scored if one.score >= NEAR_ENOUGH][:NEAR_MAX]
    if seen is None:
        return near
    told = {one.entity_id for one in await told_of(ports, graph, [one.record for one in near], seen)}
    return [one for one in near if one.record.entity_id in told]


async def near_names(ports: Ports, graph: str, name: str, seen: Visibility) -> list[Similar]:
    """Entities that come near a name or id that none carries."""
    return await _near(ports, graph, await _scored(ports, graph, name, seen), seen)


async def find_entities(
    ports: Ports, graph: str, name_or_id: str, seen: Visibility | None = None
) -> list[EntityRecord]:
    """Entities by id, else by exact name or alias, likeliest first: who names one means no other."""
    by_id = await ports.store.entities(graph, [name_or_id], seen)
    if by_id:
        return by_id
    wanted = normalise(name_or_id)
    return (await ports.store.entities_by_name(graph, [wanted], seen)).get(wanted, []) if wanted else []


async def find_known(ports: Ports, moment: Moment, name_or_id: str) -> list[EntityRecord]:
    """The same, but only what the caller may know of: some fact or event told of it by known_at."""
    found = await find_entities(ports, moment.graph, name_or_id, moment.seen)
    if moment.seen.labels is None and moment.known_at >= moment.read_at:
        return found
    return await told_of(ports, moment.graph, found, moment.seen)


async def named(ports: Ports, moment: Moment, name_or_id: str, field: str = "entity") -> list[EntityRecord]:
    """The entities of a name or id that a caller gives.

    Raises:
        NotFound: ENTITY_NOT_FOUND, with the names that come near.
    """
    found = await find_known(ports, moment, name_or_id)
    if not found:
        raise await nobody(ports, moment.graph, name_or_id, moment.seen, field)
    return found


async def nobody(ports: Ports, graph: str, name: str, seen: Visibility, field: str) -> NotFound:
    """The error that says that nobody has this name or id, and which names come near."""
    near = await near_names(ports, graph, name, seen) if len(name) <= NAME_CHARS_MAX else []
    told = "; ".join(f"{one.record.name} ({one.record.entity_id})" for one in near[:NEAR_MAX])
    message = f"no entity is called {name[:80]!r} in this graph" + (f"; near it: {told}" if told else "")
    return NotFound("ENTITY_NOT_FOUND", message, entity=name[:80], near=told, field=field)


async def find_seen(ports: Ports, graph: str, name_or_id: str, seen: Visibility) -> list[EntityRecord]:
    """The same before the moment of the read is settled."""
    return await told_of(ports, graph, await find_entities(ports, graph, name_or_id, seen), seen)


async def told_of(
    ports: Ports, graph: str, records: Sequence[EntityRecord], seen: Visibility
) -> list[EntityRecord]:
    """The entities of which the caller may know: all, where nothing is kept from it."""
    if seen.labels is None and seen.known_at >= OPEN_END - 1:
        return list(records)
    return [record for record in records if await _told(ports, graph, seen, record.entity_id)]


async def _told(ports: Ports, graph: str, seen: Visibility, entity_id: str) -> bool:
    which = FactFilter(entity_ids=(entity_id,), history=True, limit=1)
    if await ports.store.facts(graph, which, seen):
        return True
    return bool(await ports.store.events_of(graph, [entity_id], None, seen, 1))
