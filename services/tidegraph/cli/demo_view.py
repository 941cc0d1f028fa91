"""What the demo prints: plain lines that read well in a terminal and in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from tidegraph.cli.render import basis_line, citation_lines
from tidegraph.client import Answer, Fact

WIDTH_MAX: Final = 100
_INDENT: Final = "   "


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
    """Headings, facts, answers and progress on one console. No text is ever read as markup."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, soft_wrap=True)
        terminal = self.console.width if self.console.is_terminal else WIDTH_MAX
        self._width = min(terminal, WIDTH_MAX) - len(_INDENT)
        self._act = 0

    def title(self, text: str) -> None:
        self.console.print(Text(text, style="bold"))

    def act(self, text: str) -> None:
        """The next numbered heading."""
        self._act += 1
        self.console.print()
        self.console.print(Text(f"{self._act}  {text}", style="bold cyan"))

    def say(self, text: str | Text, style: str = "", hang: int = 0) -> None:
        """Prose, wrapped and indented; ``hang`` more columns from the second line on."""
        whole = text if isinstance(text, Text) else Text(text, style=style)
        first = whole.wrap(self.console, self._width)[0]
        self._line(0, first)
        taken = len(first.plain.rstrip())
        taken += len(whole.plain[taken:]) - len(whole.plain[taken:].lstrip())
        if taken < len(whole):
            for line in whole[taken:].wrap(self.console, max(self._width - hang, 20)):
                self._line(hang, line)

    def _line(self, columns: int, line: Text) -> None:
        line.rstrip()
        self.console.print(Text(_INDENT + " " * columns) + line)

    def pair(self, name: str, text: str) -> None:
        """A name and what is said of it."""
        self.say(Text.assemble((f"{name:<12} ", "dim"), text), hang=13)

    def command(self, text: str, *, apart: bool = True) -> None:
        """A command that gives what follows; ``apart`` leaves a line before it."""
        if apart:
            self.console.print()
        self.say(Text.assemble(("$ ", "dim"), (text, "bold")))

    def facts(self, facts: Sequence[Fact]) -> None:
        """Facts with when they hold."""
        width = max((len(str(fact.valid)) for fact in facts), default=0)
        for fact in facts:
            self.say(Text.assemble((f"{fact.valid!s:<{width}}  ", "green"), fact.text), hang=width + 2)

    def answer(self, answer: Answer) -> None:
        """An answer as ``tidegraph ask`` shows it."""
        self.say(answer.text, "bold" if answer.known else "yellow")
        if answer.transition:
            self.say(answer.transition, "green")
        for line in citation_lines(answer.citations):
            self.say(line, hang=6)
        self.say(basis_line(answer.basis))

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
        self.pair(what, str(tally))
