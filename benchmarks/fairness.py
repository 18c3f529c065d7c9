"""python -m benchmarks.fairness: one member's /search, alone and while another member sends sixty at once.

It runs over the local Discord, on all papers. Searches alone and beside the sixty alternate, so that both
meet the same machine. Each round has a new server with two members, since members have limits per minute.
With --unlimited, nothing is refused: all sixty get answers, and only taking turns protects the other member.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Self

from benchmarks.data import FOLDER, full_corpus, percentile, show
from benchmarks.replies import SEARCHES
from benchmarks.running import logged_in, start
from bot.local_discord.client import NoReplyError, ShownReply, UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import Json
from bot.local_discord.typed import Typed, parse

ROUNDS, AT_ONCE, EACH = 12, 60, 10
"""EACH searches alone and EACH beside the sixty stay within a member's limit per minute."""
WITHIN = 3.0
"""Seconds after which Discord gives up on an interaction."""


class Hasty(UserClient):
    """A member who sends questions one after the other without waiting for answers."""

    async def __aenter__(self) -> Self:
        self._posting = asyncio.Lock()
        return await super().__aenter__()

    async def _post(self, body: Json) -> None:
        # Sixty requests at once would stall the simulated Discord and every measurement with it.
        async with self._posting:
            await super()._post(body)


@dataclass
class Times:
    """Seconds from sending a question to seeing its reply."""

    alone: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    lost: int = 0
    public: int = 0


def typed(command: list[Json], text: str) -> Typed:
    return parse(f"/search query:{text}", command)


async def ask(user: UserClient, question: Typed) -> tuple[float, ShownReply | None]:
    begun = time.perf_counter()
    try:
        reply = await user.run(question, within=120)
    except NoReplyError:
        reply = None
    return time.perf_counter() - begun, reply


async def one_round(
    place: int, hasty: UserClient, calm: UserClient, commands: list[Json], times: Times
) -> None:
    def question(number: int) -> Typed:
        return typed(commands, f"{SEARCHES[number % len(SEARCHES)]} {place} {number}")

    for number in range(EACH):
        times.alone.append((await ask(calm, question(number)))[0])
    flood = [asyncio.create_task(ask(hasty, question(1_000 + number))) for number in range(AT_ONCE)]
    for number in range(EACH):
        times.beside.append((await ask(calm, question(100 + number)))[0])
    for took, reply in await asyncio.gather(*flood):
        if reply is None:
            times.lost += 1
        elif "You've asked for" in reply.text or "wait for their turn" in reply.text:
            times.refused.append(took)
            times.public += not reply.is_private
        else:
            times.answered.append(took)


def report(times: Times) -> None:
    show("/search alone", times.alone)
    show("/search beside sixty", times.beside)
    medians = statistics.median(times.beside) / statistics.median(times.alone)
    worst = percentile(times.beside, 0.99) / percentile(times.alone, 0.99)
    print(f"{'beside sixty / alone':34} p50 {medians:7.2f}     p99 {worst:7.2f}     (target 3)")
    if times.answered:
        show("the sixty: answered", times.answered, f"{len(times.answered)} of {AT_ONCE * ROUNDS}")
    if times.refused:
        show("the sixty: refused, privately", times.refused, f"{len(times.refused)}, target {WITHIN:g} s")
    print(f"{'not answered, or told to all':34} {times.lost + times.public}")


async def main(unlimited: bool) -> None:
    corpus = await full_corpus()
    await corpus.store.close()
    times = Times()
    async with LocalDiscord() as discord:
        bot = discord.state.application["bot"]["id"]
        tokens = []
        for number in range(ROUNDS + 1):
            members = [discord.state.add_user(f"{who} {number}") for who in ("hasty", "calm")]
            guild = discord.state.add_guild(f"lab {number}", members[0]["id"])
            discord.state.add_channel(guild["id"], "general")
            for member in (bot, members[1]["id"]):
                discord.state.add_member(guild["id"], member)
            tokens.append([discord.state.token_of(member["id"]) for member in members])
        process = start(discord, FOLDER, LABMATE_LIMITS=str(not unlimited).lower())
        await logged_in(process)
        try:
            async with UserClient(discord.url, discord.user_token) as user:
                await user.slash("/search warm up the model", within=60)
                commands = await user.commands()
                await asyncio.sleep(8)
            for place, (one, other) in enumerate(tokens):
                async with Hasty(discord.url, one) as hasty, UserClient(discord.url, other) as calm:
                    # The first round warms up the caches.
                    await one_round(place, hasty, calm, commands, times if place else Times())
        finally:
            process.terminate()
            process.wait()
    report(times)


if __name__ == "__main__":
    asyncio.run(main("--unlimited" in sys.argv[1:]))
