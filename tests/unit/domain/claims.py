"""Short ways to say what documents claim, for tests of belief.

Days are written "2010", "2010-05" or "2010-05-17": the start of the period, with its granularity.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tidegraph.domain.belief import history
from tidegraph.domain.documents import EndpointBasis, Status, ValidTime, Verb
from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, format_instant, instant
from tidegraph.domain.policies import KeyPolicy, OnStart, OnState, OnStop

ONE = KeyPolicy(True, False, OnStart.OPENS, OnState.CONFIRMS, OnStop.ENDS)
"""An exclusive key whose values are objects: one CEO per organisation, read from the organisation."""
SETTING = KeyPolicy(True, False, OnStart.OPENS, OnState.ASSERTS, OnStop.ENDS)
"""An exclusive key of values that come and go: a setting."""
MANY = KeyPolicy(False, False, OnStart.OPENS, OnState.CONFIRMS, OnStop.ENDS)

Belief = list[tuple[str, str, str]]
"""(value, from, to), to "" while open."""


def when(text: str | None) -> tuple[int, Granularity]:
    """(instant, granularity) of a date as written; None is an unknown start."""
    if text is None:
        return OPEN_START, Granularity.UNKNOWN
    parts = [int(part) for part in text.split("-")]
    grain = (Granularity.YEAR, Granularity.MONTH, Granularity.DAY)[len(parts) - 1]
    return instant(*parts), grain


@dataclass
class World:
    """Documents told one after another; each is recorded one microsecond after the one before."""

    policy: KeyPolicy = ONE
    assertions: list[Assertion] = field(default_factory=list)
    revisions: list[Revision] = field(default_factory=list)
    clock: Iterable[int] = field(default_factory=lambda: itertools.count(1))

    def tell(
        self,
        value: str,
        start: str | None = None,
        end: str | None = None,
        *,
        verb: Verb = Verb.START,
        status: Status = Status.ASSERTED,
        told: str | None = "2030",
        document: str = "",
        shared: bool = False,
        seen_until: str | None = None,
        seen: bool = False,
        priority: int = 0,
        confidence: float = 1.0,
        register: bool = False,
        recorded: int | None = None,
        labels: tuple[str, ...] = (),
    ) -> Assertion:
        """One claim. ``seen``: the start (or, of a stop, the end) is only observed."""
        at = recorded if recorded is not None else next(iter(self.clock))
        number = len(self.assertions) + 1
        ends = verb is Verb.STOP or status is Status.CEASED
        made = Assertion(
            assertion_id=f"a{number:03d}",
            key="k",
            subject="acme",
            predicate="has_role_holder",
            object=value,
            object_is_entity=True,
            qualifiers=(("shared", "yes"),) if shared else (),
            valid=valid_time(start, end or seen_until, seen, bool(seen_until), ends),
            verb=verb,
            status=status,
            confidence=confidence,
            source="s",
            source_priority=priority,
            document_id=document or f"d{number:03d}",
            revision="1",
            document_time=when(told)[0],
            register=register,
            labels=labels,
            event_id="",
            start_char=0,
            end_char=0,
            rule_id="",
            recorded_at=at,
            withdrawn_at=OPEN_END,
        )
        self.assertions.append(made)
        return made

    def revision(self, document: str, told: str, *, recorded: int | None = None) -> Revision:
        """One revision of a register."""
        at = recorded if recorded is not None else next(iter(self.clock))
        made = Revision(document, told, when(told)[0], True, at, OPEN_END)
        self.revisions.append(made)
        return made

    def versions(self) -> tuple[FactVersion, ...]:
        """The whole history."""
        return history(self.assertions, self.revisions, self.policy)

    def now(self) -> list[FactVersion]:
        """What is believed at the end."""
        return believed(self.versions(), OPEN_END - 1)

    def belief(self) -> Belief:
        """What is believed at the end, as (value, from, to)."""
        return spans(self.now())


def valid_time(start: str | None, end: str | None, seen: bool, seen_until: bool, stop: bool) -> ValidTime:
    """The valid time of a claim."""
    start_at, start_grain = when(start)
    end_at, end_grain = when(end) if end else (OPEN_END, Granularity.UNKNOWN)
    observed = EndpointBasis.OBSERVED
    start_basis = EndpointBasis.NONE if start is None else observed if seen else EndpointBasis.STATED
    end_basis = EndpointBasis.NONE if end is None else EndpointBasis.STATED
    if end is not None and (seen_until or (seen and stop)):
        end_basis = observed
    return ValidTime(start_at, end_at, start_grain, end_grain, start_basis, end_basis)


def believed(versions: Iterable[FactVersion], known_at: int) -> list[FactVersion]:
    """The versions believed at an instant of the recorded axis, by valid start."""
    found = [version for version in versions if version.recorded.contains(known_at)]
    return sorted(found, key=lambda version: (version.valid.start, version.object))


def spans(versions: Sequence[FactVersion]) -> Belief:
    """(value, from, to) of each version."""
    return [
        (v.object, day(v.valid.start), day(v.valid.end) if v.valid.end != OPEN_END else "") for v in versions
    ]


def day(value: int) -> str:
    """A date as short as it is exact: years without -01-01."""
    text = format_instant(value)
    return text.removesuffix("-01-01") if text != ".." else text
