"""Heartbeats whose latency is true.

discord.py notes when a heartbeat was sent only after the thread that sends it has woken up again. Where the machine is
busy and Discord is near, the answer is there before; the latency is then counted from the heartbeat before, and the
log says "Can't keep up, shard ID 0 websocket is 41.3s behind" about a connection that is well.
"""

from __future__ import annotations

import time
from typing import Any

import discord.gateway
from discord.gateway import KeepAliveHandler


class Heartbeat(KeepAliveHandler):
    """Notes the time before it sends."""

    def get_payload(self) -> dict[str, Any]:
        """What is sent, from now on."""
        self._last_send = time.perf_counter()
        return super().get_payload()


def install() -> None:
    """Have discord.py send these; it offers no other place to say so."""
    discord.gateway.KeepAliveHandler = Heartbeat  # type: ignore[misc]
