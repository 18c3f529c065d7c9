"""A digest is seen posting: somebody moves the clock in the page."""

from __future__ import annotations

from datetime import timedelta

import pytest_asyncio

from bot.local_discord.server import LocalDiscord
from commands.digests.posting import Poster
from data.calendar import clock
from tests.helpers.digests import MONDAY, Scene, active, papers
from tests.helpers.lab import fill, started
from tests.helpers.visitor import visitor


@pytest_asyncio.fixture
async def monday(tmp_path, chromium):
    """A lab with Monday's listing, on Monday at eight; a digest of the channel is due at nine."""
    file = tmp_path / "clock"
    file.write_text("2026-11-16T08:00:00+00:00")
    clock.follow(file)
    async with (
        LocalDiscord(furnished=True, move_clock=clock.move) as discord,
        started(discord, tmp_path) as lab,
    ):
        await fill(lab.bot, papers(MONDAY, 1))
        await active(Scene(discord, lab.bot, lab.user, Poster(lab.bot, lab.bot.services), file))
        lab.scheduler.start()
        await lab.scheduler.settled.wait()
        yield lab


async def test_a_digest_posts_when_the_clock_is_moved_to_its_hour(monday, chromium):
    async with visitor(chromium, monday.discord.url) as me:
        assert await me.count() == 0
        await me.go("new-papers")
        await me.button("Clock").click()
        await me.button("+1 hour").click()
        await me.page.get_by_text("+1 hour: the clock was moved.").wait_for()
        await me.page.locator("[data-channel] .unread").wait_for()
        await me.page.locator(".place").filter(has_text="general").click()
        await me.sees("graph neural networks for molecules, part")
        assert await me.count() == 1
        assert abs(monday.discord.state.clock_offset - timedelta(hours=1).total_seconds()) < 1
        assert me.complaints == []
