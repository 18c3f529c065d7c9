"""What of a library is asked for: words that stand in it, else what lies close in meaning; a tag; how far it was read."""

from __future__ import annotations

import asyncio
import json

import numpy as np

from commands.cards import shelf as cards
from commands.cards.text import shown
from commands.kit.services import Services
from data.keys import fold
from data.records import Paper
from data.stores.shelf import STATES, Kept

_AT_ONCE = 100
CLOSE, MOST_CLOSE = 0.3, 10
"""Where no word fits, works whose meaning is at least so close (cosine) to what was asked for."""


class Wanted:
    """What of a library is asked for."""

    def __init__(self, search: str = "", tag: str = "", state: str = "") -> None:
        self.search, self.tag, self.state = search[:200], tag[:60], state if state in STATES else ""

    @property
    def words(self) -> str:
        """In words."""
        said = [
            f"“{shown(self.search, 60)}”" if self.search else "",
            f"#{shown(self.tag, 40)}" if self.tag else "",
        ]
        return " and ".join(filter(None, [*said, cards.STATE_WORDS.get(self.state, "")]))

    def packed(self) -> str:
        """For a button."""
        return json.dumps({"search": self.search, "tag": self.tag, "state": self.state})


async def found_in(
    services: Services, member: int, wanted: Wanted
) -> tuple[int, list[tuple[Kept, Paper | None]]]:
    """(how many there are, those asked for) of a library: all words stand in it, else its meaning is close."""
    everything = await services.store.shelf.of(member)
    papers: dict[int, Paper] = {}
    known = list({kept.paper_id for kept in everything if kept.paper_id})
    for start in range(0, len(known), _AT_ONCE):  # others have their turn between
        papers |= {paper.id: paper for paper in await services.store.papers(known[start : start + _AT_ONCE])}
    pairs = [(kept, papers.get(kept.paper_id or 0)) for kept in everything]
    if wanted.state:
        pairs = [pair for pair in pairs if pair[0].state == wanted.state]
    if wanted.tag:
        tag = fold(wanted.tag.lstrip("#"))
        pairs = [pair for pair in pairs if any(fold(one) == tag for one in pair[0].tags)]
    words = fold(wanted.search).split()
    if words:
        with_words = await asyncio.to_thread(_with_words, pairs, words)
        pairs = with_words or await _by_meaning(services, wanted.search, pairs)
    return len(everything), pairs


def _with_words(pairs: list[tuple[Kept, Paper | None]], words: list[str]) -> list[tuple[Kept, Paper | None]]:
    found = []
    for pair in pairs:
        text = _text(*pair)
        if all(word in text for word in words):
            found.append(pair)
    return found


def _text(kept: Kept, paper: Paper | None) -> str:
    parts = [kept.note, *kept.tags]
    if paper is not None:
        parts += [paper.title, paper.abstract, *(author.name for author in paper.authors)]
    else:
        parts.append(json.dumps(kept.record, ensure_ascii=False))
    return fold(" ".join(parts))


async def _by_meaning(
    services: Services, text: str, pairs: list[tuple[Kept, Paper | None]]
) -> list[tuple[Kept, Paper | None]]:
    library = services.corpus
    vectors = library.vectors
    held = [pair for pair in pairs if pair[1] is not None and vectors is not None and vectors.has(pair[1].id)]
    if not held or vectors is None or not library.embedder.is_loaded:
        return []
    rows = vectors.rows(np.array([paper.id for _, paper in held if paper is not None]))
    asked = await services.search.embed(text)
    if asked is None:
        return []
    close = np.asarray(rows, np.float32) @ np.asarray(asked, np.float32)
    best = [int(place) for place in np.argsort(-close)[:MOST_CLOSE] if close[place] >= CLOSE]
    return [held[place] for place in best]
