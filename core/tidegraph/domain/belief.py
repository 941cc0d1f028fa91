"""The belief history of a conflict key, and the writes that bring a graph to it (design section 7).

    history(assertions, revisions, rules) -> versions    a function of the set, not of its order
    plan(stored, history) -> writes                      close and insert; never delete, never overwrite

Recorded axis: at each instant at which evidence comes or goes, belief is what :func:`resolve` makes of
the evidence that then counts. A change of belief closes one version and opens another at that instant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.canonical import Content, content_of, union, version_of, version_order
from tidegraph.domain.choosing import stand_ins
from tidegraph.domain.errors import Bug
from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.fitting import Kind, fit
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.domain.policies import KeyPolicy
from tidegraph.domain.rules import KeyRules
from tidegraph.domain.slots import Span, resolve


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write: new versions, and (version id, invalidated_at) of stored ones to close.

    ``invalidated_at`` only ever moves earlier; a version closed at its own ``recorded_at`` was never
    believed and is seen by no read.
    """

    insert: tuple[FactVersion, ...]
    close: tuple[tuple[str, int], ...]

    @property
    def is_empty(self) -> bool:
        return not self.insert and not self.close


def history(
    assertions: Iterable[Assertion], revisions: Iterable[Revision], policy: KeyPolicy | KeyRules
) -> tuple[FactVersion, ...]:
    """All versions ever believed under one conflict key, coalesced, in the order of ``version_order``.

    Args:
        assertions: all evidence under the key, withdrawn or not; repeats of an assertion id are one.
        revisions: the register revisions of their documents, whether or not they still name the key
            (others are ignored).
        policy: of the key (``Registry.key_policy``), or its rules over time (``Timeline.rules``).

    Raises:
        Bug: the assertions do not share one key.
    """
    claims = list({assertion.assertion_id: assertion for assertion in assertions}.values())
    if len({claim.key for claim in claims}) > 1:
        raise Bug("MIXED_KEYS", "a belief history is made of assertions under one conflict key")
    key = claims[0].key if claims else ""
    versions = [
        version_of(key, span, recorded)
        for span, recorded in _believed(claims, revisions, KeyRules.of(policy), OPEN_START)
    ]
    return tuple(sorted(versions, key=version_order))


def _believed(
    claims: Sequence[Assertion], revisions: Iterable[Revision], rules: KeyRules, since: int
) -> Iterator[tuple[Span, Interval]]:
    """Each span with the recorded intervals from ``since`` on in which it was believed, coalesced."""
    documents = {claim.document_id for claim in claims if claim.register}
    turns = [revision for revision in revisions if revision.register and revision.document_id in documents]
    believed: dict[Span, list[Interval]] = defaultdict(list)
    instants = _instants(claims, turns, rules, since)
    for place, instant in enumerate(instants):
        until = instants[place + 1] if place + 1 < len(instants) else OPEN_END
        for span in believed_at(claims, turns, rules, instant):
            believed[span].append(Interval(instant, until))
    return ((span, recorded) for span, intervals in believed.items() for recorded in union(intervals))


def believed_at(
    assertions: Sequence[Assertion],
    revisions: Sequence[Revision],
    policy: KeyPolicy | KeyRules,
    known_at: int,
) -> tuple[Span, ...]:
    """What was believed under one key at an instant of the recorded axis."""
    policy, choices = KeyRules.of(policy).at(known_at)
    chosen = tuple(stand_ins(assertions, choices, policy, known_at))
    return resolve(
        [claim for claim in assertions if claim.recorded_at <= known_at < claim.withdrawn_at],
        [turn for turn in revisions if turn.recorded_at <= known_at < turn.withdrawn_at],
        policy,
        chosen,
    )


def _instants(
    claims: Sequence[Assertion], turns: Sequence[Revision], rules: KeyRules, since: int
) -> list[int]:
    instants = {instant for claim in claims for instant in (claim.recorded_at, claim.withdrawn_at)}
    instants |= {instant for turn in turns for instant in (turn.recorded_at, turn.withdrawn_at)}
    instants |= rules.instants()
    found = sorted(instant for instant in instants if since <= instant < OPEN_END)
    return [since, *found] if since > OPEN_START and since not in instants else found


def replan(
    stored: Iterable[FactVersion],
    assertions: Sequence[Assertion],
    revisions: Iterable[Revision],
    policy: KeyPolicy | KeyRules,
    since: int,
) -> Plan:
    """``plan(stored, history(assertions, revisions, policy))`` when nothing changed before ``since``.

    Only belief at instants from ``since`` on is computed, so evidence that is the newest costs one look at
    the key however long its history.

    Args:
        stored: versions that say what the history said before; closed ones included.
        since: no evidence that differs from what the stored versions were planned from was recorded or
            withdrawn, then or now, before this instant.
    """
    rows = list(stored)
    claims = list({assertion.assertion_id: assertion for assertion in assertions}.values())
    key = claims[0].key if claims else ""
    target = [
        replace(row, invalidated_at=min(row.invalidated_at, since)) for row in rows if row.recorded_at < since
    ]
    target.extend(
        version_of(key, span, recorded)
        for span, recorded in _believed(claims, revisions, KeyRules.of(policy), since)
    )
    return plan(rows, target)


def plan(stored: Iterable[FactVersion], target: Iterable[FactVersion]) -> Plan:
    """The writes that make the stored versions say what the target history says, and nothing else.

    ``stored`` are all versions under the keys of ``target``, closed ones included. Applying the plan gives
    a set of rows whose coalesced form equals that of ``target``; planning again gives an empty plan.
    """
    wanted: dict[Content, list[Interval]] = defaultdict(list)
    for version in target:
        if version.recorded_at < version.invalidated_at:
            wanted[content_of(version)].append(version.recorded)
    insert, close = fit(_VERSIONS, stored, wanted)
    return Plan(tuple(sorted(insert, key=version_order)), tuple(sorted(close)))


_VERSIONS: Final[Kind[FactVersion, Content]] = Kind(
    id_of=lambda version: version.version_id,
    content_of=content_of,
    make=lambda content, recorded, repeat: version_of(*content, recorded, repeat),
)
