"""How often a bot may identify: a thousand times a day, and every five seconds in each bucket of shards."""

from __future__ import annotations

from bot.local_discord.state import Json, State

EVERY = 5.0
"""Seconds between two times that a bot may identify, in a bucket."""
DAY = 24 * 60 * 60.0


class SessionStarts:
    """Counts the times that the bot identifies (Discord's ``session_start_limit``)."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.total = 1_000
        self.max_concurrency = 1
        self._used = 0
        self._since = state.now()
        self._last: dict[int, float] = {}

    def limit(self) -> Json:
        """What ``GET /gateway/bot`` tells of it."""
        self._begin_again_after_a_day()
        return {
            "total": self.total,
            "remaining": self.total - self._used,
            "reset_after": int((self._since + DAY - self._state.now()) * 1000),
            "max_concurrency": self.max_concurrency,
        }

    def is_too_soon(self, shard: int) -> bool:
        """Whether another shard of the bucket identified just now; if not, this one counts as the last."""
        bucket, now = shard % self.max_concurrency, self._state.now()
        if now - self._last.get(bucket, -EVERY) < EVERY:
            return True
        self._last[bucket] = now
        return False

    def is_one_too_many(self) -> bool:
        """Count one; whether the day's are used up."""
        self._begin_again_after_a_day()
        self._used += 1
        return self._used > self.total

    def _begin_again_after_a_day(self) -> None:
        if self._state.now() - self._since >= DAY:
            self._used, self._since = 0, self._state.now()
