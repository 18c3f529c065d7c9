"""Feeds of a digest, a shared list or a library: their addresses, made and ended by whom they belong to."""

from __future__ import annotations

from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards.lists import note
from commands.kit.authority import manages_server
from commands.kit.components import Pressable
from commands.kit.limits import ASK, FEED
from commands.kit.replies import UserError, answer
from commands.kit.services import Services

KINDS = {"d": "digest", "l": "list", "s": "library"}
LETTERS = {kind: letter for letter, kind in KINDS.items()}
WHAT = {"digest": "what this digest chose", "list": "what is put on this list", "library": "what you keep"}
NO_FEEDS = (
    "Feeds are not switched on here: the person who runs me sets HTTP_LISTEN (see docs/configure.md). "
    "/library export and /list export give files."
)


class FeedButton(Pressable, template=r"fd:(?P<what>[ne]):(?P<kind>[dls]):(?P<target>\d{1,20})"):
    """Of a feed: a new address (n), or none any more (e)."""

    def __init__(self, label: str, *, what: str, kind: str, target: str) -> None:
        self.what, self.kind, self.target = what, KINDS[kind], int(target)
        style = ButtonStyle.danger if what == "e" else ButtonStyle.secondary
        super().__init__(ui.Button(label=label, style=style, custom_id=f"fd:{what}:{kind}:{self.target}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        cost = FEED if self.what == "n" else ASK
        await answer(interaction, self._done(interaction, services), private=True, update=True, cost=cost)

    async def _done(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        await _may(interaction, services, self.kind, self.target)
        if self.what == "e":
            return await end(services, self.kind, self.target)
        return await feed_view(services, self.kind, self.target, interaction.user.id, new=True)


async def _may(interaction: discord.Interaction, services: Services, kind: str, target: int) -> None:
    """Whether the presser decides about a feed."""
    member, guild = interaction.user.id, interaction.guild_id
    if kind == "library":
        allowed = target == member
    elif kind == "digest":
        digest = await services.store.digests.find(target)
        allowed = digest is not None and (
            digest.owner == member if digest.is_own else digest.guild == guild and manages_server(interaction)
        )
    else:
        found = await services.store.lists.find(target)
        allowed = (
            found is not None
            and found.guild == guild
            and (found.owner == member or manages_server(interaction))
        )
    if not allowed:
        raise UserError("This feed belongs to somebody else.")


async def feed_view(
    services: Services, kind: str, target: int, member: int, *, new: bool = False
) -> ui.LayoutView:
    """The address of a feed, made where there is none; with ``new`` an earlier one ends."""
    if services.feed_url is None:
        raise UserError(NO_FEEDS)
    feeds = services.store.feeds
    feed = None if new else await feeds.of(kind, target)
    feed = feed or await feeds.make(kind, target, member)
    letter = LETTERS[kind]
    buttons: list[ui.Item[Any]] = [
        FeedButton("New address", what="n", kind=letter, target=str(target)),
        FeedButton("End it", what="e", kind=letter, target=str(target)),
    ]
    return note(
        f"An Atom feed of {WHAT[kind]}:\n<{services.feed_url}/feeds/{feed.token}.xml>\n-# Whoever has this address can "
        "read it. A new address ends this one.",
        [buttons],
    )


async def end(services: Services, kind: str, target: int) -> ui.LayoutView:
    """Let a feed's address lead nowhere."""
    await services.store.feeds.end(kind, target)
    letter = LETTERS[kind]
    return note(
        "Ended: the address leads nowhere any more.",
        [[FeedButton("New address", what="n", kind=letter, target=str(target))]],
    )
