"""Two servers that don't know each other, their people, and one of each thing that has buttons."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from bot.client import Labmate
from bot.local_discord.client import ShownReply, UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from data.reasons import Reason
from data.stores.asked_questions import AskedQuestion
from data.stores.delivery_record import Chosen
from data.stores.digest_record import Digest
from data.stores.own_works import OwnEntry
from data.stores.scopes import Scope
from index.identity.passes import identify
from index.trust.corrections import join, take_back
from tests.helpers import databases
from tests.helpers.lab import fill, settings_for
from tests.helpers.members import hold
from tests.helpers.records import record

OURS, PRIVATE = "what-our-server-reads", "what-i-alone-wrote"
"""Words that people of another server never see; words that nobody but their writer sees."""
NAMES = ("bee", "cee", "eve", "dee")
DAY = date(2026, 1, 5)
KEPT_BY_CLOCK = {"leases"}


@dataclass
class World:
    """``you`` manage the server and own everything; ``bee`` is a member; ``mallory`` manages another one.

    ``cee`` is a member who holds a claim, ``eve`` one who has an open claim, ``dee`` one who is banned.
    """

    discord: LocalDiscord
    bot: Labmate
    folder: Path
    users: dict[str, UserClient]
    people: dict[str, int] = field(default_factory=dict)
    papers: list[int] = field(default_factory=list)

    @property
    def store(self) -> Any:
        return self.bot.services.store

    def id(self, name: str) -> int:
        return int(self.users[name].user["id"])

    @property
    def guild(self) -> int:
        return int(self.discord.guild["id"])

    async def planted(self, name: str, component: dict[str, Any]) -> dict[str, Any]:
        """A message of the bot with a component, where somebody is: as if it had been shown there."""
        body = {"flags": 1 << 15, "components": [{"type": 1, "components": [component]}]}
        channel = self.discord.state.channels[self.users[name].channel_id]
        bot = self.discord.state.application["bot"]["id"]
        return await self.discord.messages.create(channel, bot, body)

    async def pressed(self, name: str, custom_id: str, value: str | None, kind: int) -> ShownReply:
        """What somebody gets who presses a button (2), or chooses in a select (3, 8)."""
        component: dict[str, Any] = {"type": kind, "custom_id": custom_id}
        # A tampered client names any channel.
        data: dict[str, Any] = {"component_type": kind, "custom_id": custom_id, "forged": kind == 8}
        if kind == 2:
            component |= {"style": 2, "label": "x"}
        else:
            component |= {"options": [{"label": "x", "value": value}]} if kind == 3 else {}
            data["values"] = [value]
        return await self.users[name].component(await self.planted(name, component), data)

    def rows(self) -> dict[str, Counter[tuple[Any, ...]]]:
        """Every row of every table, but for what a clock writes."""
        rows = databases.rows_in(self.folder)
        return {name: Counter(found) for name, found in rows.items() if name not in KEPT_BY_CLOCK}

    async def let_time_pass(self) -> None:
        """What may be done only so often may be done again."""
        async with self.store._writer.begin() as connection:
            await connection.exec_driver_sql("DELETE FROM counters")

    # -- something to ask about, made afresh for each row ------------------------------------------

    async def digest(self, *, own: bool = False, state: str = "active") -> Digest:
        """A digest of the server (or of your own); the ones before are ended."""
        store, you = self.store.digests, self.id("you")
        before = await (store.of_owner(you, drafts=True) if own else store.of_guild(self.guild, drafts=True))
        for one in before:
            await store.change(one.id, state="deleted")
        words = {"query": PRIVATE if own else OURS, "require": "", "upto": DAY - timedelta(days=2)}
        place = (0, you) if own else (self.guild, int(self.discord.channel["id"]))
        made = await store.make(Digest(*place, you, zone="UTC", picture=False, **words))
        return await store.change(made.id, state=state) or made

    async def taught(self) -> Digest:
        """A digest of the server that was given a paper to learn from."""
        digest = await self.digest()
        await self.store.digests.plant(digest.id, "text", self.papers[:1])
        return digest

    async def delivery(self, *, own: bool = False, channel: int | None = None) -> int:
        """A posting of eight papers."""
        digest = await self.digest(own=own)
        if channel is not None:
            digest = await self.store.digests.change(digest.id, channel=channel)
        chosen = [Chosen(paper, Reason(near="a title")) for paper in self.papers[:8]]
        made = await self.store.digests.write(
            digest, DAY, self.bot.user.created_at, state="posted", upto=DAY, read=9, papers=chosen
        )
        return int(made.id)

    async def kept(self) -> int:
        kept, _ = await self.store.library.keep(self.id("you"), self.papers[0])
        await self.store.library.change(self.id("you"), kept.id, note=PRIVATE, tags=(PRIVATE,))
        return int(kept.id)

    async def asked(self) -> int:
        """A question whose subject the channel keeps."""
        place = int(self.discord.channel["id"])
        await self.store.asked_questions.keep(place, self.id("you"), AskedQuestion(OURS, OURS))
        return place

    async def shared_list(self) -> int:
        made = await self.store.lists.make(self.guild, OURS, self.id("you"))
        await self.store.lists.put(made.id, self.papers[0], self.id("you"))
        return int(made.id)

    async def invitation(self) -> int:
        """From you to cee; what was between them before is forgotten."""
        await self._claim_of_cee()
        await self.store.invitations.forget(self.id("you"))
        await self.store.invitations.unblock(self.id("cee"), self.id("you"))
        people = {"sender_person": self.people["you"], "recipient_person": self.people["cee"]}
        places = {"guild": self.guild, "channel": int(self.discord.channel["id"])}
        ends = {"sender": self.id("you"), "recipient": self.id("cee"), "about": PRIVATE}
        made = await self.store.invitations.send(ends | people | places)
        await self.store.invitations.told(made.id, "dm", None, None)
        return int(made.id)

    async def _claim_of_cee(self) -> Any:
        """The claim that cee holds, again where a row before this one ended it."""
        if await self.store.claims.of_member(self.id("cee")) is None:
            await hold(self.store, self.id("cee"), "Minlan Yu", self.guild)
        return await self.store.claims.of_member(self.id("cee"))

    async def contest(self) -> int:
        """Of cee's claim, by bee."""
        claim = await self._claim_of_cee()
        for open_one in await self.store.contests.open_of(claim.id):
            await self.store.contests.settle(open_one.id, self.id("you"), upheld=False)
        return int((await self.store.contests.contest(claim.id, self.id("bee"), OURS)).id)

    async def open_claim(self) -> int:
        await self.store.claims.forget(self.id("eve"))
        claim = await self.store.claims.begin(self.id("eve"), self.people["eve"], self.guild, "labmate-x")
        return int(claim.id)

    async def correction(self) -> int:
        """Two people that you made one here."""
        one, other = [await self.store.people.find(self.people[name]) for name in ("one", "other")]
        by = (self.id("you"), "you")
        for made in await self.store.corrections.all(in_force=True):
            if made.made_by == by[0] and made.is_local:
                return int(made.id)
            await take_back(self.store, made, by=by)  # a row before this one let it hold for everybody
        number = await join(self.store, one, other, Scope.server(self.guild, by))
        return int(number)

    async def own_work(self, state: str) -> int:
        store, you = self.store.own_works, self.id("you")
        await store.forget(you)
        await store.put(you, [OwnEntry(0, "work", "read", PRIVATE), OwnEntry(0, "interest", "read", "x")])
        if state == "kept":
            await store.keep(you, ("work", "interest"))
        return int((await store.of(you, state))[0].id)

    async def follow(self) -> int:
        await self.store.members.follow(self.id("you"), "topic", PRIVATE, PRIVATE)
        return int((await self.store.members.following(self.id("you")))[-1].id)


@asynccontextmanager
async def two_servers(folder: Path) -> AsyncIterator[World]:
    """A running Labmate in both."""
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(LocalDiscord())
        state = discord.state
        members = {name: state.add_user(name) for name in NAMES}
        for user in members.values():
            state.add_member(discord.guild["id"], user["id"])
        manager = state.add_role(discord.guild["id"], "managers", 1 << 5)
        discord.guild["members"][members["dee"]["id"]]["roles"].append(manager["id"])
        mallory = state.add_user("mallory")
        elsewhere = state.add_guild("Elsewhere", mallory["id"])
        state.add_member(elsewhere["id"], state.application["bot"]["id"])
        state.add_channel(elsewhere["id"], "general")
        settings = replace_pictures(settings_for(discord, folder))
        bot, scheduler = await stack.enter_async_context(running_bot(settings))
        await scheduler.load_model()  # first: on a busy machine it takes longer than a reply may
        bot.services.feed_url = "https://labmate.test"
        for cog in bot.cogs.values():
            if looking := getattr(cog, "_looking", None):
                looking.cancel()  # nothing is done by the clock here
        users = {"you": discord.owner, **members, "mallory": mallory}
        clients = {
            name: await stack.enter_async_context(UserClient(discord.url, state.token_of(user["id"])))
            for name, user in users.items()
        }
        yield await _filled(World(discord, bot, folder, clients))


def replace_pictures(settings: Any) -> Any:
    """Without pictures: they take a process of their own, and buttons are not about them."""
    return settings.model_copy(update={"labmate_pictures": False})


async def _filled(world: World) -> World:
    names = ["Ada Lovelace", "Grace Hopper"]
    await fill(
        world.bot,
        [
            record(n, authors=[names[n % 2], f"Other {n}"], title=f"About topic{n}, at length")
            for n in range(1, 12)
        ],
    )
    with world.bot.services.corpus.writing():
        await identify(world.bot.services.corpus)
    await world.bot.services.insight.refresh()
    world.papers = [entry.paper for entry in await world.store.listings.entries(DAY)]
    for name, printed in (("you", "ChonLam Lao"), ("cee", "Minlan Yu")):
        world.people[name] = await hold(world.store, world.id(name), printed, world.guild)
    for name, printed in (
        ("eve", "Minghao Li"),
        ("one", "Ada Lovelace"),
        ("other", "Grace Hopper"),
        ("person", "Xinran Tang"),
        ("two", "Other 1"),
        ("three", "Other 2"),
    ):
        author = await world.store.author_names.find(printed)
        [(person, _), *_] = await world.store.people.named([author])
        world.people[name] = person
    return world
