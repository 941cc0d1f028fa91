"""docs/api.md names every method of the API and every reason that the service gives, with its code."""

from __future__ import annotations

import re

from tests.ops.repository import ROOT

from tidegraph.api.v1 import admin_pb2, ingest_pb2, query_pb2
from tidegraph.domain import errors
from tidegraph.services import status_map

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
RAISED = re.compile(r"\b(Rejected|NotFound|LimitExceeded|Retryable|Bug|Conflicted)\(\s*\"([A-Z_]+)\"")
OURS = (
    "services/tidegraph/services/**/*.py",
    "core/tidegraph/models/**/*.py",
    "core/tidegraph/storage/connection.py",
    "core/tidegraph/log/connection.py",
    "core/tidegraph/log/producer.py",
    "core/tidegraph/domain/registry_file.py",
)


def reasons() -> dict[str, str]:
    """Reason to code of every error that the service raises, and what it calls outside of it."""
    found: dict[str, str] = {}
    for pattern in OURS:
        for path in sorted(ROOT.glob(pattern)):
            for kind, reason in RAISED.findall(path.read_text(encoding="utf-8")):
                error = getattr(errors, kind)(reason, "")
                found[reason] = status_map.code_of(error).name
    return found


def rows() -> dict[str, str]:
    return dict(re.findall(r"^\| ([A-Z_]+) \| ([A-Z_]+) \|", PAGE, re.MULTILINE))


def test_every_reason_is_documented_with_its_code() -> None:
    documented = rows()
    assert len(reasons()) > 30
    assert {reason: documented.get(reason) for reason in reasons()} == reasons()


def test_every_method_is_documented_and_told_where_it_is_not_served() -> None:
    modules = ((query_pb2, "QueryService"), (ingest_pb2, "IngestService"), (admin_pb2, "AdminService"))
    methods = {
        method.name
        for module, service in modules
        for method in module.DESCRIPTOR.services_by_name[service].methods
    }
    rows = re.findall(r"^\|.*? \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE)
    told = {name: "not served" in what for names, what in rows for name in names.split(", ")}
    servicers = (ROOT / "services/tidegraph/services").glob("*_servicer.py")
    refused = {
        name for path in servicers for name in re.findall(r'not_served\("(\w+)"\)', path.read_text("utf-8"))
    }
    assert {method: told.get(method) for method in methods} == {
        method: method in refused for method in methods
    }
