"""The predicate registry: names, canonical direction, qualifiers in normal form, conflict keys.

"X is CTO of Y", "Y's chief technology officer is X" and "X, acting CTO of Y" are one fact family under
one conflict key; only the registry knows that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tidegraph.domain.errors import Rejected
from tidegraph.domain.ids import make_id
from tidegraph.domain.policies import (
    Cardinality,
    KeyPolicy,
    ObjectKind,
    OnStart,
    OnState,
    OnStop,
    Policy,
    Qualifiers,
    ValueForms,
    normal_name,
    normal_value,
)
from tidegraph.domain.registry_file import parse_registry


@dataclass(frozen=True, slots=True)
class Canonical:
    """A claim in its predicate's canonical direction, qualifiers sorted and in normal form."""

    subject: str
    predicate: str
    object: str
    object_is_entity: bool
    qualifiers: Qualifiers


@dataclass(frozen=True, slots=True)
class _Name:
    predicate: str
    inverted: bool
    qualifiers: Qualifiers


class Registry:
    """All policies of one graph. Immutable; predicates that it does not know hold many."""

    def __init__(self, policies: tuple[Policy, ...], values: tuple[ValueForms, ...]) -> None:
        self._policies = {policy.name: policy for policy in policies}
        self._values = {forms.qualifier: forms for forms in values}
        self._names = _index(policies)
        self._patterned = tuple(policy for policy in policies if policy.pattern)
        self._marks = frozenset(name for forms in values for name, _ in forms.marks.values())

    @classmethod
    def parse(cls, text: str) -> Registry:
        """The registry of a TOML file (docs/predicates.md).

        Raises:
            Rejected: reason INVALID_REGISTRY, naming the entry and what is wrong with it.
        """
        return cls(*parse_registry(text))

    def merged(self, other: Registry) -> Registry:
        """This registry with another on top: its predicates replace, its names are taken from here."""
        kept = [
            _without(policy, frozenset(other._names))
            for policy in self._policies.values()
            if policy.name not in other._names
        ]
        values = dict(self._values)
        for qualifier, forms in other._values.items():
            mine = values.get(qualifier)
            values[qualifier] = forms if mine is None else _joined(mine, forms)
        return Registry((*kept, *other._policies.values()), tuple(values.values()))

    @property
    def described(self) -> str:
        """All that it says as one text, the same in every process."""
        values = [
            (f.qualifier, sorted(f.forms.items()), sorted(f.marks.items())) for f in self._values.values()
        ]
        return repr((tuple(self), sorted(values)))

    def __iter__(self) -> Iterator[Policy]:
        return iter(self._policies.values())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and normal_name(name) in self._names

    def policy(self, name: str) -> Policy:
        """The policy of a predicate by any of its names; ``many`` for an unknown one."""
        known = self._meaning(normal_name(name))
        return self._policies.get(known.predicate) or _unknown(known.predicate)

    def _meaning(self, name: str) -> _Name:
        known = self._names.get(name)
        if known:
            return known
        for policy in self._patterned:
            before, after = policy.pattern.split("*")
            stem = name.removeprefix(before).removesuffix(after).replace("_", " ")
            forms = self._values.get(policy.pattern_qualifier)
            if name.startswith(before) and name.endswith(after) and forms and stem in forms.forms:
                return _Name(policy.name, False, ((policy.pattern_qualifier, forms.forms[stem]),))
        return _Name(name, False, ())

    def canonical(
        self,
        subject: str,
        predicate: str,
        object: str,
        qualifiers: Qualifiers = (),
        *,
        object_is_entity: bool = True,
    ) -> Canonical:
        """A claim in canonical direction.

        Sides are entity ids (or a literal as object); "" is a side that was not named, and may become
        the subject. A literal told under an inverse name stays where it is, under that name.
        """
        known = self._meaning(normal_name(predicate))
        if known.inverted and not object_is_entity:
            known = _Name(normal_name(predicate), False, ())
        if known.inverted:
            subject, object = object, subject
        if self.policy(known.predicate).symmetric and object < subject:
            subject, object = object, subject
        return Canonical(
            subject=subject,
            predicate=known.predicate,
            object=object,
            object_is_entity=object_is_entity,
            qualifiers=self.normal_qualifiers((*qualifiers, *known.qualifiers)),
        )

    def normal_qualifiers(self, qualifiers: Qualifiers) -> Qualifiers:
        """Sorted by name, in normal form; marks ("interim") become qualifiers of their own."""
        result: dict[str, str] = {}
        for raw_name, value in qualifiers:
            name = normal_name(raw_name)
            forms = self._values.get(name)
            normal, marks = forms.normalise(value) if forms else (normal_value(value), ())
            result[name] = normal
            for mark, mark_value in marks:
                result.setdefault(mark, mark_value)
        return tuple(sorted((name, value) for name, value in result.items() if value))

    def key_policy(self, predicate: str, qualifiers: Qualifiers) -> KeyPolicy:
        """What the belief history of a canonical claim's key depends on."""
        policy = self.policy(predicate)
        return KeyPolicy(
            exclusive=policy.is_exclusive(qualifiers),
            value_is_subject=policy.cardinality is Cardinality.ONE_PER_OBJECT,
            on_start=policy.on_start,
            on_state=policy.on_state,
            on_stop=policy.on_stop,
        )

    def conflict_key(self, graph: str, claim: Canonical) -> str:
        """The id of what the policy makes exclusive: equal for claims that may retire each other.

        An exclusive slot is (graph, holder, predicate, `per` qualifiers); a fact of ``many`` has a key
        of its own: (graph, subject, predicate, object, qualifiers but marks).
        """
        policy = self.policy(claim.predicate)
        values = claim.qualifiers
        if policy.is_exclusive(values):
            per_object = policy.cardinality is Cardinality.ONE_PER_OBJECT
            holder = claim.object if per_object else claim.subject
            slot = [pair for pair in values if pair[0] in policy.per]
            return make_id("key", graph, "one", policy.name, holder, *_flat(slot))
        thing = claim.object if claim.object_is_entity else normal_value(claim.object)
        slot = [pair for pair in values if pair[0] not in self._marks]
        return make_id("key", graph, "many", policy.name, claim.subject, thing, *_flat(slot))

    def surface(self, predicate: str, qualifiers: Qualifiers) -> tuple[str, str]:
        """(name, inverse name) that says most: ``chairs`` for holds_role with role chair.

        The inverse name is "" where there is none, the name itself where the predicate is symmetric.
        """
        policy = self.policy(predicate)
        for narrow in policy.narrower:
            if set(narrow.qualifiers) <= set(qualifiers):
                return narrow.name, narrow.inverse
        return policy.name, policy.name if policy.symmetric else policy.inverse

    def label(self, predicate: str, qualifiers: Qualifiers) -> str:
        """The predicate in words, with qualifier values put in: "is chief executive officer of"."""
        values = dict(qualifiers)
        text = re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], ""), self.policy(predicate).label)
        capacity = values.get("capacity")
        text = text.replace("is ", f"is {capacity} ", 1) if capacity else text
        return " ".join(text.split())


def _unknown(name: str) -> Policy:
    return Policy(
        name=name,
        label=name.replace("_", " "),
        inverse="",
        aliases=(),
        inverse_aliases=(),
        narrower=(),
        pattern_qualifier="",
        pattern="",
        cardinality=Cardinality.MANY,
        per=(),
        exclusive=(),
        object_kind=ObjectKind.ENTITY,
        symmetric=False,
        on_start=OnStart.OPENS,
        on_state=OnState.CONFIRMS,
        on_stop=OnStop.ENDS,
    )


def _names_of(policy: Policy) -> Iterator[tuple[str, _Name]]:
    plain, turned = _Name(policy.name, False, ()), _Name(policy.name, True, ())
    yield policy.name, plain
    for alias in policy.aliases:
        yield alias, plain
    for alias in (policy.inverse, *policy.inverse_aliases):
        yield alias, turned
    for narrow in policy.narrower:
        yield narrow.name, replace(plain, qualifiers=narrow.qualifiers)
        yield narrow.inverse, replace(turned, qualifiers=narrow.qualifiers)


def _index(policies: tuple[Policy, ...]) -> Mapping[str, _Name]:
    names: dict[str, _Name] = {}
    for policy in policies:
        for name, meaning in _names_of(policy):
            if not name:
                continue
            if name in names:
                other = names[name].predicate
                raise Rejected(
                    "INVALID_REGISTRY",
                    f"predicate {policy.name!r}: the name {name!r} is already taken by {other!r}",
                    entry=policy.name,
                )
            names[name] = meaning
    return names


def _without(policy: Policy, taken: frozenset[str]) -> Policy:
    return replace(
        policy,
        inverse="" if policy.inverse in taken else policy.inverse,
        aliases=tuple(name for name in policy.aliases if name not in taken),
        inverse_aliases=tuple(name for name in policy.inverse_aliases if name not in taken),
        narrower=tuple(narrow for narrow in policy.narrower if not {narrow.name, narrow.inverse} & taken),
    )


def _joined(mine: ValueForms, other: ValueForms) -> ValueForms:
    return ValueForms(mine.qualifier, {**mine.forms, **other.forms}, {**mine.marks, **other.marks})


def _flat(pairs: list[tuple[str, str]]) -> list[str]:
    return [part for pair in pairs for part in pair]
