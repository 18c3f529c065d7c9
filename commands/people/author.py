"""`/author`: a person's card, and where its figures come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import discord
import numpy as np
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.people import AuthorCard, author_card, corrected_by, span, why_lines
from commands.cards.pictures import activity_png, newest, worth_a_picture
from commands.cards.profile import profile_lines
from commands.kit.explore import explore_person
from commands.kit.installs import anywhere
from commands.kit.last_asked import direct_place
from commands.kit.limits import PICTURE
from commands.kit.links import Press, button, link, select
from commands.kit.noted import note_choice
from commands.kit.options import CHOICES, PRIVATE
from commands.kit.painter import attached
from commands.kit.progress import Need
from commands.kit.replies import answer
from commands.kit.reply import Reply
from commands.kit.services import Services, seen_by
from commands.kit.shown_links import offered_in
from commands.kit.spoken import Spoken, spoken
from commands.kit.theme import painted
from commands.kit.which_person import (
    CHOOSE_PERSON,
    ask_which,
    complete_person,
    name_of_one,
    others_of,
    person_of,
    whom,
)
from data.stores.people import Person
from index.answers.asked_before import NO_LIST, Among, on_person
from index.people.scores import Trust
from index.trust.person_trust import trust_in, visible_profile

TOPICS, COAUTHORS = 6, 6
CHOOSE = "person.choose_card"
NOT_THIS = "Not this person?"
NEEDS = (Need.PEOPLE,)


@button("person.card", "a:a:{person}")
async def open_card(press: Press, person: int) -> None:
    """Show a person's card as a new reply."""
    work = _opened(press, person)
    await answer(press.interaction, work, private=press.private, cost=PICTURE, needs=NEEDS)


@select(CHOOSE, "who:a", CHOOSE_PERSON, value=int)
async def choose_card(press: Press, person: int) -> None:
    """Show the card of the person that was meant."""
    message = press.interaction.message
    among = Among(people=offered_in(message.components, CHOOSE) if message is not None else ())
    work = _opened(press, person, among)
    await answer(press.interaction, work, private=press.private, cost=PICTURE, needs=NEEDS)


async def _opened(press: Press, person: int, among: Among = NO_LIST) -> Reply:
    card = await show_card(press.services, person, press.member, private=press.private)
    await _note(press.services, person, direct_place(press.interaction), press.member, among)
    return card


async def _note(services: Services, number: int, direct: int | None, member: int, among: Among) -> None:
    """Remember a person's card in a direct message."""
    if direct is not None:
        person = await person_of(services, number)
        before = on_person(person.id, person.name, await name_of_one(services, person), among)
        services.last_asked.note(direct, member, before)


@button("person.why", "a:w:{person}")
async def open_why(press: Press, person: int) -> None:
    """Show whoever pressed where a person's figures come from."""
    await answer(press.interaction, show_why(press.services, person), private=True, needs=NEEDS)


async def show_card(services: Services, number: int, member: int, *, private: bool, typed: str = "") -> Reply:
    """The card of a person, with a picture of activity by year.

    ``private`` where only the member sees it; ``typed`` is the name that led there, if one did.
    """
    await services.wait_for_people()
    person = await person_of(services, number)
    services.facts.ask_soon(person.id)
    shared = await others_of(services, person, typed, f"*{NOT_THIS}* shows them")
    card = replace(await _card(services, person, member, private=private), shared=shared)
    people = services.insight.people
    years = people.activity(person.id) if people else {}
    png = (
        await painted(services, activity_png, tuple(years.items()), years) if worth_a_picture(years) else None
    )
    alt = f"Papers by {person.name} by year: {_by_year(years)}" if len(years) > 1 else ""
    actions, more = _rows(person.id)
    actions += await explore_person(services, person.id)
    view = author_card(card, actions, more, "activity.png" if png else None, alt)
    return Reply(view, attached(png, "activity.png"))


def _by_year(years: Mapping[int, int]) -> str:
    """The papers of each year that the picture shows, if there are any, after the sum of all earlier ones."""
    recent = newest(years)
    first = min(recent)
    earlier = sum(count for year, count in years.items() if year < first)
    told = [f"{earlier} before {first}"] if earlier else []
    return ", ".join([*told, *(f"{count} in {year}" for year, count in recent.items() if count)])


def _rows(person: int) -> tuple[list[ui.Item[Any]], list[ui.Item[Any]]]:
    """The two rows of buttons below a card."""
    listed: dict[str, Any] = {"author": f"~{person}", "page": 0, "order": "n", "since": "", "category": ""}
    return [
        link("papers.open", "Papers", **listed),
        link("graph.person", "Graph", person=person),
        link("person.coauthors", "Collaborators", person=person),
        link("person.similar", "Similar people", person=person),
    ], [
        link("person.why", "Why these figures?", person=person),
        link("follow.person", "Follow", person=person),
        link("digest.teach_person", "Teach my digest", person=person),
        link("correction.others", NOT_THIS, person=person),
    ]


async def _card(services: Services, person: Person, member: int, *, private: bool) -> AuthorCard:
    """Everything that a card shows, as far as the member may see it."""
    known = await public_card(services, person)
    return replace(
        known,
        claimed_by=known.trust.claimed_by,
        profile=await _profile(services, person.id, member, private=private),
        corrected=await _corrected(services, person.id),
    )


async def public_card(services: Services, person: Person) -> AuthorCard:
    """A person's card from papers and sources alone, without anything that a member said."""
    insight = services.insight
    facts = await services.facts.of_person(person.id)
    trust, namesakes = await _trust(services, person)
    papers = insight.people.papers(person.id) if insight.people else np.zeros(0, np.int64)
    topics = insight.topics.of(papers, TOPICS) if insight.topics else []
    coauthors = insight.people.most_often(person.id, COAUTHORS) if insight.people else []
    return AuthorCard(
        person,
        trust,
        tuple((topic.phrase, _years(services, topic.papers)) for topic in topics),
        tuple(coauthors),
        insight.scores.person(person.id, papers) if insight.scores else None,
        _novelty(services, papers),
        facts.affiliation if facts else None,
        facts.orcid if facts else None,
        facts.citations if facts else None,
        facts.h_index if facts else None,
        facts.source if facts else "",
        namesakes,
    )


def _years(services: Services, papers: tuple[int, ...]) -> str:
    people = services.insight.people
    days = [day for paper in papers if people and (day := people.day(paper))]
    return span(min(days, default=None), max(days, default=None)) or "undated"


def _novelty(services: Services, papers: np.ndarray) -> tuple[int, int, int] | None:
    """Lower quartile, median and upper quartile of the papers' novelty, as far as known."""
    novel = services.insight.scores.novelties(papers) if services.insight.scores else np.zeros(0)
    if not len(novel):
        return None
    low, middle, high = np.percentile(novel, [25, 50, 75])
    return round(low), round(middle), round(high)


async def _profile(services: Services, person: int, member: int, *, private: bool) -> str:
    """What the person says of themselves, where the member may read it."""
    profile = await visible_profile(services.store, person, member, services.place.guild, private=private)
    return profile_lines(profile, await services.store.own_works.of(profile.member)) if profile else ""


async def _corrected(services: Services, person: int) -> str:
    """Who corrected who this is: the server, the person, or the operator."""
    place, also = services.place, services.store.people.said_of(person)
    history = await services.store.corrections.history(person, place.guild, place.member, also=also)
    return corrected_by([correction for correction in history if correction.undone is None])


async def _trust(services: Services, person: Person) -> tuple[Trust, int]:
    return await trust_in(services.store, services.facts, person, services.place.guild)


async def show_why(services: Services, number: int) -> ui.LayoutView:
    """The parts of a person's figures."""
    await services.wait_for_people()
    person = await person_of(services, number)
    insight = services.insight
    papers = insight.people.papers(person.id) if insight.people else np.zeros(0, np.int64)
    score = insight.scores.person(person.id, papers) if insight.scores else None
    trust, _ = await _trust(services, person)
    return note(why_lines(person.name, trust, score))


class AuthorCommand(commands.Cog, name="Author"):
    """Cards of people."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(name="The person's name", private=PRIVATE)
    @app_commands.autocomplete(name=complete_person)
    async def author(
        self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 200], private: bool = False
    ) -> None:
        """Show an author: papers, topics, collaborators"""
        work = self._author(interaction, name, private)
        await answer(interaction, work, private=private, cost=PICTURE, needs=(Need.PAPERS, Need.PEOPLE))

    async def _author(
        self, interaction: discord.Interaction, name: str, private: bool
    ) -> ui.LayoutView | Reply:
        direct = direct_place(interaction)
        services, member = await seen_by(interaction), interaction.user.id
        return await card_of(services, name, member, private=private, direct=direct)


async def card_of(
    services: Services, name: str, member: int, *, private: bool, direct: int | None = None
) -> ui.LayoutView | Reply:
    """The card of whoever a typed name means, or a question who is meant.

    In a ``direct`` message, the next one may go on from the person.
    """
    match = await whom(services, name)
    if match.person is None:
        note_choice(services, direct, member, name, Among(people=match.others[:CHOICES]))
        by_name = None if match.others else services.corpus.names.get(name)
        if direct is not None and by_name is not None:  # whose papers aren't matched to people yet
            services.last_asked.note(direct, member, on_person(0, by_name.name, by_name.name))
        return await ask_which(services, match, CHOOSE)
    card = await show_card(services, match.person.id, member, private=private, typed=match.typed)
    among = Among(people=(match.person.id, *match.others) if match.others else ())
    await _note(services, match.person.id, direct, member, among)
    return card


@spoken("author", cost=PICTURE, needs=(Need.PAPERS, Need.PEOPLE))
async def author_in_words(said: Spoken) -> ui.LayoutView | Reply:
    """Show a person's card to somebody who asked in words."""
    direct = said.place if said.private else None
    return await card_of(
        said.services, said.options["name"], said.member, private=said.private, direct=direct
    )


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(AuthorCommand(services))
