"""SIGTERM ends Labmate at any moment, and what it started with it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from aiohttp import web

from bot.ending import STUCK
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from tests.helpers.lab import settings_for
from tests.helpers.paths import ROOT
from tests.helpers.process import PATIENCE, Process, begin, logged_in, said, start, without_discord


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the sample, shared: none of these tests adds to it."""
    return tmp_path_factory.mktemp("ending")


async def _ends(process: Process) -> None:
    process.send_signal(signal.SIGTERM)
    await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    assert process.returncode == 0


@contextmanager
def _busy_machine() -> Iterator[None]:
    spinning = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))
    ]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


async def test_while_the_sample_is_read_in(tmp_path):
    async with LocalDiscord() as discord:
        process = start(discord, tmp_path, fresh=True)
        try:
            await said(process, b"reading in the sample")
            await _ends(process)
        finally:
            process.kill()


async def test_nothing_waits_any_more_to_answer_over_a_closed_connection(tmp_path, monkeypatch):
    monkeypatch.setattr("bot.client.LAST_WORD", 60)  # it still waits when a busy machine has answered
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path)) as (bot, _),
        UserClient(discord.url, discord.user_token) as user,
    ):
        await user.slash("/about")
        others = asyncio.all_tasks()
        await user.slash("/help")
        [watching] = (task for task in asyncio.all_tasks() - others if "_last_word" in repr(task))
        await bot.close()
        assert watching.cancelled()


async def test_before_it_is_logged_in(folder):
    async with LocalDiscord() as discord:
        discord.faults.add(route="GET /users/@me", delay=600)
        [fault] = discord.faults.requests
        process = start(discord, folder)
        try:
            while fault.times:  # noqa: ASYNC110 - the local Discord tells nobody
                await asyncio.sleep(0.05)
            await _ends(process)
        finally:
            process.kill()


async def test_while_the_model_loads_on_a_busy_machine(folder):
    async with LocalDiscord() as discord:
        process = start(discord, folder, LABMATE_OWN_MODEL="1")
        try:
            await said(process, b"loading the model")
            with _busy_machine():
                await _ends(process)
        finally:
            process.kill()


async def test_while_a_worker_waits_for_arxiv(folder):
    asked = asyncio.Event()

    async def never(_: web.Request) -> web.Response:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    app = web.Application()
    app.router.add_get("/oai", never)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/oai"
    async with LocalDiscord() as discord:
        more = {"LABMATE_FETCH": "true", "ARXIV_OAI_URL": url, "ARXIV_INTERVAL_SECONDS": "0"}
        process = start(
            discord, folder, LABMATE_EXEC="1", **more
        )  # a worker is a child, and a command of its own
        try:
            await logged_in(process)
            await asyncio.wait_for(asked.wait(), PATIENCE)
            workers = psutil.Process(process.pid).children(recursive=True)
            assert any("ingest" in worker.cmdline() for worker in workers)
            await _ends(process)
            assert psutil.wait_procs(workers, timeout=PATIENCE)[1] == []
        finally:
            process.kill()
    await runner.cleanup()


def test_with_something_that_never_ends(tmp_path):
    """A thread that can't be cancelled, and a clean-up that hangs: the process has a clock of its own."""
    script = """
import asyncio, signal, sys, threading
from bot.ending import Ending

async def work():
    asyncio.get_running_loop().run_in_executor(None, threading.Event().wait)
    try:
        print("working", flush=True)
        await asyncio.Event().wait()
    finally:
        if sys.argv[1] == "hangs":
            await asyncio.Event().wait()

ending = Ending(in_order=0.5, for_threads=0.2)
ending.listen(signal.SIGTERM)
sys.exit(asyncio.run(ending.watch(work())))
"""
    for what in ("hangs", "closes"):
        process = subprocess.Popen(
            [sys.executable, "-c", script, what], stdout=subprocess.PIPE, cwd=ROOT, text=True
        )
        assert process.stdout.readline() == "working\n"
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0


def test_a_loop_that_stands_still_says_where_and_ends(tmp_path):
    script = """
import asyncio, logging, threading
from bot.ending import Watchdog

def a_loop_that_never_ends():
    while True:
        pass

async def work():
    async with Watchdog(told_after=3, ended_after=6, second=0.1):
        await asyncio.sleep(0.3)
        a_loop_that_never_ends()

logging.basicConfig()
asyncio.run(work())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == STUCK
    assert "has hung" in done.stderr
    assert "in a_loop_that_never_ends" in done.stderr


THREADS_AND_COLLECTIONS = """
import asyncio, gc, os, threading, time
import discord.gateway
from concurrent.futures import TimeoutError
from types import SimpleNamespace
from bot.ending import Watchdog
from bot.heartbeat import install

class Late:
    tries = 100
    def result(self, timeout=None):
        Late.tries -= 1
        if Late.tries:
            raise TimeoutError
        gc.callbacks.clear()
        print("the heartbeat went on", flush=True)
        os._exit(0)

def threads_that_come_and_go():
    while True:
        one = threading.Thread(target=int)
        one.start()
        one.join()

def lets_others_run(phase, info):
    if threading.current_thread() is threading.main_thread():
        time.sleep(0.002)

def begin():
    threading.Thread(target=threads_that_come_and_go, daemon=True).start()
    gc.callbacks.append(lets_others_run)
    gc.set_threshold(1, 1, 1)
"""
WHERE = """
async def work():
    watchdog = Watchdog()
    begin()
    for _ in range(100):
        where = watchdog._where()
    gc.callbacks.clear()
    print(where, flush=True)
    os._exit(0)

asyncio.run(work())
"""
HEARTBEAT = """
asyncio.run_coroutine_threadsafe = lambda coroutine, loop: Late()
install()
ws = SimpleNamespace(HEARTBEAT=1, sequence=1, thread_id=1, loop=None, _max_heartbeat_timeout=60)
ws.send_heartbeat = lambda data: None
beats = discord.gateway.KeepAliveHandler(ws=ws, interval=0.01, shard_id=0)
begin()
beats.run()
"""


@pytest.mark.parametrize(("script", "said"), [(WHERE, "in work"), (HEARTBEAT, "the heartbeat went on")])
def test_asking_where_the_loop_hangs_never_stops_the_process(script, said):
    done = subprocess.run(
        [sys.executable, "-c", THREADS_AND_COLLECTIONS + script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert said in done.stdout, done.stderr


def test_a_signal_before_there_is_a_loop_is_not_forgotten():
    script = """
import asyncio, os, signal, sys
from bot.ending import Ending

async def work():
    print("worked")

ending = Ending()
ending.listen(signal.SIGTERM)
os.kill(os.getpid(), signal.SIGTERM)
sys.exit(asyncio.run(ending.watch(work())))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_prompt_ends_although_nobody_types(folder):
    process = begin("run", env=without_discord(folder), stdin=subprocess.PIPE)
    try:
        while b"Tab completes" not in (line := process.stdout.readline()):
            assert line
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()
