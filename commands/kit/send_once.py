"""Sending a message only once: after a crash, the bot looks for it before it sends it again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, cast

import discord

from commands.kit.replies import NO_PINGS

LOOKED_BACK = 50
"""How many of a place's newest messages are looked through."""
MOST_LOOKED_THROUGH = 2_000
"""Of those that came after something was first tried, the oldest; each hundred is a request."""
CLOCKS_DIFFER = timedelta(minutes=5)
"""By how much this machine's clock may be ahead of Discord's."""


async def send_once(
    client: discord.Client,
    place: Any,
    make: Callable[[], Awaitable[dict[str, Any]]],
    *,
    marks: Collection[str],
    nonce: str,
    again: bool,
) -> discord.Message:
    """Send a message, or find it where it was sent before.

    Discord itself drops a second message with the same nonce, but only for some minutes; a restart can
    take longer.

    Parameters
    ----------
    place
        A channel, thread, direct message or user channel: anything with ``history`` and ``send``.
    make
        Makes what ``place.send`` takes (``view``, ``files``); awaited only if the message has to be sent.
    marks
        Ids of buttons that this message has and no other message of the place; one of them is enough.
    nonce
        The same for each try, at most 25 characters.
    again
        Whether an earlier try may have reached Discord; without it nothing is looked for.

    Raises
    ------
    discord.HTTPException
        Where Discord can't do it now, or refuses it.
    """
    sent = await already_sent(client, place, marks) if again else None
    if sent is not None:
        return sent
    message = await place.send(**await make(), nonce=nonce, allowed_mentions=NO_PINGS)
    return cast(discord.Message, message)


async def already_sent(client: discord.Client, place: Any, marks: Collection[str]) -> discord.Message | None:
    """Our own message in a place that has one of these button ids, if it is among the newest."""
    async for message, ids in own_messages(client, place):
        if not ids.isdisjoint(marks):
            return message
    return None


async def own_messages(
    client: discord.Client, place: Any, since: datetime | None = None
) -> AsyncIterator[tuple[discord.Message, set[str]]]:
    """Our own messages in a place with the ids of their buttons: the newest, then those ``since`` an instant.

    The newest are looked through whatever the clocks say; of the others in a busy place, the oldest.
    """
    me, looked, oldest = own_id(client), 0, 0
    async for message in place.history(limit=LOOKED_BACK):
        looked, oldest = looked + 1, message.id
        if message.author.id == me:
            yield message, custom_ids(message)
    if since is None or looked < LOOKED_BACK:
        return
    after = discord.Object(discord.utils.time_snowflake(since - CLOCKS_DIFFER))
    if after.id >= oldest:
        return
    async for message in place.history(after=after, limit=MOST_LOOKED_THROUGH, oldest_first=True):
        if message.id >= oldest:
            return
        if message.author.id == me:
            yield message, custom_ids(message)


def custom_ids(message: discord.Message) -> set[str]:
    """The ids of all buttons and selects of a message."""
    return {found for found in _custom_ids(message.components) if found}


def own_id(client: discord.Client) -> int:
    """The bot's own Discord id; 0 before it has logged in."""
    return client.user.id if client.user else 0


def _custom_ids(components: Iterable[Any]) -> Iterable[str | None]:
    """The ids of all buttons and selects of a message, also of those inside containers and rows."""
    for component in components:
        yield getattr(component, "custom_id", None)
        yield from _custom_ids(getattr(component, "children", None) or [])
