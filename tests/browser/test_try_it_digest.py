"""A digest is seen posting: somebody sets it up in the page, and moves the clock."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.local_discord.server import LocalDiscord
from data.calendar import clock
from data.calendar.announcements import last_listing
from tests.helpers import databases
from tests.helpers.arxiv_server import Server, oai, oai_record
from tests.helpers.lab import started
from tests.helpers.visitor import Visitor, visitor

TEN = time(10, 0)


@pytest_asyncio.fixture
async def arxiv():
    """An arXiv that has announced three papers as the newest listing, and has no newer one."""
    newest = last_listing(datetime.now(UTC)).isoformat()
    records = [oai_record(f"2605.0000{n}", stamp=newest, created=newest) for n in (1, 2, 3)]
    server = Server(lambda query, number: oai(records))
    app = web.Application()
    app.router.add_get("/oai", server.handle)
    async with TestServer(app) as running:
        server.url = str(running.make_url("/oai"))
        yield server


@pytest_asyncio.fixture
async def lab(tmp_path, chromium, arxiv, monkeypatch):
    """A furnished lab that has read this arXiv; its worker reads its settings from the environment."""
    monkeypatch.setenv("LABMATE_DATA", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", databases.setting(tmp_path) or "")
    monkeypatch.setenv("ARXIV_OAI_URL", arxiv.url)
    monkeypatch.setenv("LABMATE_FETCH", "true")
    monkeypatch.setenv("LABMATE_EXEC", "1")  # a worker of its own interpreter, which has the moved clock
    async with (
        LocalDiscord(furnished=True, move_clock=clock.move) as discord,
        started(discord, tmp_path, labmate_fetch=True) as lab,
    ):
        lab.scheduler.start()
        await lab.scheduler.settled.wait()
        yield lab


def next_morning() -> datetime:
    """Ten o'clock of the next working day, after a digest's hour."""
    day = datetime.now(UTC).date() + timedelta(days=1)
    while day.weekday() > 4:
        day += timedelta(days=1)
    return datetime.combine(day, TEN, UTC)


async def set_up(me: Visitor) -> None:
    """From `/setup` to *Start*, in Berlin."""
    await me.say("/setup")
    for page in ("Which fields?", "When?"):
        await me.button("Next").click()
        await me.sees(page)
    await me.page.locator(".select").first.click()
    await me.page.get_by_role("option").filter(has_text="Berlin").first.click()
    await me.settled(0)
    await me.button("Next").click()
    await me.sees("What should I learn from?")
    await me.button("Preview").click()
    await me.sees("Ready to start")
    await me.button("Start").click()
    await me.sees("Started.")


async def test_a_digest_that_was_set_up_posts_when_the_clock_is_moved_past_its_hour(lab, arxiv, chromium):
    async with visitor(chromium, lab.discord.url, timezone_id="UTC") as me:
        await set_up(me)
        asked = len(arxiv.asked)
        await me.button("Clock").click()
        await me.page.get_by_label("Or go to").fill(next_morning().strftime("%Y-%m-%dT%H:%M"))
        await me.button("Go").click()
        await me.page.get_by_text("The clock was moved.").wait_for()
        await (
            me.page.locator("[data-channel]")
            .filter(has_text="new-papers")
            .locator(".unread")
            .wait_for(timeout=60_000)
        )
        assert len(arxiv.asked) > asked, "Labmate asks arXiv first whether there is something newer"
        await me.page.locator(".place").filter(has_text="new-papers").click()
        await me.sees("Title of 2605.0000")
        assert await me.count() == 1
        assert me.complaints == []
        categories = " ".join(sorted(lab.settings.labmate_categories))
        real = await lab.bot.services.store.last_run("arxiv-oai", categories)
        assert real.started < datetime.now(UTC).replace(tzinfo=None), "later runs go on from this one"
