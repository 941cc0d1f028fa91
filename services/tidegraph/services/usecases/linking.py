"""Names in a question and the entities that carry them: exact names first, then close ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidegraph.domain.naming import normalise
from tidegraph.ports import EntityRecord, FactFilter, Visibility
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.question import Linked, TimeConstraint
from tidegraph.services.usecases.similar import Similar, similar
from tidegraph.services.usecases.words import Token, tables, tokens

NAME_WORDS_MAX: Final = 10
QUESTION_WORDS_MAX: Final = 200
CANDIDATES_MAX: Final = 8
CLOSE_SPANS_MAX: Final = 6
CLOSE_ENOUGH: Final = 0.9


async def link(
    ports: Ports, graph: str, text: str, time: TimeConstraint, seen: Visibility | None = None
) -> tuple[Linked, ...]:
    """The entities named in a question, left to right, no two overlapping.

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
    for start, end in _capitalised(listed, text)[:CLOSE_SPANS_MAX]:
        if not _overlaps(found, start, end):
            close = await _close(ports, graph, text[start:end], seen)
            if close:
                nearest = tuple(one.record for one in close)
                scores = tuple(one.score for one in close)
                found.append(Linked(text[start:end], start, end, nearest, scores))
    return tuple(sorted(found, key=lambda linked: linked.start))


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
            if all(token.lower in stop for token in inner):
                continue
            if len(inner) == 1 and first == 0 and listed[0].lower in stop:
                continue
            found.append((start, end))
    return sorted(found, key=lambda span: (span[0] - span[1], span[0]))


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


async def _close(ports: Ports, graph: str, name: str, seen: Visibility | None) -> list[Similar]:
    """Entities whose name or alias is close to a name that nobody carries exactly."""
    if len(normalise(name)) < 3:
        return []
    scored = await similar(ports, graph, name, seen)
    best = max((one.score for one in scored), default=0.0)
    close = [one for one in scored if one.score >= max(CLOSE_ENOUGH, best)]
    whole = {frozenset(normalise(one.record.name).split()) for one in close}
    return close if len(whole) <= 1 else []


async def find_entities(
    ports: Ports, graph: str, name_or_id: str, seen: Visibility | None = None
) -> list[EntityRecord]:
    """Entities by id, else by exact name or alias, else by a close name; likeliest first."""
    by_id = await ports.store.entities(graph, [name_or_id], seen)
    if by_id:
        return by_id
    wanted = normalise(name_or_id)
    exact = (await ports.store.entities_by_name(graph, [wanted], seen)).get(wanted, []) if wanted else []
    return exact or [one.record for one in await _close(ports, graph, name_or_id, seen)]


async def find_known(ports: Ports, moment: Moment, name_or_id: str) -> list[EntityRecord]:
    """The same, but only what the caller may know of: some fact or event told of it by known_at."""
    found = await find_entities(ports, moment.graph, name_or_id, moment.seen)
    if moment.seen.labels is None and moment.known_at >= moment.now:
        return found
    return [record for record in found if await _told(ports, moment, record.entity_id)]


async def _told(ports: Ports, moment: Moment, entity_id: str) -> bool:
    which = FactFilter(entity_ids=(entity_id,), history=True, limit=1)
    if await ports.store.facts(moment.graph, which, moment.seen):
        return True
    return bool(await ports.store.events_of(moment.graph, [entity_id], None, moment.seen, 1))
