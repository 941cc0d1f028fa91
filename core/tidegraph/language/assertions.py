"""From claims to assertions: names, times and status put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from tidegraph.domain import ids
from tidegraph.domain.documents import (
    EndpointBasis,
    EntityType,
    ExtractedAssertion,
    GroundedDocument,
    Mention,
    Status,
    Term,
    ValidTime,
    Verb,
)
from tidegraph.domain.interval import OPEN_END, OPEN_START
from tidegraph.domain.policies import ObjectKind
from tidegraph.domain.predicates import Registry
from tidegraph.language.claims import Claim, Side
from tidegraph.language.clauses import Clause
from tidegraph.language.coreference import PRONOUNS, Resolution, Thing
from tidegraph.language.open_claims import EVENT, is_open
from tidegraph.language.registry import load_registry
from tidegraph.language.status import Stance
from tidegraph.language.times import TimeContext, denied_valid, is_ahead, times_of, valid_time
from tidegraph.language.tree import Token

_PERSONS = frozenset(
    {
        "holds_role",
        "leads",
        "member_of",
        "plays_for",
        "employer",
        "educated_at",
        "position_held",
        "member_of_party",
    }
)
_ORGANISATIONS = frozenset(
    {"holds_role", "leads", "member_of", "plays_for", "employer", "educated_at", "member_of_party"}
)


@cache
def _registry() -> Registry:
    return load_registry()


@dataclass(slots=True)
class Builder:
    """Collects the mentions and assertions of one document part."""

    document: GroundedDocument
    resolution: Resolution
    epoch: str
    base: int
    mentions: dict[tuple[int, int], Mention]
    assertions: list[ExtractedAssertion]
    seen: set[tuple[object, ...]]

    def mention(self, start: int, end: int, name: str, canonical: str, kind: EntityType) -> Mention:
        """The mention at a span, made when it is first asked for."""
        found = self.mentions.get((start, end))
        if found is None:
            header = self.document.header
            key = ids.mention_id(header.graph, header.document_id, header.revision, start, end, self.epoch)
            found = Mention(key, name, canonical, kind, start, end)
            self.mentions[(start, end)] = found
        return found

    def of_thing(self, thing: Thing, near: int) -> Mention:
        """The mention of a thing at or last before an offset, else its first one."""
        spans = thing.spans
        chosen = spans[0]
        for span in spans:
            if span[0] > near:
                break
            chosen = span
        return self.mention(chosen[0], chosen[1], chosen[2], thing.name, thing.type)

    def term(self, side: Side, *, literal: bool) -> Term | None:
        """A side of a claim as a term; None when the phrase has no referent."""
        token = side.token
        if token is None:
            if literal or side.span is None or not side.literal:
                return Term("", side.literal)
            return Term(self.mention(*side.span, side.literal, side.literal, side.type).mention_id, "")
        thing = None if side.literal else self.resolution.of(token)
        if thing is not None and thing.spans:
            return Term("", thing.name) if literal else Term(self.of_thing(thing, token.start).mention_id, "")
        if token.lower in PRONOUNS or token.tag in {"WP", "WDT", "EX", "PRP", "PRP$"}:
            return None
        name = side.literal or (token.name.text if token.name else token.text)
        if literal:
            return Term("", name)
        if not side.literal and _points_back(token):
            return None
        kind = token.name.type if token.name else EntityType.OTHER
        return Term(self.mention(token.start, token.end, name, name, kind).mention_id, "")

    def add(
        self, claim: Claim, stance: Stance, context: TimeContext, event_id: str, *, correcting: bool = False
    ) -> None:
        """Turn a claim into an assertion, unless a side or its time is unknown.

        ``correcting``: the passage corrects what was told before; a dated start becomes a correction, and so
        does one told beside the date that is wrong ("on 1 April, not on 1 March"), which is denied.
        """
        verb, clause = claim.verb, claim.clause
        if not stance.claims or clause is None:
            return
        if is_open(claim):
            if not self._is_known(claim.subject):
                return
            # Only dates that the text gives say when a relation without a name holds.
            context = TimeContext(None, context.carried, context.frame)
        over = claim.rule == EVENT
        valid = valid_time(verb, clause, self.document.text, self.base, context, over=over)
        if valid is None or (is_open(claim) and valid.start == OPEN_START and valid.end == OPEN_END):
            return
        status = self._status(claim, stance, valid, context)
        if status is Status.PLANNED and not _is_dated(valid, verb, clause):
            # A plan without a date says nothing of any time; its event keeps it.
            return
        span = (clause.sentence.start, clause.sentence.end)
        denied = denied_valid(verb, clause) if status is Status.ASSERTED else []
        told = replace(claim, verb=Verb.START) if verb is not Verb.STOP else claim
        dated = verb is not Verb.STOP and valid.start_basis is EndpointBasis.STATED
        if (correcting or denied) and dated:
            claim = replace(claim, verb=Verb.CORRECTION)
        self.put(claim, status, valid, event_id, span)
        for wrong in denied:
            self.put(told, Status.DENIED, wrong, event_id, span)

    def _status(self, claim: Claim, stance: Stance, valid: ValidTime, context: TimeContext) -> Status:
        if stance.status in {Status.ASSERTED, Status.REPORTED} and (
            claim.planned or is_ahead(valid, claim.verb, context)
        ):
            return Status.PLANNED
        if stance.ceased and stance.status is Status.ASSERTED:
            return Status.CEASED
        return stance.status

    def put(
        self, claim: Claim, status: Status, valid: ValidTime, event_id: str, span: tuple[int, int]
    ) -> None:
        """Add an assertion whose time and status are known."""
        verb = claim.verb if claim.verb is not Verb.UNSPECIFIED else Verb.STATE
        literal = _registry().policy(claim.predicate).object_kind is ObjectKind.LITERAL
        self._sharpen(claim)
        subject = self.term(claim.subject, literal=False)
        obj = self.term(claim.object, literal=literal)
        if subject is None or obj is None or not (subject.mention_id or subject.literal):
            return
        nobody = not (obj.mention_id or obj.literal)
        if (nobody and verb is not Verb.STOP) or self._same(claim):
            return
        key = (subject, claim.predicate, obj, claim.qualifiers, verb, status, valid)
        if key in self.seen:
            return
        self.seen.add(key)
        header = self.document.header
        self.assertions.append(
            ExtractedAssertion(
                assertion_id=ids.assertion_id(
                    header.graph,
                    header.document_id,
                    header.revision,
                    span[0],
                    span[1],
                    self.epoch,
                    len(self.assertions),
                ),
                subject=subject,
                predicate=claim.predicate,
                object=obj,
                qualifiers=claim.qualifiers,
                valid=valid,
                verb=verb,
                status=status,
                confidence=claim.confidence,
                start_char=span[0],
                end_char=span[1],
                event_id=event_id,
                rule_id=claim.rule,
            )
        )

    def _is_known(self, side: Side) -> bool:
        """Whether a phrase stands for something that the text calls by a name, or tells by one."""
        token = side.token
        if token is None or side.literal:
            return any(c.isupper() for c in side.literal)
        thing = self.resolution.of(token)
        name = thing.name if thing is not None else token.name.text if token.name is not None else ""
        return any(c.isupper() for c in name)

    def _same(self, claim: Claim) -> bool:
        left, right = claim.subject.token, claim.object.token
        if left is None or right is None:
            return False
        thing = self.resolution.of(left)
        return left is right or (thing is not None and thing is self.resolution.of(right))

    def _sharpen(self, claim: Claim) -> None:
        subject, obj = claim.subject.token, claim.object.token
        if claim.predicate in _PERSONS and subject is not None and (thing := self.resolution.of(subject)):
            thing.sharpen(EntityType.PERSON)
        if claim.predicate in _ORGANISATIONS and obj is not None and (thing := self.resolution.of(obj)):
            thing.sharpen(EntityType.ORGANISATION)

    def all_mentions(self) -> tuple[Mention, ...]:
        """Every named span of the part, in text order; kinds as the whole part showed them."""
        for thing in self.resolution.things:
            for start, end, name in thing.spans:
                self.mentions[(start, end)] = self._sharpened(start, end, name, thing)
        return tuple(sorted(self.mentions.values(), key=lambda m: (m.start_char, m.end_char)))

    def _sharpened(self, start: int, end: int, name: str, thing: Thing) -> Mention:
        known = self.mention(start, end, name, thing.name, thing.type)
        return Mention(known.mention_id, known.name, thing.name, thing.type, start, end)


def _points_back(token: Token) -> bool:
    """ "this policy", "the company": says which one only by what stands elsewhere, and nothing was found."""
    before = [c for c in token.children if c.i < token.i]
    return (
        token.name is None
        and len(before) == 1
        and before[0].lower in {"the", "this", "that"}
        and not any(c.dep == "prep" for c in token.children)
    )


def _is_dated(valid: ValidTime, verb: Verb, clause: Clause) -> bool:
    """Whether the text itself dates a change; the document's day is not the day of what is planned."""
    moment = valid.end if verb is Verb.STOP else valid.start
    return moment not in {OPEN_START, OPEN_END} and bool(times_of(clause))


def inside(mentions: Sequence[Mention], start: int, end: int) -> list[Mention]:
    """The mentions within a span."""
    return [m for m in mentions if m.start_char >= start and m.end_char <= end]
