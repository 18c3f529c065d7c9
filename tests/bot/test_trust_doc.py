"""Every sentence of docs/trust.md has a test, and the test exists."""

import ast
import re

from data.stores.kept_texts import KEPT_FOR
from index.trust.corrections import HOLDER_A_DAY, HOLDER_LEVEL, MEMBER_A_DAY, SERVER_A_DAY
from tests.helpers.paths import ROOT

TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def sentences():
    """The promises of the page: the points under each heading but the last, which says what is not held."""
    text = (ROOT / "docs/trust.md").read_text().partition("## What is left")[0]
    return [line for line in text.splitlines() if line.startswith("- ")]


def test_every_promise_names_a_test_that_exists():
    assert len(sentences()) > 20
    for line in sentences():
        named = TEST.findall(line)
        assert named, line
        for file, test in named:
            tree = ast.parse((ROOT / file).read_text())
            names = {
                node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            }
            assert test in names, f"{file}::{test}"


def test_the_figures_of_the_page_are_those_of_the_code():
    text = (ROOT / "docs/trust.md").read_text()
    assert (
        f"makes {MEMBER_A_DAY} corrections a day, a server {SERVER_A_DAY}, a proven person {HOLDER_A_DAY}"
        in text
    )
    assert f"for {KEPT_FOR.days} days" in text
    assert f"a claim of level {HOLDER_LEVEL} or more" in text
