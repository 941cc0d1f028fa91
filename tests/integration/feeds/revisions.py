"""Files of real revisions, as documents that are sent and as what they say was in force when."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from tidegraph.domain.interval import OPEN_END
from tidegraph.inputs.times import TimeRules, require

OWN: Final = Path(__file__).resolve().parents[2] / "data" / "feeds"
VARIABLE: Final = "TIDEGRAPH_FEEDS_DIR"
FOLDER: Final = Path(os.environ.get(VARIABLE) or OWN)
REMOVED: Final = "(removed)"
_WORD: Final = re.compile(r"[a-z]{4,}")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n")


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision; ``at`` is its document time in microseconds, ``until`` that of the next one."""

    document_id: str
    revision: str
    title: str
    text: str
    document_time: str
    source: str
    at: int
    until: int

    @property
    def middle(self) -> int:
        """An instant while it is in force; a day later when nothing replaced it."""
        return self.at + 86_400_000_000 if self.until == OPEN_END else (self.at + self.until) // 2

    @property
    def is_removal(self) -> bool:
        return self.text == REMOVED

    def document(self, graph: str) -> dict[str, Any]:
        """As it is sent: a register speaks for all of its content."""
        return {
            "id": self.document_id,
            "revision": self.revision,
            "tenant": graph,
            "source": self.source,
            "title": self.title,
            "document_time": self.document_time,
            "kind": "register",
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Feed:
    """The revisions of one file in its order; ``name`` is also the graph they go to."""

    name: str
    revisions: tuple[Revision, ...]

    def documents(self) -> dict[str, list[Revision]]:
        """Revisions by document, in order."""
        found: dict[str, list[Revision]] = {}
        for revision in self.revisions:
            found.setdefault(revision.document_id, []).append(revision)
        return found


def feeds(folder: Path) -> list[Feed]:
    """Every feed of a folder."""
    found = [_feed(path) for path in sorted(folder.glob("*.jsonl"))]
    assert found, f"no feed (*.jsonl) in {folder}"
    return found


def _feed(path: Path) -> Feed:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    graph = re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem)
    following: dict[str, int] = {}
    revisions = []
    for row in reversed(rows):
        name = str(row["id"]).rpartition("-")[0]
        time = require(row["document_time"], "document_time", TimeRules()).instant
        text = REMOVED if row["change"] == "removed" else row["text"]
        revisions.append(
            Revision(
                document_id=name,
                revision=row["revision"],
                title=row["title"],
                text=text,
                document_time=row["document_time"],
                source=row["source"],
                at=time,
                until=following.get(name, OPEN_END),
            )
        )
        following[name] = time
    return Feed(graph, tuple(reversed(revisions)))


# --- tables of roles -----------------------------------------------------------------------------------

Holding = tuple[str, str, str]
"""Person, role, team."""


def holdings(revision: Revision) -> set[Holding]:
    """Who is in which role by the tables "| Role | Lead | Shadows |" of one revision."""
    found: set[Holding] = set()
    for line in revision.text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if len(cells) != 3 or cells[0] in ("Role", "---"):
            continue
        area = cells[0].lower()
        for post, cell in (("lead", cells[1]), ("shadow", cells[2])):
            role = area if post in area.split() else f"{area} {post}"
            people = [person.strip() for person in cell.split(",")]
            found |= {(person, role, revision.title) for person in people if person not in ("", "TBD")}
    return found


def expected_roles(feed: Feed) -> set[tuple[Holding, int, int]]:
    """Each holding from the first revision that shows it until the first that does not."""
    found: set[tuple[Holding, int, int]] = set()
    for revisions in feed.documents().values():
        since: dict[Holding, int] = {}
        for revision in revisions:
            shown = holdings(revision)
            for gone in since.keys() - shown:
                found.add((gone, since.pop(gone), revision.at))
            for holding in shown:
                since.setdefault(holding, revision.at)
        found |= {(holding, start, OPEN_END) for holding, start in since.items()}
    return found


# --- sentences that a revision changed ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rewording:
    """A sentence before and after a revision, and a question that asks for what both speak of."""

    before: Revision
    after: Revision
    old: str
    new: str
    question: str


def rewordings(feed: Feed) -> Iterator[Rewording]:
    """The sentences that successive revisions of a document word differently."""
    for revisions in feed.documents().values():
        for before, after in pairwise(revisions):
            for old, new in _changed(before.text, after.text):
                shared = [word for word in words_of(old) if word in words_of(new)]
                if len(shared) >= 6 and words_of(old) != words_of(new):
                    question = f"What does the {before.title} say about {' '.join(shared[:10])}?"
                    yield Rewording(before, after, old, new, question)


def _changed(before: str, after: str) -> Iterator[tuple[str, str]]:
    old, new = _sentences(before), _sentences(after)
    for tag, a, b, c, d in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "replace" and b - a == d - c:
            yield from zip(old[a:b], new[c:d], strict=True)


def _sentences(text: str) -> list[str]:
    """Sentences of running text; rows of tables are none."""
    parts = (" ".join(part.split()) for part in _SENTENCE_END.split(text))
    return [part for part in parts if part and not part.startswith("|")]


def words_of(sentence: str) -> list[str]:
    """Its longer words in order, each once; addresses are none."""
    return list(dict.fromkeys(_WORD.findall(re.sub(r"\(\S*?\)|https?:\S+", " ", sentence.lower()))))
