import asyncio
from datetime import timedelta

import pytest

from commands.kit import supervise
from commands.kit.supervise import ended, lasting
from data.calendar import clock


async def test_what_fails_begins_again_and_is_told(caplog):
    ran, told = [], []

    async def look():
        ran.append(1)
        if len(ran) < 3:
            raise OSError("the disk is full")

    await lasting(look, pause=0, failed=lambda: told.append(1))
    assert (len(ran), len(told)) == (3, 2)
    assert caplog.text.count("begins again") == 2


async def test_it_ends_when_told_to():
    task = asyncio.create_task(lasting(asyncio.Event().wait))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_task_that_misses_a_cancellation_is_told_again(monkeypatch):
    monkeypatch.setattr(supervise, "TOLD_AGAIN", 0.0)
    missed = []

    async def deaf():
        while len(missed) < 3:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                missed.append(1)

    task = asyncio.create_task(deaf())
    await asyncio.sleep(0)
    await ended(task)
    assert task.done()


@pytest.mark.parametrize("later", range(5))
async def test_waiting_for_the_clock_ends_though_it_moves_as_it_is_cancelled(later):
    """asyncio.wait_for loses a cancellation that comes just then."""
    others = set(clock._moved)
    waiting = asyncio.create_task(clock.wait_until(clock.now() + timedelta(days=1)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    [moved] = set(clock._moved) - others
    moved.set()
    for _ in range(later):
        await asyncio.sleep(0)
    waiting.cancel()
    done, _ = await asyncio.wait({waiting}, timeout=20)
    waiting.cancel()
    assert done
