"""Members read plain English: patterns that crept in before stay out of every string they may see."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot.terminal
import commands

BANNED = [
    r"\bWhom\b",
    r"\bwhom to\b",
    r"(?<![Tt]here )\bis no (?!longer)",
    r"sorted out",
    r"by the clock",
    r"prints? this name",
    r"also printed",
    r"could work with",
    r"troubled",
    r"if it stays",
    r"^As \*",
    r"\bNo way from",
    r"Nothing fits",
    r"\bsays to be\b",
    r"\btimes its share\b",
    r"so clearly that it can't be chance",
    r"jumped over",
    r"Whatever fits",
    r"At what hour",
    r"nearest guesses",
    r"wait for their turn already",
    r"I have written it down",
    r"\b[Ww]hoever\b",
]
"""Patterns of sentences that no native speaker would write, looked for with :func:`re.search`."""
ROOTS = [Path(commands.__path__[0]), Path(bot.terminal.__path__[0])]


def _docstrings(tree: ast.AST) -> set[int]:
    """The ids of the nodes of docstrings, except those of commands, which Discord shows."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncFunctionDef) and any(
            ast.unparse(one).startswith("app_commands.command") for one in node.decorator_list
        ):
            first = node.body[0]
            if isinstance(first, ast.Expr):
                found.discard(id(first.value))
    return found


def _text(node: ast.JoinedStr) -> str:
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of every string of a file that members may see; ``…`` for f-strings' values."""
    tree = ast.parse(path.read_text())
    inside = {
        id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
    } | _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, _text(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.lineno, node.value


def _files() -> list[Path]:
    return [path for root in ROOTS for path in sorted(root.rglob("*.py"))]


@pytest.mark.parametrize("path", _files(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_members_read_plain_english(path: Path) -> None:
    found = [
        f"{path.name}:{line} {pattern!r} in {text!r}"
        for line, text in strings(path)
        for pattern in BANNED
        if re.search(pattern, text)
    ]
    assert not found, "\n".join(found)


def test_the_patterns_are_found_where_they_stand(tmp_path: Path) -> None:
    source = tmp_path / "reply.py"
    source.write_text('name = "x"\nreply = f"{name} is no reply"\n"""Whom: a docstring."""\n')
    assert [text for _, text in strings(source) if re.search(BANNED[2], text)] == ["… is no reply"]
    assert not any("Whom" in text for _, text in strings(source))
