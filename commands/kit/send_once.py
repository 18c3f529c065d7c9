"""Sending a message only once: after a crash, the bot looks for it before it sends it again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any, cast

import discord

from commands.kit.replies import NO_PINGS

LOOKED_BACK = 50
"""How many of a place's newest messages are looked through."""


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
    async for message in place.history(limit=LOOKED_BACK):
        if message.author.id == own_id(client) and not set(marks).isdisjoint(_custom_ids(message.components)):
            return cast(discord.Message, message)
    return None


def own_id(client: discord.Client) -> int:
    """The bot's own Discord id; 0 before it has logged in."""
    return client.user.id if client.user else 0


def _custom_ids(components: Iterable[Any]) -> Iterable[str | None]:
    """The ids of all buttons and selects of a message, also of those inside containers and rows."""
    for component in components:
        yield getattr(component, "custom_id", None)
        yield from _custom_ids(getattr(component, "children", None) or [])
