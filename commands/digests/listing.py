"""`/digest list`: a server's digests and the member's own in one place, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from commands.cards import digest as cards
from commands.cards import digest_replies as replies
from commands.cards.lists import boxed, note
from commands.kit.authority import manages_server
from commands.kit.installs import is_present
from commands.kit.links import Press, button, link
from commands.kit.replies import answer
from commands.kit.services import Services, services_of
from data.calendar import clock
from data.stores.digest_record import Digest
from index.digest.due import next_postings

LISTED = 5
"""Digests on a page: each has up to 650 characters, and Discord takes 4,000."""


@button("digest.list", "dgl:{page:page}")
async def turn_to(press: Press, page: int) -> None:
    """Show a page of the digests that the presser may see here."""
    await answer(press.interaction, list_digests(press.interaction, page), private=True, update=True)


async def list_digests(interaction: discord.Interaction, page: int = 0) -> ui.LayoutView:
    """The digests of the server where it is asked, and the member's own; drafts for who may start them."""
    services = services_of(interaction)
    store = services.store.digests
    digests: list[Digest] = []
    if interaction.guild_id and is_present(interaction):
        digests += await store.of_guild(interaction.guild_id, drafts=manages_server(interaction))
    digests += await store.of_owner(interaction.user.id, drafts=True)
    return await show_list(services, digests, page)


async def show_list(services: Services, digests: Sequence[Digest], page: int = 0) -> ui.LayoutView:
    """Digests with what each posts, where and when, and its state or next time."""
    if not digests:
        return note(replies.NO_DIGESTS)
    now = clock.now()
    page = min(page, (len(digests) - 1) // LISTED)
    start = page * LISTED
    here = digests[start : start + LISTED]
    ahead = await next_postings(services.store, here, now)
    rows: list[tuple[str, ui.Item[Any]]] = [
        (
            cards.summary(digest, replies.when_next(ahead[digest.id], now)),
            link("digest.when", "Settings", digest=digest.id),
        )
        for digest in here
    ]
    turns: list[ui.Item[Any]] = []
    if page:
        turns.append(link("digest.list", "Back", page=page - 1))
    if start + LISTED < len(digests):
        turns.append(link("digest.list", "Next", page=page + 1))
    place = f"-# {start + 1} to {start + len(here)} of {len(digests)}" if turns else None
    return boxed("## Digests", rows, footer=place, rows=[turns])
