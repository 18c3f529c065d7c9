"""`/compare`: two people side by side, the path between them, and what both might read."""

from __future__ import annotations

import asyncio

import discord
import numpy as np
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.comparison import Comparison, Side, comparison_text
from commands.cards.lists import note
from commands.kit.installs import anywhere
from commands.kit.links import link
from commands.kit.options import PRIVATE
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.spoken import Spoken, spoken
from commands.kit.waiting import not_yet
from commands.kit.which_person import ask_which, complete_person, refuse_several, whom
from data.stores.people import Person
from index.people.people import PeopleIndex
from index.people.shared_reading import shared_reading

TOPICS, BOTH_READ = 4, 3
LOOKED_AT = 40
"""How many topics of a person are looked at for some that the other does not mention."""


async def show(services: Services, one: Person, other: Person) -> ui.LayoutView:
    """Two people side by side."""
    people = services.insight.people
    if people is None:
        raise UserError(not_yet(services))
    comparison = await compared(services, people, one, other)
    papers = {paper.id: paper for paper in await services.store.papers(comparison.papers)}
    cards = [link("person.card", f"Card of {person.name}"[:80], person=person.id) for person in (one, other)]
    return note(comparison_text(comparison, papers), [cards])


async def compared(services: Services, people: PeopleIndex, one: Person, other: Person) -> Comparison:
    """What is known of two people together."""
    mine, theirs = people.papers(one.id), people.papers(other.id)
    topics, vectors = services.insight.topics, services.corpus.vectors
    shared = topics.shared(mine.tolist(), theirs.tolist(), TOPICS) if topics else None
    known = set(people.ties(one.id).people.tolist())
    together = people.together(one.id, other.id)
    path = None if together else people.way(one.id, other.id)
    return Comparison(
        (await _side(services, people, one, theirs), await _side(services, people, other, mine)),
        None if shared is None else tuple(shared),
        tuple(people.name(each) for each in people.ties(other.id).people.tolist() if each in known),
        tuple(together),
        None if path is None else tuple(path),
        tuple(shared_reading(vectors, mine, theirs, BOTH_READ)) if vectors is not None else (),
    )


async def _side(services: Services, people: PeopleIndex, person: Person, others: np.ndarray) -> Side:
    """One person, with the topics that the other's titles and abstracts don't even mention."""
    papers, scores, topics = people.papers(person.id), services.insight.scores, services.insight.topics
    own: list[str] = []
    if topics:
        texts = await services.store.texts(others.tolist())
        known = await asyncio.to_thread(topics.mentioned, [text[:2] for text in texts.values()])
        own = [topic.phrase for topic in topics.of(papers, LOOKED_AT) if topic.column not in known]
    return Side(person, scores.person(person.id, papers) if scores else None, tuple(own[:TOPICS]))


class Compare(commands.Cog):
    """Two people side by side."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(first="One person", second="The other", private=PRIVATE)
    @app_commands.autocomplete(first=complete_person, second=complete_person)
    async def compare(
        self,
        interaction: discord.Interaction,
        first: app_commands.Range[str, 1, 200],
        second: app_commands.Range[str, 1, 200],
        private: bool = False,
    ) -> None:
        """Compare two people"""
        work = self._compare(interaction, first, second)
        await answer(interaction, work, private=private, needs=(Need.PAPERS, Need.PEOPLE))

    async def _compare(self, interaction: discord.Interaction, first: str, second: str) -> ui.LayoutView:
        return await compare_named(await seen_by(interaction), first, second)


async def compare_named(services: Services, first: str, second: str) -> ui.LayoutView:
    """Two people side by side, by their names."""
    people: list[Person] = []
    for typed in (first, second):
        match = await whom(services, typed)
        if match.person is None:
            refuse_several(match)
            return await ask_which(services, match, "person.choose_card")
        people.append(match.person)
    if people[0].id == people[1].id:
        raise UserError("They are the same person. Name two different people.")
    return await show(services, people[0], people[1])


@spoken("compare", needs=(Need.PAPERS, Need.PEOPLE))
async def compare_in_words(said: Spoken) -> ui.LayoutView:
    """Compare two people for somebody who asked in words."""
    if "second" not in said.options:
        raise UserError("Name two people, such as: compare Minlan Yu and ChonLam Lao.")
    return await compare_named(said.services, said.options["first"], said.options["second"])


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Compare(services))
