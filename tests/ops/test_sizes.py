"""Code stays small: modules, function bodies, and the mean over all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from tests.ops.repository import python_files, relative

MODULE_LINES_MAX = 400
BODY_LINES_MAX = 60
MEAN_BODY_LINES_MAX = 13

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """(where, lines of the body without its docstring) of every function, nested ones included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Function):
            yield f"{relative(path)}:{node.lineno} {node.name}", body_lines(node)


def body_lines(node: Function) -> int:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_module_is_long() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES_MAX} == {}


def test_no_function_body_is_long() -> None:
    bodies = dict(pair for path in python_files() for pair in functions(path))
    assert {where: lines for where, lines in bodies.items() if lines > BODY_LINES_MAX} == {}


def test_functions_are_short_on_the_whole() -> None:
    product = [path for path in python_files() if not relative(path).startswith("tests/")]
    average = mean(lines for path in product for _, lines in functions(path))
    assert average <= MEAN_BODY_LINES_MAX, f"mean function body is {average:.1f} lines"


def test_a_docstring_does_not_count() -> None:
    (node,) = ast.parse('def f():\n    """One.\n\n    Two."""\n    a = 1\n    return a\n').body
    assert isinstance(node, ast.FunctionDef)
    assert body_lines(node) == 2
