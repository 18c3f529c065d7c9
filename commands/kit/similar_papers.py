"""The papers most similar to one, or to a pasted text, as commands and digests show them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from discord import ui

from commands.cards.lists import PAGE, Entry, listing
from commands.cards.text import label, plural, safe, shorten, shown
from commands.kit.links import link
from commands.kit.services import Services
from commands.kit.which_paper import paper_of
from data.records import Paper
from index.search.passages import shared_phrases
from index.search.search import Found

SHOWN = 25
GUESSES = 3
"""Papers shown where none matches."""


def waiting_note(results: Found) -> str | None:
    """What is still missing from an answer, in small print."""
    if results.by_words_only:
        return "-# Matched by words only: the model is still loading. Ask again in a few seconds for more."
    return None


async def similar_papers(services: Services, paper_id: int, page: int = 0) -> ui.LayoutView:
    """A page of the papers most similar to one."""
    paper = await paper_of(services, paper_id)
    if not services.corpus.has_vector(paper.id):
        await services.wait_for_model()
    results = await services.search.similar(paper, SHOWN)
    pages = max(1, -(-len(results.hits) // PAGE))
    page = min(page, pages - 1)
    turns: list[ui.Item[Any]] = []
    if page > 0:
        turns.append(link("similar.turn", "◀ More similar", paper=paper.id, page=page - 1))
    if page < pages - 1:
        turns.append(link("similar.turn", "More ▶", paper=paper.id, page=page + 1))
    turns.append(link("paper.card", label(f"About {paper.title}", 60), paper=paper.id))
    heading = f"## Similar to {shown(paper.title, 150)}"
    return await _page(services, heading, f"{paper.title}. {paper.abstract}", results, page, turns)


async def similar_to_text(services: Services, text: str) -> ui.LayoutView:
    """The papers most similar to a pasted text."""
    await services.wait_for_model()
    results = await services.search.similar_to_text(text, PAGE)
    opening = safe(shorten(" ".join(text.split()), 90))
    heading = f"## Similar to your text\n-# {opening}"
    if results.hits and not results.fits:
        known = plural(await services.store.count(), "paper")
        heading += f"\nNone of the {known} in this library match. These are only the closest guesses."
        results = replace(results, hits=results.hits[:GUESSES])
    return await _page(services, heading, text, results, 0, [])


async def _page(
    services: Services, heading: str, text: str, results: Found, page: int, turns: list[ui.Item[Any]]
) -> ui.LayoutView:
    hits = results.hits[page * PAGE : (page + 1) * PAGE]
    papers = {paper.id: paper for paper in await services.store.papers([hit.paper_id for hit in hits])}

    def entries() -> list[Entry]:
        return [
            Entry(
                papers[hit.paper_id],
                link("paper.card", "Details", paper=hit.paper_id),
                note=_why(services, text, papers[hit.paper_id], hit.closeness),
            )
            for hit in hits
            if hit.paper_id in papers
        ]

    made = await asyncio.to_thread(entries)
    footer = waiting_note(results)
    if not made:
        heading += "\nI know no similar papers yet."
    return listing(heading, made, start=page * PAGE + 1, footer=footer, rows=[turns] if turns else [])


def _why(services: Services, text: str, paper: Paper, closeness: float | None) -> str:
    """How close, and the phrases that both have."""
    phrases = shared_phrases(text, f"{paper.title}. {paper.abstract}", services.search.rarity)
    shared = " · ".join(safe(phrase) for phrase in phrases)
    close = f"similarity {closeness:.2f}" if closeness is not None else "matched by words"
    return f"{close} · in common: {shared}" if shared else close
