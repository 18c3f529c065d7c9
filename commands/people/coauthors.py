"""A person's coauthors, and `/similar-people`: the people whose work is most similar."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import plural, shown
from commands.kit.installs import anywhere
from commands.kit.links import Press, button, link, select
from commands.kit.noted import noted_list
from commands.kit.options import PRIVATE
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.spoken import Spoken, spoken
from commands.kit.waiting import not_yet
from commands.kit.which_person import (
    CHOOSE_PERSON,
    ask_which,
    complete_person,
    person_of,
    whom,
    with_others,
)
from index.people.closeness import ALIKE, MOST
from index.people.people import Coauthor, Near, PeopleIndex

LISTED = 8
CHOOSE = "person.choose_similar"
NEEDS = (Need.PEOPLE,)
SIMILAR_NEEDS = (Need.MEANING, Need.PEOPLE)


@button("person.coauthors", "a:c:{person}")
async def open_coauthors(press: Press, person: int) -> None:
    """Show a person's coauthors as a new reply."""
    work = _noted(press, person, show_coauthors(press.services, person))
    await answer(press.interaction, work, private=press.private, needs=NEEDS)


@button("person.similar", "a:s:{person}")
async def open_similar(press: Press, person: int) -> None:
    """Show the people with the most similar work as a new reply."""
    work = _noted(press, person, show_similar(press.services, person))
    await answer(press.interaction, work, private=press.private, needs=SIMILAR_NEEDS)


@select(CHOOSE, "who:s", CHOOSE_PERSON, value=int)
async def choose_similar(press: Press, person: int) -> None:
    """Show the people whose work is most similar to that of the person that was meant."""
    work = _noted(press, person, show_similar(press.services, person))
    await answer(press.interaction, work, private=press.private, needs=SIMILAR_NEEDS)


async def _people(services: Services) -> PeopleIndex:
    await services.wait_for_people()
    if services.insight.people is None:
        raise UserError(not_yet(services))
    return services.insight.people


async def _noted(press: Press, person: int, work: Awaitable[ui.LayoutView]) -> ui.LayoutView:
    """A list of people; in a direct message, the next message may choose one of them."""
    view = await work
    name = (await person_of(press.services, person)).name
    return await noted_list(press.services, press.interaction, view, name)


async def show_coauthors(services: Services, number: int) -> ui.LayoutView:
    """A person's coauthors, closest first."""
    people, person = await _people(services), await person_of(services, number)
    coauthors = people.coauthors(person.id)
    if not coauthors:
        return note(f"I know no paper that **{shown(person.name, 80)}** wrote with anybody.")
    view = people_list(
        f"## Coauthors of {shown(person.name, 80)}\n{plural(len(coauthors), 'coauthor')}, closest first: by "
        "papers together, how few people wrote them, and how recent they are",
        await _coauthor_lines(services, coauthors[:LISTED]),
    )
    view.add_item(ui.ActionRow(link("pair.list", "Possible collaborators", person=person.id, other=0)))
    return view


async def _coauthor_lines(services: Services, coauthors: list[Coauthor]) -> list[tuple[str, ui.Item[Any]]]:
    newest = {paper.id: paper for paper in await services.store.papers([c.papers[0] for c in coauthors])}
    lines: list[tuple[str, ui.Item[Any]]] = []
    for coauthor in coauthors:
        paper = newest.get(coauthor.papers[0])
        last = f"\n-# latest: {shown(paper.title, 100)} ({paper.day.year})" if paper and paper.day else ""
        text = f"**{shown(coauthor.name, 80)}** · {plural(len(coauthor.papers), 'paper')} together{last}"
        lines.append((text, link("person.card", "Card", person=coauthor.person)))
    return lines


async def show_similar(services: Services, number: int) -> ui.LayoutView:
    """People whose work is most similar, each with why."""
    people, person = await _people(services), await person_of(services, number)
    vectors = services.corpus.vectors
    similar = people.near(person.id, vectors, LISTED) if vectors is not None else []
    if not similar:
        return note(
            f"I can't compare the work of **{shown(person.name, 80)}** yet: I'm still embedding the papers."
        )
    lines: list[tuple[str, ui.Item[Any]]] = [
        (_similar_line(services, people, person.id, near), link("person.card", "Card", person=near.person))
        for near in similar
    ]
    return people_list(
        f"## Work most similar to {shown(person.name, 80)}'s",
        lines,
        f"-# Close: a cosine of {ALIKE} or more with a paper of the other person. Similarity: the average "
        f"cosine of each paper with the other person's most similar one. Up to {MOST} papers of each person "
        "are compared, not counting papers written together.",
    )


def _similar_line(services: Services, people: PeopleIndex, person: int, near: Near) -> str:
    theirs, topics = people.papers(near.person).tolist(), services.insight.topics
    shared = topics.shared(people.papers(person).tolist(), theirs, 3) if topics else []
    why = (
        "both write on " + ", ".join(shown(topic, 50) for topic in shared) if shared else "similar abstracts"
    )
    together = f" · {plural(near.together, 'paper')} together" if near.together else ""
    close = f"{near.alike} of {plural(near.compared, 'paper')} close"
    facts = f"{close} · similarity {near.closeness:.2f}{together}"
    return f"**{shown(near.name, 80)}** · {facts}\n-# {why}"


class SimilarPeople(commands.Cog, name="Similar people"):
    """People with similar work."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command(name="similar-people")
    @anywhere
    @app_commands.describe(name="The person's name", private=PRIVATE)
    @app_commands.autocomplete(name=complete_person)
    async def similar_people(
        self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 200], private: bool = False
    ) -> None:
        """Find the people whose work is most similar"""
        work = self._similar(interaction, name)
        await answer(interaction, work, private=private, needs=(Need.PAPERS, *SIMILAR_NEEDS))

    async def _similar(self, interaction: discord.Interaction, name: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        return await noted_list(services, interaction, await _similar_to(services, name), name)


async def _similar_to(services: Services, name: str) -> ui.LayoutView:
    match = await whom(services, name)
    if match.person is None:
        return await ask_which(services, match, CHOOSE)
    return await with_others(services, await show_similar(services, match.person.id), match, CHOOSE)


@spoken("similar-people", needs=(Need.PAPERS, *SIMILAR_NEEDS))
async def similar_people_in_words(said: Spoken) -> ui.LayoutView:
    """Find people with similar work for somebody who asked in words."""
    return await _similar_to(said.services, said.options["name"])


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(SimilarPeople(services))
