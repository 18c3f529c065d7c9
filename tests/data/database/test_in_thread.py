"""Nobody goes on before work in a thread has ended, however often a caller is cancelled."""

from __future__ import annotations

import asyncio
import threading

import pytest

from data.database.in_thread import finished_in_thread


@pytest.fixture
def slow():
    """Work that goes on until it is let go, and the event that lets it."""
    go_on = threading.Event()
    yield lambda: go_on.wait(60), go_on
    go_on.set()


async def test_a_result_and_an_error_come_back():
    assert await finished_in_thread(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await finished_in_thread(divmod, 7, 0)


async def test_a_caller_that_is_cancelled_many_times_waits(slow):
    work, go_on = slow
    task = asyncio.create_task(finished_in_thread(work))
    for _ in range(5):
        await asyncio.sleep(0)
        task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancellation_goes_before_an_error(slow):
    work, go_on = slow
    task = asyncio.create_task(finished_in_thread(lambda: [work(), 1 / 0]))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_the_end_of_a_loop_waits_for_the_work_too(slow):
    """The end cancels all tasks; the work isn't one."""
    work, go_on = slow
    ended = threading.Event()

    async def begin():
        task = asyncio.create_task(finished_in_thread(lambda: [work(), ended.set()]))
        await asyncio.sleep(0)
        task.add_done_callback(lambda _: seen.append(ended.is_set()))
        threading.Timer(0.1, go_on.set).start()

    seen = []
    asyncio.run(begin())
    assert seen == [True]
