"""The ingest command, with an in-memory log in the place of the broker."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager

import pytest
from click.testing import CliRunner

from tidegraph.cli import ingest_target
from tidegraph.cli.ingest import command
from tidegraph.domain.errors import Retryable
from tidegraph.inputs.document import Defaults
from tidegraph.inputs.envelope import EnvelopeDefaults, decode
from tidegraph.language.record_mapping import parse_entries
from tidegraph.language.records import READY
from tidegraph.log.memory import MemoryLog
from tidegraph.log.topics import Topic
from tidegraph.ports import DocumentStatus


class Clock:
    def now(self) -> int:
        return 1_700_000_000_000_000


class Statuses:
    """Every second document ends as a dead letter; each outcome takes two looks."""

    def __init__(self) -> None:
        self.looks = 0

    async def get(self, positions):
        self.looks += 1
        outcome = (
            (lambda p: "dead_letter" if p.offset % 2 else "committed") if self.looks > 1 else (lambda p: "")
        )
        return [
            DocumentStatus(
                p, "g", "d", "r", "write", outcome(p), "a cause" if outcome(p) == "dead_letter" else "", 0, 0
            )
            for p in positions
        ]


@pytest.fixture
def log(monkeypatch):
    memory = MemoryLog(Clock())

    @asynccontextmanager
    async def open_target(settings, *, needs_status):
        yield ingest_target.Target(memory, Statuses() if needs_status else None)

    monkeypatch.setattr(ingest_target, "open_target", open_target)
    return memory


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.md").write_text("---\ndate: 2024-02-05\n---\n# A\n\nWords.\n")
    (tmp_path / "b.txt").write_text("Words of b.")
    return tmp_path


def run(*arguments, **options):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], **options)


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def sent(log):
    return [
        decode(r, EnvelopeDefaults(document=Defaults(graph="x")))
        for r in log.records(Topic.DOCUMENTS, 0, 0, 99)
    ]


def test_dry_run_shows_what_would_be_sent(folder, log):
    (folder / "c.jsonl").write_text('{"id": "c1", "text": "Words."}\nbroken\n')
    result = run("--dry-run", "--json", folder)
    assert result.exit_code == 1
    first, second, third, fourth = lines(result)
    assert (first["path"], first["id"], first["title"], first["document_time"]) == (
        "a.md",
        "a.md",
        "A",
        "2024-02-05",
    )
    assert (first["provenance"], first["text"]) == ("front matter: date", "# A\n\nWords.\n")
    assert (second["document_time"], second["provenance"]) == (None, None)
    assert (third["position"], third["id"]) == ("line 1", "c1")
    assert (fourth["position"], fourth["outcome"], fourth["reason"]) == ("line 2", "rejected", "INVALID_JSON")
    assert sent(log) == []


def test_sends_all(folder, log):
    result = run(folder)
    assert (result.exit_code, result.stdout) == (0, "2 sent\n")
    assert [d.document_id for d in sent(log)] == ["a.md", "b.txt"]


def test_options(folder, log):
    assert (
        run(
            folder / "b.txt",
            "--date",
            "2024-02-05T10:00",
            "--graph",
            "acme",
            "--register",
            "--source",
            "wiki",
            "--label",
            "hr",
            "--label",
            "board",
            env={"TIDEGRAPH_TIMEZONE": "Europe/Berlin"},
        ).exit_code
        == 0
    )
    (document,) = sent(log)
    assert (document.graph, document.kind.name, document.source, document.labels) == (
        "acme",
        "REGISTER",
        "wiki",
        ("board", "hr"),
    )
    assert document.document_time.provenance == "--date (no zone given, Europe/Berlin assumed)"


def test_rejections_do_not_stop_the_rest(folder, log):
    (folder / "0.pdf").write_bytes(b"no pdf")
    result = run(folder, "--json")
    assert result.exit_code == 1
    assert [line["outcome"] for line in lines(result)] == ["sent", "sent", "rejected"]
    assert len(sent(log)) == 2


def test_wait_follows_the_statuses(folder, log):
    result = run(folder, "--wait", "--json")
    assert result.exit_code == 1
    assert [(line["outcome"], line["cause"]) for line in lines(result)] == [
        ("committed", ""),
        ("dead_letter", "a cause"),
    ]


def test_causes_of_dead_letters_are_told(folder, log):
    result = run(folder, "--wait")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == ["dead letter  b.txt: a cause"]


def test_wait_ends_with_its_time(folder, log):
    result = run(folder / "a.md", "--wait", "--timeout", 0)
    assert result.exit_code == 1
    assert "still under way" in result.stdout


def test_backfill_needs_a_time(folder, log):
    result = run(folder, "--backfill", "--json")
    assert [line["outcome"] for line in lines(result)] == ["sent", "rejected"]
    (record,) = log.records(Topic.DOCUMENTS, 0, 0, 9)
    assert ("tidegraph-backfill", b"1707091200000000") in record.headers


def test_standard_input(log):
    result = run("-", "--format", "markdown", "--dry-run", "--json", input="# T\n\nWords.")
    assert lines(result)[0]["title"] == "T"
    assert lines(result)[0]["id"].startswith("sha256:")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("none.txt",),
        ("-", "a.md"),
        (".", "--date", "soon"),
        (".", "--mapping", "none.yaml"),
        (".", "--format", "xls"),
        (".", "--timeout", "-1"),
    ],
)
def test_usage_errors(arguments, log):
    assert run(*arguments).exit_code == 2


def test_bad_mapping_names_the_line(folder, log):
    (folder / "m.yaml").write_text("document:\n  id: id\n")
    result = run(folder / "b.txt", "--mapping", folder / "m.yaml")
    assert result.exit_code == 2
    assert "m.yaml, line 2" in result.output


def test_no_service(folder):
    result = run(folder, env={"TIDEGRAPH_DATA_DIR": str(folder / "none")})
    assert result.exit_code == 3
    assert "tidegraph up" in result.output


def test_service_that_goes_away(folder, log, monkeypatch):
    async def append(*arguments):
        raise Retryable("LOG_UNAVAILABLE", "the broker does not answer")

    monkeypatch.setattr(log, "append", append)
    result = run(folder)
    assert result.exit_code == 3
    assert "0 documents were sent" in result.output


def test_both_parts_of_a_mapping_are_checked(folder, log):
    (folder / "m.yaml").write_text("document:\n  id: /id\nassertions:\n  - subjekt: name\n")
    result = run(folder / "b.txt", "--mapping", folder / "m.yaml")
    assert result.exit_code == 2
    assert "m.yaml, line 4" in result.output


def test_an_unknown_mapping_names_those_that_ship(folder, log):
    result = run(folder / "b.txt", "--mapping", "hr_change")
    assert result.exit_code == 2
    assert set(READY) <= set(result.stderr.replace(",", " ").split())


@pytest.mark.parametrize("name", READY)
def test_ready_mappings(name, folder, log):
    assert run(folder / "b.txt", "--mapping", name, "--dry-run").exit_code == 0


def test_structured_records_travel_with_their_mapping(folder, log):
    (folder / "m.yaml").write_text(
        "document:\n  id: /record_id\n  time: /observed_at\nassertions:\n"
        "  - subject: subject\n    predicate: predicate\n    object: object\n    change: change\n"
    )
    record = {"record_id": "r1", "observed_at": "2024-02-05T12:00:00Z", "subject": "Acme", "change": "start"}
    record |= {"predicate": "chief_executive_officer", "object": "Ann Lee"}
    (folder / "r.jsonl").write_text(json.dumps(record))
    assert run(folder / "r.jsonl", "--mapping", folder / "m.yaml").exit_code == 0
    (document,) = sent(log)
    assert (document.document_id, json.loads(document.records[0])) == ("r1", record)
    assert parse_entries(document.mapping)
