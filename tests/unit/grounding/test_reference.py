"""docs/grounding.md lists exactly the rules that there are."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def test_the_page_lists_the_rules_as_they_are() -> None:
    path = Path(__file__).parent / "write_reference.py"
    spec = importlib.util.spec_from_file_location("write_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), f"run python {path.name}"
