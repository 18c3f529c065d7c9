"""Another place for a digest: chosen in its settings, or where it has stopped because the place is gone."""

from __future__ import annotations

from typing import Any

import discord
from discord import ui

from commands.cards import digest_replies as replies
from commands.cards.lists import note
from commands.digests.allowed import own_digest
from commands.digests.changes import after_stop, placed_now, with_note
from commands.digests.panel import on_panel, panel
from commands.digests.places import TimedOut, permissions_at
from commands.digests.setup_pages import place_rows
from commands.kit.authority import member_in
from commands.kit.links import Press, button, select
from commands.kit.replies import UserError, answer
from commands.kit.servers import server_of
from data.calendar import clock
from data.stores.digest_record import Digest
from index.digest import due

PLACES = (
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.forum,
    discord.ChannelType.public_thread,
    discord.ChannelType.private_thread,
)


@button("digest.move", "dgb:m:{digest}")
async def move_pressed(press: Press, digest: int) -> None:
    """Show the channels to choose from."""
    await answer(press.interaction, _offered(press, digest), private=True)


@select("digest.set_place", "dgc:{digest}", "Another channel, thread or forum", value=int, channels=PLACES)
@select("digest.set_place_named", "dgk:{digest}", "Another channel or forum", value=int)
async def set_place(press: Press, channel: int, digest: int) -> None:
    """Where it posts."""
    await answer(press.interaction, _moved(press, channel, digest), private=True, update=True)


async def _offered(press: Press, number: int) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    if digest.is_own:
        raise UserError(replies.NOT_SEEN)
    rows = await place_rows(press.interaction, digest, "digest.set_place", "digest.set_place_named")
    return note(replies.place_question(digest, direct=press.guild is None), rows)


async def place_chosen(press: Press, digest: Digest, channel: int) -> tuple[Any, dict[str, Any]]:
    """A place that somebody chose for a server's digest, and what it changes in the digest.

    Raises
    ------
    UserError
        Where they don't see the place, or Labmate can't post there; it says which permission is missing.
    """
    guild = await server_of(press.interaction.client, digest.guild) if digest.guild else None
    place: Any = guild.get_channel_or_thread(channel) if guild else None
    member = await member_in(press.interaction, digest.guild) if place is not None else None
    if member is None or not place.permissions_for(member).view_channel:
        raise UserError(replies.NOT_SEEN)
    return place, placed_now(place, digest.form)


async def _moved(press: Press, channel: int, number: int) -> ui.LayoutView:
    """Move a digest; one that had stopped goes on, since only its place keeps a digest from going on."""
    digest = await own_digest(press.interaction, press.services, number)
    place, values = await place_chosen(press, digest, channel)
    notes = []
    if digest.state == "broken":
        notes = await after_stop(press.services, digest)
        values |= {"state": "active", "why": ""}
    made = await press.services.store.digests.change(digest.id, **values)
    lacks = replies.NO_PICTURE if digest.picture and not _takes_files(place) else ""
    if made is None or on_panel(press):
        return await panel(press.services, digest.id, lacks=lacks)
    ahead = await due.next_posting(press.services.store, made, clock.now())
    return note(with_note(replies.moved(made, ahead), lacks, *notes))


def _takes_files(place: Any) -> bool:
    """Whether a picture can be attached there; if that isn't known, it is tried."""
    try:
        may = permissions_at(place)
    except TimedOut:
        return True
    return may is None or may.attach_files
