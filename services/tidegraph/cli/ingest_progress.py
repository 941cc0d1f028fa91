"""What became of ingested documents, and the bar that shows it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from tidegraph.domain.documents import Position
from tidegraph.inputs.files.model import FileDocument, Rejection
from tidegraph.ports import DocumentStatus, StatusStore

POLL_SECONDS: Final = 0.25
_BATCH: Final = 500
_GOOD: Final = frozenset({"committed", "retracted"})


@dataclass(frozen=True, slots=True)
class Sent:
    """A document that the log has, without its text; ``at`` is where it entered."""

    path: str
    position: str
    document_id: str
    revision: str
    at: Position


@dataclass(slots=True)
class Outcomes:
    """Documents by what became of them, in the order of sending."""

    sent: list[Sent] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    statuses: dict[Position, DocumentStatus] = field(default_factory=dict)
    waiting: bool = False

    def sent_to(self, result: FileDocument, position: Position) -> None:
        document = result.document
        self.sent.append(
            Sent(result.path, result.position, document.document_id, document.revision, position)
        )

    def reject(self, rejection: Rejection) -> None:
        self.rejected.append(rejection)

    def open_positions(self) -> list[Position]:
        """Positions of what was sent and has no outcome yet."""
        return [sent.at for sent in self.sent if not self._outcome(sent.at)]

    @property
    def exit_code(self) -> int:
        """0 when everything went through; 1 otherwise."""
        if self.rejected or not self.sent:
            return 1
        return 1 if self.waiting and any(self._outcome(sent.at) not in _GOOD for sent in self.sent) else 0

    def lines(self) -> Iterator[dict[str, Any]]:
        """One line a document."""
        for sent in self.sent:
            status = self.statuses.get(sent.at)
            yield {
                "path": sent.path,
                "position": sent.position,
                "outcome": (status.outcome if status else "") or ("timeout" if self.waiting else "sent"),
                "id": sent.document_id,
                "revision": sent.revision,
                "topic": sent.at.topic,
                "partition": sent.at.partition,
                "offset": sent.at.offset,
                **({"stage": status.stage, "cause": status.cause} if status else {}),
            }
        for rejection in self.rejected:
            yield {
                "path": rejection.path,
                "position": rejection.position,
                "outcome": "rejected",
                "reason": rejection.reason,
                "cause": rejection.cause,
            }

    def dead_letters(self) -> Iterator[tuple[Sent, str]]:
        """What could not be used after it was sent, each with its cause."""
        for sent in self.sent:
            status = self.statuses.get(sent.at)
            if status is not None and status.outcome == "dead_letter":
                yield sent, status.cause

    def summary(self, *, waited: bool) -> str:
        """One sentence for people."""
        parts = [f"{len(self.sent)} sent"]
        if waited:
            counts = Counter(self._outcome(sent.at) or "still under way" for sent in self.sent)
            parts += [f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items())]
        if self.rejected:
            parts.append(f"{len(self.rejected)} rejected")
        return ", ".join(parts)

    def _outcome(self, position: Position) -> str:
        status = self.statuses.get(position)
        return status.outcome if status else ""


async def wait_for(
    store: StatusStore, outcomes: Outcomes, timeout_seconds: float, progress: Progress
) -> None:
    """Follow the statuses until every document has an outcome or the time is over."""
    outcomes.waiting = True
    deadline = asyncio.get_running_loop().time() + timeout_seconds
    while open_positions := outcomes.open_positions():
        for start in range(0, len(open_positions), _BATCH):
            for status in await store.get(open_positions[start : start + _BATCH]):
                outcomes.statuses[status.position] = status
        progress.stages(outcomes)
        if not outcomes.open_positions() or asyncio.get_running_loop().time() >= deadline:
            return
        await asyncio.sleep(POLL_SECONDS)


class Progress:
    """A bar on standard error; silent when it is not a terminal."""

    def __init__(self, *, enabled: bool) -> None:
        self._bar = _bar() if enabled else None
        self._sending = self._bar.add_task("sending", total=None, detail="") if self._bar else None
        self._waiting: Any = None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def sent(self, count: int) -> None:
        """So many documents were taken by the log."""
        if self._bar:
            self._bar.update(self._sending, completed=count)

    def rejected(self, rejection: Rejection) -> None:
        """Show the last thing that was rejected."""
        if self._bar:
            place = f"{rejection.path} {rejection.position}".strip()
            self._bar.update(self._sending, detail=f"rejected {place}"[:60])

    def stages(self, outcomes: Outcomes) -> None:
        """Show how many documents have an outcome, and where the others are."""
        if not self._bar:
            return
        if self._waiting is None:
            self._bar.update(self._sending, total=len(outcomes.sent))
            self._waiting = self._bar.add_task("done", total=len(outcomes.sent), detail="")
        stages = Counter(status.stage for status in outcomes.statuses.values() if not status.outcome)
        done = sum(1 for status in outcomes.statuses.values() if status.outcome)
        detail = ", ".join(f"{count} after {stage}" for stage, count in sorted(stages.items()))
        self._bar.update(self._waiting, completed=done, detail=detail)


def _bar() -> Any:
    from rich.console import Console  # noqa: PLC0415  (only a terminal needs it)
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
        console=Console(stderr=True),
    )
