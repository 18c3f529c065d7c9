"""The command line as a user runs it: real processes, real exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess

import pytest

from bot.closes import ACT
from bot.local_discord.server import LocalDiscord
from bot.worker import RunOutcome
from index.search.embedding_model import DEFAULT_MODEL, locate
from tests.helpers.process import run
from tests.helpers.records import papers_file


def test_ask_prints_the_reply_and_the_payloads_as_they_crossed_the_wire(tmp_path):
    plain = run("ask", "/papers author:ChonLam Lao", folder=tmp_path, fresh=True)
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout.startswith("ChonLam Lao\n5 papers, newest first")
    asked = run("ask", "/papers ChonLam Lao", "--json", folder=tmp_path)
    [message] = json.loads(asked.stdout)
    text = json.dumps(message["components"], ensure_ascii=False)
    assert text.count("PrismLLM]") + text.count("PrismLLM**") == 1


@pytest.mark.parametrize(
    "command",
    [("run",), ("ask", "/help"), ("index",), ("identify",), ("doctor",)],
    ids=lambda parts: parts[0],
)
def test_a_device_that_torch_lacks_is_told_before_the_first_large_backlog_needs_it(tmp_path, command):
    done = run(*command, folder=tmp_path, EMBEDDING_DEVICE="xpu:77")
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == (1 if command == ("doctor",) else 2)
    assert "EMBEDDING_DEVICE=xpu:77: the installed torch" in said
    assert "leave EMBEDDING_DEVICE empty" in said
    assert "Traceback" not in said


def test_doctor_says_what_embeds_papers(tmp_path):
    assert "papers are embedded on the CPU" in " ".join(
        run("doctor", folder=tmp_path, EMBEDDING_DEVICE="cpu").stdout.split()
    )


def test_ask_takes_a_question_and_a_mention(tmp_path):
    asked = run("ask", "/ask how can large GPU clusters be emulated?", folder=tmp_path, fresh=True)
    assert asked.returncode == 0, asked.stderr
    assert "PrismLLM" in asked.stdout
    said = run("ask", "@Labmate papers by ChonLam Lao", folder=tmp_path)
    assert said.stdout.startswith("/papers author:ChonLam Lao\nChonLam Lao\n5 papers"), said.stderr
    wrong = run("ask", "@Labmate /papers ChonLam Lao since:yesteryear", folder=tmp_path)
    assert (wrong.returncode, "as a day" in wrong.stdout) == (1, True)


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("/nonsense", 2, "There is no command /nonsense. Commands: /about"),
        ("/papers", 2, "author is missing. Type: /papers author:…"),
        ("/papers author:x sort:sideways", 2, "sort must be one of: newest, oldest"),
        ("/papers author:x private:maybe", 2, "private must be true or false"),
        ("", 2, "There is no command"),
        ("/library import file:/nope.bib", 2, "file: the file /nope.bib does not exist"),
        ("/library import file:/tmp", 2, "file: /tmp is a folder. Name a file in it."),
        ("/papers author:x since:tomorrow", 1, "as a day"),
        ("/admin status", 0, "Needs your attention"),
    ],
)
def test_ask_leaves_with_what_went_wrong(tmp_path, command, status, said):
    done = run("ask", command, folder=tmp_path)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert said in done.stdout + done.stderr


def test_the_prompt_without_a_terminal_takes_commands_and_numbers(tmp_path):
    done = run(
        "run", folder=tmp_path, stdin="/papers ChonLam Lao\n1\nnonsense\n77\n/nope\n@labmate help\nexit\n"
    )
    assert done.returncode == 0, done.stderr
    assert "knows 7 papers" in done.stdout
    assert "5 papers, newest first" in done.stdout
    assert "We present PrismLLM" in done.stdout
    assert "Type a command such as" in done.stdout
    assert "The last reply has no button 77" in done.stdout
    assert "There is no command /nope" in done.stdout
    assert "What I can do" in done.stdout
    assert "Goodbye." in done.stdout


def test_a_command_that_is_no_text_is_refused_in_a_line(tmp_path):
    done = run("ask", os.fsdecode(b"/papers \xff"), folder=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "isn't valid UTF-8" in done.stderr


def test_the_prompt_without_a_terminal_fills_forms_a_line_a_field(tmp_path):
    done = run("run", folder=tmp_path, stdin="/digest create\n57\nMornings\n08:30\nUTC\n/digest list\nexit\n")
    assert "  Name (required, up to 80 characters): New papers" in done.stdout
    assert done.stdout.count("Mornings · #general · Mon to Fri at 08:30 UTC") == 2
    assert "not started yet" in done.stdout
    again = run("run", folder=tmp_path, stdin="/digest list\nexit\n")
    assert "Mornings" in again.stdout, "the same member is in the same server again"


def test_ingest_reads_refuses_and_sums_up(tmp_path):
    file = papers_file(tmp_path / "p.jsonl")
    done = run("ingest", "file", str(file), "--no-embed", folder=tmp_path / "lab")
    assert done.returncode == 0, done.stderr
    assert "30 read: 15 added, 0 updated, 0 unchanged, 15 refused" in done.stderr
    again = run("ingest", "file", str(file), folder=tmp_path / "lab")
    assert "0 added, 0 updated, 15 unchanged, 15 refused" in again.stderr
    doctor = run("doctor", folder=tmp_path / "lab")
    assert doctor.returncode == 0
    assert "database and indexes agree on 22 papers" in doctor.stdout


@pytest.mark.parametrize(("name", "text"), [("p.jsonl", ""), ("p.json", "[]"), ("p.jsonl", "\n\n")])
def test_a_file_without_records_is_an_error(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text)
    done = run("ingest", "file", str(file), folder=tmp_path / "lab")
    assert done.returncode == 1
    assert f"{name} holds no records. Nothing was read in." in done.stderr
    assert "Traceback" not in done.stderr


def test_a_worker_that_finds_no_database_is_started_again_soon(tmp_path):
    """As where another process is in the way: after a minute, not after a quarter of an hour."""
    away = "postgresql+asyncpg://me:secret@127.0.0.1:1/labmate"
    done = run("identify", "--events", folder=tmp_path / "lab", DATABASE_URL=away)
    said = json.loads(done.stdout.splitlines()[-1])
    assert (done.returncode, said["kind"]) == (1, RunOutcome.BUSY)
    assert "can't be reached" in said["error"]
    assert "secret" not in done.stdout + done.stderr


def test_a_cluster_that_does_not_answer_is_reported_with_what_happens_until_then(tmp_path):
    doctor = run("doctor", folder=tmp_path / "lab", RAY_ADDRESS="127.0.0.1:1")
    assert doctor.returncode == 1
    assert "127.0.0.1:1" in doctor.stdout
    assert "Until then, embedding and people passes run on this machine" in doctor.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ingest", "file", "absent.jsonl"], "can't be read"),
        (["ingest", "file", "README.md", "--vectors", "absent.npy"], "absent.npy does not exist."),
        (
            ["rank", "similar", "--papers", "absent", "--queries", "absent", "--out", "x"],
            "absent can't be read: No such file or directory",
        ),
    ],
)
def test_a_file_that_is_not_there_is_told_in_one_line(tmp_path, arguments, said):
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_rank_writes_a_trec_run_under_the_files_own_ids(tmp_path):
    papers = papers_file(tmp_path / "p.jsonl")
    queries, out = tmp_path / "q.txt", tmp_path / "run.txt"
    queries.write_text("x3\n2601.00004\n")
    done = run(
        "rank",
        "similar",
        "--papers",
        str(papers),
        "--queries",
        str(queries),
        "--out",
        str(out),
        "--depth",
        "7",
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in out.read_text().splitlines()]
    assert len(rows) == 14
    assert all(row[1] == "Q0" and row[5] == "labmate" for row in rows)
    assert [int(row[3]) for row in rows[:7]] == list(range(1, 8))
    assert all(row[0] != row[2] for row in rows)
    scores = [float(row[4]) for row in rows[:7]]
    assert scores == sorted(scores, reverse=True)
    texts = tmp_path / "t.jsonl"
    texts.write_text('{"id": "a", "text": "the \\"study\\" of topic7: (and) things"}\n')
    done = run(
        "rank", "search", "--papers", str(papers), "--queries", str(texts), "--out", str(out), folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert out.read_text().split()[2] == "x7"


@pytest.mark.parametrize(
    ("kind", "text"),
    [("similar", "nobody\n"), ("search", "no json\n"), ("search", '{"id": "a b", "text": "x"}\n')],
)
def test_rank_refuses_queries_that_make_no_sense(tmp_path, kind, text):
    papers, queries, out = papers_file(tmp_path / "p.jsonl", 3), tmp_path / "q", tmp_path / "out"
    queries.write_text(text)
    done = run(
        "rank", kind, "--papers", str(papers), "--queries", str(queries), "--out", str(out), folder=tmp_path
    )
    assert done.returncode == 1
    assert not out.exists()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("LABMATE_CATEGORIES", "cs.CL nonsense!", "LABMATE_CATEGORIES: 'nonsense!' is not an arXiv category"),
        ("LOG_LEVEL", "LOUD", "LOG_LEVEL"),
        ("ARXIV_INTERVAL_SECONDS", "-1", "ARXIV_INTERVAL_SECONDS"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path, name, value, said):
    done = run("doctor", folder=tmp_path, **{name: value})
    assert done.returncode == 2
    assert said in done.stderr


def test_another_model_is_refused_with_the_command_that_rebuilds(tmp_path):
    assert run("ask", "/papers ChonLam Lao", folder=tmp_path / "lab").returncode == 0
    other = tmp_path / "other-model"
    shutil.copytree(locate(DEFAULT_MODEL), other)
    with (other / "model.safetensors").open("ab") as stream:
        stream.write(b"\x00")
    done = run("ask", "/about", folder=tmp_path / "lab", EMBEDDING_MODEL=str(other))
    assert done.returncode == 1
    assert "python -m bot index --rebuild" in done.stderr


def test_a_token_that_discord_does_not_take_is_told(tmp_path):
    async def attempt() -> subprocess.CompletedProcess:
        async with LocalDiscord() as discord:
            wrong = {"DISCORD_TOKEN": "wrong.token.here", "DISCORD_API_URL": discord.api_url}
            return await asyncio.to_thread(run, "run", folder=tmp_path, fresh=True, **wrong)

    done = asyncio.run(attempt())
    assert done.returncode == ACT
    assert "does not accept DISCORD_TOKEN" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("ingest", "arxiv", "--since", "yesterday"),
        ("ingest", "arxiv-oai", "--set", "cs", "--from", "yesterday"),
        ("evaluate", "score", "--cut", "yesterday"),
        ("train", "phrases", "--data", "x", "--before", "yesterday"),
    ],
)
def test_what_is_no_day_is_told_with_an_example(tmp_path, arguments):
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert "'yesterday' is not a day; write one such as 2026-05-18" in " ".join(done.stderr.split())
