"""Two papers side by side: how similar they are, what both speak of, and who wrote both."""

from __future__ import annotations

import asyncio

from discord import ui

from commands.cards.lists import Entry, listing
from commands.cards.text import listed, safe, shown
from commands.kit.links import link
from commands.kit.replies import UserError
from commands.kit.services import Services
from commands.kit.which_paper import paper_of
from data.records import Paper
from index.search.facets import Where
from index.search.phrase_shared import shared_phrases
from index.search.similar import ITSELF

AUTHORS = 8
"""Authors in common that are named; others are counted."""


async def compare_papers(services: Services, first: int, second: int) -> ui.LayoutView:
    """Two papers side by side, by their store ids.

    Raises
    ------
    UserError
        Where they are one paper, or one is gone.
    """
    one, other = await paper_of(services, first), await paper_of(services, second)
    if one.id == other.id:
        raise UserError("They are the same paper. Name two different ones.")
    hits = (await services.search.similar(one, 1, Where(ids=frozenset({other.id})))).hits
    [phrases] = await asyncio.to_thread(
        shared_phrases,
        (one.title, one.abstract),
        [(other.title, other.abstract)],
        kept=services.insight.phrases,
    )
    lines = ["## Two papers side by side"]
    if hits and hits[0].closeness is not None:
        lines.append(f"**Similarity** {max(0.0, hits[0].score / ITSELF):.2f}")
    lines.append(
        f"**Both speak of** {' · '.join(map(safe, phrases))}"
        if phrases
        else "I found no phrase that both print."
    )
    lines.append(_authors(one, other))
    keys = frozenset(author.key for author in one.authors) & {author.key for author in other.authors}
    entries = [
        Entry(paper, link("paper.card", "Details", paper=paper.id), bold=keys) for paper in (one, other)
    ]
    return listing("\n".join(lines), entries, start=1, footer=None, rows=[])


def _authors(one: Paper, other: Paper) -> str:
    theirs = {author.key for author in other.authors}
    both = [author.name for author in one.authors if author.key in theirs]
    named = [shown(name, 60) for name in both[:AUTHORS]]
    if len(both) > AUTHORS:
        named.append(f"{len(both) - AUTHORS} more")
    return f"**Both by** {listed(named)}" if both else "They have no author in common."
