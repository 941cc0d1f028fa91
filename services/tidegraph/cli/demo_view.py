"""What the demo prints: plain lines that read well in a terminal and in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

_WIDTH: Final = 100
_INDENT: Final = "   "


class Span(Protocol):
    """A period as text; ".." is an open side."""

    @property
    def start_text(self) -> str: ...

    @property
    def end_text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table of facts."""

    what: str
    valid: Span
    note: str = ""


@dataclass(slots=True)
class Tally:
    """Outcomes as they come in."""

    total: int
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def done(self) -> int:
        return self.outcomes.total()

    def __str__(self) -> str:
        parts = [f"{count} {name.replace('_', ' ')}" for name, count in sorted(self.outcomes.items())]
        return ", ".join(parts)


class View:
    """Headings, facts, answers and progress on one console."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, soft_wrap=True)
        self._act = 0

    def title(self, text: str) -> None:
        self.console.print(Text(text, style="bold"))

    def act(self, text: str) -> None:
        """The next numbered heading."""
        self._act += 1
        self.console.print()
        self.console.print(Text(f"{self._act}  {text}", style="bold cyan"))

    def say(self, text: str = "", style: str = "") -> None:
        """Prose, wrapped and indented; untrusted text is never read as markup."""
        for line in _wrapped(text):
            self.console.print(Text(_INDENT + line, style=style))

    def pair(self, name: str, text: str) -> None:
        self.console.print(Text.assemble(_INDENT, (f"{name:<10}", "dim"), text))

    def command(self, text: str) -> None:
        """A command that gives what follows."""
        self.console.print(Text.assemble(_INDENT, ("$ ", "dim"), (text, "bold")))

    def quote(self, label: str, text: str) -> None:
        lines = list(_wrapped(text, _WIDTH - len(_INDENT) - len(label) - 1))
        for number, line in enumerate(lines):
            lead = label if number == 0 else " " * len(label)
            self.console.print(Text.assemble(_INDENT, (lead, "dim"), " ", (line, "italic")))

    def facts(self, rows: Sequence[Row]) -> None:
        """Facts with when they hold."""
        width = max((len(row.what) for row in rows), default=0)
        for row in rows:
            self.console.print(_fact(row, width))

    @contextmanager
    def progress(self, what: str, tally: Tally) -> Iterator[Progress]:
        """A bar in a terminal, one line at the end elsewhere."""
        bar = Progress(
            TextColumn(f"{_INDENT}{what}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=self.console,
            disable=not self.console.is_terminal,
            transient=True,
        )
        with bar:
            yield bar
        self.say(f"{what}: {tally}")


def _fact(row: Row, width: int) -> Text:
    period = f"{row.valid.start_text:>10} .. {_end(row.valid)}"
    text = Text.assemble(_INDENT, f"{row.what:<{width}}  ", (period, "green"))
    if row.note:
        text.append(f"  {row.note}", "dim")
    return text


def _end(span: Span) -> str:
    return "open" if span.end_text == ".." else span.end_text


def _wrapped(text: str, width: int = _WIDTH - len(_INDENT)) -> Iterable[str]:
    for paragraph in text.splitlines() or [""]:
        line = ""
        for word in paragraph.split(" "):
            if line and len(line) + 1 + len(word) > width:
                yield line
                line = word
            else:
                line = f"{line} {word}" if line else word
        yield line
