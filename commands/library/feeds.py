"""What the buttons of a feed do: a new address, or none any more, for those who decide about it."""

from __future__ import annotations

import discord
from discord import ButtonStyle, ui

from commands.kit.authority import manages_server
from commands.kit.feeds import end_feed, feed_view
from commands.kit.limits import FEED
from commands.kit.links import Press, button
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from index.library.rights import may_decide_feed


@button("feed.make_digest", "fd:n:d:{target:snowflake}")
async def make_digest_feed(press: Press, target: int) -> None:
    """A new address for the feed of a digest."""
    await answer(press.interaction, _make(press, "digest", target), private=True, update=True, cost=FEED)


@button("feed.make_list", "fd:n:l:{target:snowflake}")
async def make_list_feed(press: Press, target: int) -> None:
    """A new address for the feed of a shared list."""
    await answer(press.interaction, _make(press, "list", target), private=True, update=True, cost=FEED)


@button("feed.make_library", "fd:n:s:{target:snowflake}")
async def make_library_feed(press: Press, target: int) -> None:
    """A new address for the feed of a member's library."""
    await answer(press.interaction, _make(press, "library", target), private=True, update=True, cost=FEED)


@button("feed.end_digest", "fd:e:d:{target:snowflake}", style=ButtonStyle.danger)
async def end_digest_feed(press: Press, target: int) -> None:
    """End the feed of a digest."""
    await answer(press.interaction, _end(press, "digest", target), private=True, update=True)


@button("feed.end_list", "fd:e:l:{target:snowflake}", style=ButtonStyle.danger)
async def end_list_feed(press: Press, target: int) -> None:
    """End the feed of a shared list."""
    await answer(press.interaction, _end(press, "list", target), private=True, update=True)


@button("feed.end_library", "fd:e:s:{target:snowflake}", style=ButtonStyle.danger)
async def end_library_feed(press: Press, target: int) -> None:
    """End the feed of a member's library."""
    await answer(press.interaction, _end(press, "library", target), private=True, update=True)


async def _make(press: Press, kind: str, target: int) -> ui.LayoutView:
    await _decides(press.interaction, press.services, kind, target)
    return await feed_view(press.services, kind, target, press.member, new=True)


async def _end(press: Press, kind: str, target: int) -> ui.LayoutView:
    await _decides(press.interaction, press.services, kind, target)
    return await end_feed(press.services, kind, target)


async def _decides(interaction: discord.Interaction, services: Services, kind: str, target: int) -> None:
    """Refuse anyone who does not decide about a feed."""
    manages = manages_server(interaction)
    member, guild = interaction.user.id, interaction.guild_id
    if not await may_decide_feed(services.store, kind, target, member, guild, manages=manages):
        raise UserError("This feed belongs to somebody else.")
