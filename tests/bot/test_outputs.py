"""A command never writes over what it reads, nor over what Labmate keeps."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from tests.helpers.process import run
from tests.helpers.records import papers_file

RANK = ("rank", "similar", "--papers", "papers.jsonl", "--queries", "queries")
COMMANDS = {
    "phrases": (("phrases", "--papers", "papers.jsonl"), ["papers.jsonl"]),
    "answer": (
        ("answer", "--papers", "papers.jsonl", "--questions", "queries"),
        ["papers.jsonl", "queries"],
    ),
    "rank": (RANK, ["papers.jsonl", "queries"]),
    "match": (
        ("match", "--archives", "archives", "--submissions", "papers.jsonl"),
        ["papers.jsonl", "archives/~A_B1.jsonl", "archives/new.jsonl"],
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Inputs, a data folder and another program's database."""
    papers_file(tmp_path / "papers.jsonl", 3)
    (tmp_path / "queries").write_text("x1\n")
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives" / "~A_B1.jsonl").write_text("{}\n")
    (tmp_path / "lab" / "vectors").mkdir(parents=True)
    (tmp_path / "lab" / "labmate.db").write_bytes(b"kept")
    (tmp_path / "lab" / "vectors" / "rows-1.f16").write_bytes(b"kept")
    os.link(tmp_path / "papers.jsonl", tmp_path / "linked.jsonl")
    (tmp_path / "soft.jsonl").symlink_to(tmp_path / "papers.jsonl")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE kept (x)")
    connection.close()
    return tmp_path


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _refused(folder: Path, *arguments: str) -> str:
    before = _contents(folder)
    more = {"DATABASE_URL": "", "LABMATE_FILES": str(folder / "shared")}
    done = run(*arguments, folder=folder / "lab", fresh=True, cwd=folder, **more)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert {name: held for name, held in _contents(folder).items() if name in before} == before
    return done.stderr


@pytest.mark.parametrize(
    ("command", "out"), [(command, out) for command, (_, inputs) in COMMANDS.items() for out in inputs]
)
def test_no_command_writes_over_what_it_reads(folder, command, out):
    said = _refused(folder, *COMMANDS[command][0], "--out", out)
    assert f"--out: {out} is " in said
    assert "that the command reads" in said or "what the command reads" in said


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("linked.jsonl", "is what the command reads"),
        ("soft.jsonl", "is what the command reads"),
        ("./lab/../papers.jsonl", "is what the command reads"),
        ("lab/labmate.db", "is for Labmate's own data"),
        ("lab/labmate.db-wal", "is for Labmate's own data"),
        ("lab/vectors/rows-1.f16", "is for Labmate's own data"),
        ("lab/vectors/new", "is for Labmate's own data"),
        ("lab/backups/new", "is for Labmate's own data"),
        ("lab/made-from.json", "is for Labmate's own data"),
        ("shared/new", "is for Labmate's own data"),
        ("other.db", "is an SQLite database"),
        ("archives", "is a folder. Name a file, such as archives/out.txt"),
        ("queries/out", "queries is a file, not a folder"),
        ("x" * 400, "can't be written"),
    ],
)
def test_what_is_kept_and_what_can_not_be_written_are_refused_before_the_work(folder, out, said):
    assert said in _refused(folder, "phrases", "--papers", "papers.jsonl", "--out", out)


def test_models_go_to_a_folder_that_is_not_labmates_own(folder):
    train = ("train", "emptiness", "--data", "papers.jsonl", "--out")
    assert "is what the command reads" in _refused(folder, *train, "papers.jsonl")
    assert "is a file, and a folder is needed" in _refused(folder, *train, "queries")
    assert "is for Labmate's own data" in _refused(folder, *train, "lab/vectors")


def test_vectors_are_not_exported_into_labmates_own_folders(folder):
    assert "PATH: lab/vectors/x.npy is for" in _refused(folder, "export", "vectors", "lab/vectors/x.npy")


def test_a_file_of_an_earlier_run_is_replaced(folder):
    (folder / "out").write_text("old\n")
    arguments = ("phrases", "--papers", "papers.jsonl", "--out", "out")
    done = run(*arguments, folder=folder / "lab", fresh=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "out").read_text().count("\n") == 3
