"""`/invite` and `/invitations`: a claimed member asks another to work together; nobody is pressed, or told of a no."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.invitations import line, to_send_oneself
from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import label, shown
from commands.kit.components import Choosable, Pressable, seen_by
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.supervise import lasting
from commands.kit.which_person import complete_person, whom
from commands.members.invitation_delivery import (
    bond,
    close_message,
    invited_view,
    name_of,
    open_thread,
    resume,
    tell_recipient,
)
from commands.people.author import PersonButton, ask_which
from data.stores.claims import Claim
from data.stores.invitation_limits import InvitationRefused
from data.stores.invitations import ENDED_BY_SENDER, Invitation

SHOWN = 10
EVERY = 300.0
"""Seconds between looks at what is left undone."""
STYLES = {"a": ButtonStyle.success, "s": ButtonStyle.primary, "b": ButtonStyle.danger}
CLAIM_FIRST = (
    "Invitations are between members who have claimed their papers. Yours first: /claim person:*your name*."
)


class InviteButton(Pressable, template=r"in:(?P<what>[anburwoist]):(?P<number>\d{1,12})"):
    """Of an invitation: accept (a), not now (n), block (b) and unblock (u) its sender, read (r), withdraw (w),
    or the mark of its thread (o). Of a person: what would be sent (i), send it (s), a letter to send oneself (t)."""

    def __init__(self, text: str, *, what: str, number: str) -> None:
        self.what, self.number = what, int(number)
        style = STYLES.get(what, ButtonStyle.secondary)
        super().__init__(ui.Button(label=text, style=style, custom_id=f"in:{what}:{self.number}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        member, client = interaction.user.id, interaction.client
        in_list = bool(interaction.message and interaction.message.flags.ephemeral)
        work = {
            "a": lambda: accept(client, services, self.number, member),
            "n": lambda: decline(services, self.number, member),
            "b": lambda: block(services, self.number, member),
            "u": lambda: unblock_sender(services, self.number, member),
            "r": lambda: read(client, services, self.number, member),
            "w": lambda: withdraw(client, services, self.number, member),
            "o": lambda: why_again(services, self.number, member),
            "i": lambda: preview(services, self.number, member),
            "s": lambda: send(interaction, services, self.number, ""),
            "t": lambda: letter(services, self.number, member, ""),
        }[self.what]

        async def done() -> ui.LayoutView:
            if self.what in "anbu" and not in_list:
                await _received(services, self.number, member)
            return await work()

        await answer(interaction, done(), private=True, update=self.what in "anbu")


class UnblockSelect(Choosable, template=r"in:x"):
    """Whom to let through again."""

    def __init__(self, choices: list[discord.SelectOption]) -> None:
        super().__init__(
            ui.Select(
                custom_id="in:x",
                placeholder="Unblock",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        number = int(value) if value.isdigit() and len(value) < 21 else 0
        await answer(interaction, unblock(services, interaction.user.id, number), private=True)


def answer_rows(invitation: Invitation) -> list[list[ui.Item[Any]]]:
    """What the invited can do."""
    number = str(invitation.id)
    return [
        [
            InviteButton("Accept", what="a", number=number),
            InviteButton("Not now", what="n", number=number),
            InviteButton("Block", what="b", number=number),
            PersonButton("Card", what="a", person=str(invitation.sender_person)),
        ]
    ]


def opening_rows(invitation: Invitation) -> list[list[ui.Item[Any]]]:
    """Below the first message of a thread; its first button is also the mark by which it is found again."""
    return [[InviteButton("Everything that joins us", what="o", number=str(invitation.id))]]


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
    """Say what would be sent, before anything is."""
    mine, theirs, person = await _claims(services, member, person_id)
    if theirs is None:
        return await letter(services, person, member, "")
    name = shown(await name_of(services, person), 80)
    profile = await services.store.claims.profile(theirs.member)
    busy = " They say that they are busy." if profile and profile.public and profile.status == "busy" else ""
    return note(
        f"Invite **{name}** to work with you? They get a message from me with your name "
        f"(**{shown(await name_of(services, mine.person_id), 80)}**), your Discord account, this server's name, and "
        f"the reasons that you see under Why; they can accept, say not now, or block.{busy}\n"
        f"-# In your own words instead: /invite person:~{person} about:…",
        [
            [
                InviteButton("Send the invitation", what="s", number=str(person)),
                PersonButton("Card", what="a", person=str(person)),
            ]
        ],
    )


async def letter(services: Services, person_id: int, member: int, about: str, why: str = "") -> ui.LayoutView:
    """A text to send oneself to somebody who can't be reached from here."""
    mine, _, person = await _claims(services, member, person_id)
    joined, papers = await bond(services, mine.person_id, person)
    own, other = await name_of(services, mine.person_id), await name_of(services, person)
    why = why or "is no member who has claimed their papers, so I write to nobody"
    return note(
        f"**{shown(other, 80)}** {why}. A text to send yourself, from an address that they know you by:\n"
        + to_send_oneself(own, other, joined, papers, about),
        [[PersonButton("Card", what="a", person=str(person))]],
    )


async def send(
    interaction: discord.Interaction, services: Services, person_id: int, about: str
) -> ui.LayoutView:
    """Invite somebody."""
    member, guild = interaction.user.id, interaction.guild
    mine, theirs, person = await _claims(services, member, person_id)
    if guild is None:
        raise UserError(
            "Invite somebody in the server that you share; the thread for the two of you is made there."
        )
    if theirs is None:
        return await letter(services, person, member, about)
    if theirs.member == member:
        raise UserError("That is you.")
    try:
        await guild.fetch_member(theirs.member)
    except discord.NotFound:
        return await letter(services, person, member, about, "is not in this server, so I write to nobody")
    channel = interaction.channel
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    if not isinstance(parent, discord.TextChannel):
        raise UserError("Invite somebody in a text channel; the thread for the two of you is made there.")
    if not interaction.app_permissions.create_private_threads:
        raise UserError(
            "I may not make private threads in this channel. Use another one, or ask somebody who manages the "
            "server to allow me “Create Private Threads” here."
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
            how = ""  # Discord is troubled; it is tried again in some minutes
        if how == "failed":
            await services.store.invitations.answer(invitation.id, member, ENDED_BY_SENDER)
            return await letter(services, person, member, about, "can't be reached by me")
    return note(
        f"Your invitation to **{shown(name, 80)}** is on its way. If they accept, a private thread opens here for the "
        "two of you. /invitations shows how it stands.",
        [[InviteButton("Withdraw", what="w", number=str(invitation.id))]],
    )


async def _received(services: Services, number: int, member: int) -> Invitation:
    """An invitation that a member received."""
    found = await services.store.invitations.find(number)
    if found is None or found.recipient != member:
        raise UserError("This invitation is not yours to answer.")
    return found


async def _answered(services: Services, number: int, member: int, state: str) -> Invitation:
    try:
        return await services.store.invitations.answer(number, member, state)
    except InvitationRefused as error:
        found = await services.store.invitations.find(number)
        again = found is not None and state == found.state == "accepted" and found.recipient == member
        if again and found is not None:
            return found
        raise UserError(str(error)) from error


async def accept(client: discord.Client, services: Services, number: int, member: int) -> ui.LayoutView:
    """Accept, and open the thread; where that fails now, it is opened later."""
    if await services.store.claims.of_member(member) is None:
        raise UserError(CLAIM_FIRST)
    invitation = await _answered(services, number, member, "accepted")
    name = shown(await name_of(services, invitation.sender_person), 80)
    thread = invitation.thread
    if not invitation.opened:
        try:
            thread = await open_thread(client, services, invitation, again=True)
        except (discord.Forbidden, discord.NotFound):
            return note(
                f"You have accepted **{name}**'s invitation, but I may not make a private thread in "
                f"<#{invitation.channel}> (any more). I try again every few minutes; somebody who manages the server "
                f"can allow me “Create Private Threads” there. They are <@{invitation.sender}>.",
                [[InviteButton("Try again now", what="a", number=str(number))]],
            )
        except discord.HTTPException:
            return note(
                f"You have accepted **{name}**'s invitation. Discord is troubled just now; the thread opens by itself "
                "within some minutes."
            )
    return note(f"You have accepted **{name}**'s invitation: <#{thread}> is for the two of you.")


async def decline(services: Services, number: int, member: int) -> ui.LayoutView:
    """Not now."""
    invitation = await _answered(services, number, member, "declined")
    name = shown(await name_of(services, invitation.sender_person), 80)
    return note(f"Not now, then. **{name}** gets no message; if they look, they read “not now”.")


async def block(services: Services, number: int, member: int) -> ui.LayoutView:
    """Let nothing more of the sender through, and say so to nobody."""
    invitation = await _received(services, number, member)
    await services.store.invitations.block(member, invitation.sender)
    if invitation.state == "waiting":
        await _answered(services, number, member, "declined")
    name = shown(await name_of(services, invitation.sender_person), 80)
    return note(
        f"Blocked: **{name}** can't reach you through me any more, and isn't told.",
        [[InviteButton("Undo", what="u", number=str(number))]],
    )


async def unblock_sender(services: Services, number: int, member: int) -> ui.LayoutView:
    """Undo a block."""
    invitation = await _received(services, number, member)
    return await unblock(services, member, invitation.sender)


async def unblock(services: Services, member: int, other: int) -> ui.LayoutView:
    """Let somebody's invitations through again."""
    if not await services.store.invitations.unblock(member, other):
        raise UserError("You have not blocked them (any more).")
    return note("Their invitations reach you again. This one stays answered.")


async def withdraw(client: discord.Client, services: Services, number: int, member: int) -> ui.LayoutView:
    """Take back one's own."""
    invitation = await _answered(services, number, member, ENDED_BY_SENDER)
    await close_message(client, invitation, note("This invitation was withdrawn."))
    name = shown(await name_of(services, invitation.recipient_person), 80)
    return note(f"Withdrawn: your invitation to **{name}**.")


async def read(client: discord.Client, services: Services, number: int, member: int) -> ui.LayoutView:
    """Show the invited an invitation again."""
    invitation = await services.store.invitations.find(number)
    if invitation is None or invitation.recipient != member or invitation.state != "waiting":
        raise UserError("This invitation is not yours, or has been answered.")
    return await invited_view(client, services, invitation, answer_rows(invitation))


async def why_again(services: Services, number: int, member: int) -> ui.LayoutView:
    """Everything that joins the two of a thread, for one of them."""
    invitation = await services.store.invitations.find(number)
    if invitation is None or member not in (invitation.sender, invitation.recipient):
        raise UserError("This thread belongs to somebody else.")
    from commands.people.collaborators import show_why

    own, other = invitation.sender_person, invitation.recipient_person
    return await show_why(services, *((own, other) if member == invitation.sender else (other, own)))


async def show_invitations(services: Services, member: int) -> ui.LayoutView:
    """One's own invitations, sent and received, and whom one blocked."""
    found = await services.store.invitations.of(member)
    blocked = await services.store.invitations.blocked(member)
    if not found and not blocked:
        return note(
            "No invitations, neither sent nor received. /collaborators suggests whom to work with; /invite asks them."
        )
    # What waits for an answer first, then the newest.
    found.sort(key=lambda entry: entry.state not in ("waiting", "silent"))  # newest first within each
    lines: list[tuple[str, ui.Item[Any]]] = []
    for entry in found[:SHOWN]:
        sent = entry.sender == member
        person = entry.recipient_person if sent else entry.sender_person
        is_open = entry.state in ("waiting", "silent")
        button: ui.Item[Any] = (
            InviteButton("Withdraw" if sent else "Read", what="w" if sent else "r", number=str(entry.id))
            if is_open
            else PersonButton("Card", what="a", person=str(person))
        )
        lines.append((line(entry, member, await name_of(services, person)), button))
    more = len(found) - SHOWN
    view = people_list("## Your invitations", lines, f"-# and {more} older ones" if more > 0 else None)
    if blocked:
        options = [
            discord.SelectOption(label=label(await _member_name(services, other), 100), value=str(other))
            for other in blocked[:25]
        ]
        view.add_item(ui.ActionRow(UnblockSelect(options)))
    return view


async def _member_name(services: Services, member: int) -> str:
    claim = await services.store.claims.of_member(member)
    return await name_of(services, claim.person_id) if claim else f"member {member}"


class Invite(commands.Cog):
    """Asking somebody to work together."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot = bot
        self._services = services
        self._looking: asyncio.Task[None] | None = None

    async def cog_load(self) -> None:
        """Begin to complete what is left undone."""
        self._looking = asyncio.create_task(lasting(self._look))

    async def cog_unload(self) -> None:
        """End it, and wait until it has let go of the store."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        await self._bot.wait_until_ready()
        while True:
            await resume(self._bot, self._services)
            await asyncio.sleep(EVERY)

    @app_commands.command()
    @app_commands.describe(person="Whom", about="What about, in your own words")
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
        found = await whom(services, person)
        if found.person is None:
            return await ask_which(services, found, "i")
        return await send(interaction, services, found.person.id, about)

    @app_commands.command()
    async def invitations(self, interaction: discord.Interaction) -> None:
        """Show the invitations that you sent and received"""
        await answer(interaction, show_invitations(self._services, interaction.user.id), private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands, the buttons and the select."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(InviteButton, UnblockSelect)
    await bot.add_cog(Invite(bot, services))
