"""The house stays in order: no circles among files, and imports stand at the top of their file.

`python -m tests.test_house` (`make house`, part of `make lint`) prints the counts and exits with 1 if one is
not 0.

An import inside a function is allowed if its line says why: ``# lazy: ...``. The reason is the cost of the
import (a heavy library, the start-up of the command line), never a circle: circles count imports inside
functions too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import networkx
from grimp import build_graph

ROOT = Path(__file__).parent.parent
PACKAGES = ("bot", "commands", "index", "data", "benchmarks", "tests")
LAZY = "# lazy: "


class LateImport(NamedTuple):
    """An import inside a function."""

    path: str
    line: int
    text: str
    declared: bool
    """Its line says why: ``# lazy: ...``."""


def circles() -> list[list[str]]:
    """Each circle's modules, by name; with imports inside functions counted."""
    graph = build_graph(*PACKAGES, cache_dir=None)
    imports = networkx.DiGraph(
        (module, imported)
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    )
    return [sorted(ring) for ring in networkx.strongly_connected_components(imports) if len(ring) > 1]


def late_imports() -> list[LateImport]:
    """Every import inside a function."""
    return [
        late
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for late in _late_imports(path)
    ]


def _late_imports(path: Path) -> Iterator[LateImport]:
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    functions = (
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    statements = {
        node.lineno: node
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    for number, node in sorted(statements.items()):
        text = lines[number - 1].strip()
        declared = any(LAZY in line for line in lines[number - 1 : node.end_lineno])
        yield LateImport(str(path.relative_to(ROOT)), number, text, declared)


def report(rings: list[list[str]], late: list[LateImport]) -> str:
    """What `make house` prints."""
    undeclared = [one for one in late if not one.declared]
    lines = [
        f"Circles among files: {len(rings)}",
        *(f"  {', '.join(ring)}" for ring in rings),
        f"Imports inside functions, outside declared lazy ones: {len(undeclared)}",
        *(f"  {one.path}:{one.line}: {one.text}" for one in undeclared),
        f"  declared lazy: {len(late) - len(undeclared)}",
    ]
    return "\n".join(lines)


def test_no_files_import_each_other_in_a_circle():
    assert circles() == []


def test_imports_stand_at_the_top_of_their_file():
    assert [late for late in late_imports() if not late.declared] == []


def main() -> int:
    """Print the counts; returns 1 if one is not 0."""
    rings, late = circles(), late_imports()
    print(report(rings, late))
    return int(bool(rings) or not all(one.declared for one in late))


if __name__ == "__main__":
    sys.exit(main())
