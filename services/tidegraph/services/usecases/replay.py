"""Dead letters put back on their topics, to be tried again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.log.deadletter import DeadLetter, list_letters
from tidegraph.log.deadletter import replay as put_back
from tidegraph.log.topics import Topic
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Ports

LETTERS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Replayed:
    """Letters that were put back, or would be; by the position at which each is now to be awaited."""

    count: int
    positions: tuple[Position, ...]


async def replay(
    ports: Ports, caller: Caller, positions: Sequence[Position], *, everything: bool, dry_run: bool
) -> Replayed:
    """Put the records of dead letters back where they failed, and remove the letters.

    A document that failed in a later stage goes on from there, at its own position and recorded time; one
    that could not be read at all enters anew. At least once: what was repeated changes nothing.

    Args:
        positions: of the documents, as ListDeadLetters tells them.
        everything: all letters of the graph instead.

    Raises:
        Rejected: NO_RESTRICTION. NotFound: NO_DEAD_LETTER, of a position there is none; nothing is put back.
    """
    if bool(positions) == everything:
        raise Rejected("NO_RESTRICTION", "name the dead letters by their tokens, or ask for all of them")
    wanted = set(positions)

    def concerned(letter: DeadLetter) -> bool:
        is_ours = letter.graph in ("", caller.graph)
        return is_ours and (letter.graph == caller.graph if everything else letter.origin in wanted)

    letters = await list_letters(ports.log, limit=LETTERS_MAX, select=concerned)
    missing = wanted - {letter.origin for letter in letters}
    if missing:
        message = "there is no dead letter of this submission; it may have been replayed, or have aged out"
        raise NotFound("NO_DEAD_LETTER", message, position=str(min(missing)))
    if dry_run:
        return Replayed(len(letters), tuple(sorted({letter.origin for letter in letters})))
    placed: list[Position] = []
    for letter in reversed(letters):  # the oldest first
        await ports.status.forget([letter.origin])  # first: what is told from now on is of the new attempt
        new = await put_back(ports.log, letter)
        enters_anew = letter.position.topic in (Topic.DOCUMENTS, Topic.CONTROL)
        placed.append(new if enters_anew else letter.origin)
    return Replayed(len(letters), tuple(dict.fromkeys(placed)))
