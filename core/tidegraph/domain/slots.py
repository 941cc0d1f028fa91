"""Who holds a key when: spells compete for its slot, and spans of belief come out.

Of two spells that exclude each other the later start holds. It bounds the earlier one for good, unless
it is inset (told only together with its end) or the earlier one was told from start to end and reaches
beyond it: then the earlier one goes on after it, split in two. That somebody left, told on its own after
another one had taken over, does not bring them back. A spell that a decision chose, told from start to
end, is not cut: what began inside it waits for its end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from tidegraph.domain.evidence import Begin, Claims, Stop, gather
from tidegraph.domain.facts import Assertion, Revision
from tidegraph.domain.granules import granule_before
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.domain.policies import KeyPolicy, Qualifiers
from tidegraph.domain.settling import settle
from tidegraph.domain.spells import Spell, excludes, spells


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of belief on the valid axis: everything of a fact version but its recorded time."""

    subject: str
    predicate: str
    object: str
    object_is_entity: bool
    qualifiers: Qualifiers
    valid: Interval
    start_granularity: Granularity
    end_granularity: Granularity
    start_known: bool
    end_inferred: bool
    announced: bool
    conflicted: bool


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a spell during which it holds the slot; ``cut`` is the spell that ended it."""

    spell: Spell
    start: int
    end: int
    resumed: Granularity | None
    cut: Spell | None
    conflicted: bool


def resolve(
    assertions: Sequence[Assertion],
    revisions: Sequence[Revision],
    policy: KeyPolicy,
    choices: Sequence[str] = (),
) -> tuple[Span, ...]:
    """What is believed under one key when exactly these assertions and revisions count.

    ``choices``: ids of assertions that decisions settled conflicts for, in the order of the decisions.

    Spans are sorted by (start, end, subject, object). Under an exclusive policy no two spans of values
    that exclude each other share an instant.
    """
    claims = gather(assertions, revisions, policy, choices)
    spans = [_span(piece) for piece in _pieces_of(claims, policy)]
    spans.extend(_undated(claims.undated, claims.begins, spans))
    return tuple(sorted(spans, key=_span_key))


def _span_key(span: Span) -> tuple[int, int, str, str]:
    return span.valid.start, span.valid.end, span.subject, span.object


def _pieces_of(claims: Claims, policy: KeyPolicy) -> list[_Piece]:
    stops = list(claims.stops)
    evidence = settle(claims.begins, stops, policy)
    for stop in claims.unnamed:
        value = _ended_by(stop, compete(spells(evidence)))
        if value:
            stops.append(replace(stop, value=value))
            evidence = settle(claims.begins, stops, policy)
    held = spells(evidence)
    pieces = _with_conflicts(_joined(compete(held)), held)
    stale = [begin.time for begin in evidence.stale]
    return [
        replace(piece, conflicted=True)
        if not piece.spell.chosen and bisect_left(stale, piece.start) < bisect_left(stale, piece.end)
        else piece
        for piece in pieces
    ]


def _ended_by(stop: Stop, pieces: Sequence[_Piece]) -> str:
    """The one value that an unnamed stop ends: held just before the period it names, else at its end.

    Several holders, or none: it ends nothing, "".
    """
    period = granule_before(stop.time, stop.granularity)
    for first, last in ((period - 1, period), (stop.time - 1, stop.time)):
        found = {piece.spell.value for piece in pieces if piece.start <= first and piece.end >= last}
        if found:
            return found.pop() if len(found) == 1 else ""
    return ""


class _Slot:
    """The sweep over one key: which spells are live, and which of them hold."""

    def __init__(self) -> None:
        self.live: list[Spell] = []
        self.shadow: dict[int, int] = {}
        self.holding: dict[int, _Piece] = {}
        self.pieces: list[_Piece] = []

    def step(self, time: int, starting: Sequence[Spell]) -> None:
        """Advance to an instant: drop what has ended, add what starts, settle who holds from here."""
        self.live = [spell for spell in self.live if spell.end > time]
        for spell in starting:
            self._admit(spell)
        holders = [spell for spell in self.live if self._holds(spell, time)]
        self._close(time, holders, starting)
        for spell in holders:
            if id(spell) not in self.holding:
                self.holding[id(spell)] = self._open(spell, time)

    def finish(self) -> list[_Piece]:
        for piece in self.holding.values():
            self.pieces.append(replace(piece, end=piece.spell.end))
        return [piece for piece in self.pieces if piece.start < piece.end]

    def _admit(self, spell: Spell) -> None:
        waits = [(other, *_who_waits(spell, other)) for other in self.live if other.value != spell.value]
        # What never holds is not to keep others from the slot either.
        if any(waiting is spell and until is None for _, waiting, until in waits):
            return
        for _, waiting, until in waits:
            if waiting is not None and until is not None:
                self.shadow[id(waiting)] = max(self.shadow.get(id(waiting), OPEN_START), until)
        kept = [other for other, waiting, until in waits if waiting is not other or until is not None]
        self.live = [*kept, spell]

    def _holds(self, spell: Spell, time: int) -> bool:
        if self.shadow.get(id(spell), OPEN_START) > time:
            return False
        return not any(
            other.beats(spell) and excludes(other, spell) and self.shadow.get(id(other), OPEN_START) <= time
            for other in self.live
        )

    def _open(self, spell: Spell, time: int) -> _Piece:
        resumed = None
        if time > spell.start:
            before = self.pieces[-1] if self.pieces and self.pieces[-1].end == time else None
            resumed = before.spell.end_granularity if before else Granularity.UNKNOWN
        return _Piece(spell, time, OPEN_END, resumed, None, False)

    def _close(self, time: int, holders: Sequence[Spell], starting: Sequence[Spell]) -> None:
        kept = {id(spell) for spell in holders}
        for key in [key for key in self.holding if key not in kept]:
            piece = self.holding.pop(key)
            cut = None
            if piece.spell.end > time:
                cut = next(
                    (
                        s
                        for s in holders
                        if s in starting and (s.value == piece.spell.value or excludes(s, piece.spell))
                    ),
                    None,
                )
            self.pieces.append(replace(piece, end=time, cut=cut))


def _who_waits(one: Spell, other: Spell) -> tuple[Spell | None, int | None]:
    """Which of two spells of different values the other one keeps out of the slot, and until when.

    ``(None, None)``: neither of them; until ``None``: for good.
    """
    low, high = (other, one) if one.beats(other) else (one, other)
    if not excludes(low, high):
        return None, None
    if low.chosen > high.chosen and low.through:
        return high, low.end
    if high.inset:
        return None, None
    return low, high.end if low.through and low.end > high.end else None


def compete(held: Sequence[Spell]) -> list[_Piece]:
    """The pieces of spells during which they hold the slot. ``held`` is sorted by start."""
    slot = _Slot()
    starts = {time: list(group) for time, group in groupby(held, key=lambda spell: spell.start)}
    times = sorted(starts.keys() | {spell.end for spell in held if spell.end != OPEN_END})
    for time in times:
        slot.step(time, starts.get(time, []))
    return sorted(slot.finish(), key=_piece_key)


def _piece_key(piece: _Piece) -> tuple[int, int, str]:
    return piece.start, piece.end, piece.spell.value


def _joined(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Touching pieces of one value are one, unless a source says that the first had ended."""
    result: list[_Piece] = []
    last: dict[str, int] = {}
    for piece in pieces:
        place = last.get(piece.spell.value)
        if place is not None:
            former = result[place]
            touching = former.end == piece.start and former.cut is not None
            if touching and former.cut is not None and former.cut.value == piece.spell.value:
                spell = replace(
                    former.spell,
                    end=piece.spell.end,
                    end_granularity=piece.spell.end_granularity,
                    end_stated=piece.spell.end_stated,
                    through=piece.spell.through,
                    planned=former.spell.planned and piece.spell.planned,
                    chosen=max(former.spell.chosen, piece.spell.chosen),
                )
                result[place] = replace(former, spell=spell, end=piece.end, cut=piece.cut)
                continue
        last[piece.spell.value] = len(result)
        result.append(piece)
    return result


def _with_conflicts(pieces: Sequence[_Piece], held: Sequence[Spell]) -> list[_Piece]:
    """Mark what holds against evidence of another value for the same time."""
    tied: dict[int, list[Spell]] = {}
    for spell in held:
        tied.setdefault(spell.start, []).append(spell)
    cuts = _contested(pieces)
    result = []
    for piece in pieces:
        rivals = tied.get(piece.spell.start, ())
        tie = any(excludes(piece.spell, rival) and piece.spell.beats(rival) for rival in rivals)
        clash = (piece.spell.value, piece.spell.start) in cuts
        open_ = (tie or clash) and not piece.spell.chosen
        result.append(replace(piece, conflicted=True) if open_ else piece)
    return result


def _contested(pieces: Iterable[_Piece]) -> set[tuple[str, int]]:
    """Spells that cut another one short of its stated end, and by more than that end is uncertain."""
    return {
        (piece.cut.value, piece.cut.start)
        for piece in pieces
        if piece.cut is not None
        and not piece.cut.inset
        and piece.cut.value != piece.spell.value
        and piece.spell.through
        and piece.cut.start < granule_before(piece.spell.end, piece.spell.end_granularity)
    }


def _span(piece: _Piece) -> Span:
    spell, cut = piece.spell, piece.cut
    end_granularity, inferred = spell.end_granularity, not spell.end_stated and piece.end != OPEN_END
    if cut is not None:
        within = spell.end_stated and cut.start >= granule_before(spell.end, spell.end_granularity)
        if not within:
            end_granularity, inferred = cut.start_granularity, True
    claim = spell.lead.claim
    assert claim is not None
    return Span(
        subject=claim.subject,
        predicate=claim.predicate,
        object=claim.object,
        object_is_entity=claim.object_is_entity,
        qualifiers=claim.qualifiers,
        valid=Interval(piece.start, piece.end),
        start_granularity=spell.start_granularity if piece.resumed is None else piece.resumed,
        end_granularity=end_granularity if piece.end != OPEN_END else Granularity.UNKNOWN,
        start_known=spell.start_known or piece.resumed is not None,
        end_inferred=inferred,
        announced=spell.planned,
        conflicted=piece.conflicted,
    )


def _undated(undated: Sequence[Begin], begins: Sequence[Begin], spans: Sequence[Span]) -> list[Span]:
    """The best undated value, where no dated one is told: before the first of them, start unknown."""
    dated = {begin.value for begin in begins}
    loose = [begin for begin in undated if begin.value not in dated]
    if not loose:
        return []
    best = min(loose, key=lambda begin: begin.order)
    first = min(spans, key=_span_key, default=None)
    if first is not None and first.valid.start == OPEN_START:
        return []
    claim = best.claim
    rivals = first is not None or any(begin.value != best.value for begin in loose)
    return [
        Span(
            subject=claim.subject,
            predicate=claim.predicate,
            object=claim.object,
            object_is_entity=claim.object_is_entity,
            qualifiers=claim.qualifiers,
            valid=Interval(OPEN_START, first.valid.start if first else OPEN_END),
            start_granularity=Granularity.UNKNOWN,
            end_granularity=first.start_granularity if first else Granularity.UNKNOWN,
            start_known=False,
            end_inferred=first is not None,
            announced=best.planned,
            conflicted=rivals and not (best.shared or best.chosen),
        )
    ]
