"""`/graph`: a person or paper among people, papers, topics and institutions, as a picture to explore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.graph import graph_card, paper_name, sharing_a_name
from commands.cards.pictures import graph_png
from commands.kit.explore import explore_paper, explore_person
from commands.kit.installs import anywhere
from commands.kit.limits import PICTURE
from commands.kit.links import Press, button, choice, select
from commands.kit.options import PRIVATE, complete_paper
from commands.kit.painter import attached
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services, seen_by
from commands.kit.theme import painted
from commands.kit.waiting import not_yet
from commands.kit.which_paper import ask_which_paper, no_such_paper, offer_others, paper_of
from commands.kit.which_person import (
    CHOOSE_PERSON,
    ask_which,
    complete_person,
    outlined,
    person_of,
    whom,
    with_others,
)
from index.people.graph import Graph
from index.people.neighbourhood import PAPERS, Neighbourhood
from index.search.known_item import Meant

CHOOSE_PAPER = "paper.choose_graph"
NEEDS = (Need.PEOPLE,)


@button("graph.person", "g:p:{person}")
async def open_person(press: Press, person: int) -> None:
    """Draw the graph around a person as a new reply."""
    work = show_person(press.services, person)
    await answer(press.interaction, work, private=press.private, cost=PICTURE, needs=NEEDS)


@button("graph.paper", "g:w:{paper}")
async def open_paper(press: Press, paper: int) -> None:
    """Draw the graph around a paper as a new reply."""
    work = show_paper(press.services, paper)
    await answer(press.interaction, work, private=press.private, cost=PICTURE, needs=NEEDS)


@select("person.choose_graph", "who:g", CHOOSE_PERSON, value=int)
async def choose_person(press: Press, person: int) -> None:
    """Draw the graph around the person that was meant."""
    work = show_person(press.services, person)
    await answer(press.interaction, work, private=press.private, cost=PICTURE, needs=NEEDS)


@select(CHOOSE_PAPER, "which:g", "Which paper do you mean?", value=int)
async def choose_paper(press: Press, paper: int) -> None:
    """Draw the graph around the paper that was meant."""
    work = show_paper(press.services, paper)
    await answer(press.interaction, work, update=True, cost=PICTURE, needs=(Need.PAPERS, Need.PEOPLE))


@select("graph.move", "gs", "Move to a neighbour")
async def move(press: Press, key: str) -> None:
    """Draw the graph around a neighbour in place."""
    await answer(press.interaction, _show_node(press.services, key), update=True, cost=PICTURE, needs=NEEDS)


async def _show_node(services: Services, key: str) -> Reply:
    """The graph around the node with a key: ``p12`` is a person, ``w12`` a paper."""
    kind, number = key[:1], key[1:]
    if kind not in ("p", "w") or not number.isdecimal():
        raise UserError("I can't read this choice. Please ask for the graph again.")
    return await (show_person if kind == "p" else show_paper)(services, int(number))


async def _neighbourhood(services: Services) -> Neighbourhood:
    await services.wait_for_people()
    people = services.insight.people
    if people is None:
        raise UserError(not_yet(services))
    vectors = services.corpus.vectors
    rows = vectors.rows if vectors is not None else None
    return Neighbourhood(services.insight, people, services.facts, paper_name, rows)


async def around_person(services: Services, number: int) -> Graph:
    """The graph around a person."""
    neighbourhood, person = await _neighbourhood(services), await person_of(services, number)
    papers = await services.store.papers(neighbourhood.papers_of(person.id))
    return await neighbourhood.of_person(person, papers)


async def around_paper(services: Services, number: int) -> Graph:
    """The graph around a paper."""
    neighbourhood, paper = await _neighbourhood(services), await paper_of(services, number)
    similar = (await services.search.similar(paper, PAPERS - 1)).hits
    papers = await services.store.papers([hit.paper_id for hit in similar])
    return await neighbourhood.of_paper(paper, papers)


async def show_person(services: Services, number: int) -> Reply:
    """The graph around a person, as a reply."""
    return await _picture(
        services, await around_person(services, number), await explore_person(services, number)
    )


async def show_paper(services: Services, number: int) -> Reply:
    """The graph around a paper, as a reply."""
    return await _picture(services, await around_paper(services, number), explore_paper(services, number))


async def _picture(services: Services, graph: Graph, links: Sequence[ui.Item[Any]]) -> Reply:
    png = await painted(services, graph_png, graph, graph)
    alike = [int(node.key[1:]) for node in sharing_a_name(graph)]
    apart = {f"p{one.person.id}": one.facts for one in await outlined(services, alike)} if alike else {}
    view = graph_card(
        graph, lambda options: choice("graph.move", options), drawn=png is not None, links=links, apart=apart
    )
    return Reply(view, attached(png, "graph.png"))


class GraphCommand(commands.Cog, name="Graph"):
    """Graphs around a person or a paper."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        person="The person in the middle; a paper's name leads to the paper",
        paper="Or the paper in the middle: a title, an id, a link",
        private=PRIVATE,
    )
    @app_commands.autocomplete(person=complete_person, paper=complete_paper)
    async def graph(
        self,
        interaction: discord.Interaction,
        person: app_commands.Range[str, 1, 200] | None = None,
        paper: app_commands.Range[str, 1, 300] | None = None,
        private: bool = False,
    ) -> None:
        """Draw a person or a paper among people, papers and topics"""
        work = self._graph(interaction, person, paper)
        await answer(interaction, work, private=private, cost=PICTURE, needs=(Need.PAPERS, Need.PEOPLE))

    async def _graph(
        self, interaction: discord.Interaction, person: str | None, paper: str | None
    ) -> ui.LayoutView | Reply:
        services = await seen_by(interaction)
        if person:
            return await _of_name(services, person)
        if not paper:
            raise UserError(
                "Name a person or a paper: /graph person: ChonLam Lao, or /graph paper: PrismLLM."
            )
        meant = await services.search.meant(paper)
        if not meant.papers:
            return await no_such_paper(services, paper, CHOOSE_PAPER)
        return await _of_paper(services, meant, paper)


async def _of_name(services: Services, typed: str) -> ui.LayoutView | Reply:
    """The graph of whoever has the name, else of the paper that it names."""
    try:
        match = await whom(services, typed)
    except UserError:  # a title may end like the number of a person
        titled = await services.store.find_title(typed)
        if not titled:
            raise
        return await _of_paper(services, Meant.of(titled), typed)
    if match.person is not None:
        reply = await show_person(services, match.person.id)
        await with_others(services, reply.view, match, "person.choose_graph")
        return reply
    if not match.others and await services.store.author_names.find(typed) is None:
        meant = await services.search.named(typed)
        if meant.papers:
            return await _of_paper(services, meant, typed)
    return await ask_which(services, match, "person.choose_graph", or_paper=True)


async def _of_paper(services: Services, meant: Meant, typed: str) -> ui.LayoutView | Reply:
    if meant.paper is None:
        return await ask_which_paper(services, meant.others, typed, CHOOSE_PAPER)
    reply = await show_paper(services, meant.paper)
    await offer_others(services, reply.view, meant.others, typed, CHOOSE_PAPER)
    return reply


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(GraphCommand(services))
