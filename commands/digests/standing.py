"""What of a posting stands in a place already, found by its mark: the papers, or only their heading."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import Any

import discord

from commands.digests.post import mark, saves
from commands.kit.refusals import GONE
from commands.kit.send_once import own_messages
from data.stores.delivery_record import Delivery


@dataclass(frozen=True, slots=True)
class StandingPost:
    """A posting's message in its place, if there is one; not ``whole`` where its papers are missing."""

    message: discord.Message | None = None
    whole: bool = False


async def standing_in(client: discord.Client, place: Any, delivery: Delivery) -> StandingPost:
    """What stands in a channel, a thread or direct messages, and in the day's thread below it.

    Raises
    ------
    discord.HTTPException, OSError
        Where Discord can't say it now, or doesn't show the place.
    """
    heading: discord.Message | None = None
    async for message, ids in own_messages(client, place, delivery.made.replace(tzinfo=UTC)):
        if mark(delivery) not in ids:
            continue
        if _holds_papers(ids, delivery):
            return StandingPost(message, whole=True)
        heading = message
    if heading is None:
        return StandingPost()
    thread = await _thread_of(client, heading)
    return StandingPost(heading, whole=thread is not None and await _papers_in(client, thread, delivery))


def _holds_papers(ids: set[str], delivery: Delivery) -> bool:
    """Whether a message with these buttons shows papers, as the heading of a thread does not."""
    return not delivery.papers or not ids.isdisjoint(saves(delivery))


async def _thread_of(client: discord.Client, heading: discord.Message) -> Any:
    """The thread below a heading; None where there is none."""
    try:
        return await client.fetch_channel(heading.id)
    except discord.HTTPException as error:
        if error.code not in GONE:
            raise
        return None


async def _papers_in(client: discord.Client, thread: Any, delivery: Delivery) -> bool:
    async for _, ids in own_messages(client, thread, delivery.made.replace(tzinfo=UTC)):
        if mark(delivery) in ids and _holds_papers(ids, delivery):
            return True
    return False
