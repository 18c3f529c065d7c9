"""The pace of direct messages: many members' digests at one hour are spread over minutes.

Discord names no figure. It says that a bot which opens many direct messages too quickly may be kept from
opening more (https://docs.discord.com/developers/resources/user#create-dm). These rates are a guess on the
slow side, and fall each time Discord answers 40003.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from data.calendar import clock

AT_ONCE, A_MINUTE = 10.0, 30.0
"""Direct messages in known channels."""
OPENED_AT_ONCE, OPENED_A_MINUTE = 4.0, 6.0
"""Direct messages in channels that have to be opened first."""
_FIRST_REST, _LONGEST_REST = timedelta(minutes=2), timedelta(hours=2)


class _Bucket:
    """Allows some at once, and then so many a minute."""

    def __init__(self, at_once: float, a_minute: float) -> None:
        self._most, self._rate = at_once, a_minute
        self._left, self._at = at_once, clock.now()

    def refill(self, slower: int) -> None:
        now = clock.now()
        minutes = (now - self._at).total_seconds() / 60
        if minutes > 0:
            self._left, self._at = min(self._left + minutes * self._rate / slower, self._most), now

    @property
    def has_one(self) -> bool:
        return self._left >= 1.0

    def take(self) -> None:
        self._left -= 1.0

    def empty(self, until: datetime) -> None:
        """Nothing is left, and nothing comes in before then."""
        self._left, self._at = 0.0, until


class DirectPace:
    """Says whether a direct message may be sent now."""

    def __init__(self) -> None:
        self._sent, self._opened = _Bucket(AT_ONCE, A_MINUTE), _Bucket(OPENED_AT_ONCE, OPENED_A_MINUTE)
        self._slower = 1
        self._rests_until: datetime | None = None

    def take(self, *, opens: bool) -> bool:
        """Whether there is room for one more, which is then counted; ``opens`` where its channel is new."""
        if self._rests_until is not None and clock.now() < self._rests_until:
            return False
        needed = [self._sent, self._opened] if opens else [self._sent]
        for bucket in needed:
            bucket.refill(self._slower)
        if not all(bucket.has_one for bucket in needed):
            return False
        for bucket in needed:
            bucket.take()
        return True

    def slow_down(self) -> None:
        """Discord found it too fast: rest, longer each time, and go on at half the pace."""
        rest = min(_FIRST_REST * self._slower, _LONGEST_REST)
        self._rests_until = clock.now() + rest
        self._slower = min(self._slower * 2, 64)
        for bucket in (self._sent, self._opened):
            bucket.empty(self._rests_until)

    def went_well(self) -> None:
        """One was sent without complaint: go a little faster again."""
        self._slower = max(self._slower - 1, 1)
