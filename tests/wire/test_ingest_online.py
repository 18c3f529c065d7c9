"""Reading from arXiv as the command line and a running bot do it, against a server on loopback."""

from __future__ import annotations

import asyncio
import os
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from data.stores.store import Store
from data.tables.papers import RunRow
from tests.helpers import databases
from tests.helpers.arxiv_server import ENTRY, feed, oai, oai_record
from tests.helpers.process import PATIENCE, awaited, begin


def _environment(folder, url, **more):
    environment = (
        os.environ
        | databases.environment(folder)
        | {
            "LABMATE_DATA": str(folder),
            "ARXIV_API_URL": url,
            "ARXIV_OAI_URL": url,
            "ARXIV_INTERVAL_SECONDS": "0",
            "LABMATE_CATEGORIES": "cs.DC cs.CL",
            "LABMATE_FETCH": "false",
            **more,
        }
    )
    environment.pop("DISCORD_TOKEN", None)
    return environment


async def labmate(*arguments, folder, url, **more):
    process = begin(*arguments, env=_environment(folder, url, **more), stderr=subprocess.PIPE)
    out, error = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    return subprocess.CompletedProcess(arguments, process.returncode, out.decode(), error.decode())


async def _days(folder):
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    try:
        ids = await store.ids_of("arxiv")
        return {paper.arxiv_id: paper.announced for paper in await store.papers(ids.values())}
    finally:
        await store.close()


async def test_the_atom_api_from_the_command_line_finds_what_moderation_held(serve, tmp_path):
    now = datetime.now(UTC)
    recent, held = f"{now - timedelta(days=6):%Y-%m-%d}", f"{now - timedelta(days=20):%Y-%m-%d}"
    entries = [ENTRY.format(id="2605.00001v1", day=recent)]
    server = await serve(lambda query, number: feed(entries, len(entries)))
    since = f"{now - timedelta(days=7):%Y-%m-%d}"
    first = await labmate(
        "ingest", "arxiv", "--category", "cs.CL", "--since", since, folder=tmp_path, url=server.url
    )
    assert first.returncode == 0, first.stderr
    assert "1 added" in first.stderr
    entries.append(ENTRY.format(id="2604.00009v1", day=held))
    second = await labmate(
        "ingest", "arxiv", "--category", "cs.CL", "--since", since, folder=tmp_path, url=server.url
    )
    assert "1 added, 0 updated, 1 unchanged" in second.stderr
    days = await _days(tmp_path)
    assert days["2604.00009"] >= now.date() - timedelta(days=4)  # found now, so announced now
    assert days["2605.00001"] < now.date()


async def test_oai_from_the_command_line_and_what_a_running_bot_does(serve, tmp_path):
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    other = oai_record("2605.00003", stamp=today, created=today).replace("cs.DC cs.LG", "cs.CV")
    server = await serve(lambda q, n: oai([oai_record("2605.00001", stamp=today, created=today), other]))
    done = await labmate(
        "ingest", "arxiv-oai", "--set", "cs", "--from", "2026-05-01", folder=tmp_path, url=server.url
    )
    assert done.returncode == 0, done.stderr
    assert "2 read: 2 added" in done.stderr
    assert server.asked[0]["from"] == "2026-05-01"
    recent = await labmate("ingest", "recent", folder=tmp_path / "other", url=server.url)
    assert "1 read: 1 added" in recent.stderr  # cs.CV is not followed
    assert server.asked[1]["set"] == "cs"
    again = await labmate("ingest", "recent", folder=tmp_path / "other", url=server.url)
    assert "1 unchanged" in again.stderr
    assert server.asked[2]["from"] >= server.asked[1]["from"]


async def test_after_a_run_under_a_clock_that_was_ahead_a_running_bot_asks_for_the_last_week(serve, tmp_path):
    today = datetime.now(UTC).date()
    server = await serve(lambda q, n: oai([oai_record("2605.00001", stamp=f"{today}", created=f"{today}")]))
    assert (await labmate("ingest", "recent", folder=tmp_path, url=server.url)).returncode == 0
    store = await Store.open(databases.url_of(tmp_path / "labmate.db"))
    async with store._writer.begin() as connection:
        ahead = {"started": datetime.now() + timedelta(days=3_650)}
        await connection.execute(update(RunRow).where(RunRow.source == "arxiv-oai").values(**ahead))
    await store.close()
    done = await labmate("ingest", "recent", folder=tmp_path, url=server.url)
    assert done.returncode == 0, done.stderr
    assert server.asked[-1]["from"] == f"{today - timedelta(days=7)}"


@pytest.mark.parametrize("kind", ["refused", "down"])
async def test_an_arxiv_that_says_no_ends_in_one_line(serve, tmp_path, kind):
    if kind == "down":
        url, said = "http://127.0.0.1:9/oai", "can't be reached"
    else:
        url, said = (await serve(lambda q, n: "<html/>")).url, "isn't OAI-PMH"
    done = await labmate("ingest", "recent", folder=tmp_path, url=url)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


async def test_a_running_labmate_reads_embeds_and_says_so(serve, tmp_path):
    """The whole first start: fetch in a worker, embed, answer with what came, all without a restart."""
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    records = [oai_record(f"2605.{n:05d}", stamp=today, created=today) for n in range(90)]
    server = await serve(lambda q, n: oai(records))
    process = awaited("run", env=_environment(tmp_path, server.url, LABMATE_FETCH="true"))
    shown, lines = "", process.lines()

    async def until(text):
        nonlocal shown
        while text not in shown:
            line = await anext(lines, b"")
            assert line, shown
            shown += line.decode()

    try:
        await until("90 added")
        await until("newly embedded")
        await until(" people found in ")  # authors are matched after the new vectors are in use
        process.write(b"/new\n/about\nexit\n")
        await until("Goodbye.")
    finally:
        if process.returncode is None:
            process.kill()
    assert "90 papers" in shown
    assert "97 of 97" in shown


async def test_without_arxiv_it_says_so_once_and_answers(tmp_path):
    process = awaited("run", env=_environment(tmp_path, "http://127.0.0.1:9/oai", LABMATE_FETCH="true"))
    shown = ""
    async for line in process.lines():
        shown += line.decode()
        if "try again" in " ".join(shown.split()):
            break
    shown += (await process.communicate(b"/papers ChonLam Lao\nexit\n")).decode()
    assert process.returncode == 0
    assert shown.count("arXiv can't be read right now") == 1
    assert "from the 7 papers I have" in " ".join(shown.split())
    assert "5 papers, newest first" in shown
