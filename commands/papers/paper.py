"""`/paper`: the whole card of one paper, and how to cite it."""

from __future__ import annotations

import io
from collections.abc import Coroutine, Sequence
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards import citation
from commands.cards.lists import note
from commands.cards.paper import card
from commands.cards.text import label, safe, shorten
from commands.kit.components import Choosable, Pressable, seen_by
from commands.kit.limits import ASK, PICTURE, SEARCH
from commands.kit.links import Link, Press, button, link
from commands.kit.options import complete_paper
from commands.kit.progress import Need
from commands.kit.replies import Reply, UserError, answer
from commands.kit.services import Services
from data.records import Paper

AUTHORS_LINKED = 4
CHOICES = 25


@button("paper.card", "d:{paper}")
async def open_card(press: Press, paper: int) -> None:
    """Show a paper's card, as a new reply."""
    await answer(press.interaction, show(press.services, paper), private=press.private)


def PaperButton(text: str, *, paper: str) -> Link:  # until every room makes links
    """Leads to a paper's card."""
    return link("paper.card", text, paper=int(paper))


class CiteButton(Pressable, template=r"c:(?P<paper>\d{1,12})"):
    """Gives BibTeX, RIS and CSL-JSON to the one who pressed."""

    def __init__(self, text: str, *, paper: str) -> None:
        self.paper_id = int(paper)
        super().__init__(ui.Button(label=text, custom_id=f"c:{self.paper_id}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, cite(services, self.paper_id), private=True)


class PaperSelect(Choosable, template=r"which:(?P<verb>[dsg])"):
    """Several papers could be meant: choose one, for its card (d), the similar ones (s), or its graph (g)."""

    def __init__(
        self,
        options: list[discord.SelectOption],
        *,
        verb: str,
        placeholder: str = "Which paper do you mean?",
    ) -> None:
        self.verb = verb
        super().__init__(
            ui.Select(
                custom_id=f"which:{verb}",
                placeholder=placeholder,
                options=options or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        from commands.papers import similar
        from commands.people import graph

        paper_id = int(value) if value.isdigit() and len(value) <= 12 else 0
        work: Coroutine[Any, Any, ui.LayoutView | Reply]
        if self.verb == "g":
            work = graph.show_paper(services, paper_id)
        else:
            work = similar.show(services, paper_id) if self.verb == "s" else show(services, paper_id)
        cost = {"d": ASK, "s": SEARCH, "g": PICTURE}[self.verb]
        needs = {"d": (), "s": (Need.PAPERS, Need.MEANING), "g": (Need.PAPERS, Need.PEOPLE)}[self.verb]
        await answer(interaction, work, update=True, cost=cost, needs=needs)


async def cite(services: Services, paper_id: int) -> Reply:
    """How to cite a paper, in three forms."""
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
    view.add_item(ui.TextDisplay(f"BibTeX, and the same as files for other programs:\n{block}"))
    for file in files:
        view.add_item(ui.File(file))
    return Reply(view, files)


async def paper_of(services: Services, paper_id: int) -> Paper:
    """The paper of a store id.

    Raises
    ------
    UserError
        Where there is none (any more).
    """
    papers = await services.store.papers([paper_id])
    if not papers:
        raise UserError("I no longer know this paper. Try /search with words of its title.")
    return papers[0]


async def one_paper(services: Services, typed: str) -> int:
    """The store id of the one paper that a text means.

    Raises
    ------
    UserError
        Where it means none, or several.
    """
    ids = await services.search.resolve(typed)
    if len(ids) != 1:
        raise UserError(
            "Several papers could be meant; choose one of those offered while you type."
            if ids
            else "I know no such paper. Give its title or arXiv id."
        )
    return ids[0]


async def show(services: Services, paper_id: int) -> ui.LayoutView:
    """A paper's card with its buttons."""
    from commands.papers.papers import PapersQuery, papers_button
    from commands.papers.similar import SimilarButton
    from commands.people.author import PersonButton
    from commands.people.graph import GraphButton

    paper = await paper_of(services, paper_id)
    actions: list[ui.Item[Any]] = [
        SimilarButton("Similar papers", paper=str(paper.id)),
        CiteButton("Cite", paper=str(paper.id)),
    ]
    authors = list({author.key: author for author in paper.authors}.values())[:AUTHORS_LINKED]
    ids = await services.store.author_names.numbers([author.key for author in authors])
    whose = await services.store.people.on_paper(paper.id)
    people: list[ui.Item[Any]] = [
        PersonButton(label(author.name, 70), what="a", person=str(whose[ids[author.key]]))
        if ids[author.key] in whose
        else papers_button(label(author.name, 70), PapersQuery(str(ids[author.key])), 0, "e")
        for author in authors
        if author.key in ids
    ]
    if services.insight.people is not None:
        people.append(GraphButton("Graph", kind="w", number=str(paper.id)))
    return card(paper, actions, people, await _figures(services, paper))


async def _figures(services: Services, paper: Paper) -> str | None:
    """Score and novelty with their parts, citations where a source knows them."""
    known = (await services.facts.works([paper])).get(paper.id)
    said = []
    scores = services.insight.scores
    score = scores.paper(paper.id) if scores else None
    if score is not None:
        parts = ", ".join(f"{part.name} {part.value:.0f}" for part in score.parts)
        said.append(f"Score {score.value} ({parts})")
    if known is not None and known[0].cited_by is not None:
        facts, fetched = known
        said.append(f"{facts.cited_by:,} citations (OpenAlex, {fetched.day} {fetched:%b %Y})")
    return " · ".join(said) or None


async def which(services: Services, ids: Sequence[int], verb: str, typed: str) -> ui.LayoutView:
    """Ask which of several papers is meant."""
    options = await _options(services, ids)
    more = f"; the {CHOICES} closest titles are below" if len(ids) > CHOICES else ""
    return note(f"Several papers fit “{_echo(typed)}”{more}.", [[PaperSelect(options, verb=verb)]])


async def also_meant(
    services: Services, view: ui.LayoutView, others: Sequence[int], verb: str, typed: str
) -> ui.LayoutView:
    """Offer, below what is shown of the paper meant, the others that the text could mean."""
    if others:
        options = await _options(services, others)
        placeholder = label(f"Or another with “{' '.join(typed.split())}” in its title", 150)
        view.add_item(ui.ActionRow(PaperSelect(options, verb=verb, placeholder=placeholder)))
    return view


async def _options(services: Services, ids: Sequence[int]) -> list[discord.SelectOption]:
    options = []
    for paper in await services.store.papers(ids[:CHOICES]):
        names = ", ".join(author.name for author in paper.authors[:3])
        when = f"{paper.day:%Y-%m} · " if paper.day else ""
        options.append(
            discord.SelectOption(
                label=label(paper.title, 100), value=str(paper.id), description=label(when + names, 100)
            )
        )
    return options


def _echo(typed: str) -> str:
    return safe(shorten(" ".join(typed.split()), 100))


async def not_found(services: Services, typed: str, verb: str) -> ui.LayoutView:
    """No paper fits: say what would, and offer the nearest for what they are."""
    text = (
        f"Nothing fits: I know no paper that “{_echo(typed)}” could mean. Give an arXiv id or link, a DOI, a title or "
        "part of one, or the name of a system; /search finds papers by what they are about."
    )
    options = await _options(services, await services.search.guesses(typed))
    if not options:
        return note(text)
    select = PaperSelect(options, verb=verb, placeholder="The nearest guesses, none of which fits")
    return note(f"{text}\nBelow are only the nearest guesses.", [[select]])


class PaperCard(commands.Cog):
    """One paper's card."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        paper="An arXiv id or link, a DOI, a title or part of one, or a system's name",
        private="Only you see the answer",
    )
    @app_commands.autocomplete(paper=complete_paper)
    async def paper(
        self, interaction: discord.Interaction, paper: app_commands.Range[str, 1, 6000], private: bool = False
    ) -> None:
        """Show a paper: abstract, authors, links, citation"""
        await answer(interaction, self._paper(interaction, paper), private=private)

    async def _paper(self, interaction: discord.Interaction, typed: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        meant = await services.search.meant(typed)
        if meant.paper is not None:
            view = await show(services, meant.paper)
            return await also_meant(services, view, meant.others, "d", typed)
        if meant.others:
            return await which(services, meant.others, "d", typed)
        return await not_found(services, typed, "d")


async def setup(bot: commands.Bot) -> None:
    """Add the command, its buttons and its select."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(CiteButton, PaperSelect)
    await bot.add_cog(PaperCard(services))
