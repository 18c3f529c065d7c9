"""The papers most similar to one, or to a pasted text, as commands and digests show them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from discord import ui

from commands.cards.lists import PAGE, Entry, listing, note
from commands.cards.text import label, plural, safe, shorten, shown
from commands.kit.links import link
from commands.kit.services import Services
from commands.kit.which_paper import paper_of
from index.search.phrase_shared import shared_phrases
from index.search.results import Found, Hit
from index.search.similar import ITSELF

SHOWN = 25
GUESSES = 3
"""Papers shown where none matches."""


def waiting_note(results: Found) -> str | None:
    """What is still missing from an answer, in small print."""
    if results.by_words_only:
        return (
            "-# I matched words only, since my model is still loading. Ask again in a few seconds for more."
        )
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
    return await _page(services, heading, (paper.title, paper.abstract), results, page, turns)


async def similar_to_text(services: Services, text: str) -> ui.LayoutView:
    """The papers most similar to a pasted text."""
    await services.wait_for_model()
    results = await services.search.similar_to_text(text, PAGE)
    opening = safe(shorten(" ".join(text.split()), 90))
    heading = f"## Similar to your text\n-# {opening}"
    if results.hits and not results.fits:
        known = plural(services.paper_count, "paper")
        hits = tuple(hit for hit in results.hits if hit.paper_id in results.near)[:GUESSES]
        heading += f"\nNone of the {known} fits.{' The closest guesses:' if hits else ''}"
        if not hits:
            return note(heading)
        results = replace(results, hits=hits)
    return await _page(services, heading, ("", text), results, 0, [])


async def _page(
    services: Services,
    heading: str,
    text: tuple[str, str],
    results: Found,
    page: int,
    turns: list[ui.Item[Any]],
) -> ui.LayoutView:
    hits = results.hits[page * PAGE : (page + 1) * PAGE]
    papers = {paper.id: paper for paper in await services.store.papers([hit.paper_id for hit in hits])}

    def entries() -> list[Entry]:
        held = [hit for hit in hits if hit.paper_id in papers]
        texts = [(papers[hit.paper_id].title, papers[hit.paper_id].abstract) for hit in held]
        in_common = shared_phrases(text, texts, kept=services.insight.phrases)
        return [
            Entry(
                papers[hit.paper_id],
                link("paper.card", "Details", paper=hit.paper_id),
                note=_why(hit, shared),
            )
            for hit, shared in zip(held, in_common, strict=True)
        ]

    made = await asyncio.to_thread(entries)
    footer = waiting_note(results)
    if not made:
        heading += "\nI know no similar papers yet."
    return listing(heading, made, start=page * PAGE + 1, footer=footer, rows=[turns] if turns else [])


def _why(hit: Hit, shared: Sequence[str]) -> str:
    """How similar, by the measure that orders the list, and the phrases that both have."""
    close = (
        f"similarity {max(0.0, hit.score / ITSELF):.2f}" if hit.closeness is not None else "matched by words"
    )
    return f"{close} · in common: {' · '.join(map(safe, shared))}" if shared else close
