"""`/follow`, `/following` and `/unfollow`: people, papers, topics and categories to get news of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.follows import names_of
from commands.cards.lists import note
from commands.cards.text import label, shown
from commands.kit.installs import anywhere, is_present
from commands.kit.links import Press, button, choice, link, select
from commands.kit.options import CHOICES, complete_category
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.which_paper import unknown_paper
from commands.kit.which_person import ask_which, complete_person, options, others_of, whom
from commands.members.following import follow_options, show_following
from commands.members.topic_remarks import NO_REMARKS, Remarks, remarks_on
from data.stores.members import LONGEST_TARGET, MOST_FOLLOWED, TooManyError
from index.people.person_match import PersonMatch

NEWS = {
    "person": "their new papers",
    "paper": "its follow-ups",
    "topic": "new papers on it",
    "category": "new papers in it",
}


NOT_FOLLOWED = "You don't follow this (any more). /following shows what you follow."


# -- buttons -----------------------------------------------------------------------------------------


@button("follow.person", "fo:p:{person}")
async def follow_person_pressed(press: Press, person: int) -> None:
    """Follow a person."""
    work = partial(follow_person, press.services, press.member, person)
    await answer(press.interaction, seen_in(press.services, press.interaction, work), private=True)


@button("follow.paper", "fo:w:{paper}")
async def follow_paper_pressed(press: Press, paper: int) -> None:
    """Follow a paper."""
    work = partial(follow_paper, press.services, press.member, paper)
    await answer(press.interaction, seen_in(press.services, press.interaction, work), private=True)


@button("follow.correct", "fo:c:{follow}")
async def follow_correct_pressed(press: Press, follow: int) -> None:
    """Follow a topic as it may have been meant, instead of as it was typed."""
    await answer(
        press.interaction, correct_topic(press.services, press.member, follow), private=True, update=True
    )


@button("follow.end", "fu:{follow}")
async def end_follow(press: Press, follow: int) -> None:
    """Unfollow one of the things that the presser follows."""
    await answer(press.interaction, unfollow(press.services, press.member, follow), private=True)


@select("follow.choose_end", "fs", "Unfollow", value=int)
async def end_chosen_follow(press: Press, follow: int) -> None:
    """Unfollow one of the things that the chooser follows."""
    await answer(press.interaction, unfollow(press.services, press.member, follow), private=True)


@select("person.choose_follow", "who:f", "Choose the person", value=int)
async def person_chosen(press: Press, person: int) -> None:
    """Follow one of several people who share a name."""
    await answer(press.interaction, follow_person(press.services, press.member, person), private=True)


# -- what is shown and done --------------------------------------------------------------------------


async def seen_in(
    services: Services, interaction: discord.Interaction, following: Callable[[], Awaitable[ui.LayoutView]]
) -> ui.LayoutView:
    """Follow, and remember the server: its digests may mark the people whom its members follow."""
    view = await following()
    if interaction.guild_id and is_present(interaction):
        await services.store.claims.seen(interaction.user.id, interaction.guild_id)
    return view


async def follow(
    services: Services, member: int, kind: str, target: str, name: str, remarks: Remarks = NO_REMARKS
) -> ui.LayoutView:
    """Follow something, and say what news that brings."""
    target = target[:LONGEST_TARGET]
    try:
        new = await services.store.members.follow(member, kind, target, name, services.place.guild)
    except TooManyError as error:
        raise UserError(f"You already follow {MOST_FOLLOWED} things. /unfollow some first.") from error
    mine = await services.store.members.following(member)
    number = next(f.id for f in mine if f.kind == kind and f.target == target)
    said = "You follow" if new else "You already follow"
    news = (
        f"You get {NEWS[kind]} in your own digest: /digest mine."
        if await services.store.digests.of_owner(member)
        else f"I'll put {NEWS[kind]} in your own digest. You haven't started one yet: /digest mine."
    )
    buttons: list[ui.Item[Any]] = [link("follow.end", "Undo" if new else "Unfollow", follow=number)]
    if remarks.corrected:
        meant = f"Follow “{label(remarks.corrected, 60)}” instead"
        buttons.append(link("follow.correct", meant, follow=number))
    if remarks.person is not None:
        named = label(f"Follow {remarks.person.name}", 80)
        buttons.append(link("follow.person", named, person=remarks.person.id))
    rows = [buttons]
    if remarks.namesakes:
        rows.append([choice("person.choose_follow", await options(services, remarks.namesakes))])
    return note("\n".join([f"{said} **{shown(name, 120)}**. {news}", *remarks.lines]), rows)


async def follow_person(
    services: Services, member: int, number: int, match: PersonMatch | None = None
) -> ui.LayoutView:
    """Follow a person; where a typed name led to them, ``match`` has the others who share it."""
    person = await services.store.people.find(number)
    if person is None:
        raise UserError("I no longer know this person. Try again with the name.")
    remarks = NO_REMARKS
    if match is not None and match.others:
        line = await others_of(services, person, match.typed, "the menu below lists them")
        remarks = Remarks((line,), namesakes=match.others)
    return await follow(services, member, "person", str(person.id), person.name, remarks)


async def follow_paper(services: Services, member: int, number: int) -> ui.LayoutView:
    """Follow a paper."""
    papers = await services.store.papers([number])
    if not papers:
        raise UserError("I no longer know this paper. Try again with its title.")
    return await follow(services, member, "paper", str(papers[0].id), papers[0].title)


async def follow_topic(services: Services, member: int, topic: str) -> ui.LayoutView:
    """Follow a topic in words."""
    words = " ".join(topic.split())
    if not any(character.isalpha() for character in words):
        raise UserError("Give the topic in words, such as: in-network aggregation.")
    remarks = await remarks_on(services, words)
    return await follow(services, member, "topic", words.casefold(), words, remarks)


async def correct_topic(services: Services, member: int, number: int) -> ui.LayoutView:
    """Replace a followed topic with the same topic spelled right."""
    mine = await services.store.members.following(member)
    was = next((follow for follow in mine if follow.id == number and follow.kind == "topic"), None)
    if was is None:
        raise UserError(NOT_FOLLOWED)
    remarks = await remarks_on(services, was.shown)
    topic = remarks.corrected
    if not topic:
        return note(
            f"You follow **{shown(was.shown, 120)}**. There is nothing to correct (any more).",
            [[link("follow.end", "Unfollow", follow=number)]],
        )
    if await services.store.members.reword(member, number, topic.casefold(), topic) is None:
        raise UserError(NOT_FOLLOWED)
    return note(
        f"You now follow **{shown(topic, 120)}** instead of **{shown(was.shown, 120)}**.",
        [[link("follow.end", "Unfollow", follow=number)]],
    )


async def follow_category(services: Services, member: int, category: str) -> ui.LayoutView:
    """Follow a category."""
    known = services.corpus.facets.category_counts()
    name = _spelled(category.strip(), known)
    if not name:
        most = sorted(known, key=lambda one: -known[one])
        offered = f" Those with the most papers: {', '.join(most[:5])}." if most else ""
        raise UserError(f"I don't know any paper in “{shown(category.strip(), 40)}”.{offered}")
    return await follow(services, member, "category", name, name)


def _spelled(typed: str, known: Iterable[str]) -> str:
    """A category as papers have it, whichever letters are capitals; an archive such as ``cs``, too."""
    wanted, archive = typed.casefold(), typed.casefold() + "."
    for one in known:
        if one.casefold() == wanted:
            return one
    return next((one[: len(typed)] for one in known if one.casefold().startswith(archive)), "")


async def unfollow(services: Services, member: int, number: int) -> ui.LayoutView:
    """Unfollow something."""
    names = names_of(await services.store.members.following(member), 120)
    gone = await services.store.members.unfollow(member, number)
    if gone is None:
        raise UserError(NOT_FOLLOWED)
    return note(f"You no longer follow **{names.get(number, shown(gone.shown, 120))}**.")


class Following(commands.Cog):
    """Following people, papers, topics and categories."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command(name="follow")
    @anywhere
    @app_commands.describe(
        person="A person's name",
        paper="A title, an id or a link",
        topic="A topic in words",
        category="A category; I suggest some as you type",
    )
    @app_commands.autocomplete(person=complete_person, category=complete_category)
    async def follow_command(
        self,
        interaction: discord.Interaction,
        person: app_commands.Range[str, 1, 200] | None = None,
        paper: app_commands.Range[str, 1, 500] | None = None,
        topic: app_commands.Range[str, 1, 200] | None = None,
        category: app_commands.Range[str, 1, 40] | None = None,
    ) -> None:
        """Follow a person, a paper, a topic or a category"""
        work = partial(self._follow, interaction, person, paper, topic, category)
        await answer(interaction, seen_in(self._services, interaction, work), private=True)

    async def _follow(
        self,
        interaction: discord.Interaction,
        person: str | None,
        paper: str | None,
        topic: str | None,
        category: str | None,
    ) -> ui.LayoutView:
        services, member = await seen_by(interaction), interaction.user.id
        if sum(option is not None for option in (person, paper, topic, category)) != 1:
            raise UserError("Give one of person, paper, topic or category.")
        if topic is not None:
            return await follow_topic(services, member, topic)
        if category is not None:
            return await follow_category(services, member, category)
        if paper is not None:
            paper_ids = await services.search.resolve(paper, 2)
            if len(paper_ids) != 1:
                raise UserError(
                    "Several papers match. Give the whole title or the id."
                    if paper_ids
                    else unknown_paper(services)
                )
            return await follow_paper(services, member, paper_ids[0])
        found_person = await whom(services, person or "")
        if found_person.person is None:
            return await ask_which(services, found_person, "person.choose_follow")
        return await follow_person(services, member, found_person.person.id, found_person)

    @app_commands.command()
    @anywhere
    async def following(self, interaction: discord.Interaction) -> None:
        """Show what you follow"""
        await answer(interaction, show_following(self._services, interaction.user.id), private=True)

    @app_commands.command(name="unfollow")
    @anywhere
    @app_commands.describe(what="Something that you follow")
    async def unfollow_command(
        self, interaction: discord.Interaction, what: app_commands.Range[str, 1, 100]
    ) -> None:
        """Stop following a person, paper, topic or category"""
        await answer(interaction, self._unfollow(interaction.user.id, what), private=True)

    async def _unfollow(self, member: int, what: str) -> ui.LayoutView:
        mine = await self._services.store.members.following(member)
        wanted = what.strip().casefold()
        chosen = [f for f in mine if f"#{f.id}" == wanted] or [
            f for f in mine if wanted in (f.shown.casefold(), f"{f.shown} ~{f.target}".casefold())
        ]
        chosen = chosen or [f for f in mine if wanted in f.shown.casefold()]
        if len(chosen) == 1:
            return await unfollow(self._services, member, chosen[0].id)
        if chosen:
            lines = await follow_options(self._services, mine, chosen[:CHOICES])
            which = choice("follow.choose_end", lines)
            return note(f"{len(chosen)} of the things that you follow match. Which one?", [[which]])
        raise UserError(
            f"You don't follow anything like “{shown(what, 60)}”. /following shows what you follow."
        )

    @unfollow_command.autocomplete("what")
    async def _complete(
        self, interaction: discord.Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        mine = await self._services.store.members.following(interaction.user.id)
        wanted = current.strip().casefold()
        return [
            app_commands.Choice(name=label(f"{f.shown} ({f.kind})", 100), value=f"#{f.id}")
            for f in mine
            if wanted in f.shown.casefold()
        ][:CHOICES]


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Following(services))
