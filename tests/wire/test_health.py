"""/healthz and /metrics say how Labmate is, and to whom they may."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
import sqlalchemy as sa
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

import bot.health
from bot.http_server import serving
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from data.calendar import clock
from data.database import backups
from tests.helpers import databases
from tests.helpers.forked_worker import reader
from tests.helpers.lab import Lab, settings_for
from tests.helpers.paths import ROOT
from tests.helpers.process import begin, environment

TOKEN = "only-for-the-monitor"


class Http:
    """What is served, asked as a supervisor and a monitor ask."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self._url = url
        self._session = session

    async def get(self, path: str, **headers: str) -> tuple[int, str]:
        async with self._session.get(self._url + path, headers=headers) as answer:
            return answer.status, await answer.text()

    async def health(self) -> tuple[int, dict]:
        status, text = await self.get("/healthz")
        return status, json.loads(text)

    async def figures(self) -> dict[tuple[str, ...], float]:
        """Each sample's value by its name and the values of its labels."""
        status, text = await self.get("/metrics")
        assert status == 200
        return {
            (sample.name, *sample.labels.values()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }


@asynccontextmanager
async def served(lab_bot, scheduler, settings) -> AsyncIterator[Http]:
    async with serving(lab_bot, scheduler, settings) as url, aiohttp.ClientSession() as session:
        yield Http(url, session)


async def test_a_running_labmate_is_well_and_counts_its_replies(lab: Lab, monkeypatch):
    monkeypatch.setattr(bot.health, "KEPT", 0.0)
    settings = lab.settings.model_copy(update={"http_listen": "127.0.0.1:0"})
    async with served(lab.bot, lab.scheduler, settings) as http:
        before = await http.figures()
        reply = await lab.user.slash("/papers ChonLam Lao")
        await reply.press(next(iter(reply.buttons)))
        await lab.user.slash("/papers author:ChonLam Lao since:tomorrow")
        await asyncio.wait_for(_settled(http, before), 60)
        after = await http.figures()
        status, found = await http.health()

    def grown(*key: str) -> float:
        return after.get(key, 0.0) - before.get(key, 0.0)

    assert status == 200
    assert found["status"] == "ok"
    assert found["gateway"]["connected"]
    assert found["database"]
    assert found["papers"] == 7
    assert found["newest_listing"] is None, "the sample was never in a listing"
    assert grown("labmate_replies_total", "papers", "answered") == 1
    assert grown("labmate_replies_total", "papers", "refused") == 1
    assert grown("labmate_replies_total", "button", "answered") == 1
    assert grown("labmate_reply_seconds_count", "papers") == 2
    assert grown("labmate_acknowledged_seconds_count", "command") == 2
    assert after["labmate_up",] == 1
    assert after["labmate_papers",] == 7
    assert after["labmate_gateway_connected",] == 1
    assert after["labmate_database_up",] == 1


async def test_a_monitor_sees_the_pace_of_the_work_at_hand(lab: Lab):
    settings = lab.settings.model_copy(update={"http_listen": "127.0.0.1:0"})
    progress = lab.bot.services.progress
    async with served(lab.bot, lab.scheduler, settings) as http:
        assert not [key for key in await http.figures() if key[0].startswith("labmate_work_")]
        begun = time.monotonic()
        progress.heard("embedding", 0, 4_000, at=begun - 20)
        progress.heard("embedding", 1_000, 4_000, at=begun)
        try:
            figures = await http.figures()
        finally:
            progress.over()
    assert figures["labmate_work_done", "embedding"] == 1_000
    assert figures["labmate_work_total", "embedding"] == 4_000
    assert figures["labmate_work_per_second", "embedding"] == 50
    assert 0 < figures["labmate_work_left_seconds", "embedding"] <= 60


@pytest.mark.sqlite("Labmate backs up files")
async def test_a_backup_that_is_overdue_is_worth_knowing_and_a_monitor_sees_its_age(lab: Lab, monkeypatch):
    monkeypatch.setattr(bot.health, "KEPT", 0.0)
    monkeypatch.setattr(bot.health, "TIME_FOR_BACKUP", 0.0)
    made = clock.now().replace(microsecond=0) - timedelta(hours=60)
    settings = lab.settings.model_copy(update={"http_listen": "127.0.0.1:0", "backup_every": 24.0})
    async with served(lab.bot, lab.scheduler, settings) as http:
        said = (await http.health())[1]["worth_knowing"]
        assert "no backup has been made yet, although one is due every 24 hours; the log says why" in said
        assert ("labmate_newest_backup_timestamp_seconds",) not in await http.figures()
        settings.labmate_data.joinpath("backups").mkdir()
        (settings.labmate_data / "backups" / backups.folder_name(made)).touch()
        status, found = await http.health()
        assert status == 200
        late = "the newest backup is 60 hours old, although one is due every 24 hours; the log says why"
        assert late in found["worth_knowing"]
        figures = await http.figures()
        assert figures["labmate_newest_backup_timestamp_seconds",] == made.timestamp()
        (settings.labmate_data / "backups" / backups.folder_name(clock.now())).touch()
        assert not [line for line in (await http.health())[1]["worth_knowing"] if "backup" in line]


async def _settled(http: Http, before: dict) -> None:
    """Discord has the reply before the count is made."""
    while True:
        now = await http.figures()
        keys = [key for key in now if key[0] == "labmate_replies_total" and key[1] in ("papers", "button")]
        if sum(now[key] - before.get(key, 0.0) for key in keys) >= 3:
            return
        await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("headers", "seen"),
    [
        ({}, True),
        ({"X-Forwarded-For": "203.0.113.9"}, False),
        ({"Forwarded": "for=203.0.113.9"}, False),
        ({"Via": "1.1 proxy"}, False),
        ({"Authorization": f"Bearer {TOKEN}", "X-Forwarded-For": "203.0.113.9"}, True),
        ({"Authorization": "Bearer guess"}, False),
    ],
)
async def test_figures_are_for_this_machine_and_for_who_has_the_token(lab: Lab, headers, seen):
    more = {"http_listen": "127.0.0.1:0", "metrics_token": SecretStr(TOKEN)}
    async with served(lab.bot, lab.scheduler, lab.settings.model_copy(update=more)) as http:
        status, text = await http.get("/metrics", **headers)
        assert status == (200 if seen else 403)
        assert ("labmate_papers" in text) is seen
        status, text = await http.get("/healthz", **headers)
        assert status == 200
        assert ("papers" in json.loads(text)) is seen


async def test_a_damaged_database_and_a_lost_connection_are_failures_with_their_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(bot.health, "KEPT", 0.0)
    monkeypatch.setattr(bot.health, "AWAY", 0.0)
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path, http_listen="127.0.0.1:0")
        async with (
            running_bot(settings) as (running, scheduler),
            served(running, scheduler, settings) as http,
        ):
            assert (await http.health())[0] == 200
            await asyncio.to_thread(_rename, tmp_path, "deliveries", "lost")
            status, found = await http.health()
            assert status == 503
            kind = "ProgrammingError" if databases.IN_POSTGRES else "OperationalError"
            assert found["wrong"] == [f"the database can't be read ({kind})"]
            await asyncio.to_thread(_rename, tmp_path, "lost", "deliveries")
            assert (await http.health())[0] == 200
            await discord.stop()
            while (answer := await http.health())[0] == 200:  # noqa: ASYNC110 - asking is the point
                await asyncio.sleep(0.02)
            assert any("connection to Discord" in reason for reason in answer[1]["wrong"])


def _rename(folder: Path, table: str, name: str) -> None:
    """Rename a table; in a thread, so that the bot can finish a transaction meanwhile."""
    engine = databases.engine_in(folder)
    with engine.begin() as connection:
        connection.execute(sa.text(f"ALTER TABLE {table} RENAME TO {name}"))
    engine.dispose()


async def test_a_worker_that_dies_leaves_its_last_words_is_tried_again_and_counted(tmp_path):
    """Its process is a real one, aborted as a library in C++ would; the clock is one that the test moves."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if '--events' in sys.orig_argv:\n"
        "    print('terminate called: std::bad_alloc', file=sys.stderr, flush=True)\n"
        "    os.abort()\n"
    )
    now, told = datetime(2026, 5, 18, 12, tzinfo=UTC), tmp_path / "clock"
    clock.show(told, now)
    async with LocalDiscord() as discord:
        more = {
            "LABMATE_FETCH": "true",
            "LABMATE_CLOCK": str(told),
            "HTTP_LISTEN": "127.0.0.1:0",
            "LOG_FORMAT": "json",
            "LABMATE_EXEC": "1",
            "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}",
        }
        process = begin(
            "run",
            env=environment(discord, tmp_path / "lab") | more,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            said = await reader(process.stderr)
            entries = _entries(said)
            served_on = await _first(entries, "/metrics on http")
            url = re.search(r"http://[\d.:]+", served_on["message"])[0]
            died = await _first(entries, "was killed (SIGABRT)")
            assert "std::bad_alloc" in died["message"]
            assert died["level"] == "ERROR"
            while True:  # it waits by the simulated clock; the second failure shows that it tried again
                now += timedelta(minutes=16)
                clock.show(told, now)
                try:
                    await asyncio.wait_for(_first(entries, "was killed (SIGABRT)"), 1)
                    break
                except TimeoutError:
                    entries = _entries(said)
            async with aiohttp.ClientSession() as session:
                http = Http(url, session)
                figures = await http.figures()
                failures = [
                    v for k, v in figures.items() if k[0] == "labmate_worker_runs_total" and k[2] == "failed"
                ]
                assert sum(failures) >= 2
                status, found = await http.health()
            assert status == 200, "questions are answered all the while"
            assert any("background work failed" in reason for reason in found["worth_knowing"])
        finally:
            process.kill()
            await asyncio.to_thread(process.wait)


async def _entries(stream: asyncio.StreamReader) -> AsyncIterator[dict]:
    while line := await stream.readline():
        yield json.loads(line)  # with LOG_FORMAT=json nothing else may stand there


async def _first(entries: AsyncIterator[dict], words: str) -> dict:
    async for entry in entries:
        if words in entry["message"]:
            return entry
    pytest.fail(f"the process ended without saying {words!r}")
