"""`/claim` and `/profile`: a member who is a person, proven, and what they say of themselves."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit
from zoneinfo import available_timezones

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.profile import STATUS_WORDS, profile_lines
from commands.cards.text import shown
from commands.options import CHOICES
from commands.people import PersonButton, ask_which
from commands.pressing import Pressable
from commands.replies import Kindly, answer
from commands.services import Services
from commands.whom import complete_person, whom
from data.claims import VOUCHES, Claim, ClaimRefused, Profile
from data.sources.http import SourceError
from index.proofs import NotProven, make_code, orcid_in, prove_by_orcid, prove_by_page

LEVELS = {1: "L1, vouched for", 2: "L2, by a page", 3: "L3, by an ORCID record"}
MOST_TEXT = 300


class AskVouchButton(Pressable, template=r"cv:a:(?P<claim>\d{1,12})"):
    """Shows everybody in the channel that a member asks to be vouched for; only that member can ask."""

    def __init__(self, text: str, *, claim: str) -> None:
        self.claim = int(claim)
        super().__init__(ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"cv:a:{self.claim}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, ask_vouch(services, self.claim, interaction.user, interaction.guild_id))


class VouchButton(Pressable, template=r"cv:v:(?P<claim>\d{1,12})"):
    """A claimed member's word for another's claim."""

    def __init__(self, text: str, *, claim: str) -> None:
        self.claim = int(claim)
        super().__init__(ui.Button(label=text, style=ButtonStyle.primary, custom_id=f"cv:v:{self.claim}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        work = vouch(services, self.claim, interaction.user.id, interaction.guild_id)
        await answer(interaction, work, private=True)


async def begin(services: Services, person_id: int, member: int, guild: int | None) -> ui.LayoutView:
    """Open a claim and say how it can be proven."""
    person = await services.store.people.find(person_id)
    if person is None:
        raise Kindly("I no longer know this person. Try again with the name.")
    held = await services.store.claims.of_member(member)
    if held is not None:
        if held.person_id == person.id:
            return note(
                f"You hold **{shown(person.name, 80)}** ({LEVELS[held.level]}). /profile edit says more of you."
            )
        raise Kindly("You hold another person already; /profile release ends that.")
    try:
        claim = await services.store.claims.begin(member, person.id, guild, make_code())
    except ClaimRefused as error:
        raise Kindly(str(error)) from error
    name = shown(person.name, 80)
    holder = await services.store.claims.of_person(person.id)
    contested = (
        "\nSomebody holds this claim already; a stronger proof than theirs makes it yours." if holder else ""
    )
    return note(
        f"## Are you {name}?\nProve it in one of three ways. Your code, for you alone: `{claim.code}`{contested}\n"
        "1. **ORCID (L3)**: put the code into your record's biography or a website entry, then "
        "`/claim orcid:<your ORCID>`. The record has to list one of these papers.\n"
        "2. **A page of yours (L2)**: put the code on a page that has your name and one of these papers on it, "
        "then `/claim page:<its address>`.\n"
        f"3. **Vouching (L1)**: {VOUCHES} members of this server who have claimed their own papers say that it is you.\n"
        "-# Leave the code where it is: the proof is looked at again every month, and the claim ends with it.",
        [
            [
                AskVouchButton("Ask to be vouched for", claim=str(claim.id)),
                PersonButton("Card", what="a", person=str(person.id)),
            ]
        ],
    )


async def prove(services: Services, member: int, page: str | None, orcid: str | None) -> ui.LayoutView:
    """Check the code of the member's newest open claim (or renew the one held)."""
    claim = await services.store.claims.open_of(member)
    if claim is None:
        raise Kindly("You have no open claim. Begin with /claim person:<your name>.")
    person = await services.store.people.find(claim.person_id)
    if person is None:
        raise Kindly("I no longer know this person. Begin anew with /claim person:<your name>.")
    rows = await services.store.people.memberships(person.id)
    papers = await services.store.papers([row.paper_id for row in rows])
    names = [person.name, *person.forms]
    try:
        if orcid is not None:
            number = orcid_in(orcid)
            if number is None:
                raise Kindly("This is no ORCID; it looks like 0000-0002-1825-0097.")
            await prove_by_orcid(services.web, services.orcid_url, number, claim.code, names, papers)
            claim = await services.store.claims.prove(claim.id, "orcid", number)
        else:
            await prove_by_page(services.web, (page or "").strip(), claim.code, names, papers)
            claim = await services.store.claims.prove(claim.id, "page", (page or "").strip())
    except (NotProven, SourceError, ClaimRefused) as error:
        raise Kindly(f"Not proven: {shown(str(error), 300)}") from error
    if claim.guild is not None:
        await services.store.claims.seen(member, claim.guild)
    return _held(claim, person.name)


def _held(claim: Claim, name: str) -> ui.LayoutView:
    return note(
        f"You are **{shown(name, 80)}** now ({LEVELS[claim.level]}). /collaborators without a name is about you; "
        "/profile edit says what you seek and offer.",
        [[PersonButton("Card", what="a", person=str(claim.person_id))]],
    )


async def ask_vouch(
    services: Services, number: int, user: discord.User | discord.Member, guild: int | None
) -> ui.LayoutView:
    """Ask the channel."""
    claim = await services.store.claims.find(number)
    if claim is None or claim.member != user.id:
        raise Kindly("This button belongs to somebody else. /claim person:<your name> begins your own.")
    if claim.state != "open":
        raise Kindly("This claim is not open any more.")
    if guild is None or claim.guild != guild:
        raise Kindly("Members vouch in a server: begin the claim in the one where they know you.")
    person = await services.store.people.find(claim.person_id)
    name = shown(person.name if person else "?", 80)
    return note(
        f"**{shown(user.display_name, 60)}** says to be **{name}**. Members who have claimed their own papers and "
        f"know that this is so can vouch; {VOUCHES} settle it.",
        [
            [
                VouchButton("I vouch", claim=str(claim.id)),
                PersonButton("Card", what="a", person=str(claim.person_id)),
            ]
        ],
    )


async def vouch(services: Services, number: int, member: int, guild: int | None) -> ui.LayoutView:
    """Take a word for somebody's claim."""
    try:
        count, claim = await services.store.claims.vouch(number, member, guild or 0)
    except ClaimRefused as error:
        raise Kindly(str(error)) from error
    person = await services.store.people.find(claim.person_id)
    name = shown(person.name if person else "?", 80)
    if claim.state == "held":
        if guild:
            await services.store.claims.seen(claim.member, guild)
        return note(f"Thank you. **{name}** is claimed now ({LEVELS[claim.level]}).")
    return note(f"Thank you; {VOUCHES - count} more settles that this is **{name}**.")


async def release(services: Services, member: int) -> ui.LayoutView:
    """End the member's own claim."""
    claim = await services.store.claims.of_member(member)
    if claim is None:
        raise Kindly("You hold no claim.")
    await services.store.claims.end(claim.id, "released by the member")
    return note("You have released your claim. What you said of yourself is kept; /me forget deletes it.")


def own_link(text: str) -> str:
    """A link that can be shown: a public-looking https address in plain characters."""
    parts = urlsplit(text)
    plain = all(
        (character.isascii() and character not in "<>\"'`|\\ ()[]*_~") or character == "_"
        for character in text
    )
    if (
        parts.scheme != "https"
        or not parts.hostname
        or "." not in parts.hostname
        or parts.username
        or not plain
    ):
        raise Kindly("A link begins with https:// and has no spaces or brackets.")
    return text


class ClaimCommands(commands.Cog, name="Claims"):
    """A member who is a person."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        person="Your name, as your papers have it",
        page="A page of yours that has the code",
        orcid="Your ORCID",
    )
    @app_commands.autocomplete(person=complete_person)
    async def claim(
        self,
        interaction: discord.Interaction,
        person: app_commands.Range[str, 1, 200] | None = None,
        page: app_commands.Range[str, 1, 2_000] | None = None,
        orcid: app_commands.Range[str, 1, 100] | None = None,
    ) -> None:
        """Say which papers are yours, and prove it"""
        work = self._claim(interaction.user.id, interaction.guild_id, person, page, orcid)
        await answer(interaction, work, private=True)

    async def _claim(
        self, member: int, guild: int | None, person: str | None, page: str | None, orcid: str | None
    ) -> ui.LayoutView:
        if sum(option is not None for option in (person, page, orcid)) != 1:
            raise Kindly(
                "Give your name to begin, then the page or the ORCID that has your code; one at a time."
            )
        if person is None:
            return await prove(self._services, member, page, orcid)
        found = await whom(self._services, person)
        if found.person is None:
            return await ask_which(self._services, found, "m")
        return await begin(self._services, found.person.id, member, guild)


class ProfileGroup(commands.GroupCog, group_name="profile", group_description="What you say of yourself"):
    """What a claimed member says of themselves."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    async def _mine(self, member: int) -> Profile:
        if await self._services.store.claims.of_member(member) is None:
            raise Kindly("Claim your papers first: /claim person:<your name>.")
        return await self._services.store.claims.profile(member) or Profile(member)

    @app_commands.command()
    async def show(self, interaction: discord.Interaction) -> None:
        """Show what others see of you"""
        await answer(interaction, self._show(interaction.user.id, interaction.guild_id), private=True)

    async def _show(self, member: int, guild: int | None) -> ui.LayoutView:
        profile = await self._mine(member)
        claim = await self._services.store.claims.of_member(member)
        assert claim is not None
        if guild is not None:
            await self._services.store.claims.seen(member, guild)
        person = await self._services.store.people.find(claim.person_id)
        name = shown(person.name if person else "?", 80)
        who = "everybody" if profile.public else "members who have claimed their papers"
        said = profile_lines(profile) or "You have said nothing of yourself yet; /profile edit does."
        return note(
            f"## {name}\n{LEVELS[claim.level]}\n{said}\n-# Shown to {who}, on your card.",
            [[PersonButton("Card", what="a", person=str(claim.person_id))]],
        )

    @app_commands.command()
    @app_commands.describe(
        status="Whether you are open to collaborate",
        seeking="What you seek; a dash empties it",
        offering="What you offer; a dash empties it",
        link="A page of yours; a dash empties it",
        time_zone="Such as Europe/Berlin; a dash empties it",
        shown_to="Who sees this on your card",
    )
    async def edit(
        self,
        interaction: discord.Interaction,
        status: Literal["open", "busy", "hiring", "looking", "none"] | None = None,
        seeking: app_commands.Range[str, 1, 300] | None = None,
        offering: app_commands.Range[str, 1, 300] | None = None,
        link: app_commands.Range[str, 1, 300] | None = None,
        time_zone: app_commands.Range[str, 1, 60] | None = None,
        shown_to: Literal["everybody", "claimed members"] | None = None,
    ) -> None:
        """Say what you seek and offer"""
        changed = {
            "status": None if status is None else "" if status == "none" else status,
            "seeking": seeking,
            "offering": offering,
            "link": link,
            "time_zone": time_zone,
        }
        await answer(
            interaction,
            self._edit(interaction.user.id, interaction.guild_id, changed, shown_to),
            private=True,
        )

    async def _edit(
        self, member: int, guild: int | None, changed: dict[str, str | None], shown_to: str | None
    ) -> ui.LayoutView:
        profile = await self._mine(member)
        values = {name: "" if value == "-" else value for name, value in changed.items() if value is not None}
        if not values and shown_to is None:
            raise Kindly("Say what to change: status, seeking, offering, link, time_zone or shown_to.")
        if values.get("link"):
            values["link"] = own_link(values["link"].strip())
        if values.get("time_zone") and values["time_zone"] not in available_timezones():
            raise Kindly(
                "I know no such time zone; it looks like Europe/Berlin, and is offered while typing."
            )
        public = profile.public if shown_to is None else shown_to == "everybody"
        known = {
            name: getattr(profile, name) for name in ("status", "seeking", "offering", "link", "time_zone")
        }
        await self._services.store.claims.save_profile(Profile(member, **(known | values), public=public))
        return await self._show(member, guild)

    @edit.autocomplete("time_zone")
    async def _zones(self, interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        wanted = current.casefold().replace(" ", "_")
        zones = [zone for zone in sorted(available_timezones()) if wanted in zone.casefold()]
        return [app_commands.Choice(name=zone, value=zone) for zone in zones[:CHOICES]]

    @app_commands.command()
    async def release(self, interaction: discord.Interaction) -> None:
        """End your claim"""
        await answer(interaction, release(self._services, interaction.user.id), private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands and buttons."""
    assert set(STATUS_WORDS) <= {"open", "busy", "hiring", "looking"}
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(AskVouchButton, VouchButton)
    await bot.add_cog(ClaimCommands(services))
    await bot.add_cog(ProfileGroup(services))
