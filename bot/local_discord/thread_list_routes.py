"""Lists of threads: active ones, and archived ones page by page."""

from __future__ import annotations

from bot.local_discord.permissions import READ_MESSAGE_HISTORY
from bot.local_discord.routes import Call, Handler, Routes
from bot.local_discord.state import MANAGE_THREADS, PRIVATE_THREAD, PUBLIC_THREAD, Json

_NEVER = float("inf")


class ThreadListRoutes(Routes):
    """Routes under ``/channels/{channel}/threads/archived`` and ``/guilds/{guild}/threads/active``."""

    def thread_list_routes(self) -> list[tuple[str, str, Handler, bool]]:
        """(method, path, handler, needs authorization)."""
        channel = "/channels/{channel}"
        return [
            ("GET", channel + "/threads/archived/public", self.archived_public, True),
            ("GET", channel + "/threads/archived/private", self.archived_private, True),
            ("GET", channel + "/users/@me/threads/archived/private", self.archived_private_of_mine, True),
            ("GET", "/guilds/{guild}/threads/active", self.active_threads, True),
        ]

    def _threads(self, call: Call, kinds: tuple[int, ...], archived: bool, **where: str) -> list[Json]:
        return [
            channel
            for channel in self._state.channels.values()
            if channel["type"] in kinds
            and channel["thread_metadata"]["archived"] is archived
            and all(channel.get(key) == value for key, value in where.items())
            and self._state.sees(call.user_id, channel)
        ]

    def _page(self, call: Call, threads: list[Json], limit: int) -> Json:
        """The first threads, and which of them the user has joined."""
        shown = threads[:limit]
        mine = [thread for thread in shown if call.user_id in thread["_members"]]
        return {
            "threads": [self._state.channel_json(thread, call.user_id) for thread in shown],
            "members": [self._thread_member(thread, call.user_id) for thread in mine],
            "has_more": len(threads) > limit,
        }

    def _archived(self, call: Call, kind: int) -> Json:
        """Threads by when they were archived, last ones first; ``before`` is a time."""
        self._require_in(call, self._channel(call), READ_MESSAGE_HISTORY)
        threads = self._threads(call, (kind,), True, parent_id=self._channel(call)["id"])
        before = call.request.query.get("before")
        until = self._moment(before) if before else _NEVER
        when = {t["id"]: self._moment(t["thread_metadata"]["archive_timestamp"]) for t in threads}
        there = [thread for thread in threads if when[thread["id"]] < until]
        there.sort(key=lambda thread: when[thread["id"]], reverse=True)
        return self._page(call, there, self._limit(call, 100, 50))

    async def archived_public(self, call: Call) -> Json:
        """Public threads that are archived."""
        return self._archived(call, PUBLIC_THREAD)

    async def archived_private(self, call: Call) -> Json:
        """Private threads that are archived, for who manages threads."""
        self._require(call, self._channel(call).get("guild_id"), MANAGE_THREADS)
        return self._archived(call, PRIVATE_THREAD)

    async def archived_private_of_mine(self, call: Call) -> Json:
        """Archived private threads that the user joined, newest first; ``before`` is a thread's id."""
        threads = self._threads(call, (PRIVATE_THREAD,), True, parent_id=self._channel(call)["id"])
        before = self._snowflake(call, "before") or _NEVER
        there = [t for t in threads if call.user_id in t["_members"] and int(t["id"]) < before]
        there.sort(key=lambda thread: int(thread["id"]), reverse=True)
        return self._page(call, there, self._limit(call, 100, 50))

    async def active_threads(self, call: Call) -> Json:
        """All threads of a guild that aren't archived and that the user sees."""
        guild = self._guild(call)["id"]
        threads = self._threads(call, (PUBLIC_THREAD, PRIVATE_THREAD), False, guild_id=guild)
        threads.sort(key=lambda thread: int(thread["id"]), reverse=True)
        return self._page(call, threads, len(threads))
