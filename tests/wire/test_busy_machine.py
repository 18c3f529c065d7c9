"""Replies on a machine whose other cores are busy: nothing in them waits for a second thread."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from bot.local_discord.server import LocalDiscord
from bot.run import SWITCH, running_bot
from index.identity.models import Models
from index.search.phrases import PhraseFinder
from tests.helpers.lab import settings_for


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


async def test_linear_algebra_computes_in_the_thread_that_asks(lab) -> None:
    await lab.user.slash("/similar PrismLLM")  # its libraries are loaded
    threadpool_limits(2, user_api="blas")
    assert blas_threads() == {2}
    await lab.scheduler.load_model()
    assert blas_threads() == {1}


@pytest.mark.parametrize("model", ["phrases", "pairs", "groups", "variants"])
def test_boosted_trees_compute_in_the_thread_that_asks(model: str) -> None:
    trees = PhraseFinder.shipped()._ranker if model == "phrases" else getattr(Models.shipped(), model)
    assert json.loads(trees.save_config())["learner"]["generic_param"]["nthread"] == "1"


async def test_a_thread_that_computes_soon_makes_way_for_replies(tmp_path) -> None:
    """Names are put in order in a thread while papers come in, for seconds."""
    sys.setswitchinterval(0.005)
    async with LocalDiscord() as discord, running_bot(settings_for(discord, tmp_path)):
        assert sys.getswitchinterval() == pytest.approx(SWITCH)


async def test_neither_a_question_from_a_shell_nor_a_stop_waits_for_memory_to_move(
    tmp_path, monkeypatch
) -> None:
    loop, moving = asyncio.get_running_loop(), asyncio.Event()

    def without_end() -> Iterator[int]:
        while True:
            loop.call_soon_threadsafe(moving.set)
            yield 1

    monkeypatch.setattr("bot.scheduler.moved_into_large_pages", without_end)
    async with LocalDiscord() as discord, running_bot(settings_for(discord, tmp_path)) as (_, scheduler):
        await scheduler.load_model()
        assert not moving.is_set()
        scheduler.start()
        await moving.wait()
        await scheduler.first_fetch.wait()
        await scheduler.stop()
