"""The limits on all requests together: fifty a second for a bot, ten thousand invalid ones in ten minutes."""

from __future__ import annotations

import time
from collections import defaultdict, deque

from bot.local_discord.state import State

_INVALID = (401, 403, 429)
_INVALID_WITHIN = 10 * 60.0


class Rates:
    """Counts requests (https://docs.discord.com/developers/topics/rate-limits).

    The documentation doesn't say where a second begins; here any second counts, so that a burst over the turn
    of two is refused. Nor does it say how long the ban lasts: here until fewer than ten thousand invalid
    requests lie within ten minutes, and a request during the ban is an invalid one.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self.per_second = 50
        self.invalid_allowed = 10_000
        self._requests: deque[float] = deque()
        self._invalid: dict[str, deque[float]] = defaultdict(deque)

    def wait(self, user_id: str | None, path: str) -> float | None:
        """Seconds until the bot may try again, None if it may now; interactions are not limited."""
        if user_id != self._state.application["bot"]["id"] or path.startswith(("/interactions", "/webhooks")):
            return None
        now = time.monotonic()
        while self._requests and now - self._requests[0] >= 1:
            self._requests.popleft()
        if len(self._requests) >= self.per_second:
            return round(1 - (now - self._requests[0]), 3)
        self._requests.append(now)
        return None

    def is_banned(self, address: str) -> bool:
        """Whether an address has sent too much that was invalid; its request now counts as well."""
        invalid, now = self._invalid[address], self._state.now()
        while invalid and now - invalid[0] >= _INVALID_WITHIN:
            invalid.popleft()
        banned = len(invalid) >= self.invalid_allowed
        if banned:
            self.note(address, 429)
        return banned

    def note(self, address: str, status: int) -> None:
        """Count an answer if its request was invalid: not authorized, not permitted, or too many."""
        if status in _INVALID:
            self._invalid[address].append(self._state.now())
            while len(self._invalid[address]) > self.invalid_allowed:
                self._invalid[address].popleft()
