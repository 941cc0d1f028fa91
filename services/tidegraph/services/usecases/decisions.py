"""Conflicts, policies, re-extractions, seals: what an operator decides, and what was decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.choosing import stand_ins
from tidegraph.domain.documents import Position, Status
from tidegraph.domain.errors import LimitExceeded, NotFound, Rejected
from tidegraph.domain.evidence import value_of
from tidegraph.domain.explain import explain
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.domain.rules import Timeline
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import DecisionRecord, FactFilter, Visibility
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.answers import Cited, cite_assertion
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.decide import decide
from tidegraph.services.usecases.phrasing import statement
from tidegraph.services.usecases.question import NO_TIME, read
from tidegraph.services.usecases.quoting import sentences
from tidegraph.services.usecases.tenants import known_graph
from tidegraph.services.usecases.work import Work
from tidegraph.storage.rulebook import (
    CONFLICT,
    POLICIES,
    REEXTRACTION,
    SEAL,
    fields_of,
    read_rulebook,
    timeline_of,
)

CONFLICTS_MAX: Final = 10_000
REGISTRY_CHARS: Final = 256 * 1024
DECISION_KINDS: Final = (
    CONFLICT,
    POLICIES,
    REEXTRACTION,
    SEAL,
    "merge",
    "split",
    "erasure",
    "rebuild",
)


# --- conflicts --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Option:
    """A claim that a conflict may be decided for. ``valid``: its own period."""

    assertion: Assertion
    text: str
    valid: Interval
    winning: bool
    chosen: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """A fact that evidence of equal rank disagrees on, with all that is claimed under its key."""

    winner: FactVersion
    options: tuple[Option, ...]
    claims: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class ConflictsFound:
    """A page of conflicts, and whether there are more."""

    conflicts: tuple[Conflict, ...]
    more: bool
    work: Work


async def conflicts(ports: Ports, moment: Moment, offset: int, size: int) -> ConflictsFound:
    """Conflicts as known then, by key.

    Raises:
        LimitExceeded: TOO_MANY_CONFLICTS, the page lies beyond what can be listed.
    """
    if offset + size >= CONFLICTS_MAX:
        raise LimitExceeded("TOO_MANY_CONFLICTS", f"at most {CONFLICTS_MAX} conflicts can be listed")
    which = FactFilter(conflicted=True, limit=offset + size + 1)
    found = await ports.store.facts(moment.graph, which, moment.seen)
    page = [version for version in found if not version.valid.is_empty][offset:]
    work = Work(ports, moment, read("conflicts", NO_TIME, ()))
    await work.learn_names(page)
    shown = tuple([await _conflict(work, version) for version in page[:size]])
    return ConflictsFound(shown, len(page) > size, work)


async def _conflict(work: Work, winner: FactVersion) -> Conflict:
    ports, moment = work.ports, work.moment
    evidence = await ports.store.assertions(moment.graph, [winner.key], moment.seen)
    book = await read_rulebook(ports.store, ports.registry, moment.graph, [winner.key], moment.seen)
    policy, choices = book.rules_of(evidence).at(moment.known_at)
    chosen = stand_ins(evidence, choices, policy, moment.known_at)
    found = explain(evidence, winner, policy, moment.known_at)
    claims = [
        claim
        for claim in (*found.evidence, *found.against)
        if claim.status is not Status.DENIED and value_of(claim, policy)
    ]
    await work.learn_ids([a.subject for a in claims] + [a.object for a in claims if a.object_is_entity])
    ids = [a.event_id for a in claims if a.event_id]
    events = {e.event.event_id: e for e in await ports.store.events(moment.graph, ids, moment.seen)}
    said = await sentences(ports, moment, [(winner, claim) for claim in claims], events, work.names)
    cited = tuple(
        cite_assertion(str(number), winner, claim, events.get(claim.event_id), text)
        for number, (claim, text) in enumerate(zip(claims, said, strict=True), start=1)
    )
    winning = {claim.assertion_id for claim in found.evidence}
    options = tuple(
        Option(
            assertion=claim,
            text=_in_words(work, winner, claim),
            valid=Interval(claim.valid.start, claim.valid.end),
            winning=claim.assertion_id in winning,
            chosen=claim.assertion_id in chosen,
        )
        for claim in claims
    )
    return Conflict(winner, options, cited)


def _in_words(work: Work, winner: FactVersion, claim: Assertion) -> str:
    said = replace(
        winner,
        subject=claim.subject or winner.subject,
        object=claim.object or winner.object,
        object_is_entity=claim.object_is_entity,
        qualifiers=claim.qualifiers,
        valid=Interval(claim.valid.start, claim.valid.end),
        start_granularity=claim.valid.start_granularity,
        end_granularity=claim.valid.end_granularity,
    )
    return statement(said, work.ports.registry, work.names, work.moment.now)


async def decide_conflict(
    ports: Ports, caller: Caller, key: str, assertion_id: str, reason: str, *, undo: bool
) -> Position:
    """Decide for one claim under a key from now on, or take such a decision back.

    Raises:
        NotFound: CLAIM_NOT_FOUND, no such claim under the key. Rejected: NO_CLAIM, none was named.
    """
    if not assertion_id and not undo:
        raise Rejected("NO_CLAIM", "name the assertion to decide for", field="assertion_id")
    if assertion_id:
        evidence = await ports.store.assertions(caller.graph, [key], Visibility(OPEN_END - 1, caller.labels))
        if assertion_id not in {claim.assertion_id for claim in evidence}:
            message = "there is no such claim under this key; `tidegraph conflicts list` shows them"
            raise NotFound("CLAIM_NOT_FOUND", message, assertion_id=assertion_id[:80])
        if undo:
            seen = Visibility(OPEN_END - 1, caller.labels)
            book = await read_rulebook(ports.store, ports.registry, caller.graph, [key], seen)
            policy, choices = book.rules_of(evidence).at(seen.known_at)
            assertion_id = stand_ins(evidence, choices, policy, seen.known_at).get(assertion_id, assertion_id)
    choice = records_pb2.ConflictDecision(key=key, assertion_id=assertion_id, undo=undo)
    return await decide(ports, caller, reason, conflict=choice)


# --- policies ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Policies:
    """The registry file in force on top of the configured registry, and by which decision."""

    registry_toml: str
    decision: DecisionRecord | None
    registry: Registry


async def set_policies(
    ports: Ports, caller: Caller, registry_toml: str, reason: str, *, validate_only: bool
) -> Position | None:
    """Put a registry file in force from now on; None when it was only checked.

    Raises:
        Rejected: INVALID_REGISTRY. LimitExceeded: REGISTRY_TOO_LONG.
    """
    if len(registry_toml) > REGISTRY_CHARS:
        message = f"a registry file has at most {REGISTRY_CHARS} characters"
        raise LimitExceeded("REGISTRY_TOO_LONG", message, field="registry_toml")
    Timeline.of(ports.registry, [(0, "", registry_toml)])
    if validate_only:
        return None
    change = records_pb2.PolicyChange(registry_toml=registry_toml)
    return await decide(ports, caller, reason, policies=change)


async def get_policies(ports: Ports, moment: Moment) -> Policies:
    """The policies in force at known_at."""
    found = await ports.store.decisions(moment.graph, (POLICIES,), moment.seen)
    book = await read_rulebook(ports.store, ports.registry, moment.graph, (), moment.seen)
    last = found[-1] if found else None
    text = str(fields_of(last).get("registry_toml", "")) if last else ""
    return Policies(text, last, book.timeline.at(moment.known_at))


async def under_policies(ports: Ports, moment: Moment) -> Ports:
    """The ports with the registry that the graph went by at known_at."""
    if not moment.made.has_policies:
        return ports
    found = await ports.store.decisions(moment.graph, (POLICIES,), moment.seen)
    if not found:
        return ports
    return replace(ports, registry=timeline_of(ports.registry, found).at(moment.known_at))


# --- the rest ---------------------------------------------------------------------------------------


async def reextract(ports: Ports, caller: Caller, document_id: str, reason: str) -> Position:
    """Have a document, or (document_id "") every document of the graph, read again.

    Raises:
        NotFound: GRAPH_NOT_FOUND; DOCUMENT_NOT_FOUND, the caller sees no such document in the graph.
    """
    await known_graph(ports, caller)
    if document_id:
        seen = Visibility(OPEN_END - 1, caller.labels)
        if not await ports.store.documents(caller.graph, [document_id], seen):
            message = (
                "no such document was recorded in this graph; documents that were refused are not read again"
            )
            raise NotFound("DOCUMENT_NOT_FOUND", message, document_id=document_id[:80])
    change = records_pb2.Reextraction(document_id=document_id)
    return await decide(ports, caller, reason, reextraction=change)


async def seal(ports: Ports, caller: Caller, reason: str) -> Position:
    """Take no more backfill.

    Raises:
        NotFound: GRAPH_NOT_FOUND.
    """
    await known_graph(ports, caller)
    return await decide(ports, caller, reason, seal=records_pb2.Seal())


async def list_decisions(
    ports: Ports, moment: Moment, kinds: Sequence[str], subject: str
) -> list[DecisionRecord]:
    """Decisions carried out by known_at, in the order in which they were recorded.

    Raises:
        Rejected: UNKNOWN_KIND.
    """
    unknown = sorted(set(kinds) - set(DECISION_KINDS))
    if unknown:
        message = f"no decision is called {unknown[0][:40]!r}; there are {', '.join(DECISION_KINDS)}"
        raise Rejected("UNKNOWN_KIND", message, field="kinds")
    about = (subject,) if subject else None
    return await ports.store.decisions(moment.graph, tuple(kinds) or DECISION_KINDS, moment.seen, about)
