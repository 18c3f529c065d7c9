"""`/similar`: the papers closest to one, or to a pasted abstract."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import PAGE, Entry, listing
from commands.cards.text import label, plural, safe, shorten, shown
from commands.kit.components import Pressable
from commands.kit.limits import SEARCH
from commands.kit.options import complete_paper
from commands.kit.progress import Need
from commands.kit.replies import answer
from commands.kit.services import Services
from commands.papers.paper import PaperButton, also_meant, not_found, paper_of, which
from commands.papers.search import GUESSES, waiting_note
from data.records import Paper
from index.search.known_item import PASTED
from index.search.passages import shared_phrases
from index.search.search import Found

SHOWN = 25


class SimilarButton(Pressable, template=r"s:(?P<paper>\d{1,12})"):
    """Leads to the papers closest to one, as a new reply."""

    def __init__(self, text: str, *, paper: str) -> None:
        self.paper_id = int(paper)
        super().__init__(ui.Button(label=text, custom_id=f"s:{self.paper_id}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        private = bool(interaction.message and interaction.message.flags.ephemeral)
        work = show(services, self.paper_id)
        await answer(interaction, work, private=private, cost=SEARCH, needs=(Need.PAPERS, Need.MEANING))


class SimilarPage(Pressable, template=r"sp:(?P<paper>\d{1,12}):(?P<page>\d{1,2})"):
    """Turns a page of similar papers."""

    def __init__(self, text: str, *, paper: str, page: str) -> None:
        self.paper_id, self.page = int(paper), int(page)
        super().__init__(ui.Button(label=text, custom_id=f"sp:{self.paper_id}:{self.page}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        work = show(services, self.paper_id, self.page)
        await answer(interaction, work, update=True, cost=SEARCH, needs=(Need.PAPERS, Need.MEANING))


async def show(services: Services, paper_id: int, page: int = 0) -> ui.LayoutView:
    """A page of the papers closest to one."""
    paper = await paper_of(services, paper_id)
    if not services.corpus.has_vector(paper.id):
        await services.wait_for_model()
    found = await services.search.similar(paper, SHOWN)
    pages = max(1, -(-len(found.hits) // PAGE))
    page = min(page, pages - 1)
    turns: list[ui.Item[Any]] = []
    if page > 0:
        turns.append(SimilarPage("◀ Closer", paper=str(paper.id), page=str(page - 1)))
    if page < pages - 1:
        turns.append(SimilarPage("More ▶", paper=str(paper.id), page=str(page + 1)))
    turns.append(PaperButton(label(f"About {paper.title}", 60), paper=str(paper.id)))
    heading = f"## Similar to {shown(paper.title, 150)}"
    return await _page(services, heading, f"{paper.title}. {paper.abstract}", found, page, turns)


async def show_text(services: Services, text: str) -> ui.LayoutView:
    """The papers closest to a pasted text."""
    await services.wait_for_model()
    found = await services.search.similar_to_text(text, PAGE)
    opening = safe(shorten(" ".join(text.split()), 90))
    heading = f"## Similar to your text\n-# {opening}"
    if found.hits and not found.fits:
        known = plural(await services.store.count(), "paper")
        heading += f"\nNothing fits among the {known} that I hold. These are only the nearest guesses."
        found = replace(found, hits=found.hits[:GUESSES])
    return await _page(services, heading, text, found, 0, [])


async def _page(
    services: Services, heading: str, text: str, found: Found, page: int, turns: list[ui.Item[Any]]
) -> ui.LayoutView:
    hits = found.hits[page * PAGE : (page + 1) * PAGE]
    papers = {paper.id: paper for paper in await services.store.papers([hit.paper_id for hit in hits])}

    def entries() -> list[Entry]:
        return [
            Entry(
                papers[hit.paper_id],
                PaperButton("Details", paper=str(hit.paper_id)),
                note=_why(services, text, papers[hit.paper_id], hit.closeness),
            )
            for hit in hits
            if hit.paper_id in papers
        ]

    made = await asyncio.to_thread(entries)
    footer = waiting_note(services, found)
    if not made:
        heading += "\nNothing here is close to it yet."
    return listing(heading, made, start=page * PAGE + 1, footer=footer, rows=[turns] if turns else [])


def _why(services: Services, text: str, paper: Paper, closeness: float | None) -> str:
    """How close, and the phrases that both have."""
    phrases = shared_phrases(text, f"{paper.title}. {paper.abstract}", services.search.rarity)
    shared = " · ".join(safe(phrase) for phrase in phrases)
    close = f"closeness {closeness:.2f}" if closeness is not None else "by words"
    return f"{close} · shares: {shared}" if shared else close


def looks_pasted(text: str) -> bool:
    """Whether a text is an abstract rather than a title or name."""
    return len(text) > PASTED and len(re.findall(r"\w+", text)) > 25


class Similar(commands.Cog):
    """Papers like one."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        paper="An arXiv id or link, a DOI, a title or part of one, a system's name, or a pasted abstract",
        private="Only you see the answer",
    )
    @app_commands.autocomplete(paper=complete_paper)
    async def similar(
        self, interaction: discord.Interaction, paper: app_commands.Range[str, 1, 6000], private: bool = False
    ) -> None:
        """Find the papers closest to one"""
        work = self._similar(paper)
        await answer(interaction, work, private=private, cost=SEARCH, needs=(Need.PAPERS, Need.MEANING))

    async def _similar(self, typed: str) -> ui.LayoutView:
        meant = await self._services.search.meant(typed)
        if meant.paper is not None:
            return await also_meant(
                self._services, await show(self._services, meant.paper), meant.others, "s", typed
            )
        if meant.others:
            return await which(self._services, meant.others, "s", typed)
        if looks_pasted(typed):
            return await show_text(self._services, typed)
        return await not_found(self._services, typed, "s")


async def setup(bot: commands.Bot) -> None:
    """Add the command and its buttons."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(SimilarButton, SimilarPage)
    await bot.add_cog(Similar(services))
