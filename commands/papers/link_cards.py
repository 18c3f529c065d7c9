"""`/link-cards`, and the small card below a posted link to a paper, if a server has them switched on.

It needs Discord's Message Content Intent, which the operator asks for with LINK_CARDS. Labmate looks only at
the links of a message, and keeps neither the message nor who wrote it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Literal

import discord
from discord import app_commands, ui
from discord.ext import commands
from discord.http import Route

from commands.cards.link_card import REFUSED, UNSET, small_card, state_text
from commands.cards.lists import note
from commands.kit.authority import manages_server
from commands.kit.installs import in_servers
from commands.kit.limits import MINUTE, Counters
from commands.kit.links import Press, button, link
from commands.kit.replies import NO_PINGS, UserError, answer
from commands.kit.send_once import own_id
from commands.kit.services import Services, services_of
from data.records import Paper
from index.search.named_papers import recognised
from index.search.posted_links import PostedLinks, posted_links

log = logging.getLogger("labmate")
MOST_PAPERS, LOOKED_UP = 3, 10
"""The most papers of one message that get a card, and the most links that are looked up."""
CARDS, WITHIN = 5, 10 * MINUTE
"""The most messages of a channel that get cards within so many seconds."""
OF_SERVER = 60
"""The same for all channels and threads of a server together."""
ONLY_MANAGERS = "Only those who manage this server can switch link cards on or off."
NOT_YOURS = "This card belongs to somebody else. Only the person who posted the link can remove it."
_SUPPRESS_EMBEDS = discord.MessageFlags(suppress_embeds=True).value


@button("links.remove", "lc:x:{member:snowflake}")
async def remove_pressed(press: Press, member: int) -> None:
    """Remove a card, for the member who posted the link."""
    await answer(press.interaction, _remove(press, member), private=True)


async def _remove(press: Press, member: int) -> ui.LayoutView:
    message = press.interaction.message
    if press.member != member or message is None:
        raise UserError(NOT_YOURS)
    try:
        await message.delete()
    except discord.NotFound:  # pressed twice
        log.debug("the card %d is gone already", message.id)
    return note("Removed.")


class LinkReplies(commands.Cog):
    """Cards below posted links."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot, self._services = bot, services
        self._servers: set[int] = set()
        self._posted = Counters()
        self._one_at_a_time = asyncio.Lock()

    async def cog_load(self) -> None:
        """Learn where cards are switched on."""
        self._servers = await self._services.store.link_cards.servers()

    @app_commands.command(name="link-cards")
    @in_servers
    @app_commands.describe(switch="Whether I reply to posted links to papers here (if you manage the server)")
    async def link_cards(
        self, interaction: discord.Interaction, switch: Literal["on", "off"] | None = None
    ) -> None:
        """Small cards below posted links to papers in this server"""
        await answer(interaction, self._switch(interaction, switch), private=True)

    async def _switch(self, interaction: discord.Interaction, switch: str | None) -> ui.LayoutView:
        guild, services = interaction.guild_id, services_of(interaction)
        if guild is None:
            raise UserError("This works only in a server.")
        if switch is not None and not manages_server(interaction):
            raise UserError(ONLY_MANAGERS)
        lacks = {"on": "", "refused": REFUSED}.get(services.link_cards, UNSET)
        if switch == "on" and lacks:
            raise UserError(lacks)
        if switch is not None:
            await services.store.link_cards.switch(guild, on=switch == "on")
            (self._servers.add if switch == "on" else self._servers.discard)(guild)
        text = state_text(
            on=guild in self._servers,
            changed=switch is not None,
            may_hide=interaction.app_permissions.manage_messages,
            lacks=lacks,
        )
        return note(text)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Switch cards off for a server that Labmate was removed from."""
        self._servers.discard(guild.id)
        await self._services.store.link_cards.switch(guild.id, on=False)

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Reply to a message with a link to a paper; leave every other one alone."""
        if not self._is_for_us(message):
            return
        links = posted_links(message.content)
        if not links.papers:
            return
        try:
            await self._reply(message, links)
        except discord.HTTPException as error:  # the message or the channel is gone, or Discord fails
            log.info("a link card could not be posted: %s", error)

    def _is_for_us(self, message: discord.Message) -> bool:
        """Whether a member posted it in a server that wants cards, and didn't speak to Labmate."""
        if self._services.link_cards != "on":
            return False
        if message.guild is None or message.guild.id not in self._servers:
            return False
        if message.author.bot or message.webhook_id is not None:
            return False
        if message.type not in (discord.MessageType.default, discord.MessageType.reply):
            return False
        me = own_id(self._bot)
        answered = message.reference.resolved if message.reference else None
        if isinstance(answered, discord.Message) and answered.author.id == me:
            return False
        return not any(f"<@{mark}{me}>" in message.content for mark in ("", "!"))

    async def _reply(self, message: discord.Message, links: PostedLinks) -> None:
        assert message.guild is not None
        if not _may_write(message):
            return
        async with self._one_at_a_time:  # in the order in which the messages came
            if await self._services.store.bans.is_banned(message.author.id, message.guild.id):
                return
            new = await self._taken(message.guild.id, message.channel.id, links)
        if not new:
            return
        await self._post(message, await self._services.store.papers(new))
        everything_shown = links.alone and len(new) == len(links.papers)
        if everything_shown and not message.attachments and not message.flags.suppress_embeds:
            await self._hide_preview(message)

    async def _taken(self, guild: int, place: int, links: PostedLinks) -> list[int]:
        """The papers that get a card now, noted before it is posted: better no card than two."""
        counted = {("place", place): CARDS, ("server", guild): OF_SERVER}
        if any(self._posted.wait(key, most, WITHIN) > 0 for key, most in counted.items()):
            return []
        store = self._services.store
        known = (await recognised(store, links.papers[:LOOKED_UP])).papers
        new = await store.link_cards.take(place, known[:MOST_PAPERS]) if known else []
        if new:
            for key in counted:
                self._posted.count(key, WITHIN)
        return new

    async def _post(self, message: discord.Message, papers: Sequence[Paper]) -> None:
        """Post the card quietly: neither the reply nor its arrival notifies anybody."""
        entries: list[tuple[Paper, ui.Item[Any]]] = [
            (paper, link("paper.card", "Details", paper=paper.id)) for paper in papers
        ]
        await message.channel.send(
            view=small_card(entries, link("links.remove", "Remove", member=message.author.id)),
            reference=message.to_reference(fail_if_not_exists=True),
            mention_author=False,
            allowed_mentions=NO_PINGS,
            silent=True,
            nonce=str(message.id),
        )

    async def _hide_preview(self, message: discord.Message) -> None:
        """Hide Discord's preview of the link, if Labmate may; it changes only the message's flags."""
        place = message.channel
        if isinstance(place, discord.Thread) and place.parent is None:
            return
        if message.guild is None or not place.permissions_for(message.guild.me).manage_messages:
            return
        path = "/channels/{channel_id}/messages/{message_id}"
        route = Route("PATCH", path, channel_id=place.id, message_id=message.id)
        await self._bot.http.request(route, json={"flags": message.flags.value | _SUPPRESS_EMBEDS})


def _may_write(message: discord.Message) -> bool:
    """Whether Labmate may reply in the message's channel."""
    place, guild = message.channel, message.guild
    if guild is None or (isinstance(place, discord.Thread) and place.parent is None):
        return False
    allowed = place.permissions_for(guild.me)
    writes = allowed.send_messages_in_threads if isinstance(place, discord.Thread) else allowed.send_messages
    return allowed.view_channel and writes and allowed.read_message_history


async def setup(bot: commands.Bot) -> None:
    """Listen, and add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(LinkReplies(bot, services))
