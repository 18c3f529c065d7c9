"""`/compare`: two people side by side, the path between them, and what both might read; or two papers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import discord
import numpy as np
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.comparison import Comparison, Side, comparison_text
from commands.cards.lists import note
from commands.kit.installs import anywhere
from commands.kit.last_asked import direct_place
from commands.kit.links import Press, link, select
from commands.kit.noted import note_choice
from commands.kit.options import PRIVATE
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.shown_links import listed_on, people_on
from commands.kit.spoken import Spoken, spoken
from commands.kit.waiting import not_yet
from commands.kit.which_paper import no_such_paper
from commands.kit.which_person import (
    CHOOSE_PERSON,
    GONE,
    ask_which,
    complete_person,
    person_of,
    refuse_several,
    whom,
    with_others,
)
from commands.people.compared_papers import compare_papers
from data.stores.people import Person
from index.answers.asked_before import Among
from index.people.people import PeopleIndex
from index.people.person_match import PersonMatch
from index.people.shared_reading import shared_reading
from index.search.named_papers import identifier

TOPICS, BOTH_READ = 4, 3
LOOKED_AT = 40
"""How many topics of a person are looked at for some that the other does not mention."""


@select("compare.choose", "cmp:{other}:{place:[12]}", CHOOSE_PERSON, value=int)
async def choose(press: Press, person: int, other: int, place: str) -> None:
    """Compare the person that was meant, in the first or second ``place``, with another one."""
    work = _chosen(press.services, (person, other) if place == "1" else (other, person))
    await answer(press.interaction, work, private=press.private, needs=(Need.PEOPLE,))


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
    @app_commands.describe(
        first="One person; or a paper: an id, a link, a title", second="The other", private=PRIVATE
    )
    @app_commands.autocomplete(first=complete_person, second=complete_person)
    async def compare(
        self,
        interaction: discord.Interaction,
        first: app_commands.Range[str, 1, 200],
        second: app_commands.Range[str, 1, 200],
        private: bool = False,
    ) -> None:
        """Compare two people, or two papers"""
        work = self._compare(interaction, first, second)
        await answer(interaction, work, private=private, needs=(Need.PAPERS, Need.PEOPLE))

    async def _compare(self, interaction: discord.Interaction, first: str, second: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        view = await compare_named(services, first, second)
        among = listed_on(view) or Among(people=people_on(view))
        note_choice(services, direct_place(interaction), interaction.user.id, f"{first}, {second}", among)
        return view


async def compare_named(services: Services, first: str, second: str) -> ui.LayoutView:
    """Two people side by side, by their names; or two papers, by their ids, links, titles or names."""
    typed = first, second
    meant = [await _paper_meant(services, text) for text in typed]
    if meant[0] is not None and meant[1] is not None:
        for text, paper in zip(typed, meant, strict=True):
            if not paper:
                return await no_such_paper(services, text, "paper.choose_card")
        return await compare_papers(services, meant[0], meant[1])
    if any(identifier(text) is not None for text in typed):
        raise UserError("Name two people, or two papers by their ids, links or titles.")
    matches = [await whom(services, text) for text in typed]
    one, other = matches
    if one.person is not None and other.person is not None:
        return await _taken(services, one, other)
    unsure = one if one.person is None else other
    sure = other if unsure is one else one
    if sure.person is None:  # a menu asks for one of them only
        refuse_several(unsure)
    place = "1" if unsure is one else "2"
    other_id = sure.person.id if sure.person is not None else 0
    return await ask_which(services, unsure, "compare.choose", other=other_id, place=place)


async def _paper_meant(services: Services, typed: str) -> int | None:
    """The paper that a text names, 0 for an identifier of an unknown one; None for anything else."""
    if identifier(typed) is not None:
        return (await services.search.meant(typed)).paper or 0
    if services.corpus.names.get(typed) is not None or "~" in typed:
        return None
    return (await services.search.named(typed)).paper


async def _taken(services: Services, one: PersonMatch, other: PersonMatch) -> ui.LayoutView:
    """The comparison of two people who were taken for those of two names, and who else has the names."""
    if one.person is None or other.person is None:
        raise UserError(GONE)
    if one.person.id == other.person.id:
        raise UserError("They are the same person. Name two different people.")
    view = await show(services, one.person, other.person)
    await with_others(services, view, one, "compare.choose", other=other.person.id, place="1")
    return await with_others(services, view, other, "compare.choose", other=one.person.id, place="2")


async def _chosen(services: Services, people: Sequence[int]) -> ui.LayoutView:
    """Two people side by side, by their numbers."""
    await services.wait_for_people()
    one, other = [await person_of(services, number) for number in people]
    if one.id == other.id:
        raise UserError("They are the same person. Name two different people.")
    return await show(services, one, other)


@spoken("compare", needs=(Need.PAPERS, Need.PEOPLE))
async def compare_in_words(said: Spoken) -> ui.LayoutView:
    """Compare two people or papers for somebody who asked in words."""
    if "second" not in said.options:
        raise UserError("Name two people or papers, such as: compare Minlan Yu and ChonLam Lao.")
    return await compare_named(said.services, said.options["first"], said.options["second"])


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Compare(services))
