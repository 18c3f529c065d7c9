"""Sending a posting to its place once: what a crash left there is found by its mark, not sent again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import discord

from commands.cards import digest as cards
from commands.digests.post import contents_of, mark, post_of
from commands.kit.replies import NO_PINGS
from commands.kit.send_once import already_sent, own_id, send_once
from commands.kit.services import Services
from data.stores.deliveries import Delivery
from data.stores.digest_record import Digest

MOST_POSTS = 50
"""Archived posts of a forum that are looked through for a mark."""
_THREAD_EXISTS = 160004


class Sender:
    """Sends one delivery to its place: a channel, a thread a day, a forum, or a member."""

    def __init__(
        self, client: discord.Client, services: Services, digest: Digest, delivery: Delivery, *, again: bool
    ) -> None:
        self._client = client
        self._services = services
        self._digest = digest
        self._delivery = delivery
        self._again = again
        """Whether an earlier try may have sent something."""
        self._marks = {mark(delivery)}

    async def send(self) -> discord.Message:
        """Send what was not sent yet.

        Raises
        ------
        discord.HTTPException, OSError
            Where Discord refuses it, or can't be reached.
        """
        place = await self._place()
        if isinstance(place, discord.ForumChannel):
            return await self._to_forum(place)
        number = str(self._delivery.id)
        if self._digest.form != "thread" or not isinstance(place, discord.TextChannel):
            return await self._send(place, self._papers, number)
        message = await self._send(place, self._contents, number)
        if self._delivery.papers:
            await self._send(await self._thread(message), self._papers, f"{number}t")
        return message

    async def _place(self) -> Any:
        channel = self._digest.channel
        if self._digest.is_own:
            return await (await self._client.fetch_user(channel)).create_dm()
        return self._client.get_channel(channel) or await self._client.fetch_channel(channel)

    async def _send(
        self, place: Any, make: Callable[[], Awaitable[dict[str, Any]]], nonce: str
    ) -> discord.Message:
        return await send_once(self._client, place, make, marks=self._marks, nonce=nonce, again=self._again)

    async def _papers(self) -> dict[str, Any]:
        """The papers with their picture."""
        made = await post_of(self._services, self._digest, self._delivery)
        return {"view": made.view, "files": list(made.files)} if made.files else {"view": made.view}

    async def _contents(self) -> dict[str, Any]:
        """The papers' titles, for the channel whose thread holds the papers."""
        return {"view": await contents_of(self._services, self._digest, self._delivery)}

    async def _thread(self, message: discord.Message) -> discord.Thread:
        """The day's thread below its message in the channel."""
        try:
            return await message.create_thread(name=cards.thread_name(self._digest, self._delivery))
        except discord.HTTPException as error:
            if error.code != _THREAD_EXISTS:
                raise
            thread = await self._client.fetch_channel(message.id)
            assert isinstance(thread, discord.Thread)
            return thread

    async def _to_forum(self, forum: discord.ForumChannel) -> discord.Message:
        """A forum post. Discord takes no nonce for these, so the forum is looked through before and after."""
        standing = await self._in_forum(forum) if self._again else []
        if not standing:
            tags = forum.available_tags[:1] if forum.flags.require_tag else []
            name = cards.thread_name(self._digest, self._delivery)
            made = await self._papers()
            await forum.create_thread(name=name, **made, applied_tags=tags, allowed_mentions=NO_PINGS)
            standing = await self._in_forum(forum)
        first, *doubles = standing
        for double in doubles:
            assert isinstance(double.channel, discord.Thread)
            await double.channel.delete()
        return first

    async def _in_forum(self, forum: discord.ForumChannel) -> list[discord.Message]:
        """The opening messages of posts that hold the delivery, oldest first."""
        found = []
        async for thread in self._posts(forum):
            if message := await already_sent(self._client, thread, self._marks):
                found.append(message)
        return sorted(found, key=lambda message: message.id)

    async def _posts(self, forum: discord.ForumChannel) -> AsyncIterator[discord.Thread]:
        """Our own posts of the last days."""
        since = discord.utils.time_snowflake(datetime.now(UTC) - timedelta(days=2))
        me = own_id(self._client)
        for thread in await forum.guild.active_threads():
            if thread.parent_id == forum.id and thread.owner_id == me and thread.id > since:
                yield thread
        async for thread in forum.archived_threads(limit=MOST_POSTS):
            if thread.owner_id == me and thread.id > since:
                yield thread
