"""The last question or search in each direct message: for an hour, in memory only."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Any

import discord

from commands.kit.installs import is_present
from data.calendar import clock
from index.answers.asked_before import Before

KEPT_FOR = timedelta(hours=1)
MOST_KEPT = 2_000
"""Direct messages that are remembered at a time."""


class LastAsked:
    """What the next message of a member may go on from; a restart forgets it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, tuple[int, datetime, Before]] = OrderedDict()

    def note(self, place: int | None, member: int, asked: Before) -> None:
        """Remember what was asked in a direct message; None is another place, where nothing is."""
        if place is None:
            return
        self._kept[place] = (member, clock.now(), asked)
        self._kept.move_to_end(place)
        self._forget_old()

    def last(self, place: int) -> Before | None:
        """What was asked last in a direct message, if not long ago."""
        self._forget_old()
        kept = self._kept.get(place)
        return kept[2] if kept else None

    def drop(self, place: int) -> None:
        """Forget what was asked in a place."""
        self._kept.pop(place, None)

    def held(self, member: int) -> dict[str, Any]:
        """What is remembered of a member, ready for JSON."""
        self._forget_old()
        return {"last_asked": [asked.said for whose, _, asked in self._kept.values() if whose == member]}

    def forget(self, member: int) -> int:
        """Forget what a member asked; returns how many questions."""
        gone = [place for place, (whose, _, _) in self._kept.items() if whose == member]
        for place in gone:
            self.drop(place)
        return len(gone)

    def _forget_old(self) -> None:
        now = clock.now()
        # A clock that was set back must not keep anything for longer.
        old = [place for place, (_, when, _) in self._kept.items() if abs(now - when) > KEPT_FOR]
        for place in old:
            self.drop(place)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


def direct_place(interaction: discord.Interaction) -> int | None:
    """The direct message with Labmate where somebody asks; None elsewhere."""
    is_direct = interaction.guild_id is None and is_present(interaction)
    return interaction.channel_id if is_direct else None
