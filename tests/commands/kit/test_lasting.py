import asyncio

import pytest

from commands.kit.supervise import lasting


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
