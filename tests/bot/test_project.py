"""The project keeps its own rules."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from bot.cli.main import app
from bot.settings import Settings
from tests.helpers.paths import ROOT


def test_env_example_lists_every_setting_and_no_other():
    lines = (ROOT / ".env.example").read_text().splitlines()
    listed = {line.partition("=")[0] for line in lines if re.match(r"^[A-Z][A-Z0-9_]*=", line)}
    assert listed == {name.upper() for name in Settings.model_fields}


def test_env_example_shows_the_defaults():
    values = dict(
        line.split("=", 1)
        for line in (ROOT / ".env.example").read_text().splitlines()
        if re.match(r"^[A-Z][A-Z0-9_]*=.", line)
    )
    shown, default = (
        Settings(_env_file=None, **{k.lower(): v for k, v in values.items()}),
        Settings(_env_file=None, labmate_fetch=True),
    )
    for name in (
        "labmate_categories",
        "arxiv_api_url",
        "arxiv_oai_url",
        "arxiv_interval_seconds",
        "embedding_model",
        "labmate_data",
    ):
        assert getattr(shown, name) == getattr(default, name), name


def test_imports_go_down_only():
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_nothing_of_the_shared_data_is_in_the_project():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    assert not [name for name in tracked if name.endswith((".jsonl", ".zst", ".npy", "openapi.json"))]


def test_readme_names_only_commands_that_exist():
    known = {command.name or command.callback.__name__ for command in app.registered_commands} | {
        group.name for group in app.registered_groups
    }
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for name in re.findall(r"python -m bot ([a-z-]+)", page.read_text()):
            assert name in known, (page.name, name)


def test_tests_share_what_they_share_in_one_place():
    """No test imports another: what two of them need is a helper, or a fixture. Clients are a program."""
    for file in (ROOT / "tests").rglob("*.py"):
        if file.is_relative_to(ROOT / "tests" / "clients"):
            continue
        imported = re.findall(r"^\s*(?:from|import) (tests[\w.]*)", file.read_text(), re.MULTILINE)
        assert all(name.startswith("tests.helpers") for name in imported), file


def test_tests_lie_where_what_they_test_lies():
    own = {"tests", "tests/browser", "tests/helpers", "tests/wire"}
    for file in (ROOT / "tests").rglob("test_*.py"):
        folder = file.parent.relative_to(ROOT)
        assert str(folder) in own or (ROOT / folder.relative_to("tests")).is_dir(), file


def test_no_class_name_stands_twice_in_the_product():
    """Whoever searches for a name finds one thing."""
    names = Counter(
        node.name
        for layer in ("bot", "commands", "index", "data")
        for path in (ROOT / layer).rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not [name for name, count in names.items() if count > 1]
