"""`/digest`: a channel's (or one's own) few new papers, by the clock; set up by those who manage the server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards import digest as cards
from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import day as day_text
from commands.cards.text import label, plural, shown
from commands.digests.changes import PreviewButton, create, next_time, post_now, preview
from commands.digests.panel import DigestButton, PlaceSelect, SettingSelect, change, panel, start
from commands.digests.post import DeliveryButton, PaperOpinion
from commands.digests.posting import Poster
from commands.digests.taste import TasteButton, UnlearnSelect, learned
from commands.kit.authority import manages_server
from commands.kit.feeds import feed_view
from commands.kit.limits import FEED, PICTURE
from commands.kit.replies import Reply, UserError, answer
from commands.kit.services import Services
from commands.kit.supervise import lasting
from data.calendar import clock
from data.stores.digests import Digest

EVERY = timedelta(seconds=20)
"""Between looks at what is due."""
AFTER_FAILURE = 5.0
"""Seconds after a look that failed."""
STATES = {
    "posted": "posted",
    "empty": "nothing fitted",
    "missed": "missed",
    "failed": "failed",
    "written": "on its way",
}


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
    if digest.state == "draft":
        return note(f"**{shown(digest.name, 80)}** is not started yet. /digest edit shows its settings.")
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


class DigestGroup(commands.GroupCog, group_name="digest", group_description="The day's new papers, posted"):
    """Digests, and the clock that posts them."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot = bot
        self._services = services
        self._poster = Poster(bot, services)
        self._looking: asyncio.Task[None] | None = None
        bot.poster = self._poster  # type: ignore[attr-defined]
        super().__init__()

    async def cog_load(self) -> None:
        """Begin to look at the clock."""
        self._looking = asyncio.create_task(lasting(self._look, pause=AFTER_FAILURE))

    async def cog_unload(self) -> None:
        """End, and let another process go on at once."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        await self._poster.close()

    async def _look(self) -> None:
        await self._bot.wait_until_ready()
        while True:
            await self._poster.tick()
            await clock.wait_until(clock.now() + EVERY)

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
            await store.of_guild(interaction.guild_id, drafts=True)
            if interaction.guild_id and manages_server(interaction)
            else []
        )
        return here + await store.of_owner(interaction.user.id, drafts=True)

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
            raise UserError(
                "There is no such digest that you can change. /digest list shows them, /digest create begins one."
            )
        raise UserError(
            "Several could be meant: " + ", ".join(shown(digest.name, 40) for digest in found[:10]) + "."
        )

    @app_commands.command()
    async def create(self, interaction: discord.Interaction) -> None:
        """Set up a digest for this channel (for those who manage the server)"""
        await answer(interaction, self._create(interaction), private=True)

    async def _create(self, interaction: discord.Interaction, *, own: bool = False) -> ui.LayoutView:
        return await panel(self._services, (await create(self._services, interaction, own=own)).id)

    @app_commands.command()
    async def mine(self, interaction: discord.Interaction) -> None:
        """Set up, or look at, your own digest by direct message"""
        await answer(interaction, self._mine(interaction), private=True)

    async def _mine(self, interaction: discord.Interaction) -> ui.LayoutView:
        found = await self._services.store.digests.of_owner(interaction.user.id, drafts=True)
        if [digest.state for digest in found] == ["draft"]:
            return await panel(self._services, found[0].id)
        if found:
            return await show_list(self._services, found, "")
        return await self._create(interaction, own=True)

    @app_commands.command()
    async def list(self, interaction: discord.Interaction) -> None:
        """Show the digests of this server"""
        await answer(interaction, self._list(interaction), private=True)

    async def _list(self, interaction: discord.Interaction) -> ui.LayoutView:
        guild, may = interaction.guild_id, manages_server(interaction)
        found = await self._services.store.digests.of_guild(guild, drafts=may) if guild else []
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
        await answer(interaction, self._preview(interaction, digest), private=True, cost=PICTURE)

    async def _preview(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView | Reply:
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
        digest = await self._meant(interaction, typed)
        if digest.state == "draft" and state == "active":
            return await start(self._services, digest)
        if digest.state == "draft":
            raise UserError("This digest is not started yet, so nothing is posted.")
        return await change(self._services, digest, state)

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
    async def taste(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """Teach a digest with a dozen papers, and see what it has learned"""
        await answer(interaction, self._taste(interaction, digest), private=True)

    async def _taste(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        return await learned(self._services, await self._meant(interaction, typed), interaction.user.id)

    @app_commands.command()
    @app_commands.describe(digest="Which")
    @app_commands.autocomplete(digest=_complete)
    async def feed(
        self, interaction: discord.Interaction, digest: app_commands.Range[str, 1, 100] | None = None
    ) -> None:
        """Read a digest in a feed reader"""
        await answer(interaction, self._feed(interaction, digest), private=True, cost=FEED)

    async def _feed(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        meant = await self._meant(interaction, typed)
        return await feed_view(self._services, "digest", meant.id, interaction.user.id)

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
    bot.add_dynamic_items(
        PaperOpinion, DeliveryButton, DigestButton, PreviewButton, SettingSelect, PlaceSelect
    )
    bot.add_dynamic_items(TasteButton, UnlearnSelect)
    await bot.add_cog(DigestGroup(bot, services))
