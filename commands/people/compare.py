"""`/compare`: two people side by side, the way from one to the other, and what both would read."""

from __future__ import annotations

from typing import Any

import discord
import numpy as np
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.people import span
from commands.cards.text import day, plural, shown, title_link
from commands.kit.components import seen_by
from commands.kit.progress import Need, not_yet
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.which_person import complete_person, whom
from commands.people.author import PersonButton, ask_which
from data.stores.people import Person
from index.people.people import PeopleIndex, Step

TOPICS, BOTH_READ, COMMON = 4, 3, 6


async def show(services: Services, one: Person, other: Person) -> ui.LayoutView:
    """Two people side by side."""
    insight = services.insight
    people = insight.people
    if people is None:
        raise UserError(not_yet(services))
    mine, theirs = people.papers(one.id), people.papers(other.id)
    lines = [f"## {shown(one.name, 60)} and {shown(other.name, 60)}"]
    lines += [_line(services, one, mine), _line(services, other, theirs)]
    if insight.topics:
        shared = insight.topics.shared(mine.tolist(), theirs.tolist(), TOPICS)
        lines.append("**Both write on** " + (_listed(shared) or "nothing that I can see"))
        for person, papers in ((one, mine), (other, theirs)):
            own = [t.phrase for t in insight.topics.of(papers, TOPICS + 3) if t.phrase not in shared][:TOPICS]
            if own:
                lines.append(f"**Only {shown(person.name, 40)}** {_listed(own)}")
    known = {c.person: c.name for c in people.coauthors(one.id)}
    common = [c.name for c in people.coauthors(other.id) if c.person in known]
    if common:
        lines.append(f"**Coauthors in common** ({len(common)}) " + _listed(common[:COMMON]))
    lines.append(await _way(services, people, one, other))
    reading = await _both_read(services, mine, theirs)
    if reading:
        lines += ["**Papers that both would read**", *reading]
    rows: list[list[ui.Item[Any]]] = [
        [
            PersonButton(f"Card of {person.name}"[:80], what="a", person=str(person.id))
            for person in (one, other)
        ]
    ]
    return note("\n".join(lines), rows)


def _listed(names: list[str]) -> str:
    return ", ".join(shown(name, 60) for name in names)


def _line(services: Services, person: Person, papers: np.ndarray) -> str:
    scores = services.insight.scores
    score = scores.person(person.id, papers) if scores else None
    facts = [plural(person.papers, "paper"), span(person.first, person.last)]
    facts += [f"score {score.value}"] if score else []
    return f"**{shown(person.name, 60)}** " + " · ".join(fact for fact in facts if fact)


async def _way(services: Services, people: PeopleIndex, one: Person, other: Person) -> str:
    """The shortest way through coauthors, with the papers on it."""
    together = people.together(one.id, other.id)
    if together:
        papers = await services.store.papers(together[:3])
        listed = "\n".join(f"- {title_link(paper, 100)} ({day(paper.day)})" for paper in papers)
        return f"**{plural(len(together), 'paper')} together**\n{listed}"
    steps = people.way(one.id, other.id)
    if steps is None:
        return "**No way** from one to the other through six papers or fewer."
    return f"**{plural(len(steps), 'paper')} apart** {await _steps(services, one.name, steps)}"


async def _steps(services: Services, name: str, steps: list[Step]) -> str:
    papers = {paper.id: paper for paper in await services.store.papers([step.paper for step in steps])}
    lines = [shown(name, 60)]
    for step in steps:
        paper = papers.get(step.paper)
        by = f" by {title_link(paper, 80)}" if paper else ""
        lines.append(f"→ {shown(step.name, 60)}{by}")
    return "\n".join(lines)


async def _both_read(services: Services, mine: np.ndarray, theirs: np.ndarray) -> list[str]:
    """Papers of neither that lie close to both."""
    vectors = services.corpus.vectors
    if vectors is None:
        return []
    one = vectors.rows(mine).astype(np.float32).sum(axis=0)
    other = vectors.rows(theirs).astype(np.float32).sum(axis=0)
    if not one.any() or not other.any():
        return []
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    both = one + other
    found, _ = vectors.search((both / np.linalg.norm(both)).astype(np.float32), 60)
    own = set(mine.tolist()) | set(theirs.tolist())
    candidates = [int(paper) for paper in found if int(paper) not in own]
    if not candidates:
        return []
    lesser = np.minimum(vectors.closeness(one, candidates), vectors.closeness(other, candidates))
    order = np.argsort(-lesser, kind="stable")[:BOTH_READ]
    papers = await services.store.papers([candidates[place] for place in order])
    return [
        f"- {title_link(paper, 100)} ({day(paper.day)}) · closeness {lesser[place]:.2f} or more"
        for place, paper in zip(order, papers, strict=False)
    ]


class Compare(commands.Cog):
    """Two people side by side."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(a="One person", b="The other", private="Only you see the answer")
    @app_commands.autocomplete(a=complete_person, b=complete_person)
    async def compare(
        self,
        interaction: discord.Interaction,
        a: app_commands.Range[str, 1, 200],
        b: app_commands.Range[str, 1, 200],
        private: bool = False,
    ) -> None:
        """Set two people side by side"""
        work = self._compare(interaction, a, b)
        await answer(interaction, work, private=private, needs=(Need.PAPERS, Need.PEOPLE))

    async def _compare(self, interaction: discord.Interaction, a: str, b: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        people: list[Person] = []
        for typed in (a, b):
            found = await whom(services, typed)
            if found.person is None:
                if found.others:
                    raise UserError(
                        f"Several people print the name “{shown(found.typed, 60)}”. Begin to type it in this "
                        "command and choose one of those that are offered."
                    )
                view = await ask_which(services, found, "a")
                return view
            people.append(found.person)
        if people[0].id == people[1].id:
            raise UserError("These are one person. Name two different people.")
        return await show(services, people[0], people[1])


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Compare(services))
