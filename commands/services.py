"""What commands work with; `bot.app` builds it, `commands` only asks it."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field

from data.store import Store
from index.library import Library
from index.search import Search

PATIENCE = 12.0
"""Seconds; loading the model takes about six."""


@dataclass
class Progress:
    """What is being read in right now, in words, or nothing."""

    text: str = ""


@dataclass
class Services:
    """The store, the indexes and the search over them."""

    store: Store
    library: Library
    search: Search
    categories: tuple[str, ...] = ()
    """The categories that this Labmate follows."""
    progress: Progress = field(default_factory=Progress)
    model_settled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the model is loaded, or is known not to load."""

    async def wait_for_model(self) -> None:
        """Let a question of meaning wait for the model, for as long as a person would."""
        if not self.library.embedder.is_loaded:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.model_settled.wait(), PATIENCE)
