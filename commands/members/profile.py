"""`/profile`: what a member with a claim says about themselves, and who sees it."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.profile import STATUS_WORDS, profile_lines
from commands.cards.text import shown
from commands.kit.installs import with_labmate
from commands.kit.limits import IMPORT
from commands.kit.links import link
from commands.kit.replies import UserError, answer, in_line
from commands.kit.services import Services
from commands.members.cv import CLAIM_FIRST, import_cv, show_kept
from data.calendar import zones
from data.stores.claims import RELEASED, Profile
from index.claims.proof_words import proof_words


async def release(services: Services, member: int) -> ui.LayoutView:
    """End the member's own claim."""
    claim = await services.store.claims.of_member(member)
    if claim is None:
        raise UserError("You don't hold a claim.")
    await services.store.claims.end(claim.id, RELEASED, by=member)
    return note("You have released your claim. I keep what you said about yourself; /me forget deletes it.")


async def claim_first(services: Services, member: int) -> str:
    """What to tell somebody who does not hold a claim (any more), and why."""
    lost = await services.store.claims.lost_by(member)
    if lost is None:
        return CLAIM_FIRST
    when = f" on {lost.ended:%d %B %Y}" if lost.ended else ""
    return (
        f"Your claim has ended{when}: {shown(lost.why_ended, 250)}. I have kept what you said about "
        "yourself. With /claim person:*your name* you begin again; it says which proofs count."
    )


MOST_LINKS = 3
ACCOUNT_CHOICES = {"everybody": "all", "claimed members": "claimed", "nobody": ""}
ACCOUNT_WORDS = {
    "all": "Everybody in your servers",
    "claimed": "Members of your servers who have claimed their papers",
    "": "Nobody",
}


def own_link(text: str) -> str:
    """A link that is safe to show: an https address in plain characters that looks public."""
    if not _looks_public(text):
        raise UserError("A link must begin with https:// and contain no spaces or brackets.")
    return text


def _looks_public(text: str) -> bool:
    plain = text.isascii() and text.isprintable() and not set(text) & set("<>\"'`|\\ ()[]*~")
    try:
        parts = urlsplit(text)
        return (
            plain
            and parts.scheme == "https"
            and "." in (parts.hostname or "")
            and parts.username is None
            and parts.port != 0
        )
    except ValueError:  # stray brackets, or an invalid port
        return False


@with_labmate
class ProfileGroup(commands.GroupCog, group_name="profile", group_description="What you say about yourself"):
    """What a member with a claim says about themselves."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    async def _mine(self, member: int) -> Profile:
        if await self._services.store.claims.of_member(member) is None:
            raise UserError(await claim_first(self._services, member))
        return await self._services.store.claims.profile(member) or Profile(member)

    @app_commands.command()
    async def show(self, interaction: discord.Interaction) -> None:
        """Show what others see about you"""
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
        said = (
            profile_lines(profile, await self._services.store.own_works.of(member))
            or "You have said nothing about yourself yet. /profile edit lets you."
        )
        against = await self._services.store.contests.open_of(claim.id)
        contested = "".join(f"\n**Contested** {shown(entry.reason, 200)}" for entry in against[:3])
        if contested:
            contested += (
                "\n-# Those who manage the server settle this; a stronger proof from you settles it, too."
            )
        return note(
            f"## {name}\nL{claim.level}: {shown(proof_words(claim), 300)}{contested}\n{said}\n"
            f"-# Shown to {who}, on your card. {ACCOUNT_WORDS[profile.account]} can see from your Discord "
            "account which papers are yours.",
            [[link("person.card", "Card", person=claim.person_id)]],
        )

    @app_commands.command()
    @app_commands.describe(
        status="Whether you are open to collaborate",
        seeking="What you are looking for; a dash clears it",
        offering="What you offer; a dash clears it",
        link="Pages of yours, separated by spaces; a dash clears it",
        time_zone="Such as Europe/Berlin; a dash clears it",
        shown_to="Who sees this on your card",
        account="Who can open your papers from your Discord account (right-click your name, Apps)",
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
        account: Literal["everybody", "claimed members", "nobody"] | None = None,
    ) -> None:
        """Say what you are looking for and what you offer"""
        changed = {
            "status": None if status is None else "" if status == "none" else status,
            "seeking": seeking,
            "offering": offering,
            "link": link,
            "time_zone": time_zone,
            "account": None if account is None else ACCOUNT_CHOICES[account],
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
            raise UserError(
                "Say what to change: status, seeking, offering, link, time_zone, shown_to or account."
            )
        if values.get("link"):
            links = values["link"].split()
            if len(links) > MOST_LINKS:
                raise UserError(f"Give at most {MOST_LINKS} links, separated by spaces.")
            values["link"] = " ".join(own_link(link) for link in links)
        if typed := values.get("time_zone"):
            zone = zones.named(typed)
            if zone is None:
                city = zones.city_for(typed) or "Europe/Berlin"
                raise UserError(
                    f"I don't know that time zone. Name a large city, such as {city}, or whole hours from "
                    "UTC, such as UTC+8. I offer time zones while you type."
                )
            values["time_zone"] = zone
        public = profile.public if shown_to is None else shown_to == "everybody"
        kept = ("status", "seeking", "offering", "link", "time_zone", "account")
        known = {name: getattr(profile, name) for name in kept}
        await self._services.store.claims.save_profile(Profile(member, **(known | values), public=public))
        return await self._show(member, guild)

    @edit.autocomplete("time_zone")
    async def _zones(self, interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=zones.title(zone), value=zone) for zone in zones.completed(current)]

    @app_commands.command(name="import")
    @app_commands.describe(file="Your CV: PDF, Markdown, text, LaTeX or BibTeX", orcid="Your ORCID")
    async def import_(
        self,
        interaction: discord.Interaction,
        file: discord.Attachment | None = None,
        orcid: app_commands.Range[str, 1, 100] | None = None,
    ) -> None:
        """Read your CV or ORCID record; you choose what to keep"""
        work = in_line(interaction, import_cv(self._services, interaction.user.id, file, orcid))
        await answer(interaction, work, private=True, cost=IMPORT)

    @app_commands.command()
    async def works(self, interaction: discord.Interaction) -> None:
        """Show what you kept from a CV, and remove any of it"""
        await answer(interaction, show_kept(self._services, interaction.user.id), private=True)

    @app_commands.command()
    async def release(self, interaction: discord.Interaction) -> None:
        """End your claim"""
        await answer(interaction, release(self._services, interaction.user.id), private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    assert set(STATUS_WORDS) <= {"open", "busy", "hiring", "looking"}
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(ProfileGroup(services))
