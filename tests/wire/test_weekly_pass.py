"""The weekly pass over all authors, where the clock was ahead when the last one ended."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from bot.local_discord.server import LocalDiscord
from bot.worker import RunOutcome
from data.calendar.clock import utc_now
from data.tables.papers import IdentityPassRow
from index.identity.passes import identify
from tests.helpers.lab import started


@pytest.mark.parametrize(("days", "full"), [(-8, True), (-6, False), (3_650, True)])
async def test_all_authors_are_matched_again_after_a_week_or_where_the_last_time_is_yet_to_come(
    tmp_path, monkeypatch, days, full
):
    async with LocalDiscord() as discord, started(discord, tmp_path) as lab:
        corpus = lab.bot.services.corpus
        with corpus.writing():
            await identify(corpus, full=True)
        async with corpus.store._writer.begin() as connection:
            await connection.execute(
                update(IdentityPassRow).values(finished=utc_now() + timedelta(days=days))
            )
        asked = []

        async def run(*command):
            asked.append(command)
            return RunOutcome.DONE

        monkeypatch.setattr(lab.scheduler.worker, "run", run)
        await lab.scheduler._tell_apart()
        assert (("identify", "--full") in asked) is full
