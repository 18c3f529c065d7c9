"""What a command answers with, where a view alone does not do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import discord
from discord import ui


@dataclass(frozen=True)
class Reply:
    """A view with the files that it shows."""

    view: ui.LayoutView
    files: Sequence[discord.File] = ()
    more: Sequence[Reply] = ()
    """What follows in messages of its own, since one can't hold it."""
    later: Callable[[], Awaitable[ui.LayoutView | None]] | None = None
    """Makes what replaces the view once it is sent, outside of the member's turn; None for nothing better."""
