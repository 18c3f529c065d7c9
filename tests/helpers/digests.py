"""A lab with a listing, a digest of it and a clock that tests set."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from sqlalchemy import update

from bot.client import Labmate
from bot.local_discord.client import ShownReply, UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import DM
from commands.digests.posting import Poster
from commands.kit.which_person import whom
from data.calendar import clock
from data.stores.digest_record import Digest
from data.tables.digests import DigestRow
from index.identity.passes import identify
from tests.helpers.members import of_kind, said
from tests.helpers.records import record

MONDAY = date(2026, 11, 16)


TOPICS = (
    "graph neural networks for molecules",
    "speech recognition in noisy rooms",
    "gossip in programmable switches",
)


def papers(day, first, count=9):
    """A day's listing: three topics in turn."""
    return [
        record(
            first + n,
            title=f"{TOPICS[n % 3].capitalize()}, part {first + n}",
            abstract=f"We study {TOPICS[n % 3]}. The {first + n}th result improves {TOPICS[n % 3]} by much.",
            authors=[f"Author {first + n}", "Ada Lovelace" if n == 1 else f"Other {first + n}"],
            announced=day,
            listings=[("cs.CL" if n % 2 else "cs.NI", day)],
        )
        for n in range(count)
    ]


def a_listing():
    """Monday's papers."""
    return papers(MONDAY, 1)


@dataclass
class Scene:
    discord: LocalDiscord
    bot: Labmate
    user: UserClient
    poster: Poster
    file: Path

    @property
    def at(self):
        return clock.now()

    @at.setter
    def at(self, instant):
        clock.show(self.file, instant)

    def posts(self, channel=None):
        """What stands in the channel and is seen by everybody."""
        bot = self.discord.state.application["bot"]["id"]
        return [
            ShownReply(self.user, message)
            for message in said(self.discord, channel or self.discord.channel)
            if message["author"]["id"] == bot and message["id"] not in self.discord.state.hidden
        ]

    def dms(self):
        return [
            ShownReply(self.user, m)
            for channel in of_kind(self.discord, DM)
            for m in said(self.discord, channel)
        ]


async def in_zone(panel, zone="UTC"):
    """Say the time zone, without which nothing starts."""
    return await panel.choose(zone, next(s for s in panel.selects if s["custom_id"].startswith("dgs:z")))


async def page_four(user):
    """The page of `/setup` that asks what to learn from."""
    reply = await user.slash("/setup")
    time = await (await reply.press("Next")).press("Next")
    time = await time.choose(
        "Europe/Berlin", next(s for s in time.selects if s["custom_id"].startswith("suz"))
    )
    return await time.press("Next")


async def active(scene, **more):
    """A digest of the channel that began some days ago."""

    store = scene.bot.services.store.digests
    guild, channel, owner = (
        int(x) for x in (scene.discord.guild["id"], scene.discord.channel["id"], scene.discord.owner["id"])
    )
    made = await store.make(
        Digest(guild, channel, owner, upto=MONDAY - timedelta(days=3), at="09:00", zone="UTC")
    )
    started = datetime(2026, 11, 15)
    async with store._writer.begin() as connection:
        values = {"state": "active", "changed": started} | more
        await connection.execute(update(DigestRow).where(DigestRow.id == made.id).values(**values))
    return await store.find(made.id)


def re_titles(text):
    return [line.split("](")[0].partition("**[")[2] for line in text.split("\n") if "**[" in line]


NOWHERE = {"query": "", "people": "", "require": "", "exclude": ""}
ASIDE = record(
    520,
    title="Export taxes in two provinces",
    abstract="We compare how two provinces tax what firms export, and how courts read the law. "
    "Firms that sell small molecules are taxed twice. Judges disagree, and appeals take years. "
    "We propose a simpler schedule, and estimate what it costs each province.",
    announced=MONDAY,
    listings=[("cs.CL", MONDAY)],
)
"""A paper that mentions molecules, and is on something else."""


async def know_people(scene):
    corpus = scene.bot.services.corpus
    with corpus.writing():
        await identify(corpus, full=True)
    await scene.bot.services.insight.refresh()


async def embed(scene):
    corpus = scene.bot.services.corpus
    with corpus.writing():
        await corpus.embed_backlog()


async def number_of(scene, name):
    return (await whom(scene.bot.services, name)).person.id


async def words_and_people(scene, **values):
    """Fill the form in, and return the panel that follows."""
    panel = await (await scene.user.slash("/digest create")).press("Papers")
    form = await panel.press("Words and people")
    return await scene.user.submit(form.message["modal"], NOWHERE | values)
