"""An operator's mistakes on the command line: each is refused, and the answer says what to do next."""

from __future__ import annotations

import bz2
import json
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.process import run
from tests.helpers.records import papers_file
from tests.helpers.snapshots import snapshot_line

REFUSED = {
    "papers.csv": lambda path: path.write_text("id,title\n1,On llamas\n"),
    "picture.jsonl": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\0\xff\xfe"),
    "blank.jsonl": lambda path: path.write_text('{"id": " ", "title": " ", "abstract": " "}\n'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_of_which_nothing_can_be_read_is_an_error(tmp_path, name):
    file = tmp_path / name
    REFUSED[name](file)
    done = run("ingest", "file", str(file), folder=tmp_path / "lab")
    assert done.returncode == 1
    assert f"{name} holds no paper that Labmate can read. Nothing was read in." in done.stderr
    assert "refused" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_torn_file_says_that_what_came_before_is_kept(tmp_path):
    whole = papers_file(tmp_path / "whole.jsonl", 3_000).read_bytes()
    torn = tmp_path / "torn.jsonl.bz2"
    torn.write_bytes(bz2.compress(whole[: len(whole) // 2], 1) + bz2.compress(whole[len(whole) // 2 :])[:100])
    done = run("ingest", "file", str(torn), "--no-embed", folder=tmp_path / "lab")
    assert done.returncode == 1
    assert "What was read before the damage is kept" in done.stderr
    assert "is torn or not what its name says, after line" in done.stderr


def _cut(path: Path) -> None:
    np.save(path, np.zeros((40, 384), np.float16))
    path.write_bytes(path.read_bytes()[:5_000])


VECTORS = {
    "notes.jsonl": (lambda path: path.write_text("{}\n"), "it is not a .npy file."),
    "cut.npy": (_cut, "it is cut off. Fetch it again."),
    "head.npy": (lambda path: path.write_bytes(b"\x93NUMPY\x01"), "it is cut off. Fetch it again."),
    "objects.npy": (lambda path: np.save(path, np.array([{}, []], object)), "it holds no numbers."),
    "v.npy": (
        lambda path: np.save(path, np.zeros((3, 384), np.float16)),
        "has no manifest beside it (v.json), so it is unknown which model made it. Put the manifest",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_what_is_no_file_of_vectors_is_told_in_plain_words(tmp_path, name):
    make, words = VECTORS[name]
    make(tmp_path / name)
    done = run("ingest", "vectors", str(tmp_path / name), folder=tmp_path / "lab")
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_vectors_without_their_papers_are_refused(tmp_path):
    done = run("run", "--vectors", "v.npy", folder=tmp_path)
    assert done.returncode == 2
    assert "name that with --papers" in " ".join(done.stderr.split())


def test_a_source_that_is_not_there_is_answered_with_those_that_are(tmp_path):
    done = run("ingest", "from", "nothing", "--since", "2026-05-18", folder=tmp_path)
    assert done.returncode == 1
    assert "There is no source called 'nothing'. Sources that were added here: none. To read" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("recent",),
        ("arxiv-oai", "--set", "cs", "--from", "2026-05-18"),
        ("arxiv", "--since", "2026-05-18"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_arxiv_out_of_reach_is_told_with_another_way(tmp_path, arguments):
    away = {"ARXIV_OAI_URL": "http://127.0.0.1:9/", "ARXIV_API_URL": "http://127.0.0.1:9/"}
    done = run("ingest", *arguments, folder=tmp_path, ARXIV_INTERVAL_SECONDS="0", **away)
    assert done.returncode == 1
    assert "can't be reached" in done.stderr
    assert "To add papers from a file: python -m bot ingest file PATH" in done.stderr


def test_the_doctor_breaks_no_line_in_a_pipe(tmp_path):
    done = run("doctor", folder=tmp_path, COLUMNS="80", ARXIV_OAI_URL="http://127.0.0.1:9/")
    assert "adds citations, h-index, affiliations and ORCIDs.\n" in done.stdout
    assert "To add papers from a file: python -m bot ingest file PATH\n" in done.stdout
    assert all(line.startswith((" ✓", " •", " ✗", "     ")) for line in done.stdout.splitlines())


@pytest.mark.parametrize("given", [(), ("--end-claim", "--keep-claim")])
def test_settling_says_which_way_to_choose(tmp_path, given):
    done = run("admin", "settle", "5", *given, folder=tmp_path)
    assert done.returncode == 2
    assert "either --end-claim or --keep-claim" in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    "command", [("ban", "member", "7" * 18), ("end-claim", "7")], ids=lambda words: words[0]
)
def test_an_empty_reason_is_none(tmp_path, command):
    done = run("admin", *command, "--reason", " ", folder=tmp_path)
    assert done.returncode == 1
    if command[0] == "ban":
        assert "The reason is empty. Say why" in done.stderr
        assert "No member or server is banned" in run("admin", "bans", folder=tmp_path).stdout


@pytest.mark.sqlite("a server is restored with its own tools")
def test_a_restore_says_nothing_in_the_words_of_a_log(tmp_path):
    assert run("backup", str(tmp_path / "b.db"), folder=tmp_path / "lab").returncode == 0
    done = run("restore", str(tmp_path / "b.db"), folder=tmp_path / "lab")
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    assert "You can start Labmate now" in done.stdout


def test_a_server_to_move_to_that_does_not_answer_is_named_by_its_option(tmp_path):
    done = run("move", "--to", "postgresql+asyncpg://me:hunter2@127.0.0.1:1/x", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("--to: postgresql+asyncpg://me:***@127.0.0.1:1/x can't be reached")


def test_one_paper_is_told_in_the_singular(tmp_path):
    papers = [snapshot_line(0), snapshot_line(1), snapshot_line(2) | {"categories": "q-fin.ST"}]
    lines = [json.dumps(paper) + "\n" for paper in papers]
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text(lines[0])
    second.write_text(lines[1] + lines[2])
    assert run("ingest", "file", str(first), folder=tmp_path / "lab").returncode == 0
    read = run("ingest", "snapshot", str(second), folder=tmp_path / "lab").stderr
    assert "1 other paper of the file was left out." in read
    assert "1 paper still needs an embedding." in read
    assert "1 paper has no embedding yet" in run("doctor", folder=tmp_path / "lab").stdout
    again = run("ingest", "file", str(second), "--no-embed", folder=tmp_path / "lab").stderr
    assert "2 papers still need an embedding and author matching." in again


def test_doctor_says_what_to_do_about_a_database_without_papers(tmp_path):
    found = run("doctor", folder=tmp_path / "lab", fresh=True).stdout
    assert "no papers in" in found
    assert "Check LABMATE_DATA and DATABASE_URL if there should be some" in found
