"""python -m benchmarks.ending: seconds from SIGTERM to the end of the process, at different moments."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.data import ROOT
from bot.local_discord.server import LocalDiscord

MOMENTS = {
    "while the sample is read in": (b"reading in the sample", True),
    "while the model loads": (b"loading the model", False),
    "logged in": (b"Logged in as", False),
}
"""The line it prints at that moment, and whether its folder is fresh."""


def _spin(count: int) -> list[subprocess.Popen[bytes]]:
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]


async def seconds(words: bytes, folder: Path, busy: int) -> float:
    """Seconds from SIGTERM, sent once it prints the words, to its end, with ``busy`` processes spinning."""
    async with LocalDiscord() as discord:
        environment = os.environ | {
            "DISCORD_TOKEN": discord.bot_token,
            "DISCORD_API_URL": discord.api_url,
            "DISCORD_GATEWAY_URL": discord.gateway_url,
            "LABMATE_DATA": str(folder),
            "LABMATE_FETCH": "false",
        }
        process = subprocess.Popen(  # noqa: ASYNC220 - it takes no time
            [sys.executable, "-m", "bot", "run"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout is not None
        while words not in await asyncio.to_thread(process.stdout.readline):
            pass
        spinning = _spin(busy)
        begun = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.communicate)
        took = time.perf_counter() - begun
        for one in spinning:
            one.kill()
            one.wait()
    assert process.returncode == 0
    return took


async def main() -> None:
    """Print a line for each moment."""
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        for moment, (words, fresh) in MOMENTS.items():
            for busy in (0, 2 * cores):
                with tempfile.TemporaryDirectory() as new:
                    took = await seconds(words, Path(new if fresh else folder), busy)
                print(f"{moment:30} {busy} processes spinning on {cores} cores: {took:4.1f} s", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
