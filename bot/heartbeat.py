"""Heartbeats with a correct latency, which never stop the process.

discord.py notes the time of a heartbeat only after its sending thread has woken up again. If the machine is
busy and Discord is near, the answer comes sooner. The latency then counts from the previous heartbeat, and
the log says "Can't keep up, shard ID 0 websocket is 41.3s behind" about a healthy connection.

When a heartbeat is ten seconds late, discord.py asks ``sys._current_frames`` what the event loop does. Before
Python 3.12, a garbage collection in there can wait for a thread that waits for it in turn (CPython's issue
106883): then the whole process stands still for ever, its watchdog too. The watchdog (:mod:`bot.ending`) says
where a loop hangs in another way, so discord.py need not.
"""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace
from typing import Any

import discord.gateway
from discord.gateway import KeepAliveHandler


class Heartbeat(KeepAliveHandler):
    """Notes the time before sending."""

    def get_payload(self) -> dict[str, Any]:
        """The heartbeat to send; its time counts from here."""
        self._last_send = time.perf_counter()
        return super().get_payload()


def install() -> None:
    """Make discord.py send these heartbeats; it offers no option for it."""
    discord.gateway.KeepAliveHandler = Heartbeat  # type: ignore[misc]
    harmless = SimpleNamespace(**{**vars(sys), "_current_frames": dict})
    discord.gateway.sys = harmless  # type: ignore[attr-defined, assignment]
