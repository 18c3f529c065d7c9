"""Sending a posting to its place once: what a crash left there is found by its mark, not sent again."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import discord

from commands.cards import digest as cards
from commands.digests.places import check, permissions_at, tags_of
from commands.digests.post import contents_of, mark, post_of
from commands.digests.standing import StandingPost, standing_in
from commands.kit.direct import in_direct
from commands.kit.refusals import NO_HISTORY, WITHOUT_FILES, is_final, is_not_taken
from commands.kit.replies import NO_PINGS
from commands.kit.send_once import CLOCKS_DIFFER, custom_ids, own_id
from commands.kit.servers import place_of
from commands.kit.services import Services
from commands.kit.tries import noting_lost
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest

T = TypeVar("T")
log = logging.getLogger("labmate")
MOST_POSTS = 50
"""Archived posts of a forum that are looked through for a mark."""
_THREAD_EXISTS = 160004


class NothingLeft(Exception):
    """Another digest has posted all papers of a delivery in its place meanwhile."""


class Sender:
    """Sends one delivery to its place: a channel, a thread a day, a forum, or a member."""

    def __init__(
        self, client: discord.Client, services: Services, digest: Digest, delivery: Delivery, *, again: bool
    ) -> None:
        self._client = client
        self._services = services
        self._digest = digest
        self.delivery = delivery
        """What is sent: without the papers that another digest has posted there meanwhile."""
        self._again = again
        """Whether an earlier try may have sent something."""
        self.place = digest.channel
        """Where the posting stands when :meth:`send` returns: elsewhere if it was sent before a move."""
        self._begun = False
        """Whether it was looked for where that is needed, and is being sent."""
        self._files = True
        """Whether the place takes files; without, the picture is left out."""

    async def send(self) -> discord.Message:
        """Send what was not sent yet; where Discord refuses it for sure, the store knows.

        Raises
        ------
        NotAllowed, TimedOut
            Where a permission is missing, or a forum has no tag to set; nothing is sent then.
        NothingLeft
            Where another digest has posted all of its papers there.
        discord.HTTPException, OSError
            Where Discord refuses it, or can't be reached.
        """
        with noting_lost() as lost:
            try:
                return await self._sent()
            except (discord.HTTPException, OSError) as error:
                if self._begun and not lost and is_not_taken(error):
                    await self._services.store.digests.not_sent(self.delivery.id)
                raise

    async def _sent(self) -> discord.Message:
        digest = self._digest
        if digest.is_own:
            channels = self._services.store.direct_channels
            return await in_direct(self._client, channels, digest.channel, self._as_message)
        if (sent := await self._before_its_move()) is not None:
            return sent
        place = await place_of(self._client, digest.guild, digest.channel)
        may = self._checked(place)
        if isinstance(place, discord.ForumChannel):
            return await self._to_forum(place, may)
        if digest.form == "thread" and isinstance(place, discord.TextChannel):
            return await self._as_thread(place)
        return await self._as_message(place)

    async def _before_its_move(self) -> discord.Message | None:
        """What an earlier try left in the place where the digest posted then."""
        before = self.delivery.channel
        if not self._again or before == self._digest.channel:
            return None
        try:
            place = await place_of(self._client, self._digest.guild, before)
            if isinstance(place, discord.ForumChannel):
                sent = next(iter(await self._in_forum(place)), None)
            else:
                standing = await standing_in(self._client, place, self.delivery)
                sent = standing.message if standing.whole else None
        except discord.HTTPException as error:
            if not is_final(error) and error.code != NO_HISTORY:
                raise
            log.info("digest %d can't look where it posted before: %s", self._digest.id, error)
            return None
        if sent is not None:
            self.place = before
        return sent

    async def _as_message(self, place: Any) -> discord.Message:
        standing = await self._standing(place)
        if standing.message is not None and standing.whole:
            return standing.message
        await self._without_shown()
        return await self._send(place, self._papers, self._number())

    async def _as_thread(self, place: discord.TextChannel) -> discord.Message:
        """The titles in the channel, and the papers in a thread below them."""
        standing = await self._standing(place)
        if not standing.whole:
            await self._without_shown()
        message = standing.message or await self._send(place, self._contents, f"{self._number()}h")
        if self.delivery.papers and not standing.whole:
            await self._send(await self._thread(message), self._papers, f"{self._number()}t")
        return message

    async def _without_shown(self) -> None:
        """Leave out what its place has seen meanwhile, where nothing of the delivery stands there."""
        left = await self._services.store.digests.still_new(self.delivery, self._digest.channel)
        if self.delivery.papers and not left.papers:
            raise NothingLeft
        self.delivery = replace(self.delivery, papers=left.papers)
        await self._services.store.digests.sending(self.delivery.id, self._digest.channel)
        self._begun = True

    async def _standing(self, place: Any) -> StandingPost:
        return await standing_in(self._client, place, self.delivery) if self._again else StandingPost()

    def _number(self) -> str:
        """The nonce of a day's posting; the same in a copy of the database, unlike the delivery's id."""
        return f"{self._digest.id}-{self.delivery.slot.toordinal()}"

    def _checked(self, place: Any) -> discord.Permissions:
        """What Labmate may do in the place, which is enough for the posting."""
        may = permissions_at(place)
        if may is None:
            return discord.Permissions.all()  # it isn't known here; Discord refuses what is not allowed
        form = self._digest.form if self.delivery.papers else "message"
        check(place, may, form, history=self._again)
        self._files = may.attach_files
        return may

    async def _send(
        self, place: Any, make: Callable[[], Awaitable[dict[str, Any]]], nonce: str
    ) -> discord.Message:
        """Send a message; for minutes, Discord itself drops a second one with the same nonce."""

        async def send() -> discord.Message:
            sent: discord.Message = await place.send(**await make(), nonce=nonce, allowed_mentions=NO_PINGS)
            return sent

        return await self._taken(send)

    async def _taken(self, send: Callable[[], Awaitable[T]]) -> T:
        """Send, and once more without the picture where that may be what Discord does not take."""
        try:
            return await send()
        except discord.HTTPException as error:
            if error.code not in WITHOUT_FILES or not self._files or not self._digest.picture:
                raise
            log.info("digest %d goes without its picture: %s", self._digest.id, error)
            self._files = False
            return await send()

    async def _papers(self) -> dict[str, Any]:
        """The papers with their picture, where that may be attached."""
        made = await post_of(self._services, self._digest, self.delivery, files=self._files)
        return {"view": made.view, "files": list(made.files)} if made.files else {"view": made.view}

    async def _contents(self) -> dict[str, Any]:
        """The papers' titles, for the channel whose thread holds the papers."""
        return {"view": await contents_of(self._services, self._digest, self.delivery)}

    async def _thread(self, message: discord.Message) -> discord.Thread:
        """The day's thread below its message in the channel."""
        try:
            return await message.create_thread(name=cards.thread_name(self._digest, self.delivery))
        except discord.HTTPException as error:
            if error.code != _THREAD_EXISTS:
                raise
            thread = await self._client.fetch_channel(message.id)
            assert isinstance(thread, discord.Thread)
            return thread

    async def _to_forum(self, forum: discord.ForumChannel, may: discord.Permissions) -> discord.Message:
        """A forum post. Discord takes no nonce for these, so the forum is looked through before and after."""
        standing = await self._in_forum(forum) if self._again else []
        if not standing:
            await self._without_shown()
            made = await self._taken(lambda: self._new_post(forum, may))
            try:
                standing = await self._in_forum(forum) if may.read_message_history else []
            except (discord.HTTPException, OSError) as error:  # it is posted, whatever else can't be done
                log.info("the forum of digest %d was not looked through: %s", self._digest.id, error)
            standing = standing or [made.message]
        first, *doubles = standing
        await self._take_off(doubles, may)
        return first

    async def _new_post(self, forum: discord.ForumChannel, may: discord.Permissions) -> Any:
        name = cards.thread_name(self._digest, self.delivery)
        made = await self._papers()
        return await forum.create_thread(
            name=name, **made, applied_tags=tags_of(forum, may), allowed_mentions=NO_PINGS
        )

    async def _take_off(self, doubles: Sequence[discord.Message], may: discord.Permissions) -> None:
        """Delete a post that stands twice; without Manage Threads, who made it can only close it."""
        for double in doubles:
            thread = double.channel
            assert isinstance(thread, discord.Thread)
            try:
                if may.manage_threads:
                    await thread.delete()
                else:
                    await thread.edit(archived=True)
            except (discord.HTTPException, OSError) as error:  # it is posted all the same
                log.info("a double of digest %d stays: %s", self._digest.id, error)

    async def _in_forum(self, forum: discord.ForumChannel) -> list[discord.Message]:
        """The opening messages of posts that hold the delivery, oldest first."""
        standing = []
        async for thread in self._posts(forum):
            async for opening in thread.history(after=discord.Object(thread.id - 1), limit=1):
                if mark(self.delivery) in custom_ids(opening):
                    standing.append(opening)
        return sorted(standing, key=lambda message: message.id)

    async def _posts(self, forum: discord.ForumChannel) -> AsyncIterator[discord.Thread]:
        """Our own posts of the last days, and those since the delivery was made."""
        made = self.delivery.made.replace(tzinfo=UTC) - CLOCKS_DIFFER
        since = discord.utils.time_snowflake(min(made, datetime.now(UTC) - timedelta(days=2)))
        me = own_id(self._client)
        for thread in await forum.guild.active_threads():
            if thread.parent_id == forum.id and thread.owner_id == me and thread.id > since:
                yield thread
        async for thread in forum.archived_threads(limit=MOST_POSTS):
            if thread.owner_id == me and thread.id > since:
                yield thread
