"""`/digest`: a channel's (or one's own) few new papers, by the clock; set up by those who manage the server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import available_timezones

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands, tasks

from commands.cards import digest as cards
from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import day as day_text
from commands.cards.text import label, plural, shown
from commands.corrections import may_correct
from commands.posting import GONE, Poster, lines, view_of
from commands.pressing import Choosable, Pressable
from commands.replies import Kindly, answer
from commands.services import Services
from data.announcements import last_listing
from data.digests import Delivery, Digest, DigestRefused
from data.slots import slots

WHO_MAY = "Only those who manage this server set up what is posted here. Your own: /digest mine."
EVERY = 20.0
"""Seconds between looks at what is due."""
SAID = {"save": "Saved", "like": "Liked", "dislike": "Noted: not for you here"}
KINDS = {"s": "save", "l": "like", "d": "dislike"}
HOURS = tuple(f"{hour:02d}:00" for hour in range(24))
WEEKS = {"1111100": "Monday to Friday", "1111111": "every day", "1000000": "Mondays", "0000100": "Fridays"}
MOST = (3, 5, 8, 10, 15, 20)
STATES = {
    "posted": "posted",
    "empty": "nothing fitted",
    "missed": "missed",
    "failed": "failed",
    "written": "on its way",
}


class PaperOpinion(Pressable, template=r"dg:(?P<what>[sldum]):(?P<paper>\d{1,12})"):
    """Of a paper in a digest: save (s), like (l), not for us (d), take that back (u), similar ones (m)."""

    def __init__(self, text: str, *, what: str, paper: str) -> None:
        self.what, self.paper = what, int(paper)
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"dg:{what}:{self.paper}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        if self.what == "m":
            from commands.similar import show

            await answer(interaction, show(services, self.paper), private=True)
            return
        where = (interaction.guild_id or 0, interaction.user.id, interaction.channel_id or 0)
        work = think(services, self.paper, KINDS.get(self.what), *where)
        await answer(interaction, work, private=True)


class DeliveryButton(Pressable, template=r"dg:(?P<what>[hp]):(?P<delivery>\d{1,12})(?::(?P<start>\d{1,2}))?"):
    """Of a posting: how it was chosen (h), its next papers (p)."""

    def __init__(self, text: str, *, what: str, delivery: str, start: str | None = None) -> None:
        self.what, self.delivery, self.start = what, int(delivery), int(start or 0)
        end = f":{self.start}" if what == "p" else ""
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"dg:{what}:{self.delivery}{end}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        work = (
            show_page(services, self.delivery, self.start)
            if self.what == "p"
            else explain(services, self.delivery)
        )
        await answer(interaction, work, private=True)


class DigestButton(Pressable, template=r"dgb:(?P<what>[wvazxprn]):(?P<digest>\d{1,12})"):
    """Of a digest: its words (w), preview (v), start (a), settings (z), delete (x), pause (p), resume (r), now (n)."""

    def __init__(self, text: str, *, what: str, digest: str) -> None:
        self.what, self.digest = what, int(digest)
        style = {"a": ButtonStyle.success, "x": ButtonStyle.danger}.get(what, ButtonStyle.secondary)
        super().__init__(ui.Button(label=text, style=style, custom_id=f"dgb:{what}:{self.digest}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        digest = await own_digest(interaction, services, self.digest)
        if self.what == "w":
            await interaction.response.send_modal(Words(services, digest))
            return
        work = {
            "v": lambda: preview(interaction.client, services, digest),
            "a": lambda: start(services, digest),
            "z": lambda: panel(services, digest.id),
            "x": lambda: change(services, digest, "deleted"),
            "p": lambda: change(services, digest, "paused"),
            "r": lambda: change(services, digest, "active"),
            "n": lambda: post_now(interaction.client, services, digest),
        }[self.what]
        await answer(interaction, work(), private=True, update=self.what == "a")


class SettingSelect(Choosable, template=r"dgs:(?P<what>[htncq]):(?P<digest>\d{1,12})"):
    """A setting of a digest: the hour (h), the days (t), how many (n), categories (c), quiet days (q)."""

    def __init__(
        self, choices: list[discord.SelectOption], *, what: str, digest: str, several: bool = False
    ) -> None:
        self.what, self.digest = what, int(digest)
        names = {"h": "At what hour", "t": "On which days", "n": "How many papers", "c": "Which categories",
                 "q": "On a day without papers that fit"}  # fmt: skip
        super().__init__(
            ui.Select(
                custom_id=f"dgs:{what}:{self.digest}",
                placeholder=names[what],
                options=choices or [discord.SelectOption(label="?", value="0")],
                min_values=0 if several else 1,
                max_values=max(len(choices), 1) if several else 1,
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        digest = await own_digest(interaction, services, self.digest)
        values = [str(entry) for entry in (interaction.data or {}).get("values", [])]
        changed = setting(self.what, values)
        await services.store.digests.change(digest.id, **changed)
        await answer(interaction, panel(services, digest.id), private=True, update=True)


class Words(ui.Modal):
    """What a digest is about, in words."""

    def __init__(self, services: Services, digest: Digest) -> None:
        super().__init__(title="What should it be about?", custom_id=f"dgm:{digest.id}")
        self._services, self._digest = services, digest
        self.fields = {
            "name": ui.TextInput[Any](label="Name", default=digest.name, max_length=80),
            "query": ui.TextInput[Any](
                label="In plain words", default=digest.query, required=False, max_length=500, style=discord.TextStyle.long
            ),
            "require": ui.TextInput[Any](
                label="One of these words (one a line)", default=digest.require, required=False, max_length=500,
                style=discord.TextStyle.long,
            ),
            "exclude": ui.TextInput[Any](
                label="None of these words (one a line)", default=digest.exclude, required=False, max_length=500,
                style=discord.TextStyle.long,
            ),
            "zone": ui.TextInput[Any](label="Time zone, such as Europe/Berlin", default=digest.zone, max_length=60),
        }  # fmt: skip
        for field in self.fields.values():
            self.add_item(field)

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Keep it."""
        values = {name: field.value.strip() for name, field in self.fields.items()}
        await answer(interaction, self._kept(interaction, values), private=True)

    async def on_error(self, interaction: discord.Interaction, error: Exception) -> None:
        """The one door for failures."""
        from commands.replies import apologise

        await apologise(interaction, error)

    async def _kept(self, interaction: discord.Interaction, values: dict[str, str]) -> ui.LayoutView:
        digest = await own_digest(interaction, self._services, self._digest.id)
        if values["zone"] not in available_timezones():
            raise Kindly("I know no such time zone; it looks like Europe/Berlin. Nothing was changed.")
        await self._services.store.digests.change(digest.id, **values)
        return await panel(self._services, digest.id)


def setting(what: str, values: Sequence[str]) -> dict[str, Any]:
    """What a choice in the panel changes.

    Raises
    ------
    Kindly
        For a value that the panel does not offer.
    """
    first = values[0] if values else ""
    if what == "h" and first in HOURS:
        return {"at": first}
    if what == "t" and first in WEEKS:
        return {"days": first}
    if what == "n" and first in {str(count) for count in MOST}:
        return {"most": int(first)}
    if what == "q" and first in ("say", "silent"):
        return {"quiet": first == "silent"}
    if what == "c" and all(len(value) <= 40 and " " not in value for value in values):
        return {"categories": " ".join(values)}
    raise Kindly("This can't be chosen (any more).")


async def own_digest(interaction: discord.Interaction, services: Services, number: int) -> Digest:
    """A digest that the presser may change: of the server that they manage, or their own."""
    digest = await services.store.digests.find(number)
    if digest is None:
        raise Kindly("This digest was deleted.")
    if digest.is_own:
        if digest.owner != interaction.user.id:
            raise Kindly("This digest belongs to somebody else.")
    elif digest.guild != interaction.guild_id or not may_correct(interaction):
        raise Kindly(WHO_MAY)
    return digest


async def panel(services: Services, number: int) -> ui.LayoutView:
    """A digest's settings."""
    digest = await services.store.digests.find(number)
    if digest is None:
        raise Kindly("This digest was deleted.")
    counts = services.library.facets.category_counts()
    names = sorted(counts, key=lambda name: (name not in digest.category_set, -counts[name]))[:25]
    own = str(digest.id)
    hours = [discord.SelectOption(label=hour, value=hour, default=hour == digest.at) for hour in HOURS]
    weeks = [
        discord.SelectOption(label=text, value=days, default=days == digest.days)
        for days, text in WEEKS.items()
    ]
    many = [
        discord.SelectOption(label=plural(n, "paper"), value=str(n), default=n == digest.most) for n in MOST
    ]
    quiet = [
        discord.SelectOption(label="Say so in a line", value="say", default=not digest.quiet),
        discord.SelectOption(label="Stay silent", value="silent", default=digest.quiet),
    ]
    rows: list[list[ui.Item[Any]]] = [
        [SettingSelect(hours, what="h", digest=own)],
        [SettingSelect(weeks, what="t", digest=own)],
        [SettingSelect(many, what="n", digest=own)],
        [SettingSelect(quiet, what="q", digest=own)],
    ]
    if names:
        options = cards.select_options(names, digest.category_set)
        rows.insert(3, [SettingSelect(options, what="c", digest=own, several=True)])
    buttons: list[ui.Item[Any]] = [
        DigestButton("Words and time zone", what="w", digest=own),
        DigestButton("Preview", what="v", digest=own),
    ]
    if digest.state == "draft":
        buttons.append(DigestButton("Start", what="a", digest=own))
    buttons.append(DigestButton("Delete", what="x", digest=own))
    text = [cards.summary(digest)]
    for name, held in (("Needs one of", digest.require), ("None of", digest.exclude)):
        if held:
            text.append(f"**{name}** " + ", ".join(shown(word, 40) for word in lines(held)[:12]))
    if digest.state == "draft":
        text.append("Not started yet: *Preview* shows what would be posted, *Start* begins.")
    return note("\n".join(text), [*rows, buttons])


async def create(services: Services, interaction: discord.Interaction, *, own: bool = False) -> ui.LayoutView:
    """A draft with its panel."""
    guild = interaction.guild_id
    if not own and (guild is None or not may_correct(interaction)):
        raise Kindly(WHO_MAY)
    channel = interaction.channel
    if not own and not isinstance(channel, discord.TextChannel | discord.Thread):
        raise Kindly("Set it up in the text channel (or thread) that it should be posted to.")
    if not own and not interaction.app_permissions.send_messages:
        raise Kindly("I may not write in this channel; allow me that, or set it up in another one.")
    place = interaction.user.id if own else interaction.channel_id or 0
    profile = await services.store.claims.profile(interaction.user.id)
    zone = profile.time_zone if profile and profile.time_zone else "UTC"
    draft = Digest(
        0 if own else guild or 0,
        place,
        interaction.user.id,
        name="Your new papers" if own else "New papers",
        zone=zone,
    )
    try:
        made = await services.store.digests.make(draft)
    except DigestRefused as error:
        raise Kindly(str(error)) from error
    return await panel(services, made.id)


async def start(services: Services, digest: Digest) -> ui.LayoutView:
    """Begin with what is announced from now on, and the newest listing that there is."""
    newest = last_listing(datetime.now(UTC))
    before, _, _ = await services.store.listing_days(newest)
    upto = before or newest - timedelta(days=1)
    made = await services.store.digests.change(digest.id, state="active", why="", upto=max(upto, digest.upto))
    if made is None:
        raise Kindly("This digest was deleted.")
    return note(
        f"Started.\n{cards.summary(made, next_time(made))}",
        [
            [
                DigestButton("Preview", what="v", digest=str(made.id)),
                DigestButton("Settings", what="z", digest=str(made.id)),
                DigestButton("Pause", what="p", digest=str(made.id)),
            ]
        ],
    )


def next_time(digest: Digest) -> str:
    """When it is due next, as everybody's own clock shows it."""
    now = datetime.now(UTC)
    found = next(iter(slots(digest.days, digest.at, digest.zone, now, now + timedelta(days=8))), None)
    return f"next <t:{int(found[1].timestamp())}:F>" if found else "never due"


async def change(services: Services, digest: Digest, state: str) -> ui.LayoutView:
    """Pause, resume or delete."""
    made = await services.store.digests.change(digest.id, state=state, why="")
    name = shown(digest.name, 80)
    if state == "deleted" or made is None:
        return note(f"Deleted: **{name}**.")
    number = str(digest.id)
    if state == "paused":
        return note(
            f"Paused: **{name}**. What is announced meanwhile is not posted later, but for the last week's.",
            [[DigestButton("Resume", what="r", digest=number)]],
        )
    return note(
        f"Goes on: {cards.summary(made, next_time(made))}", [[DigestButton("Pause", what="p", digest=number)]]
    )


async def preview(client: discord.Client, services: Services, digest: Digest) -> ui.LayoutView:
    """Exactly what would be posted now; nothing is kept."""
    poster = Poster(client, services)
    now = datetime.now(UTC)
    _, newest, _ = await services.store.listing_days()
    if newest is None:
        raise Kindly("I have read no listing yet, so there is nothing to show. /new says when there is.")
    before, _, _ = await services.store.listing_days(newest)
    # A draft looks at the newest listing alone, as its first posting would.
    looked = digest if digest.upto > date.min else _since(digest, before or newest - timedelta(days=1))
    delivery = await poster.prepare(looked, now.date(), now, newest, kept=False)
    assert delivery is not None
    if delivery.state == "empty":
        return note(f"Nothing fits in {plural(delivery.read, 'paper')}; as set, nothing would be posted.")
    return await view_of(services, digest, delivery)


def _since(digest: Digest, upto: date) -> Digest:
    from dataclasses import replace

    return replace(digest, upto=upto)


async def post_now(client: discord.Client, services: Services, digest: Digest) -> ui.LayoutView:
    """Post at once what has not been looked through."""
    poster: Poster = client.poster  # type: ignore[attr-defined]
    count = await poster.now(digest)
    if count:
        return note("Posted.")
    return note(
        "There is nothing new since the last posting, or today's was posted already. /digest history shows it."
    )


async def show_list(services: Services, found: Sequence[Digest], empty: str) -> ui.LayoutView:
    """Digests with their state and next time."""
    if not found:
        return note(empty)
    rows: list[tuple[str, ui.Item[Any]]] = [
        (cards.summary(digest, next_time(digest)), DigestButton("Settings", what="z", digest=str(digest.id)))
        for digest in found[:10]
    ]
    return people_list("## Digests", rows)


async def show_history(services: Services, digest: Digest) -> ui.LayoutView:
    """The last postings."""
    found = await services.store.digests.history(digest.id)
    if not found:
        return note(f"**{shown(digest.name, 80)}** has posted nothing yet; {next_time(digest)}.")
    rows = [f"## {shown(digest.name, 80)}"]
    for entry in found:
        late = ", late" if entry.late else ""
        why = f"\n-# {shown(entry.why, 160)}" if entry.why and entry.state != "posted" else ""
        rows.append(
            f"- {day_text(entry.slot)}: {STATES.get(entry.state, entry.state)}{late}, {len(entry.papers)} of "
            f"{plural(entry.read, 'paper')}{why}"
        )
    return note("\n".join(rows))


def paper_buttons(paper: int) -> list[ui.Item[Any]]:
    """What one can do about a paper of a digest."""
    number = str(paper)
    return [
        PaperOpinion("Save", what="s", paper=number),
        PaperOpinion("Like", what="l", paper=number),
        PaperOpinion("Not for us", what="d", paper=number),
        PaperOpinion("Similar", what="m", paper=number),
    ]


def below(delivery: Delivery, begun: int) -> list[ui.Item[Any]]:
    """Below a posting: its next page, and how it was chosen, which also marks it."""
    number = str(delivery.id)
    buttons: list[ui.Item[Any]] = []
    left = len(delivery.papers) - begun - cards.PAGE
    if left > 0:
        following = str(begun + cards.PAGE)
        buttons.append(DeliveryButton(f"{left} more", what="p", delivery=number, start=following))
    if begun == 0:
        buttons.append(DeliveryButton("How these were chosen", what="h", delivery=number))
    return buttons


async def _delivery(services: Services, number: int) -> tuple[Digest, Delivery]:
    delivery = await services.store.digests.delivery(number)
    digest = await services.store.digests.find(delivery.digest_id) if delivery else None
    if delivery is None or digest is None:
        raise Kindly("This digest was deleted.")
    return digest, delivery


async def show_page(services: Services, number: int, begun: int) -> ui.LayoutView:
    """Further papers of a posting, for the one who asks."""
    digest, delivery = await _delivery(services, number)
    if begun >= len(delivery.papers):
        raise Kindly("There are no more.")
    return await view_of(services, digest, delivery, begun)


async def explain(services: Services, number: int) -> ui.LayoutView:
    """How a posting's papers were chosen."""
    digest, delivery = await _delivery(services, number)
    what = ", ".join(sorted(digest.category_set)) or "all categories that I read"
    told = [
        f"## How these were chosen\n{plural(delivery.read, 'paper')} of {what} were announced; those closest to what was "
        f"{'saved and liked by you' if digest.is_own else 'saved and liked here'}"
        + (f", and to “{shown(digest.query, 120)}”," if digest.query else "")
        + " come first, kept apart from one another. Save, Like and Not for us teach it."
    ]
    for name, held in (("Needs one of", digest.require), ("None of", digest.exclude)):
        if held:
            told.append(f"**{name}** " + ", ".join(shown(word, 40) for word in lines(held)[:12]))
    return note("\n".join(told))


async def think(
    services: Services, paper: int, kind: str | None, guild: int, member: int, channel: int
) -> ui.LayoutView:
    """Keep what a member thinks of a paper."""
    papers = await services.store.papers([paper])
    if not papers:
        raise Kindly("I no longer know this paper.")
    await services.store.digests.think(guild, member, papers[0].id, kind, channel)
    title = shown(papers[0].title, 120)
    if kind is None:
        return note(f"Taken back: **{title}**.")
    return note(f"{SAID[kind]}: **{title}**.", [[PaperOpinion("Undo", what="u", paper=str(papers[0].id))]])


class DigestGroup(commands.GroupCog, group_name="digest", group_description="The day's new papers, posted"):
    """Digests, and the clock that posts them."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot = bot
        self._services = services
        self._poster = Poster(bot, services)
        bot.poster = self._poster  # type: ignore[attr-defined]
        super().__init__()

    async def cog_load(self) -> None:
        """Begin to look at the clock."""
        self._tick.start()

    async def cog_unload(self) -> None:
        """End, and let another process go on at once."""
        task = self._tick.get_task()
        self._tick.cancel()
        if task is not None:
            await asyncio.gather(task, return_exceptions=True)
        await self._poster.close()

    @tasks.loop(seconds=EVERY)
    async def _tick(self) -> None:
        await self._poster.tick()

    @_tick.before_loop
    async def _when_ready(self) -> None:
        await self._bot.wait_until_ready()

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Keep a server's digests for its return."""
        await self._services.store.digests.break_all(guild.id, GONE)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Go on where it was left."""
        await self._services.store.digests.mend_all(guild.id, GONE)

    async def _complete(
        self, interaction: discord.Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        wanted = current.casefold()
        found = await self._reachable(interaction)
        return [
            app_commands.Choice(name=label(digest.name, 100), value=f"#{digest.id}")
            for digest in found
            if wanted in digest.name.casefold()
        ][:25]

    async def _reachable(self, interaction: discord.Interaction) -> list[Digest]:
        store = self._services.store.digests
        here = (
            await store.of_guild(interaction.guild_id)
            if interaction.guild_id and may_correct(interaction)
            else []
        )
        return here + await store.of_owner(interaction.user.id)

    async def _meant(self, interaction: discord.Interaction, typed: str | None) -> Digest:
        found = await self._reachable(interaction)
        if typed:
            wanted = typed.strip().casefold()
            found = [d for d in found if f"#{d.id}" == wanted] or [
                d for d in found if wanted in d.name.casefold()
            ]
        if len(found) == 1:
            return found[0]
        if not found:
            raise Kindly(
                "There is no such digest that you can change. /digest list shows them, /digest create begins one."
            )
        raise Kindly(
            "Several could be meant: " + ", ".join(shown(digest.name, 40) for digest in found[:10]) + "."
        )

    @app_commands.command()
    async def create(self, interaction: discord.Interaction) -> None:
        """Set up a digest for this channel (for those who manage the server)"""
        await answer(interaction, create(self._services, interaction), private=True)

    @app_commands.command()
    async def mine(self, interaction: discord.Interaction) -> None:
        """Set up, or look at, your own digest by direct message"""
        await answer(interaction, self._mine(interaction), private=True)

    async def _mine(self, interaction: discord.Interaction) -> ui.LayoutView:
        found = await self._services.store.digests.of_owner(interaction.user.id)
        if found:
            return await show_list(self._services, found, "")
        return await create(self._services, interaction, own=True)

    @app_commands.command()
    async def list(self, interaction: discord.Interaction) -> None:
        """Show the digests of this server"""
        await answer(interaction, self._list(interaction), private=True)

    async def _list(self, interaction: discord.Interaction) -> ui.LayoutView:
        found = (
            await self._services.store.digests.of_guild(interaction.guild_id) if interaction.guild_id else []
        )
        return await show_list(
            self._services,
            found,
            "There is no digest here yet. /digest create sets one up; /digest mine is for yourself.",
        )

    @app_commands.command()
    @app_commands.describe(digest="Which")
    @app_commands.autocomplete(digest=_complete)
    async def preview(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """Show exactly what would be posted now"""
        await answer(interaction, self._preview(interaction, digest), private=True)

    async def _preview(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        return await preview(self._bot, self._services, await self._meant(interaction, typed))

    @app_commands.command()
    @app_commands.describe(digest="Which")
    @app_commands.autocomplete(digest=_complete)
    async def edit(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """Change a digest"""
        await answer(interaction, self._edit(interaction, digest), private=True)

    async def _edit(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        return await panel(self._services, (await self._meant(interaction, typed)).id)

    async def _state(self, interaction: discord.Interaction, typed: str | None, state: str) -> ui.LayoutView:
        return await change(self._services, await self._meant(interaction, typed), state)

    @app_commands.command()
    @app_commands.describe(digest="Which")
    @app_commands.autocomplete(digest=_complete)
    async def pause(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """Stop posting for now"""
        await answer(interaction, self._state(interaction, digest, "paused"), private=True)

    @app_commands.command()
    @app_commands.describe(digest="Which")
    @app_commands.autocomplete(digest=_complete)
    async def resume(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """Go on posting"""
        await answer(interaction, self._state(interaction, digest, "active"), private=True)

    @app_commands.command()
    @app_commands.describe(digest="Which")
    @app_commands.autocomplete(digest=_complete)
    async def delete(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """End a digest"""
        await answer(interaction, self._ask_delete(interaction, digest), private=True)

    async def _ask_delete(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        digest = await self._meant(interaction, typed)
        return note(
            f"Delete **{shown(digest.name, 80)}**? Its history goes with it; /digest pause only stops it.",
            [[DigestButton("Delete", what="x", digest=str(digest.id))]],
        )

    @app_commands.command()
    @app_commands.describe(digest="Which")
    @app_commands.autocomplete(digest=_complete)
    async def history(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """Show the last postings"""
        await answer(interaction, self._history(interaction, digest), private=True)

    async def _history(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        return await show_history(self._services, await self._meant(interaction, typed))

    @app_commands.command()
    @app_commands.describe(digest="Which")
    @app_commands.autocomplete(digest=_complete)
    async def now(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """Post now what is new since the last posting"""
        await answer(interaction, self._now(interaction, digest), private=True)

    async def _now(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        return await post_now(self._bot, self._services, await self._meant(interaction, typed))


async def setup(bot: commands.Bot) -> None:
    """Add the commands, buttons and selects."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(PaperOpinion, DeliveryButton, DigestButton, SettingSelect)
    await bot.add_cog(DigestGroup(bot, services))
