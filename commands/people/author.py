"""`/author`: somebody's card, and what its buttons lead to. `/similar-people`: whose work lies closest."""

from __future__ import annotations

from typing import Any

import discord
import numpy as np
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.people import (
    AuthorCard,
    author_card,
    corrected_by,
    outline_option,
    people_list,
    span,
    why_lines,
)
from commands.cards.profile import profile_lines
from commands.cards.text import plural, shown
from commands.kit.components import Choosable, Pressable, seen_by
from commands.kit.limits import ASK, PICTURE
from commands.kit.options import CHOICES
from commands.kit.painter import attached
from commands.kit.progress import Need
from commands.kit.replies import Reply, answer
from commands.kit.services import Services
from commands.kit.which_person import Whom, choice, complete_person, outlined, whom
from data.stores.claims import Profile
from data.stores.people import Person
from index.claims.proof_words import proof_words
from index.people.scores import Trust, trust

TOPICS, COAUTHORS, LISTED = 6, 6, 8


class PersonButton(Pressable, template=r"a:(?P<what>[acsw]):(?P<person>\d{1,10})"):
    """Leads to a person's card (a), coauthors (c), similar people (s), or the reasons of the figures (w)."""

    def __init__(self, text: str, *, what: str, person: str) -> None:
        self.what, self.person = what, int(person)
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"a:{what}:{self.person}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        private = bool(interaction.message and interaction.message.flags.ephemeral) or self.what == "w"
        work = self._shown(services, interaction.user.id, private=private)
        await answer(
            interaction,
            work,
            private=private,
            cost=PICTURE if self.what == "a" else ASK,
            needs=(Need.PEOPLE,),
        )

    async def _shown(self, services: Services, member: int, *, private: bool) -> ui.LayoutView | Reply:
        await services.wait_for_people()
        if self.what == "a":
            return await show_card(services, self.person, member, private=private)
        return await {"c": show_coauthors, "s": show_similar, "w": show_why}[self.what](services, self.person)


class PersonSelect(Choosable, template=r"who:(?P<what>[apgsfkmi])"):
    """Which of several people is meant, for the card (a), papers (p), graph (g), similar people (s),
    collaborators (k), to be followed (f), claimed (m), or invited (i)."""

    def __init__(self, choices: list[discord.SelectOption], *, what: str) -> None:
        self.what = what
        super().__init__(
            ui.Select(
                custom_id=f"who:{what}",
                placeholder="Choose the person",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        private = bool(interaction.message and interaction.message.flags.ephemeral)
        number = int(value) if value.isdigit() and len(value) < 11 else 0
        if self.what == "m":
            from commands.members.claim import begin

            work = begin(services, number, interaction.user.id, interaction.guild_id)
            await answer(interaction, work, private=True)
            return
        if self.what == "i":
            from commands.members.invite import preview

            await answer(interaction, preview(services, number, interaction.user.id), private=True)
            return
        private = private or self.what == "f"
        chosen = shown_as(services, self.what, number, interaction.user.id, private=private)
        cost = PICTURE if self.what in "ag" else ASK
        needs = () if self.what == "f" else (Need.PEOPLE,)
        await answer(interaction, chosen, private=private, cost=cost, needs=needs)


async def shown_as(
    services: Services, what: str, person: int, member: int, *, private: bool
) -> ui.LayoutView | Reply:
    """What a command shows a member of a person."""
    await services.wait_for_people()
    if what == "p":
        from commands.papers.papers import PapersQuery, show

        return await show(services, PapersQuery(f"~{person}"))
    if what == "k":
        from commands.people.collaborators import show_suggestions

        return await show_suggestions(services, person, member)
    if what == "f":
        from commands.members.follow import follow_person

        return await follow_person(services, member, person)
    if what == "g":
        from commands.people.graph import show_person

        return await show_person(services, person)
    if what == "s":
        return await show_similar(services, person)
    return await show_card(services, person, member, private=private)


async def asked_for(
    services: Services, typed: str, what: str, member: int, *, private: bool
) -> ui.LayoutView | Reply:
    """Answer for the person that a name means, or ask which of several."""
    found = await whom(services, typed)
    if found.person is not None:
        return await shown_as(services, what, found.person.id, member, private=private)
    return await ask_which(services, found, what)


async def ask_which(services: Services, found: Whom, what: str) -> ui.LayoutView:
    """The select for several people, or the nearest names for nobody."""
    from commands.papers.papers import PapersQuery, papers_button, unknown

    if found.others:
        people = await outlined(services, found.others[:CHOICES])
        view = choice(services, found, people, PersonSelect([outline_option(o) for o in people], what=what))
        author = await services.store.author_names.find(found.typed)
        if what == "p" and author is not None:
            all_of_them = papers_button("All papers under this name", PapersQuery(str(author)), 0, "e")
            view.add_item(ui.ActionRow(all_of_them))
        return view

    if await services.store.author_names.find(found.typed) is not None:
        return note(
            f"I know papers by “{shown(found.typed, 80)}”, but have not sorted out yet who that is: people are "
            f"told apart after papers are read in. /papers lists them by name meanwhile."
        )
    return await unknown(services, found.typed)


def _gone() -> ui.LayoutView:
    return note("I no longer know this person. Try again with the name.")


async def trust_in(services: Services, person: Person) -> tuple[Trust, int]:
    """How well it is known who somebody is, and how many others print the name."""
    rows = await services.store.people.memberships(person.id)
    named = await services.store.people.named(list({row.author_id for row in rows}))
    namesakes = sum(number != person.id for number, _ in named)
    facts = await services.facts.of_person(person.id)
    orcid = facts.orcid if facts else None
    claim = await services.store.claims.of_person(person.id, services.place.guild)
    level, proof = (claim.level, proof_words(claim)) if claim else (0, "")
    against = len(await services.store.contests.open_of(claim.id)) if claim else 0
    sure = [row.confidence for row in rows]
    return trust(sure, namesakes, len(person.forms), orcid, level, proof, against), namesakes


async def show_card(services: Services, number: int, member: int, *, private: bool) -> ui.LayoutView | Reply:
    """The card of a person, with a picture of activity by year; ``private`` where only the member sees it."""
    person = await services.store.people.find(number)
    if person is None:
        return _gone()
    insight = services.insight
    services.facts.ask_soon(person.id)
    facts = await services.facts.of_person(person.id)
    confidence, namesakes = await trust_in(services, person)
    papers = insight.people.papers(person.id) if insight.people else np.zeros(0, np.int64)
    topics = insight.topics.of(papers, TOPICS) if insight.topics else []
    coauthors = insight.people.coauthors(person.id, COAUTHORS) if insight.people else []
    novel = insight.scores.novelties(papers) if insight.scores else np.zeros(0)
    low, middle, high = np.percentile(novel, [25, 50, 75]) if len(novel) else (0, 0, 0)
    card = AuthorCard(
        person,
        confidence,
        tuple((topic.phrase, _years(services, topic.papers)) for topic in topics),
        tuple((coauthor.name, len(coauthor.papers)) for coauthor in coauthors),
        insight.scores.person(person.id, papers) if insight.scores else None,
        (round(low), round(middle), round(high)) if len(novel) else None,
        facts.affiliation if facts else None,
        facts.orcid if facts else None,
        facts.citations if facts else None,
        facts.h_index if facts else None,
        facts.source if facts else "",
        namesakes,
        claimed_by=confidence.claimed_by,
        profile=await said_of_themselves(services, person.id, member, private=private),
        corrected=await corrected(services, person.id),
    )
    years = insight.people.activity(person.id) if insight.people else {}
    png = await _activity(services, person.id, years)
    own = str(person.id)
    from commands.members.follow import FollowButton
    from commands.papers.papers import PapersQuery, papers_button
    from commands.people.corrections import CorrectButton
    from commands.people.graph import GraphButton

    actions = [
        papers_button("Papers", PapersQuery(f"~{own}"), 0, "e"),
        GraphButton("Graph", kind="p", number=own),
        PersonButton("Collaborators", what="c", person=own),
        PersonButton("Similar people", what="s", person=own),
    ]
    more: list[ui.Item[Any]] = [
        PersonButton("Why these figures?", what="w", person=own),
        FollowButton("Follow", kind="p", number=own),
        CorrectButton("Not this person?", what="n", person=own),
    ]
    alt = "Papers by year: " + ", ".join(f"{year}: {count}" for year, count in years.items())
    view = author_card(card, actions, more, "activity.png" if png else None, alt)
    return Reply(view, attached(png, "activity.png"))


async def corrected(services: Services, person: int) -> str:
    """On whose word somebody is who they are here: the server's, their own, or the operator's."""
    place, also = services.place, services.store.people.said_of(person)
    found = await services.store.corrections.history(person, place.guild, place.member, also=also)
    return corrected_by([correction for correction in found if correction.undone is None])


async def said_of_themselves(services: Services, person: int, asker: int, *, private: bool) -> str:
    """What the holder of a person says: to everybody, or to members who hold a claim, where only they see it."""
    claims, guild = services.store.claims, services.place.guild
    claim = await claims.of_person(person, guild)
    if claim is None:
        return ""
    profile = await claims.profile(claim.member) or Profile(claim.member)
    if not profile.public:
        theirs = await claims.of_member(asker)
        may = asker == profile.member or (theirs is not None and theirs.holds_in(guild))
        if not (private and may):
            return ""
    return profile_lines(profile, await services.store.own_works.of(claim.member))


async def _activity(services: Services, person: int, years: dict[int, int]) -> bytes | None:
    if not years:
        return None
    from commands.cards.pictures import activity_png

    return await services.painter.paint(activity_png, tuple(years.items()), years)


def _years(services: Services, papers: tuple[int, ...]) -> str:
    people = services.insight.people
    days = [day for paper in papers if people and (day := people.day(paper))]
    return span(min(days, default=None), max(days, default=None)) or "undated"


async def show_why(services: Services, number: int) -> ui.LayoutView:
    """The parts of a person's figures."""
    person = await services.store.people.find(number)
    if person is None:
        return _gone()
    insight = services.insight
    papers = insight.people.papers(person.id) if insight.people else np.zeros(0, np.int64)
    score = insight.scores.person(person.id, papers) if insight.scores else None
    confidence, _ = await trust_in(services, person)
    return note(why_lines(person.name, confidence, score))


async def show_coauthors(services: Services, number: int) -> ui.LayoutView:
    """Whom a person has written with, closest first."""
    person = await services.store.people.find(number)
    people = services.insight.people
    if person is None or people is None:
        return _gone()
    found = people.coauthors(person.id, LISTED)
    if not found:
        return note(f"I know no paper that **{shown(person.name, 80)}** wrote with anybody.")
    newest = {p.id: p for p in await services.store.papers([c.papers[0] for c in found])}
    lines = []
    for coauthor in found:
        paper = newest.get(coauthor.papers[0])
        last = f"last: {shown(paper.title, 100)} ({paper.day.year})" if paper and paper.day else ""
        lines.append(
            (
                f"**{shown(coauthor.name, 80)}** · {plural(len(coauthor.papers), 'paper')} together\n-# {last}",
                PersonButton("Card", what="a", person=str(coauthor.person)),
            )
        )
    total = len(people.coauthors(person.id))
    from commands.people.collaborators import PairButton

    view = people_list(
        f"## Whom {shown(person.name, 80)} writes with\n{plural(total, 'coauthor')}; closest first, by papers "
        "together, how few wrote them, and how recent they are",
        lines,
    )
    view.add_item(
        ui.ActionRow(PairButton("Whom to work with next", what="l", person=str(person.id), other="0"))
    )
    return view


async def show_similar(services: Services, number: int) -> ui.LayoutView:
    """People whose work lies closest, each with why."""
    person = await services.store.people.find(number)
    insight, vectors = services.insight, services.corpus.vectors
    if person is None or insight.people is None:
        return _gone()
    found = insight.people.near(person.id, vectors, LISTED) if vectors is not None else []
    if not found:
        return note(
            f"I can't compare the work of **{shown(person.name, 80)}** yet: the papers' embeddings are still being made."
        )
    mine = insight.people.papers(person.id).tolist()
    lines = []
    for near in found:
        theirs = insight.people.papers(near.person).tolist()
        topics = insight.topics.shared(mine, theirs, 3) if insight.topics else []
        why = (
            "both write on " + ", ".join(shown(topic, 50) for topic in topics)
            if topics
            else "close abstracts"
        )
        known = f" · {plural(near.together, 'paper')} together" if near.together else ""
        lines.append(
            (
                f"**{shown(near.name, 80)}** · closeness {near.closeness:.2f} · {plural(len(theirs), 'paper')}{known}\n-# {why}",
                PersonButton("Card", what="a", person=str(near.person)),
            )
        )
    return people_list(
        f"## Whose work lies closest to {shown(person.name, 80)}",
        lines,
        "-# Closeness is the cosine between the mean directions of two people's abstracts; people with two papers or more.",
    )


class PeopleCommands(commands.Cog, name="People"):
    """Cards of people."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(name="The person's name", private="Only you see the answer")
    @app_commands.autocomplete(name=complete_person)
    async def author(
        self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 200], private: bool = False
    ) -> None:
        """Show who somebody is: works, topics, collaborators"""
        work = self._asked(interaction, name, "a", private)
        await answer(interaction, work, private=private, cost=PICTURE, needs=(Need.PAPERS, Need.PEOPLE))

    @app_commands.command(name="similar-people")
    @app_commands.describe(name="The person's name", private="Only you see the answer")
    @app_commands.autocomplete(name=complete_person)
    async def similar_people(
        self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 200], private: bool = False
    ) -> None:
        """Find people whose work lies closest"""
        work = self._asked(interaction, name, "s", private)
        await answer(interaction, work, private=private, needs=(Need.PAPERS, Need.PEOPLE))

    async def _asked(
        self, interaction: discord.Interaction, name: str, what: str, private: bool
    ) -> ui.LayoutView | Reply:
        services = await seen_by(interaction)
        return await asked_for(services, name, what, interaction.user.id, private=private)


async def setup(bot: commands.Bot) -> None:
    """Add the commands, their buttons and the select."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(PersonButton, PersonSelect)
    await bot.add_cog(PeopleCommands(services))
