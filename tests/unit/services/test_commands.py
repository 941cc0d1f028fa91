"""The query commands against a real server: what they print, how they exit, how they start."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import admin_pb2
from tidegraph.cli.admin import taken
from tidegraph.cli.conflicts import _show as show_conflict
from tidegraph.cli.erase import found_nothing
from tidegraph.cli.main import COMMANDS, main
from tidegraph.domain.documents import Position, Status
from tidegraph.ports import DocumentStatus
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.settings import ServerSettings

PLANS = "Fenwick Mill plans to sell its weir."


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    started, stop = threading.Event(), asyncio.Event()
    found: list[object] = []

    async def serve() -> None:
        world = World()
        world.person("Ada Quill")
        world.person("Ben Marsh")
        said = "Ada Quill was elected chair of Fenwick Mill on 1 March 2019."
        role = world.claim
        role(
            "Ada Quill", "holds_role", "Fenwick Mill", "2019-03-01", role="chair", doc=Doc("a"), sentence=said
        )
        role(
            "Ben Marsh", "holds_role", "Fenwick Mill", "2022-06-01", role="chair", doc=Doc("b", "2022-06-02")
        )
        world.event(PLANS, "2024-05-05", "Fenwick Mill", status=Status.PLANNED)
        letter = DocumentStatus(
            Position("documents", 0, 9, "life"),
            GRAPH,
            "broken",
            "1",
            "ground",
            "dead_letter",
            "NO_TEXT",
            5,
            6,
        )
        await world.status.put([letter])
        await world.build()
        api = ApiServer(ServerSettings("127.0.0.1", 0, False, 1_000_000, 5, 5), world.ports(), GRAPH)
        found.extend([await api.start(), asyncio.get_running_loop()])
        started.set()
        await stop.wait()
        await api.drain(DrainTimes(0, 0))

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    started.wait(20)
    port, loop = found
    assert isinstance(loop, asyncio.AbstractEventLoop)
    yield f"127.0.0.1:{port}"
    loop.call_soon_threadsafe(stop.set)
    thread.join(20)


def run(server: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--server", server])


def test_ask_prints_the_answer_its_evidence_and_its_basis(server: str) -> None:
    result = run(server, "ask", "Who is chair of Fenwick Mill?")
    assert result.exit_code == 0, result.output
    assert "Ben Marsh has been chair of Fenwick Mill since 1 June 2022 [1]." in result.output
    assert "until 1 June 2022: Ada Quill; since 1 June 2022: Ben Marsh" in result.output
    assert "answered by built-in" in result.output


def test_ask_takes_both_axes_and_tells_steps(server: str) -> None:
    assert "Ada Quill" in run(server, "ask", "Who is chair of Fenwick Mill?", "--as-of", "2020").output
    known = run(server, "ask", "Who is chair of Fenwick Mill?", "--known-at", "2021", "--explain")
    assert "Ada Quill has been chair" in known.output
    assert "scope:" in known.output
    assert "question: who is chair of Fenwick Mill; asks for who; about Fenwick Mill" in known.output


def test_ask_takes_a_reading(server: str) -> None:
    told = run(server, "ask", "Who is chair of it in 2023?", "--about", "Fenwick Mill", "--time", "2020")
    assert "Ada Quill was chair" in told.output
    before = (
        "--about",
        "Fenwick Mill",
        "--time",
        "2022",
        "--relation",
        "before",
        "--asks-for",
        "when",
        "--explain",
    )
    told = run(server, "ask", "Who is chair?", "--about", "Fenwick Mill", *before)
    assert "asks for when; about Fenwick Mill; time before 2022" in told.output
    assert "tried facts: answered" in told.output
    assert run(server, "ask", "Who is chair of Fenwick Mill in 2020?", "--no-time").exit_code == 0
    assert run(server, "ask", "Who?", "--no-time", "--time", "2020").exit_code == 2
    unknown = run(server, "ask", "Who is chair?", "--about", "Zweibach")
    assert (unknown.exit_code, "ENTITY_NOT_FOUND" in unknown.output) == (2, True)


def test_ask_for_programs(server: str) -> None:
    result = run(server, "ask", "Who was chair of Fenwick Mill in 2020?", "--json")
    found = json.loads(result.output)
    assert found["values"] == ["Ada Quill"]
    assert found["citations"][0]["document_id"] == "a"
    assert found["citations"][0]["valid"] == {"from": "2019-03-01", "to": "2022-06-01"}
    assert found["intent"]["relation"] == "TIME_RELATION_IN"
    assert found["basis"]["reasoner"] == "built-in"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("ask", "Who is treasurer of Fenwick Mill?"), 1, "Not known as of"),
        (("ask", "Who is chair?", "--as-of", "someday"), 2, "INVALID_DATE"),
        (("ask", ""), 2, "EMPTY_QUESTION"),
        (("ask", "Who?", "--graph", "other"), 2, "GRAPH_NOT_FOUND"),
        (("entity", "Nobody at all"), 2, "ENTITY_NOT_FOUND"),
        (("why", "no-such-fact"), 2, "FACT_NOT_FOUND"),
        (("timeline", "zzz qqq"), 1, "nothing is known"),
    ],
)
def test_exit_codes_are_honest(server: str, arguments: tuple[str, ...], code: int, said: str) -> None:
    result = run(server, *arguments)
    assert result.exit_code == code, result.output
    assert said in result.output


def test_an_unreachable_server_has_its_own_exit_code(tmp_path: Path) -> None:
    assert run("127.0.0.1:9", "status").exit_code == 3
    result = CliRunner().invoke(main, ["status"], env={"TIDEGRAPH_DATA_DIR": str(tmp_path)})
    assert result.exit_code == 3
    assert "tidegraph up" in result.output


def test_timeline_entity_and_why(server: str) -> None:
    timeline = run(server, "timeline", "Fenwick Mill").output
    assert timeline.index("Ada Quill was chair") < timeline.index("Ben Marsh has been chair")
    entity = json.loads(run(server, "entity", "Fenwick Mill", "--history", "--json").output)
    assert [row["current"] for row in entity["history"]] == [True, False, True]
    fact = entity["facts"][0]["fact_id"]
    why = run(server, "why", fact).output
    assert "Ben Marsh has been chair of Fenwick Mill" in why
    assert "supports" in why
    assert "before it: Ada Quill was chair" in " ".join(why.split())
    history = run(server, "entity", "Fenwick Mill", "--history").output
    assert "Ada Quill" in history
    assert fact in run(server, "entity", "Fenwick Mill").output
    assert [row["fact_id"] in history for row in entity["history"]] == [True] * 3
    evidence = json.loads(run(server, "why", fact, "--json").output)["evidence"]
    assert evidence[0]["role"] == "ROLE_SUPPORTS"


def test_what_is_planned_or_no_longer_believed_is_shown_when_asked_for(server: str) -> None:
    plain = run(server, "timeline", "Fenwick Mill").output
    planned = run(server, "timeline", "Fenwick Mill", "--status", "planned").output
    assert PLANS in planned
    assert PLANS not in plain
    assert "Ben Marsh has been chair" not in planned
    history = run(server, "timeline", "Fenwick Mill", "--history").output
    assert history.count("Ada Quill") == plain.count("Ada Quill") + 1
    wrong = run(server, "timeline", "Fenwick Mill", "--status", "hoped")
    assert wrong.exit_code == 2
    question = ("ask", "Who is chair of Fenwick Mill?", "--status")
    assert run(server, *question, "planned").exit_code == 1
    assert "Ben Marsh" in run(server, *question, "asserted").output


def test_status_check_and_dead_letters(server: str) -> None:
    status = run(server, "status").output
    assert "3 facts" in status
    assert "1 dead letter" in status
    assert run(server, "check").exit_code == 0
    assert json.loads(run(server, "check", "--json").output)["healthy"] is True
    assert "NO_TEXT" in run(server, "dead-letters").output
    assert json.loads(run(server, "dead-letters", "--json").output)[0]["document_id"] == "broken"


def test_replay_of_what_is_no_dead_letter_says_so(server: str) -> None:
    told = run(server, "dead-letters", "replay", "nothing", "--dry-run")
    assert told.exit_code == 2
    assert "NO_DEAD_LETTER" in told.output


@pytest.mark.parametrize(
    ("rows", "raw", "nothing"), [(0, [], True), (1, [], False), (0, ["documents/0/1"], False)]
)
def test_an_erasure_that_found_nothing_is_told_apart(rows: int, raw: list[str], nothing: bool) -> None:
    certificate = {"removed": {"extracted": 0, "graph facts": rows}, "raw_positions": raw, "documents": []}
    assert found_nothing(json.dumps(certificate)) is nothing


def test_claims_of_a_conflict_name_their_documents(capsys: pytest.CaptureFixture[str]) -> None:
    conflict = admin_pb2.Conflict(key="k")
    for number, document in enumerate(("a.txt", "b.txt")):
        conflict.options.add(assertion_id=f"assertion-{number}", text="Ada Quill has been chair")
        claim = conflict.claims.add(assertion_id=f"assertion-{number}")
        claim.source.document_id = document
    show_conflict(conflict)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-2:] for line in lines[-2:]] == [["assertion-0", "a.txt"], ["assertion-1", "b.txt"]]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"key": "k", "assertion_id": "a"}', "for a "),
        ('{"key": "k", "undo": true}', "taken back "),
        ('{"entity_ids": ["e"]}', ""),
        ("", ""),
    ],
)
def test_a_decision_tells_what_was_chosen_from_what_was_taken_back(content: str, told: str) -> None:
    assert taken(content) == told


def test_help_imports_no_command() -> None:
    code = (
        "import sys; from tidegraph.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('grpc', 'numpy', 'rich', 'faust', 'spacy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("Usage: ")
