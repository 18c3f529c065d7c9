"""`/paper`: the whole card of one paper, and how to cite it."""

from __future__ import annotations

import io
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards import citation
from commands.cards.paper import card
from commands.cards.text import label, plural
from commands.kit.explore import explore_paper
from commands.kit.installs import anywhere
from commands.kit.last_asked import direct_place
from commands.kit.links import Press, button, link, select
from commands.kit.noted import note_choice
from commands.kit.options import A_PAPER, PRIVATE, complete_paper
from commands.kit.replies import answer
from commands.kit.reply import Reply
from commands.kit.services import Services, seen_by
from commands.kit.shown_links import offered_in
from commands.kit.spoken import Spoken, spoken
from commands.kit.which_paper import paper_of, shown
from commands.kit.which_person import papers_under
from data.records import Paper
from index.answers.asked_before import NO_LIST, Among, on_card

AUTHORS_LINKED = 4
CHOOSE = "paper.choose_card"


@button("paper.card", "d:{paper}")
async def open_card(press: Press, paper: int) -> None:
    """Show a paper's card as a new reply."""
    await answer(press.interaction, _opened(press, paper), private=press.private)


@select("paper.open_card", "open:d", "Open a paper", value=int)
async def choose_open(press: Press, paper: int) -> None:
    """Show the card of a paper from a list as a new reply."""
    await answer(press.interaction, _opened(press, paper), private=press.private)


@button("paper.cite", "c:{paper}")
async def open_citation(press: Press, paper: int) -> None:
    """Give BibTeX, RIS and CSL-JSON to whoever pressed."""
    await answer(press.interaction, cite(press.services, paper), private=True)


@select(CHOOSE, "which:d", "Which paper do you mean?", value=int)
async def choose_card(press: Press, paper: int) -> None:
    """Show the card of the paper that was meant."""
    message = press.interaction.message
    among = Among(offered_in(message.components, CHOOSE) if message is not None else ())
    await answer(press.interaction, _opened(press, paper, among), update=True)


async def _opened(press: Press, paper: int, among: Among = NO_LIST) -> ui.LayoutView:
    return await _noted(press.services, paper, direct_place(press.interaction), press.member, among=among)


async def cite(services: Services, paper_id: int) -> Reply:
    """How to cite a paper, in three formats."""
    paper = await paper_of(services, paper_id)
    name = citation.key_of(paper)
    forms = (
        (f"{name}.bib", citation.bibtex(paper)),
        (f"{name}.ris", citation.ris(paper)),
        (f"{name}.json", citation.csl_json(paper)),
    )
    files = [discord.File(io.BytesIO(text.encode()), filename) for filename, text in forms]
    view = ui.LayoutView(timeout=None)
    block = citation.code_block(forms[0][1], 3_500)
    view.add_item(ui.TextDisplay(f"BibTeX, and the same in files for other programs:\n{block}"))
    for file in files:
        view.add_item(ui.File(file))
    return Reply(view, files)


async def show(services: Services, paper_id: int) -> ui.LayoutView:
    """A paper's card with its buttons."""
    paper = await paper_of(services, paper_id)
    actions: list[ui.Item[Any]] = [
        link("paper.similar", "Similar papers", paper=paper.id),
        link("paper.summary", "Summary", paper=paper.id),
        link("paper.cite", "Cite", paper=paper.id),
    ]
    people = await _authors(services, paper)
    if services.insight.people is not None:
        people.append(link("graph.paper", "Graph", paper=paper.id))
    return card(paper, actions, people, await figures(services, paper), explore_paper(services, paper.id))


async def _authors(services: Services, paper: Paper) -> list[ui.Item[Any]]:
    """Buttons to the first authors: to their cards, or to the papers under a name that is nobody's yet."""
    authors = list({author.key: author for author in paper.authors}.values())[:AUTHORS_LINKED]
    ids = await services.store.author_names.numbers([author.key for author in authors])
    people = await services.store.people.on_paper(paper.id)
    return [
        link("person.card", label(author.name, 70), person=people[ids[author.key]])
        if ids[author.key] in people
        else papers_under(label(author.name, 70), ids[author.key])
        for author in authors
        if author.key in ids
    ]


async def figures(services: Services, paper: Paper) -> str | None:
    """The score with its parts, and citations where a source knows them."""
    known = (await services.facts.works([paper])).get(paper.id)
    parts = []
    scores = services.insight.scores
    score = scores.paper(paper.id) if scores else None
    if score is not None:
        breakdown = ", ".join(f"{part.name} {part.value:.0f}" for part in score.parts)
        parts.append(f"Score {score.value} ({breakdown})")
    if known is not None:
        facts, fetched = known
        if facts.cited_by is not None:
            cited = plural(facts.cited_by, "citation")
            parts.append(f"{cited} (OpenAlex, {fetched.day} {fetched:%b %Y})")
    return " · ".join(parts) or None


class PaperCard(commands.Cog):
    """One paper's card."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        paper=A_PAPER,
        private=PRIVATE,
    )
    @app_commands.autocomplete(paper=complete_paper)
    async def paper(
        self, interaction: discord.Interaction, paper: app_commands.Range[str, 1, 6000], private: bool = False
    ) -> None:
        """Show a paper: abstract, authors, links, citation"""
        await answer(interaction, self._paper(interaction, paper), private=private)

    async def _paper(self, interaction: discord.Interaction, typed: str) -> ui.LayoutView:
        return await card_of(await seen_by(interaction), typed, direct_place(interaction))


async def card_of(services: Services, typed: str, direct: int | None = None) -> ui.LayoutView:
    """The card of the paper that a text means, or a question which one is meant.

    In a ``direct`` message, the next one may go on from the paper.
    """

    taken = list[int]()

    async def show_taken(services: Services, paper: int) -> ui.LayoutView:
        taken.append(paper)
        return await show(services, paper)

    view = await shown(services, typed, CHOOSE, show_taken)
    offered = offered_in(view.children, CHOOSE)
    if not taken:
        note_choice(services, direct, services.place.member, typed, Among(offered))
    else:
        among = Among((*taken, *offered) if offered else ())
        await _note(services, taken[0], direct, services.place.member, typed, among)
    return view


async def _noted(
    services: Services, paper_id: int, direct: int | None, member: int, *, among: Among = NO_LIST
) -> ui.LayoutView:
    """A paper's card, remembered in a direct message by a name of its own."""
    await _note(services, paper_id, direct, member, "", among)
    return await show(services, paper_id)


async def _note(
    services: Services, paper_id: int, direct: int | None, member: int, said: str, among: Among
) -> None:
    """Remember a paper's card in a direct message by what was said, or by a name of its own."""
    if direct is not None:
        paper = await paper_of(services, paper_id)
        name = said or await services.search.name_of(paper.id)
        before = on_card(paper.id, paper.title, name, among)
        services.last_asked.note(direct, member, before)


@spoken("paper")
async def paper_in_words(said: Spoken) -> ui.LayoutView:
    """Show a paper to somebody who asked in words."""
    return await card_of(said.services, said.options["paper"], said.place if said.private else None)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(PaperCard(services))
