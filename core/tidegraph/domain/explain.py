"""Why a fact is believed: evidence, corroboration and last confirmation, derived as of a known instant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tidegraph.domain.documents import Status, Verb
from tidegraph.domain.evidence import is_planned, value_of
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START
from tidegraph.domain.policies import KeyPolicy, normal_value


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a version rests on, as known at one instant.

    ``evidence``: assertions that say it holds somewhere in its valid interval, or that tell its end; by
    document time. ``against``: assertions that bound it, deny it or name another value for the same time.
    ``corroboration``: number of different documents in the evidence. ``last_confirmed_at``: recorded time
    of the newest evidence, OPEN_START when there is none left. ``last_seen``: latest instant in the world
    at which some evidence says that it holds, OPEN_START when none is dated.
    """

    evidence: tuple[Assertion, ...]
    against: tuple[Assertion, ...]
    corroboration: int
    last_confirmed_at: int
    last_seen: int


def explain(
    assertions: Iterable[Assertion], version: FactVersion, policy: KeyPolicy, known_at: int
) -> Explanation:
    """The explanation of one version from all assertions under its key."""
    known = [claim for claim in assertions if claim.recorded_at <= known_at < claim.withdrawn_at]
    known.sort(key=lambda claim: (claim.document_time, claim.recorded_at, claim.assertion_id))
    value = _value(version, policy)
    evidence = [claim for claim in known if _supports(claim, version, value, policy)]
    against = [claim for claim in known if claim not in evidence and _opposes(claim, version, value, policy)]
    return Explanation(
        evidence=tuple(evidence),
        against=tuple(against),
        corroboration=len({claim.document_id for claim in evidence if not _ends(claim)}),
        last_confirmed_at=max((claim.recorded_at for claim in evidence), default=OPEN_START),
        last_seen=max((_last_seen(claim, version) for claim in evidence), default=OPEN_START),
    )


def _value(version: FactVersion, policy: KeyPolicy) -> str:
    if policy.value_is_subject:
        return version.subject
    return version.object if version.object_is_entity else normal_value(version.object)


def _ends(claim: Assertion) -> bool:
    return claim.verb is Verb.STOP or claim.status is Status.CEASED


def _supports(claim: Assertion, version: FactVersion, value: str, policy: KeyPolicy) -> bool:
    if claim.status is Status.DENIED:
        return False
    named = value_of(claim, policy)
    if _ends(claim) and named in ("", value):
        return version.valid.start < claim.valid.end <= version.valid.end and not version.end_inferred
    return named == value and _touches(claim, version)


def _touches(claim: Assertion, version: FactVersion) -> bool:
    """A claim speaks of the stretch in which it says that the value began or was seen."""
    if claim.valid.start == OPEN_START:
        return claim.valid.end > version.valid.start or claim.valid.end == OPEN_END
    end = claim.valid.end if claim.valid.end != OPEN_END else claim.valid.start + 1
    return claim.valid.start < version.valid.end and version.valid.start < max(end, claim.valid.start + 1)


def _opposes(claim: Assertion, version: FactVersion, value: str, policy: KeyPolicy) -> bool:
    if value_of(claim, policy) == value:
        return claim.status is Status.DENIED
    return version.valid.start <= claim.valid.start <= version.valid.end


def _last_seen(claim: Assertion, version: FactVersion) -> int:
    """The last instant before which, or at which, this claim says that the value holds."""
    if claim.valid.end != OPEN_END:
        return min(claim.valid.end, version.valid.end) - 1
    seen = max(claim.valid.start, claim.document_time) if not _planned(claim) else claim.valid.start
    return min(seen, version.valid.end - 1)


def _planned(claim: Assertion) -> bool:
    return is_planned(claim, claim.valid.start)
