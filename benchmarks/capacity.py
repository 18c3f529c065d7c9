"""python -m benchmarks.capacity: a plan on paper for 100 to 100,000 servers, and 3 and 30 million papers.

It measures what one gateway event costs on this machine, takes the other costs from docs/benchmarks.md, and
prints every assumption. It is arithmetic, not a measurement of a hundred thousand servers; at 30 million
papers, a reply is assumed to cost what it does at 3 million.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from dataclasses import dataclass
from typing import Any

import discord
import orjson

from bot.local_discord.state import Json

MEASURED = {
    "a reply, CPU s": (
        0.15,
        "benchmarks.scale.run at 3 million, one at a time: more than any reply but /ask takes",
    ),
    "a digest chosen, CPU s": (0.035, "benchmarks.digests: 1,000 channels in 34.8 s"),
    "database, B a paper": (2_868, "benchmarks.scale.run, with people, at 3 million"),
    "words, B a paper": (797, "the same"),
    "vectors, B a paper": (861, "the same: half precision, the inverted file and entries"),
    "own memory at rest, B a paper": (243, "the same: 728 MB at 3 million"),
    "a people pass, h": (1.86, "the same, two cores"),
    "its exponent": (1.24, "the same, four sizes"),
    "embedding, papers/s": (61.8, "benchmarks.embedding, two cores, a large backlog in 8 bits"),
}
"""Figures of this repository's other commands on two cores, and which command printed them."""

ASSUMED = {
    "messages a server and day": 300.0,
    "commands a server and day": 10.0,
    "the busiest hour's share of a day": 0.12,
    "digests a server": 1.0,
    "digests due in the busiest hour": 0.25,
    "requests to Discord for a digest": 3.0,
    "share of a core that replies may use": 0.5,
}
SERVERS_A_SHARD = 1_000
REQUESTS_A_SECOND = 50
"""Discord's limit for a bot, without the replies to interactions."""
IDENTIFY_EVERY = 5.0
"""Seconds, with the concurrency of one that Discord gives a bot of less than 150,000 servers."""
PRICES = {"a core with 4 GB": 15.0, "a GB of memory": 2.5, "a GB of disk": 0.1}
"""Dollars a month, rounded from what several providers of virtual machines ask in 2026."""
SERVERS, PAPERS = (100, 2_500, 10_000, 100_000), (3_000_000, 30_000_000)


@dataclass(frozen=True)
class Plan:
    """What a number of servers and papers needs.

    Attributes
    ----------
    memory, disk
        GB of one machine that holds the papers' indexes.
    dollars
        A month, for all machines and the database.
    """

    shards: int
    events: float
    replies: float
    cores: int
    machines: int
    memory: float
    disk: float
    posting_minutes: float
    choosing_minutes: float
    pass_hours: float
    embedding_hours: float
    start_minutes: float
    dollars: float


def plan(servers: int, papers: int, event: float) -> Plan:
    """The plan, for ``event`` CPU seconds a gateway event."""
    cost = {name: value for name, (value, _) in MEASURED.items()}
    busiest = ASSUMED["the busiest hour's share of a day"] / 3_600
    events = servers * ASSUMED["messages a server and day"] * busiest
    replies = servers * ASSUMED["commands a server and day"] * busiest
    used = events * event + replies * cost["a reply, CPU s"]
    answering = used / ASSUMED["share of a core that replies may use"]
    cores = max(2, math.ceil(answering) + 1)
    machines = max(1, math.ceil(cores / 4))
    memory = papers * (cost["own memory at rest, B a paper"] + cost["vectors, B a paper"]) / 1e9 + 2
    disk = papers * (cost["words, B a paper"] + cost["vectors, B a paper"]) * 2 / 1e9
    database = papers * cost["database, B a paper"] * 2 / 1e9
    due = servers * ASSUMED["digests a server"] * ASSUMED["digests due in the busiest hour"]
    shards = math.ceil(servers / SERVERS_A_SHARD)
    dollars = (
        max(cores, 2 * machines) * PRICES["a core with 4 GB"]
        + machines * max(0.0, memory - 8) * PRICES["a GB of memory"]
        + (machines * disk + database) * PRICES["a GB of disk"]
        + (2 * PRICES["a core with 4 GB"] + database / 8 * PRICES["a GB of memory"] if machines > 1 else 0)
    )
    return Plan(
        shards=shards,
        events=events,
        replies=replies,
        cores=cores,
        machines=machines,
        memory=memory,
        disk=disk + database / machines,
        posting_minutes=due * ASSUMED["requests to Discord for a digest"] / REQUESTS_A_SECOND / 60,
        choosing_minutes=due * cost["a digest chosen, CPU s"] / 60,
        pass_hours=cost["a people pass, h"] * (papers / 3e6) ** cost["its exponent"],
        embedding_hours=papers / cost["embedding, papers/s"] / 3_600,
        start_minutes=shards * IDENTIFY_EVERY / 60,
        dollars=dollars,
    )


def seconds_an_event(count: int = 20_000, repeats: int = 5) -> float:
    """CPU seconds for a message of a server: its JSON read, and discord.py's object made of it."""
    intents = discord.Intents(guilds=True, guild_messages=True)
    client = discord.AutoShardedClient(intents=intents, max_messages=None)
    user: Json = {"id": "2", "username": "ada", "discriminator": "0", "avatar": None}
    message: Json = {
        **{"id": "1", "channel_id": "3", "guild_id": "4", "author": user, "content": "", "tts": False},
        **{"timestamp": "2026-11-23T08:00:00+00:00", "edited_timestamp": None, "mention_everyone": False},
        **{"mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": False, "type": 0},
    }
    channel: Json = {"id": "3", "type": 0, "name": "x", "position": 0}
    told: Any = {"id": "4", "name": "lab", "channels": [channel]}
    guild = discord.Guild(data=told, state=client._connection)
    client._connection._add_guild(guild)
    raw = orjson.dumps({"op": 0, "t": "MESSAGE_CREATE", "s": 1, "d": message})
    parse = client._connection.parsers["MESSAGE_CREATE"]
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        for _ in range(count):
            parse(orjson.loads(raw)["d"])
        times.append((time.process_time() - begun) / count)
    return statistics.median(times)


def main() -> None:
    """Print the assumptions, then the plan."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    event = seconds_an_event()
    print(f"a gateway event, measured here: {event * 1e6:.0f} µs of CPU")
    for name, (value, source) in MEASURED.items():
        print(f"{name}: {value:g} ({source})")
    for name, value in {**ASSUMED, **PRICES}.items():
        print(f"{name}: {value:g} (assumed)")
    rows = {
        "shards of 1,000 servers": lambda one: f"{one.shards:,}",
        "gateway events/s, busiest hour": lambda one: f"{one.events:,.1f}",
        "replies/s, busiest hour": lambda one: f"{one.replies:,.2f}",
        "cores": lambda one: f"{one.cores:,}",
        "machines of 4 cores": lambda one: f"{one.machines:,}",
        "memory a machine, GB": lambda one: f"{one.memory:,.1f}",
        "disk a machine, GB": lambda one: f"{one.disk:,.0f}",
        "digests of the busiest hour: choosing, min": lambda one: f"{one.choosing_minutes:,.1f}",
        "digests of the busiest hour: posting, min": lambda one: f"{one.posting_minutes:,.1f}",
        "all shards connected after, min": lambda one: f"{one.start_minutes:,.1f}",
        "a full people pass, h": lambda one: f"{one.pass_hours:,.1f}",
        "embedding all papers once, h": lambda one: f"{one.embedding_hours:,.0f}",
        "dollars a month": lambda one: f"{one.dollars:,.0f}",
    }
    for papers in PAPERS:
        plans = [plan(servers, papers, event) for servers in SERVERS]
        print(
            f"\n{f'{papers:,} papers':44}" + "".join(f"{f'{servers:,} servers':>16}" for servers in SERVERS)
        )
        for name, show in rows.items():
            print(f"{name:44}" + "".join(f"{show(one):>16}" for one in plans))


if __name__ == "__main__":
    main()
