"""`/who-knows`: the people whose papers show that they know a topic."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.collaborators import proof
from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.search import workplace_left_out
from commands.cards.text import plural, shown, title_link
from commands.kit.installs import with_labmate
from commands.kit.limits import SEARCH
from commands.kit.links import link
from commands.kit.noted import noted_list
from commands.kit.options import PRIVATE
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.similar_papers import GUESSES
from commands.kit.spoken import Spoken, spoken
from commands.kit.waiting import not_yet
from commands.kit.which_person import papers_under_names
from commands.people.within import EMPTY_HERE, EVERYBODY, Within
from index.people.knowing import AT_MOST, Knows, knowing
from index.search.routing import topic_known
from index.search.search import Found
from index.search.workplaces import read_place_of_people

NEEDS = (Need.PAPERS, Need.MEANING, Need.PEOPLE)
SHOWN = 10
POOL = 2_000
"""People looked at before those who are elsewhere are left out."""
READ = 200
"""Papers found for a topic, whose authors are looked at."""


async def people_knowing(
    services: Services, topic: str, most: int, *, everybody: bool = True
) -> tuple[list[Knows], Found]:
    """People by the papers that fit a topic, and what was found for it.

    Unless ``everybody`` can be named, all authors of a paper are among them: others may be left out later.
    """
    await services.wait_for_people()
    people = services.insight.people
    if people is None:
        raise UserError(not_yet(services))
    await services.wait_for_model()
    results = await services.search.search(topic, READ, as_text=True, judged=READ)
    fitting = set(results.fitting)
    found = [hit for hit in results.hits if hit.paper_id in fitting]
    alike = AT_MOST if everybody else None
    return await asyncio.to_thread(knowing, people, found, most, alike=alike), results


async def show_knowing(services: Services, topic: str, within: Within = EVERYBODY) -> ui.LayoutView:
    """People whose papers show a topic, with the papers as proof."""
    place, topic = read_place_of_people(topic)
    most = POOL if within.limits else SHOWN
    known, searched = await people_knowing(services, topic, most, everybody=not within.limits)

    async def among(only: set[int] | None) -> list[Knows]:
        return [entry for entry in known if only is None or entry.person in only][:SHOWN]

    name, said = shown(topic, 100), searched.understood
    if said is not None and said.people and not said.text:
        found = [one for person in said.people if (one := services.corpus.names.get(person))]
        buttons = await papers_under_names(services, found)
        text = f"“{name}” names a person, not a topic. /similar-people shows who works on similar things."
        return note(text, [buttons] if buttons else [])
    experts = await within.find(services, among, lambda entry: entry.person)
    if not searched.fits:
        return await _nobody(services, name, searched, place)
    if not experts:
        return note(EMPTY_HERE if within.limits else f"I know no paper on “{name}” yet.")
    wanted = list(dict.fromkeys(number for entry in experts for number in entry.papers[:2]))
    papers = {paper.id: paper for paper in await services.store.papers(wanted)}
    lines: list[tuple[str, ui.Item[Any]]] = [
        (proof(entry, papers), link("person.card", "Card", person=entry.person)) for entry in experts
    ]
    footer = (
        f"-# Counted among the papers that fit best ({len(searched.fitting)}); people may have written more. "
        "Ranked by how many of these each wrote, how well they fit, and how recent they are. Coauthors of "
        "the same papers come later."
    )
    heading = "\n".join(filter(None, (f"## Who knows {name}", workplace_left_out(place))))
    return people_list(heading, lines, footer)


async def _nobody(services: Services, topic: str, searched: Found, place: str) -> ui.LayoutView:
    """No paper matches the topic: say so, and name the closest papers as guesses."""
    known = plural(services.paper_count, "paper")
    text = f"None of the {known} fits “{topic}”, so I can't name anyone who knows it."
    near = await services.store.papers(searched.near[:GUESSES])
    if near:
        text += "\nThe closest guesses:\n" + "\n".join(f"- {title_link(paper)}" for paper in near)
    return note("\n".join(filter(None, (text, workplace_left_out(place)))))


class WhoKnows(commands.Cog, name="Who knows"):
    """People who know a topic."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command(name="who-knows")
    @with_labmate
    @app_commands.describe(
        topic="A topic, a question or a pasted abstract",
        in_server="Only members of this server who have claimed their papers",
        private=PRIVATE,
    )
    async def who_knows(
        self,
        interaction: discord.Interaction,
        topic: app_commands.Range[str, 1, 3_000],
        in_server: bool = False,
        private: bool = False,
    ) -> None:
        """Find people whose papers show that they know a topic"""
        within = Within(interaction.guild_id if in_server else None, in_server)
        work = self._who_knows(interaction, topic, within)
        await answer(interaction, work, private=private, cost=SEARCH, needs=NEEDS)

    async def _who_knows(self, interaction: discord.Interaction, topic: str, within: Within) -> ui.LayoutView:
        services = await seen_by(interaction)
        read = await services.search.understand(topic)
        view = await show_knowing(services, topic_known(topic, read.workplace), within)
        return await noted_list(services, interaction, view, topic)


@spoken("who-knows", cost=SEARCH, needs=NEEDS)
async def who_knows_in_words(said: Spoken) -> ui.LayoutView:
    """Find people who know a topic for somebody who asked in words."""
    return await show_knowing(said.services, said.options["topic"])


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(WhoKnows(services))
