"""`/invite` and `/invitations`: one member asks another to work with them; refusals stay unannounced."""

from __future__ import annotations

import asyncio

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.invitations import letter_text
from commands.cards.lists import note
from commands.cards.text import shown
from commands.kit.installs import in_servers, is_present, with_labmate
from commands.kit.links import Press, button, link, select
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.supervise import ended, lasting
from commands.kit.which_person import ask_which, complete_person, whom
from commands.members.invitation_answers import CLAIM_FIRST, show_invitations
from commands.members.invitation_delivery import (
    bond,
    name_of,
    resume,
    tell_recipient,
)
from data.stores.claims import Claim
from data.stores.invitation_limits import InvitationRefused
from data.stores.invitations import ENDED_BY_SENDER

EVERY = 300.0
"""Seconds between looks at what was left undone."""


# -- buttons -----------------------------------------------------------------------------------------


@button("invite.preview", "in:i:{number}")
async def preview_pressed(press: Press, number: int) -> None:
    """Show what would be sent to a person."""
    await answer(press.interaction, preview(press.services, number, press.member), private=True)


@button("invite.send", "in:s:{number}", style=ButtonStyle.primary)
async def send_pressed(press: Press, number: int) -> None:
    """Invite a person."""
    await answer(press.interaction, send(press.interaction, press.services, number, ""), private=True)


@button("invite.letter", "in:t:{number}")
async def letter_pressed(press: Press, number: int) -> None:
    """Write a letter to a person that the presser can send themselves."""
    await answer(press.interaction, letter(press.services, number, press.member, ""), private=True)


@select("person.choose_invite", "who:i", "Choose the person", value=int)
async def person_chosen(press: Press, person: int) -> None:
    """Show what would be sent to one of several people who share a name."""
    await answer(press.interaction, preview(press.services, person, press.member), private=True)


# -- what is shown and sent --------------------------------------------------------------------------


async def _claims(services: Services, member: int, person_id: int) -> tuple[Claim, Claim | None, int]:
    mine = await services.store.claims.of_member(member)
    if mine is None or not mine.holds_in(services.place.guild):
        raise UserError(CLAIM_FIRST)
    person = await services.store.people.find(person_id)
    if person is None:
        raise UserError("I no longer know this person. Try again with the name.")
    own = await services.store.people.find(mine.person_id)
    if own is not None and own.id == person.id:
        raise UserError("That is you.")
    return mine, await services.store.claims.of_person(person.id, services.place.guild), person.id


async def preview(services: Services, person_id: int, member: int) -> ui.LayoutView:
    """Show what would be sent, before anything is."""
    mine, theirs, person = await _claims(services, member, person_id)
    if theirs is None:
        return await letter(services, person, member, "")
    name = shown(await name_of(services, person), 80)
    profile = await services.store.claims.profile(theirs.member)
    busy = " They say they are busy." if profile and profile.public and profile.status == "busy" else ""
    return note(
        f"Invite **{name}** to work with you? I will send them a message with your name "
        f"(**{shown(await name_of(services, mine.person_id), 80)}**), your Discord account, the name of this "
        "server, and the reasons that you see under Why. They can accept, answer “not now”, or block "
        f"you.{busy}\n"
        f"-# To add your own words: /invite person:~{person} about:…",
        [
            [
                link("invite.send", "Send the invitation", number=person),
                link("person.card", "Card", person=person),
            ]
        ],
    )


async def letter(services: Services, person_id: int, member: int, about: str, why: str = "") -> ui.LayoutView:
    """A letter that the member can send themselves, to somebody whom I can't reach."""
    mine, _, person = await _claims(services, member, person_id)
    joined, papers = await bond(services, mine.person_id, person)
    own, other = await name_of(services, mine.person_id), await name_of(services, person)
    why = why or "has not claimed their papers here, so I can't write to them"
    return note(
        f"**{shown(other, 80)}** {why}. Here is a letter to send yourself, from an address that they know:\n"
        + letter_text(own, other, joined, papers, about),
        [[link("person.card", "Card", person=person)]],
    )


async def send(
    interaction: discord.Interaction, services: Services, person_id: int, about: str
) -> ui.LayoutView:
    """Invite somebody."""
    member, guild = interaction.user.id, interaction.guild
    mine, theirs, person = await _claims(services, member, person_id)
    if guild is None or not is_present(interaction):
        raise UserError(
            "Please invite them in a server that you share. If they accept, I open a thread for the two of "
            "you there."
        )
    if theirs is None:
        return await letter(services, person, member, about)
    if theirs.member == member:
        raise UserError("That is you.")
    try:
        await guild.fetch_member(theirs.member)
    except discord.NotFound:
        return await letter(
            services, person, member, about, "is not in this server, so I can't write to them"
        )
    channel = interaction.channel
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    if not isinstance(parent, discord.TextChannel):
        raise UserError(
            "Please invite them in a text channel. If they accept, I open a thread for the two of you there."
        )
    if not interaction.app_permissions.create_private_threads:
        raise UserError(
            "I am not allowed to create private threads in this channel. Use another one, or ask somebody "
            "who manages the server to allow me “Create Private Threads” here."
        )
    await services.store.claims.seen(member, guild.id)
    people = {"sender_person": mine.person_id, "recipient_person": person}
    places = {"guild": guild.id, "channel": parent.id}
    try:
        invitation = await services.store.invitations.send(
            {"sender": member, "recipient": theirs.member, "about": about, **people, **places}
        )
    except InvitationRefused as error:
        raise UserError(str(error)) from error
    name = await name_of(services, person)
    if invitation.state == "waiting":
        try:
            how = await tell_recipient(interaction.client, services, invitation)
        except discord.HTTPException:
            how = ""  # Discord is having problems; :func:`resume` tries again in a few minutes
        if how == "failed":
            await services.store.invitations.answer(invitation.id, member, ENDED_BY_SENDER)
            return await letter(services, person, member, about, "can't be reached through me")
    return note(
        f"Your invitation to **{shown(name, 80)}** is on its way. If they accept, I open a private thread "
        "here for the two of you. /invitations shows what became of it.",
        [[link("invite.withdraw", "Withdraw", number=invitation.id)]],
    )


class Invite(commands.Cog):
    """Inviting somebody to work together."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot = bot
        self._services = services
        self._looking: asyncio.Task[None] | None = None

    async def cog_load(self) -> None:
        """Begin to complete what was left undone."""
        self._looking = asyncio.create_task(lasting(self._look))

    async def cog_unload(self) -> None:
        """Stop, and wait until the store is no longer in use."""
        if self._looking is not None:
            await ended(self._looking)

    async def _look(self) -> None:
        await self._bot.wait_until_ready()
        while True:
            await resume(self._bot, self._services)
            await asyncio.sleep(EVERY)

    @app_commands.command()
    @in_servers
    @app_commands.describe(person="Who to invite", about="What it is about, in your own words")
    @app_commands.autocomplete(person=complete_person)
    async def invite(
        self,
        interaction: discord.Interaction,
        person: app_commands.Range[str, 1, 200],
        about: app_commands.Range[str, 1, 500] | None = None,
    ) -> None:
        """Invite somebody to work with you"""
        await answer(interaction, self._invite(interaction, person, about or ""), private=True)

    async def _invite(self, interaction: discord.Interaction, person: str, about: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        match = await whom(services, person)
        if match.person is None:
            return await ask_which(services, match, "person.choose_invite")
        return await send(interaction, services, match.person.id, about)

    @app_commands.command()
    @with_labmate
    async def invitations(self, interaction: discord.Interaction) -> None:
        """Show the invitations that you have sent and received"""
        await answer(interaction, show_invitations(self._services, interaction.user.id), private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Invite(bot, services))
