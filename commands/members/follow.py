"""`/follow`, `/following`, `/unfollow`, and `/me`: what a member wants news of, and what is held about them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.text import label, plural, shown
from commands.kit.components import Choosable, Pressable, seen_by
from commands.kit.limits import EXPORT
from commands.kit.links import Press, button, select
from commands.kit.options import CHOICES
from commands.kit.replies import Reply, UserError, answer
from commands.kit.services import Services
from commands.kit.uploads import Sections, packed, sections_of, with_files
from commands.kit.which_person import ask_which, complete_person, whom
from data.stores.members import MOST_FOLLOWED, Follow, TooManyError
from index.search.facets import in_category

KIND_WORDS = {"person": "people", "paper": "papers", "topic": "topics", "category": "categories"}
NEWS = {
    "person": "their new papers",
    "paper": "its follow-ups",
    "topic": "new papers on it",
    "category": "its new papers",
}


@button("follow.person", "fo:p:{person}")
async def open_follow_person(press: Press, person: int) -> None:
    """Follow a person."""
    following = follow_person(press.services, press.member, person)
    await answer(press.interaction, seen_in(press.services, press.interaction, following), private=True)


@button("follow.paper", "fo:w:{paper}")
async def open_follow_paper(press: Press, paper: int) -> None:
    """Follow a paper."""
    following = follow_paper(press.services, press.member, paper)
    await answer(press.interaction, seen_in(press.services, press.interaction, following), private=True)


@select("person.choose_follow", "who:f", "Choose the person", value=int)
async def choose_follow(press: Press, person: int) -> None:
    """Follow the person that was meant."""
    await answer(press.interaction, follow_person(press.services, press.member, person), private=True)


class UnfollowButton(Pressable, template=r"fu:(?P<follow>\d{1,12})"):
    """End one of the presser's own follows."""

    def __init__(self, text: str, *, follow: str) -> None:
        self.follow = int(follow)
        super().__init__(ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"fu:{self.follow}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, unfollow(services, interaction.user.id, self.follow), private=True)


class UnfollowSelect(Choosable, template=r"fs"):
    """Which of the chooser's own follows to end."""

    def __init__(self, choices: list[discord.SelectOption]) -> None:
        super().__init__(
            ui.Select(
                custom_id="fs",
                placeholder="Unfollow",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        number = int(value) if value.isdigit() and len(value) < 13 else 0
        await answer(interaction, unfollow(services, interaction.user.id, number), private=True)


class ForgetButton(Pressable, template=r"mf:(?P<member>\d{1,20})"):
    """Delete what is held about the presser, who has to be the one it was offered to."""

    def __init__(self, text: str, *, member: str) -> None:
        self.member = int(member)
        super().__init__(ui.Button(label=text, style=ButtonStyle.danger, custom_id=f"mf:{self.member}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, forget(services, interaction.user.id, self.member), private=True)


async def seen_in(
    services: Services, interaction: discord.Interaction, following: Awaitable[ui.LayoutView]
) -> ui.LayoutView:
    """Follow, and keep where from: that server's digests may mark whom its members follow."""
    view = await following
    if interaction.guild_id:
        await services.store.claims.seen(interaction.user.id, interaction.guild_id)
    return view


async def follow(services: Services, member: int, kind: str, target: str, name: str) -> ui.LayoutView:
    """Follow something, and say what that brings."""
    try:
        new = await services.store.members.follow(member, kind, target, name, services.place.guild)
    except TooManyError as error:
        raise UserError(f"You follow {MOST_FOLLOWED} things already; /unfollow some first.") from error
    mine = await services.store.members.following(member)
    number = next(f.id for f in mine if f.kind == kind and f.target == target)
    said = "You follow" if new else "You follow already:"
    return note(
        f"{said} **{shown(name, 120)}**. News is {NEWS[kind]}; it comes with your own digest: /digest mine.",
        [[UnfollowButton("Undo" if new else "Unfollow", follow=str(number))]],
    )


async def follow_person(services: Services, member: int, number: int) -> ui.LayoutView:
    """Follow a person."""
    person = await services.store.people.find(number)
    if person is None:
        raise UserError("I no longer know this person. Try again with the name.")
    return await follow(services, member, "person", str(person.id), person.name)


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
        raise UserError("Say the topic in words, such as: in-network aggregation.")
    return await follow(services, member, "topic", words.casefold(), words)


async def follow_category(services: Services, member: int, category: str) -> ui.LayoutView:
    """Follow an arXiv category."""
    name = category.strip()
    known = services.corpus.facets.category_counts()
    if not any(in_category(one, name) for one in known):
        offered = ", ".join(sorted(known, key=lambda one: -known[one])[:5])
        raise UserError(
            f"I know no paper in “{shown(name, 40)}”. Categories are written like {offered or 'cs.CL'}."
        )
    return await follow(services, member, "category", name, name)


async def unfollow(services: Services, member: int, number: int) -> ui.LayoutView:
    """End a follow of the member's own."""
    gone = await services.store.members.unfollow(member, number)
    if gone is None:
        raise UserError("You do not follow this (any more). /following shows what you follow.")
    return note(f"You no longer follow **{shown(gone.shown, 120)}**.")


async def show_following(services: Services, member: int) -> ui.LayoutView:
    """All that a member follows, by kind, with a select to end it."""
    found = await services.store.members.following(member)
    if not found:
        return note(
            "You follow nobody and nothing yet. /follow takes a person, a paper, a topic or a category; the cards "
            "have buttons for it, too."
        )
    lines = ["## What you follow"]
    for kind, words in KIND_WORDS.items():
        of_kind = [f for f in found if f.kind == kind]
        if of_kind:
            names = ", ".join(shown(f.shown, 80) for f in of_kind[:15])
            more = len(of_kind) - 15
            lines.append(
                f"**{words.capitalize()}** ({len(of_kind)}) {names}"
                + (f" and {more} more" if more > 0 else "")
            )
    return note("\n".join(lines), [[UnfollowSelect([_option(f) for f in found[:CHOICES]])]])


def _option(found: Follow) -> discord.SelectOption:
    return discord.SelectOption(
        label=label(found.shown, 100),
        value=str(found.id),
        description=f"{found.kind}, since {found.made:%d %b %Y}",
    )


async def show_data(services: Services, member: int, limit: int) -> Reply:
    """All that is held about a member, as a file, or as parts of ``limit`` bytes."""
    store = services.store
    held: dict[str, Any] = {}
    for part in store.about_members:
        held |= await part.held(member)
    count = sum(len(value) for value in held.values() if isinstance(value, list))
    name = "labmate-about-me.json"
    files = await asyncio.to_thread(packed, name, sections_of(held), Sections(), limit)
    return with_files(
        f"Everything that I hold about you is in this file: {plural(count, 'entry', 'entries')}. What you typed into "
        "commands is not kept.",
        files,
        [[ForgetButton("Forget me", member=str(member))]],
    )


async def ask_forget(member: int) -> ui.LayoutView:
    """Ask before deleting."""
    return note(
        "This deletes all that I hold about you: your claim and profile, what you took over from a CV, what you follow, whom you did not want "
        "suggested, what you kept, saved and liked, your own digests and feeds, and your invitations (that others blocked you stays theirs). It can't be undone; copies of the database made before keep it until they are deleted.",
        [[ForgetButton("Delete it for good", member=str(member))]],
    )


async def forget(services: Services, presser: int, member: int) -> ui.LayoutView:
    """Delete what is held about the presser."""
    if presser != member:
        raise UserError("This button belongs to somebody else. /me forget is yours.")
    store = services.store
    gone = sum([await part.forget(member) for part in store.about_members])
    return note(
        f"Forgotten: {plural(gone, 'entry', 'entries')} deleted." if gone else "I held nothing about you."
    )


class Following(commands.Cog):
    """What a member wants news of."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command(name="follow")
    @app_commands.describe(
        person="A person's name",
        paper="A title, an arXiv id or a link",
        topic="A topic in words",
        category="An arXiv category such as cs.CL",
    )
    @app_commands.autocomplete(person=complete_person)
    async def follow_command(
        self,
        interaction: discord.Interaction,
        person: app_commands.Range[str, 1, 200] | None = None,
        paper: app_commands.Range[str, 1, 500] | None = None,
        topic: app_commands.Range[str, 1, 200] | None = None,
        category: app_commands.Range[str, 1, 40] | None = None,
    ) -> None:
        """Follow a person, a paper, a topic or a category"""
        work = self._follow(interaction, person, paper, topic, category)
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
            found = await services.search.resolve(paper, 2)
            if len(found) != 1:
                raise UserError(
                    "Several papers could be meant; give the whole title or the arXiv id."
                    if found
                    else "I know no such paper. Give its title or arXiv id."
                )
            return await follow_paper(services, member, found[0])
        found_person = await whom(services, person or "")
        if found_person.person is None:
            return await ask_which(services, found_person, "person.choose_follow")
        return await follow_person(services, member, found_person.person.id)

    @app_commands.command()
    async def following(self, interaction: discord.Interaction) -> None:
        """Show what you follow"""
        await answer(interaction, show_following(self._services, interaction.user.id), private=True)

    @app_commands.command(name="unfollow")
    @app_commands.describe(what="What you follow")
    async def unfollow_command(
        self, interaction: discord.Interaction, what: app_commands.Range[str, 1, 100]
    ) -> None:
        """Stop following somebody or something"""
        await answer(interaction, self._unfollow(interaction.user.id, what), private=True)

    async def _unfollow(self, member: int, what: str) -> ui.LayoutView:
        mine = await self._services.store.members.following(member)
        wanted = what.strip().casefold()
        chosen = [f for f in mine if f"#{f.id}" == wanted] or [
            f for f in mine if wanted == f.shown.casefold()
        ]
        chosen = chosen or [f for f in mine if wanted in f.shown.casefold()]
        if len(chosen) == 1:
            return await unfollow(self._services, member, chosen[0].id)
        if chosen:
            options: list[list[ui.Item[Any]]] = [[UnfollowSelect([_option(f) for f in chosen[:CHOICES]])]]
            return note(f"{len(chosen)} of what you follow fit. Which one?", options)
        raise UserError(f"You follow nothing like “{shown(what, 60)}”. /following shows what you follow.")

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


class Me(commands.GroupCog, group_name="me", group_description="What Labmate holds about you"):
    """What is held about a member."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    @app_commands.command()
    async def data(self, interaction: discord.Interaction) -> None:
        """Get everything that is held about you, as a file"""
        work = show_data(self._services, interaction.user.id, interaction.filesize_limit)
        await answer(interaction, work, private=True, cost=EXPORT)

    @app_commands.command()
    async def forget(self, interaction: discord.Interaction) -> None:
        """Delete everything that is held about you"""
        await answer(interaction, ask_forget(interaction.user.id), private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands, the buttons and the select."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(UnfollowButton, UnfollowSelect, ForgetButton)
    await bot.add_cog(Following(services))
    await bot.add_cog(Me(services))
