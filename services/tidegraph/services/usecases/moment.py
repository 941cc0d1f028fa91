"""Resolving the as-of of a read: the only place where the service asks for the present moment."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import OPEN_END, Granularity, Interval
from tidegraph.ports import Visibility
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Moment, Ports

POLL_FIRST_SECONDS: Final = 0.02
POLL_LAST_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class Pinned:
    """The moment of a read that this one goes on with: what was the present, and what was known."""

    now: int
    known_at: int

    @classmethod
    def of(cls, moment: Moment) -> Pinned:
        return cls(moment.now, moment.known_at)


@dataclass(frozen=True, slots=True)
class AskedTime:
    """As-of as a caller gives it. None: not given. ``now``: what counts as the present moment.

    ``known_floor``: what a write that was waited for was recorded at.
    """

    valid: Interval | None = None
    known_at: int | None = None
    awaited: Position | None = None
    now: int | None = None
    known_floor: int = 0


def seen_by(caller: Caller, asked: AskedTime) -> Visibility:
    """What the caller sees of names before the moment is resolved: by the asked known_at, or all."""
    return Visibility(OPEN_END - 1 if asked.known_at is None else asked.known_at, caller.labels)


async def settled(ports: Ports, caller: Caller, asked: AskedTime) -> AskedTime:
    """The same once the awaited document has its outcome: whatever is read after it, names too, knows of it.

    Raises:
        Rejected: DOCUMENT_FAILED, the awaited document became a dead letter.
    """
    if asked.awaited is None:
        return asked
    floor = await _wait(ports, caller, asked.awaited)
    return replace(asked, awaited=None, known_floor=floor)


async def resolve(ports: Ports, caller: Caller, asked: AskedTime, read: Interval | None = None) -> Moment:
    """The moment of a read: what the caller gave, else what was read off the question, else now.

    With an awaited position it returns once that document has its outcome. The default known time is
    the present or the watermark, whichever is later: all that is known.

    Raises:
        Rejected: DOCUMENT_FAILED, the awaited document became a dead letter.
    """
    asked = await settled(ports, caller, asked)
    read_at = ports.clock.now()
    now = read_at if asked.now is None else min(asked.now, read_at)
    watermark = await ports.status.watermark(caller.graph)
    made = await ports.store.made(caller.graph)
    known_at = asked.known_at
    if known_at is None:
        known_at = max(read_at, watermark, asked.known_floor)
    valid = asked.valid or read
    return Moment(
        graph=caller.graph,
        valid=valid or Interval(now, now + 1, Granularity.MICROSECOND),
        valid_defaulted=valid is None,
        valid_asked=asked.valid is not None,
        seen=Visibility(known_at=known_at, labels=caller.labels),
        now=now,
        read_at=read_at,
        watermark=watermark,
        made=made,
    )


async def _wait(ports: Ports, caller: Caller, position: Position) -> int:
    """Wait for a document's outcome; its recorded stamp. The call's deadline bounds it.

    A document of another graph is none of the caller's: it is waited for like one that never comes.
    """
    pause = POLL_FIRST_SECONDS
    while True:
        found = [s for s in await ports.status.get([position]) if s.graph in ("", caller.graph)]
        if found and found[0].outcome == "dead_letter":
            message = f"the awaited document became a dead letter: {found[0].cause}"
            raise Rejected("DOCUMENT_FAILED", message, document_id=found[0].document_id)
        if found and found[0].outcome:
            return found[0].recorded_at
        await asyncio.sleep(pause)
        pause = min(pause * 2, POLL_LAST_SECONDS)
