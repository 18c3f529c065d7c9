"""The connection's latency is right even if the answer overtakes the thread that asked."""

from __future__ import annotations

import asyncio

from discord.gateway import DiscordWebSocket

from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from tests.helpers.lab import settings_for

INTERVAL = 0.7


async def test_an_answer_before_the_sending_thread_wakes_is_counted_from_its_own_heartbeat(
    tmp_path, monkeypatch
):
    send = DiscordWebSocket.send_heartbeat
    latencies: asyncio.Queue[float] = asyncio.Queue()

    async def answered_first(self: DiscordWebSocket, data: object) -> None:
        """Send it, and let the thread that waits for the sending wake only after the answer."""
        before = self._keep_alive._last_ack
        await send(self, data)
        while self._keep_alive._last_ack == before:  # noqa: ASYNC110 - discord.py tells nobody
            await asyncio.sleep(0.001)
        latencies.put_nowait(self.latency)

    monkeypatch.setattr(DiscordWebSocket, "send_heartbeat", answered_first)
    async with LocalDiscord() as discord:
        discord.gateway.heartbeat_ms = round(INTERVAL * 1_000)
        async with running_bot(settings_for(discord, tmp_path)):
            told = [await latencies.get() for _ in range(3)]
    assert min(told) < INTERVAL, told
