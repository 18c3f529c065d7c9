"""Handlers that Discord calls only answer: all work happens in the answer, acknowledged in time."""

import ast
import re
from pathlib import Path

import pytest

import commands

pytestmark = pytest.mark.hostile

ANSWERS = {"answer", "open_form", "self._answer", "self._decide"}
"""The last two are the operator's: both answer."""
FORMS = {"self._form", "words_form", "name_form", "own", "_open", "_open_kept", "_open_follow_up"}
"""What looks up what stands in a form, which has to be the first answer."""

KIT = {"links.py"}
"""Where what Discord calls is handed on to the file that handles it."""
DECORATED = re.compile(r"app_commands\.command|button\(|select\(")


def handlers():
    """(file, function) of everything that Discord calls."""
    for path in sorted(Path(commands.__path__[0]).glob("**/*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.AsyncFunctionDef) and (
                node.name in ("pressed", "chosen", "on_submit")
                or (node.name == "callback" and path.name not in KIT)
                or any(DECORATED.match(ast.unparse(one)) for one in node.decorator_list)
            ):
                yield path.name, node


HANDLERS = list(handlers())


def test_handlers_do_nothing_but_answer():
    assert len(HANDLERS) > 80
    for file, node in HANDLERS:
        if file in KIT:
            continue
        within = [f for f in ast.walk(node) if isinstance(f, ast.AsyncFunctionDef) and f is not node]
        work = {one for function in within for one in ast.walk(function)}
        for one in ast.walk(node):
            if isinstance(one, ast.Await) and one not in work:
                called = ast.unparse(one.value.func)
                assert called in ANSWERS | FORMS, f"{file}: {node.name} waits for {ast.unparse(one)}"
