"""`/digest`: a few new papers by the clock, for a channel (its managers set it up) or for a member."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards import digest_replies as replies
from commands.cards.lists import note
from commands.digests.changes import (
    begun_here,
    change,
    create,
    delete_question,
    post_now,
    same_name_here,
    start,
)
from commands.digests.giving import Gift, given_to
from commands.digests.listing import list_digests, show_list
from commands.digests.panel import panel
from commands.digests.posting import Poster
from commands.digests.preview import preview
from commands.digests.taste import learned
from commands.digests.which import ONLY_ONE, DigestOption
from commands.kit.feeds import feed_view
from commands.kit.installs import anywhere
from commands.kit.limits import FEED, PICTURE
from commands.kit.replies import UserError, answer, in_line
from commands.kit.reply import Reply
from commands.kit.services import Services, seen_by
from commands.kit.supervise import ended, first_of, lasting
from commands.kit.which_person import complete_person
from data.calendar import clock
from index.digest.due import next_posting

EVERY = timedelta(seconds=20)
"""Between looks at what is due."""
AFTER_FAILURE = 5.0
"""Seconds after a look that failed."""
which = app_commands.describe(digest="Which digest")


@anywhere
class DigestGroup(
    commands.GroupCog, group_name="digest", group_description="New papers, posted on a schedule"
):
    """Digests, and the clock that posts them."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot = bot
        self._services = services
        self._poster = Poster(bot, services, services.leader)
        self._looking: asyncio.Task[None] | None = None
        bot.poster = self._poster  # type: ignore[attr-defined]
        super().__init__()

    async def cog_load(self) -> None:
        """Begin to look at the clock."""
        self._looking = asyncio.create_task(lasting(self._look, pause=AFTER_FAILURE))

    async def cog_unload(self) -> None:
        """End, and let another process go on at once."""
        if self._looking is not None:
            await ended(self._looking)
        await self._poster.close()

    async def _look(self) -> None:
        await self._bot.wait_until_ready()
        while True:
            await self._poster.tick()
            led = self._services.leader.gained.is_set()
            gained = [] if led else [self._services.leader.gained.wait()]
            await first_of(clock.wait_until(clock.now() + EVERY), *gained)

    @app_commands.command()
    async def create(self, interaction: discord.Interaction) -> None:
        """Set up a digest for this channel (if you manage the server)"""
        await answer(interaction, self._create(interaction), private=True)

    async def _create(self, interaction: discord.Interaction, *, own: bool = False) -> ui.LayoutView:
        begun = None if own else await begun_here(self._services, interaction)
        made = begun or await create(self._services, interaction, own=own)
        other = await same_name_here(self._services, made)
        told = [replies.BEGUN if begun else "", replies.same_here(other) if other else ""]
        return await panel(self._services, made.id, lacks="\n-# ".join(filter(None, told)))

    @app_commands.command()
    async def mine(self, interaction: discord.Interaction) -> None:
        """Set up or see your own digest by direct message"""
        await answer(interaction, self._mine(interaction), private=True)

    async def _mine(self, interaction: discord.Interaction) -> ui.LayoutView:
        digests = await self._services.store.digests.of_owner(interaction.user.id, drafts=True)
        if [digest.state for digest in digests] == ["draft"]:
            return await panel(self._services, digests[0].id)
        return (
            await show_list(self._services, digests) if digests else await self._create(interaction, own=True)
        )

    @app_commands.command()
    async def list(self, interaction: discord.Interaction) -> None:
        """Show the digests of this server and your own"""
        await answer(interaction, list_digests(interaction), private=True)

    @app_commands.command()
    @which
    async def preview(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Show exactly what would be posted now"""
        await answer(interaction, self._preview(interaction, digest), private=True, cost=PICTURE)

    async def _preview(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView | Reply:
        return await preview(self._services, await digest.find(interaction))

    @app_commands.command()
    @which
    async def edit(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Change a digest"""
        await answer(interaction, self._edit(interaction, digest), private=True)

    async def _edit(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView:
        return await panel(self._services, (await digest.find(interaction)).id)

    @app_commands.command()
    @which
    async def pause(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Stop posting for now"""
        await answer(interaction, self._pause(interaction, digest), private=True)

    async def _pause(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView:
        chosen_digest = await digest.find(interaction)
        if chosen_digest.state == "draft":
            raise UserError("This digest is not started yet, so nothing is posted.")
        return await change(interaction, chosen_digest, "paused")

    @app_commands.command()
    @which
    async def resume(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Start posting again"""
        await answer(interaction, self._resume(interaction, digest), private=True)

    async def _resume(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView:
        chosen_digest = await digest.find(interaction)
        if chosen_digest.state == "draft":
            return await start(interaction, chosen_digest)
        return await change(interaction, chosen_digest, "active")

    @app_commands.command()
    @which
    async def delete(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Delete a digest"""
        await answer(interaction, self._ask_delete(interaction, digest), private=True)

    async def _ask_delete(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView:
        return delete_question(await digest.find(interaction))

    @app_commands.command()
    @which
    async def history(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Show the last postings"""
        await answer(interaction, self._history(interaction, digest), private=True)

    async def _history(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView:
        chosen_digest = await digest.find(interaction)
        deliveries = await self._services.store.digests.history(chosen_digest.id)
        now = clock.now()
        ahead = await next_posting(self._services.store, chosen_digest, now)
        return note(replies.history(chosen_digest, deliveries, ahead, now))

    @app_commands.command()
    @which
    async def taste(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Teach a digest with a dozen papers, and see what it has learned"""
        await answer(interaction, self._taste(interaction, digest), private=True)

    async def _taste(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView:
        return await learned(self._services, await digest.find(interaction), interaction.user.id)

    @app_commands.command()
    @app_commands.describe(
        papers="Links, ids, titles or BibTeX",
        file="A BibTeX, RIS or CSL-JSON file, for example from Zotero",
        orcid="An ORCID iD; the digest learns from the papers in its public record",
        person="A person; the digest learns from their papers",
        digest="Which digest",
    )
    @app_commands.autocomplete(person=complete_person)
    async def learn(
        self,
        interaction: discord.Interaction,
        papers: app_commands.Range[str, 1, 4_000] | None = None,
        file: discord.Attachment | None = None,
        orcid: app_commands.Range[str, 1, 200] | None = None,
        person: app_commands.Range[str, 1, 200] | None = None,
        digest: DigestOption = ONLY_ONE,
    ) -> None:
        """Give a digest papers to learn from"""
        gift = Gift(papers, file, orcid, person)
        work = in_line(interaction, self._learn(interaction, gift, digest))
        await answer(interaction, work, private=True, cost=gift.cost)

    async def _learn(
        self, interaction: discord.Interaction, gift: Gift, digest: DigestOption
    ) -> ui.LayoutView:
        services = await seen_by(interaction)
        return await given_to(services, interaction.user.id, await digest.find(interaction), gift)

    @app_commands.command()
    @which
    async def feed(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Read a digest in a feed reader"""
        await answer(interaction, self._feed(interaction, digest), private=True, cost=FEED)

    async def _feed(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView:
        chosen_digest = await digest.find(interaction)
        return await feed_view(self._services, "digest", chosen_digest.id, interaction.user.id)

    @app_commands.command()
    @which
    async def now(self, interaction: discord.Interaction, digest: DigestOption = ONLY_ONE) -> None:
        """Post what is new since the last posting"""
        await answer(interaction, self._now(interaction, digest), private=True)

    async def _now(self, interaction: discord.Interaction, digest: DigestOption) -> ui.LayoutView:
        return await post_now(interaction, await digest.find(interaction))


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(DigestGroup(bot, services))
