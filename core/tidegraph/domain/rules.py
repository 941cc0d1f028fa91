"""What the belief of one conflict key follows besides its evidence: policies and decisions, over time.

Both hold from the recorded time of their control record on: what was believed before stays as it was.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tidegraph.domain.interval import OPEN_START
from tidegraph.domain.policies import KeyPolicy, Qualifiers
from tidegraph.domain.predicates import Registry


@dataclass(frozen=True, slots=True)
class Choice:
    """A decision of a conflict: for one claim, or (``undone``) no longer for it; "" undoes all."""

    recorded_at: int
    decision_id: str
    assertion_id: str
    undone: bool = False


@dataclass(frozen=True, slots=True)
class KeyRules:
    """Policies and choices of one key by the instant (microseconds, recorded axis) that they hold from."""

    policies: tuple[tuple[int, KeyPolicy], ...]
    choices: tuple[tuple[int, tuple[str, ...]], ...] = ()

    @classmethod
    def of(cls, policy: KeyPolicy | KeyRules) -> KeyRules:
        """The rules of a key whose policy never changed."""
        return policy if isinstance(policy, KeyRules) else cls(((OPEN_START, policy),))

    @property
    def is_constant(self) -> bool:
        """True when one policy holds for all time, and nothing was decided."""
        return len(self.policies) == 1 and not self.choices

    def at(self, known_at: int) -> tuple[KeyPolicy, tuple[str, ...]]:
        """The policy, and the ids of chosen assertions in the order of the decisions, at an instant."""
        policy = self.policies[max(0, _place(self.policies, known_at))][1]
        place = _place(self.choices, known_at)
        return policy, self.choices[place][1] if place >= 0 else ()

    def instants(self) -> set[int]:
        """The instants at which the rules change."""
        return {since for since, _ in self.policies[1:]} | {since for since, _ in self.choices}


def _place(timed: Sequence[tuple[int, object]], known_at: int) -> int:
    return bisect_right(timed, known_at, key=lambda each: each[0]) - 1


def choices_over_time(choices: Iterable[Choice]) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """What is chosen from when on, the latest decision last."""
    found: list[tuple[int, tuple[str, ...]]] = []
    chosen: tuple[str, ...] = ()
    for choice in sorted(choices, key=lambda each: (each.recorded_at, each.decision_id)):
        if not choice.assertion_id:
            chosen = ()
        else:
            chosen = tuple(id_ for id_ in chosen if id_ != choice.assertion_id)
            chosen += () if choice.undone else (choice.assertion_id,)
        if found and found[-1][0] == choice.recorded_at:
            found.pop()
        found.append((choice.recorded_at, chosen))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Epoch:
    """From ``since`` on, until the next epoch, a graph goes by this registry; ``decision_id`` made it so."""

    since: int
    decision_id: str
    registry: Registry


@dataclass(frozen=True, slots=True)
class Timeline:
    """The registries of a graph over recorded time, ascending; the first holds from the beginning."""

    epochs: tuple[Epoch, ...]

    @classmethod
    def of(cls, base: Registry, overlays: Iterable[tuple[int, str, str]] = ()) -> Timeline:
        """The timeline of policy changes: (recorded_at, decision id, registry file).

        Each file stands on top of the base registry, in place of the one before it. Of two at one instant
        the one with the greater id holds.

        Raises:
            Rejected: INVALID_REGISTRY.
        """
        epochs = [Epoch(OPEN_START, "", base)]
        for since, decision_id, text in sorted(overlays):
            registry = base.merged(Registry.parse(text)) if text.strip() else base
            epochs.append(Epoch(since, decision_id, registry))
        return cls(tuple(epochs))

    @property
    def base(self) -> Registry:
        """The registry of the first epoch."""
        return self.epochs[0].registry

    def at(self, known_at: int) -> Registry:
        """The registry that the graph goes by at an instant."""
        return self.epochs[max(0, bisect_right(self.epochs, known_at, key=lambda e: e.since) - 1)].registry

    def rules(self, predicate: str, qualifiers: Qualifiers, choices: Iterable[Choice] = ()) -> KeyRules:
        """The rules of the key that a canonical claim with these qualifiers is under."""
        policies: list[tuple[int, KeyPolicy]] = []
        for epoch in self.epochs:
            policy = epoch.registry.key_policy(predicate, qualifiers)
            if not policies or policies[-1][1] != policy:
                policies.append((epoch.since, policy))
        return KeyRules(tuple(policies), choices_over_time(choices))
