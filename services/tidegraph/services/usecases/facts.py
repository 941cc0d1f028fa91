"""Facts at a point in time, their history, and why they are believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.asof import AsOf
from tidegraph.domain.errors import LimitExceeded, NotFound, Rejected
from tidegraph.domain.explain import explain
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.domain.policies import normal_value
from tidegraph.ports import EntityRecord, EventRecord, FactFilter
from tidegraph.services.usecases.answers import Cited, cite_assertion
from tidegraph.services.usecases.compose import line
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.linking import find_known, named, nobody
from tidegraph.services.usecases.matching import Matcher
from tidegraph.services.usecases.naming import named_at
from tidegraph.services.usecases.phrasing import date_in_words
from tidegraph.services.usecases.question import NO_TIME, Linked, read
from tidegraph.services.usecases.quoting import sentences
from tidegraph.services.usecases.work import FACTS_MAX, Work

EVIDENCE_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class FactQuery:
    """Which facts: names or ids, "" does not restrict; ``entity`` matches either side."""

    subject: str = ""
    predicate: str = ""
    object: str = ""
    entity: str = ""
    any_valid_time: bool = False


@dataclass(frozen=True, slots=True)
class FactsFound:
    """The facts in scope, and how many of the same restriction hold at other times only: at least so many,
    where there are more than can be read.
    """

    facts: tuple[FactVersion, ...]
    suppressed: int
    work: Work


async def get_facts(ports: Ports, moment: Moment, query: FactQuery) -> FactsFound:
    """Facts that hold in the asked time, as known then; those that surely do first.

    Raises:
        Rejected: NO_RESTRICTION. NotFound: ENTITY_NOT_FOUND.
    """
    if not (query.subject or query.object or query.entity):
        message = "give a subject, an object or an entity; a predicate alone restricts too little"
        raise Rejected("NO_RESTRICTION", message, field="subject")
    subject, object_, roles, predicate = _direct(ports, query)
    work = _work(ports, moment, query.predicate)
    which, literal = await _restriction(work, subject, object_, query.entity)
    valid = None if query.any_valid_time else moment.valid
    facts = await _read(work, which, literal, predicate, roles, valid)
    asked = AsOf(moment.known_at, valid)
    shown = [version for version, _ in asked.select(facts)]
    return FactsFound(tuple(shown), len(facts) - len(shown), work)


def _direct(ports: Ports, query: FactQuery) -> tuple[str, str, tuple[tuple[str, str], ...], str]:
    """(subject, object, qualifiers, predicate) in the canonical direction of the predicate's name."""
    if not query.predicate or query.predicate not in ports.registry:
        return query.subject, query.object, (), query.predicate
    canonical = ports.registry.canonical("<", query.predicate, ">")
    swapped = canonical.subject == ">"
    subject, object_ = (query.object, query.subject) if swapped else (query.subject, query.object)
    return subject, object_, canonical.qualifiers, canonical.predicate


async def _restriction(work: Work, subject: str, object_: str, entity: str) -> tuple[FactFilter, str]:
    """What restricts to the named sides, and the literal that the object is when it names no entity."""
    which = FactFilter(limit=FACTS_MAX)
    if entity:
        which = replace(which, entity_ids=await _ids(work, entity, "entity"))
    if subject:
        which = replace(which, subject_ids=await _ids(work, subject, "subject"))
    if not object_:
        return which, ""
    found = await find_known(work.ports, work.moment, object_)
    if found:
        return replace(which, object_ids=tuple(record.entity_id for record in found)), ""
    if subject or entity:
        return which, normal_value(object_)
    raise await nobody(work.ports, work.moment.graph, object_, work.moment.seen, "object")


async def _read(
    work: Work,
    which: FactFilter,
    literal: str,
    predicate: str,
    roles: tuple[tuple[str, str], ...],
    valid: Interval | None,
) -> list[FactVersion]:
    """The facts of a restriction at all valid times; at the asked one alone where all are too many."""
    found = await _of_predicate(work, which, predicate)
    if len(found) >= which.limit and valid is not None:
        found = await _of_predicate(work, replace(which, valid=valid), predicate)
    facts = _all(found)
    await work.learn_names(facts)
    if literal:
        facts = [f for f in facts if not f.object_is_entity and normal_value(f.object) == literal]
    return _with_predicate(work, [fact for fact in facts if not fact.valid.is_empty], predicate, roles)


async def _of_predicate(work: Work, which: FactFilter, predicate: str) -> list[FactVersion]:
    """The facts of the predicate of this name; where none has it, it may be a wording: then all."""
    registry, store, moment = work.ports.registry, work.ports.store, work.moment
    if predicate:
        named = replace(which, predicates=(registry.policy(predicate).name,))
        found = await store.facts(moment.graph, named, moment.seen)
        if found or predicate in registry:
            return found
    return await store.facts(moment.graph, which, moment.seen)


def _all(found: list[FactVersion]) -> list[FactVersion]:
    """What was read, unless the bound of a read may have cut it."""
    if len(found) >= FACTS_MAX:
        message = f"{FACTS_MAX} facts or more: restrict by a time, a predicate, the other side or a key"
        raise LimitExceeded("TOO_MANY_FACTS", message)
    return found


def _with_predicate(
    work: Work, facts: list[FactVersion], predicate: str, roles: tuple[tuple[str, str], ...]
) -> list[FactVersion]:
    """The facts of a predicate: by its name, else by its wording ("finance director of")."""
    if not predicate:
        return facts
    named = [f for f in facts if f.predicate == work.ports.registry.policy(predicate).name]
    if named or predicate in work.ports.registry:
        return [f for f in named if set(roles) <= set(f.qualifiers)]
    sides = {f.subject for f in facts} | {f.object for f in facts if f.object_is_entity}
    everyone = Linked("", 0, 0, tuple(work.names[i] for i in sorted(sides) if i in work.names))
    wording = replace(work.question, asked=Asked.TRUTH, entities=(everyone,))
    matcher = Matcher(wording, work.ports.registry, work.names)
    return [match.fact for match in matcher.matches(facts)]


def _work(ports: Ports, moment: Moment, wording: str) -> Work:
    return Work(ports, moment, read(wording.replace("_", " ") or "facts", NO_TIME, ()))


async def _ids(work: Work, name_or_id: str, field: str) -> tuple[str, ...]:
    found = await named(work.ports, work.moment, name_or_id, field)
    for record in found:
        work.names[record.entity_id] = record
    return tuple(record.entity_id for record in found)


# --- history ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One version with what took its place. ``current``: believed at known_at."""

    version: FactVersion
    current: bool
    replaced_by: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class History:
    """Every version, in order of valid start, then recorded time."""

    rows: tuple[HistoryRow, ...]
    work: Work


async def list_history(
    ports: Ports, moment: Moment, *, entity: str = "", key: str = "", fact_id: str = "", predicate: str = ""
) -> History:
    """All versions of the facts of an entity, a key or a fact, with why each is no longer believed.

    Raises:
        NotFound: ENTITY_NOT_FOUND, KEY_NOT_FOUND or FACT_NOT_FOUND. Rejected: NO_RESTRICTION.
    """
    work = _work(ports, moment, predicate)
    which = FactFilter(history=True, limit=FACTS_MAX)
    if fact_id:
        key = (await _version(work, fact_id)).key
    if key:
        await known_key(ports, moment, key)
        which = replace(which, keys=(key,))
    elif entity:
        which = replace(which, entity_ids=await _ids(work, entity, "entity"))
    else:
        raise Rejected("NO_RESTRICTION", "give an entity, a key or a fact", field="of")
    versions = _all(await _of_predicate(work, which, predicate))
    await work.learn_names(versions)
    if predicate:
        canonical = ports.registry.canonical("<", predicate, ">")
        versions = _with_predicate(work, versions, predicate, canonical.qualifiers)
    versions = [v for v in versions if v.recorded_at < v.invalidated_at]
    ordered = sorted(versions, key=lambda v: (v.valid.start, v.valid.end, v.recorded_at, v.version_id))
    return History(tuple(_row(work, version, ordered) for version in ordered), work)


async def known_key(ports: Ports, moment: Moment, key: str) -> None:
    """
    Raises:
        NotFound: KEY_NOT_FOUND, no fact that the caller may know of ever stood under the key by known_at.
    """
    which = FactFilter(keys=(key,), history=True, limit=1)
    if not await ports.store.facts(moment.graph, which, moment.seen):
        message = "nothing was known then under this key in this graph; take it from a fact"
        raise NotFound("KEY_NOT_FOUND", message, key=key[:80], field="key")


def _row(work: Work, version: FactVersion, others: Sequence[FactVersion]) -> HistoryRow:
    current = version.invalidated_at > work.moment.known_at
    replaced = [
        other
        for other in others
        if not current
        and other.key == version.key
        and other.recorded_at == version.invalidated_at
        and (other.valid.overlaps(version.valid) or other.object == version.object)
    ]
    return HistoryRow(
        version=version,
        current=current,
        replaced_by=tuple(other.version_id for other in replaced),
        reason=_reason(work, version, replaced, current),
    )


def _reason(work: Work, version: FactVersion, replaced: Sequence[FactVersion], current: bool) -> str:
    """Why a version ended, in words."""
    if current:
        if version.valid.end == OPEN_END:
            return "holds on"
        return "its end follows from what came next" if version.end_inferred else "its end is stated"
    when = date_in_words(version.invalidated_at, Granularity.DAY)
    same = [o for o in replaced if (o.subject, o.object) == (version.subject, version.object)]
    if same:
        return f"known otherwise since {when}: {line(work, same[0])}"
    if replaced:
        return f"taken over since {when} by {line(work, replaced[0])}"
    return f"no longer believed since {when}: its evidence was withdrawn or contradicted"


# --- why --------------------------------------------------------------------------------------------------


class EvidenceRole(StrEnum):
    """How an assertion stands to a fact."""

    SUPPORTS = "supports"
    BOUNDS = "bounds"
    OPPOSES = "opposes"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One assertion under the fact's key; ``time_rule_id`` names the grounding rule that read its date."""

    role: EvidenceRole
    assertion: Assertion
    cited: Cited
    time_rule_id: str


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a fact is believed, as of known_at. ``last_confirmed_at`` is OPEN_START without evidence."""

    version: FactVersion
    evidence: tuple[EvidenceRow, ...]
    last_confirmed_at: int
    preceded_by: tuple[FactVersion, ...]
    succeeded_by: tuple[FactVersion, ...]
    reasons: tuple[str, ...]
    work: Work
    omitted: int = 0


async def explain_fact(ports: Ports, moment: Moment, fact_id: str) -> Explained:
    """The evidence of one version and what stands before and after it.

    Raises:
        NotFound: FACT_NOT_FOUND.
    """
    work = _work(ports, moment, "")
    version = await _version(work, fact_id)
    everything = await ports.store.assertions(moment.graph, [version.key], moment.seen)
    policy = ports.registry.key_policy(version.predicate, version.qualifiers)
    found = explain(everything, version, policy, moment.known_at)
    withdrawn = [a for a in everything if a.withdrawn_at <= moment.known_at]
    rows: list[tuple[EvidenceRole, Assertion]] = [(EvidenceRole.SUPPORTS, a) for a in found.evidence]
    for assertion in found.against:
        bounds = assertion.valid.start in (version.valid.end, version.valid.start)
        rows.append((EvidenceRole.BOUNDS if bounds else EvidenceRole.OPPOSES, assertion))
    rows += [(EvidenceRole.WITHDRAWN, a) for a in withdrawn]
    omitted, rows = max(0, len(rows) - EVIDENCE_MAX), rows[:EVIDENCE_MAX]
    family = await work.facts_under([version.key])
    await work.learn_names([version])
    before = [f for f in family if f.valid.end <= version.valid.start]
    after = [f for f in family if f.valid.start >= version.valid.end]
    events = await _events(work, [a for _, a in rows])
    said = await sentences(ports, moment, [(version, a) for _, a in rows], events, work.names)
    evidence = tuple(
        EvidenceRow(
            role,
            a,
            cite_assertion(str(i + 1), version, a, events.get(a.event_id), said[i]),
            events[a.event_id].event.time_rule_id if a.event_id in events else "",
        )
        for i, (role, a) in enumerate(rows)
    )
    return Explained(
        version=version,
        evidence=evidence,
        last_confirmed_at=found.last_confirmed_at,
        preceded_by=tuple(before[-3:]),
        succeeded_by=tuple(after[:3]),
        reasons=_why(work, version, found.corroboration, before, after),
        work=work,
        omitted=omitted,
    )


async def _version(work: Work, fact_id: str) -> FactVersion:
    which = FactFilter(version_ids=(fact_id,), history=True, limit=1)
    found = await work.ports.store.facts(work.moment.graph, which, work.moment.seen)
    if not found:
        message = "no such fact was known then in this graph; take its id from an answer or from timeline"
        raise NotFound("FACT_NOT_FOUND", message, fact_id=fact_id[:80])
    return found[0]


async def _events(work: Work, assertions: Sequence[Assertion]) -> dict[str, EventRecord]:
    ids = list(dict.fromkeys(a.event_id for a in assertions if a.event_id))
    found = await work.ports.store.events(work.moment.graph, ids, work.moment.seen) if ids else []
    return {record.event.event_id: record for record in found}


def _why(
    work: Work,
    version: FactVersion,
    corroboration: int,
    before: Sequence[FactVersion],
    after: Sequence[FactVersion],
) -> tuple[str, ...]:
    """In words: what starts it, what ends it, how well it is known."""
    reasons = [f"{corroboration} documents say so" if corroboration != 1 else "1 document says so"]
    if version.valid.start == OPEN_START:
        reasons.append("no start is known")
    elif version.start_known:
        reasons.append(
            f"its start is stated: {date_in_words(version.valid.start, version.start_granularity)}"
        )
    else:
        seen = date_in_words(version.valid.start, version.start_granularity)
        reasons.append(f"it was first seen to hold on {seen}; its start is not stated")
    if version.valid.end == OPEN_END:
        reasons.append("nothing ends it")
    elif version.end_inferred and after:
        reasons.append(f"it ends where the next one starts: {line(work, after[0])}")
    elif not version.end_inferred:
        reasons.append(f"its end is stated: {date_in_words(version.valid.end, version.end_granularity)}")
    if before:
        reasons.append(f"before it: {line(work, before[-1])}")
    if version.conflicted:
        reasons.append("evidence of equal rank says otherwise for the same time")
    if version.announced:
        reasons.append("it rests on announcements alone")
    return tuple(reasons)


# --- entities -------------------------------------------------------------------------------------------


async def get_entity(ports: Ports, moment: Moment, name_or_id: str) -> list[EntityRecord]:
    """The entity and others that carry the name, likeliest first.

    Raises:
        NotFound: ENTITY_NOT_FOUND.
    """
    return await named_at(ports, moment, await named(ports, moment, name_or_id))
