"""Invitations of a member: the list of them, and the answers: accept, not now, block, unblock, withdraw."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards.invitations import line
from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import label, shown
from commands.kit.links import Press, button, choice, link, select
from commands.kit.pair_reasons import pair_reasons
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.members.invitation_delivery import (
    NoThread,
    answer_rows,
    close_message,
    invited_view,
    name_of,
    open_thread,
)
from data.stores.invitation_limits import OPEN, InvitationRefused
from data.stores.invitations import ENDED_BY_SENDER, Invitation

SHOWN = 10
CLAIM_FIRST = (
    "Invitations are between members who have claimed their papers. "
    "Claim yours first: /claim person:*your name*."
)


# -- buttons -----------------------------------------------------------------------------------------


@button("invite.accept", "in:a:{number}", style=ButtonStyle.success)
async def accept_pressed(press: Press, number: int) -> None:
    """Accept an invitation."""
    work = accept(press.interaction.client, press.services, number, press.member)
    await answer(press.interaction, _replacing(press, number, work), private=True, update=True)


@button("invite.decline", "in:n:{number}")
async def decline_pressed(press: Press, number: int) -> None:
    """Answer “not now”."""
    work = decline(press.services, number, press.member)
    await answer(press.interaction, _replacing(press, number, work), private=True, update=True)


@button("invite.block", "in:b:{number}", style=ButtonStyle.danger)
async def block_pressed(press: Press, number: int) -> None:
    """Block the sender of an invitation."""
    work = block(press.services, number, press.member)
    await answer(press.interaction, _replacing(press, number, work), private=True, update=True)


@button("invite.unblock", "in:u:{number}")
async def unblock_pressed(press: Press, number: int) -> None:
    """Undo a block."""
    work = unblock_sender(press.services, number, press.member)
    await answer(press.interaction, _replacing(press, number, work), private=True, update=True)


@button("invite.read", "in:r:{number}")
async def read_pressed(press: Press, number: int) -> None:
    """Read an invitation again."""
    work = read(press.interaction.client, press.services, number, press.member)
    await answer(press.interaction, work, private=True)


@button("invite.withdraw", "in:w:{number}")
async def withdraw_pressed(press: Press, number: int) -> None:
    """Withdraw an invitation of one's own."""
    work = withdraw(press.interaction.client, press.services, number, press.member)
    await answer(press.interaction, work, private=True)


@button("invite.why", "in:o:{number}")
async def why_pressed(press: Press, number: int) -> None:
    """Show one of the two in a thread everything that connects them."""
    await answer(press.interaction, why_again(press.services, number, press.member), private=True)


@select("invite.choose_unblock", "in:x", "Unblock", value=int)
async def unblock_chosen(press: Press, member: int) -> None:
    """Unblock a member."""
    await answer(press.interaction, unblock(press.services, press.member, member), private=True)


async def _replacing(press: Press, number: int, work: Coroutine[Any, Any, ui.LayoutView]) -> ui.LayoutView:
    """Replace the message pressed on; one that others see must be the recipient's own invitation."""
    try:
        if not press.private:
            await _received(press.services, number, press.member)
        return await work
    finally:
        work.close()


# -- what is shown and done --------------------------------------------------------------------------


async def _received(services: Services, number: int, member: int) -> Invitation:
    """An invitation that a member has received."""
    invitation = await services.store.invitations.find(number)
    if invitation is None or invitation.recipient != member:
        raise UserError("This invitation is not yours to answer.")
    return invitation


async def _answered(services: Services, number: int, member: int, state: str) -> Invitation:
    try:
        return await services.store.invitations.answer(number, member, state)
    except InvitationRefused as error:
        invitation = await services.store.invitations.find(number)
        again = (
            invitation is not None
            and state == invitation.state == "accepted"
            and invitation.recipient == member
        )
        if again and invitation is not None:
            return invitation
        raise UserError(str(error)) from error


async def accept(client: discord.Client, services: Services, number: int, member: int) -> ui.LayoutView:
    """Accept, and open the thread; if that fails now, it is opened later."""
    if await services.store.claims.of_member(member) is None:
        raise UserError(CLAIM_FIRST)
    invitation = await _answered(services, number, member, "accepted")
    name = shown(await name_of(services, invitation.sender_person), 80)
    thread = invitation.thread
    if not invitation.opened:
        try:
            thread = await open_thread(client, services, invitation, again=True)
        except NoThread:
            return note(
                f"You have accepted **{name}**'s invitation, but I am not allowed to create private threads "
                f"in <#{invitation.channel}> (any more). I try again every few minutes for a month; somebody "
                "who manages the server can allow me “Create Private Threads” and “Send Messages in "
                f"Threads” there. **{name}** is <@{invitation.sender}>.",
                [[link("invite.accept", "Try again now", number=number)]],
            )
        except discord.HTTPException:
            return note(
                f"You have accepted **{name}**'s invitation. Discord is having problems, so the thread opens "
                "by itself in a few minutes."
            )
    return note(f"You have accepted **{name}**'s invitation. <#{thread}> is for the two of you.")


async def decline(services: Services, number: int, member: int) -> ui.LayoutView:
    """Answer “not now”."""
    invitation = await _answered(services, number, member, "declined")
    name = shown(await name_of(services, invitation.sender_person), 80)
    return note(f"Not now, then. I don't tell **{name}**; if they look, they see “not now”.")


async def block(services: Services, number: int, member: int) -> ui.LayoutView:
    """Let no more invitations of the sender through, without telling them."""
    invitation = await _received(services, number, member)
    await services.store.invitations.block(member, invitation.sender)
    if invitation.state == "waiting":
        await _answered(services, number, member, "declined")
    name = shown(await name_of(services, invitation.sender_person), 80)
    return note(
        f"Blocked: **{name}** can no longer reach you through me, and I don't tell them.",
        [[link("invite.unblock", "Undo", number=number)]],
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
    """Withdraw an invitation of one's own."""
    invitation = await _answered(services, number, member, ENDED_BY_SENDER)
    await close_message(client, invitation, note("This invitation was withdrawn."))
    name = shown(await name_of(services, invitation.recipient_person), 80)
    return note(f"Your invitation to **{name}** is withdrawn.")


async def read(client: discord.Client, services: Services, number: int, member: int) -> ui.LayoutView:
    """Show an invitation to its recipient again."""
    invitation = await services.store.invitations.find(number)
    if invitation is None or invitation.recipient != member or invitation.state != "waiting":
        raise UserError("This invitation is not yours, or has been answered.")
    return await invited_view(client, services, invitation, answer_rows(invitation))


async def why_again(services: Services, number: int, member: int) -> ui.LayoutView:
    """Everything that connects the two of a thread, for one of them."""
    invitation = await services.store.invitations.find(number)
    if invitation is None or member not in (invitation.sender, invitation.recipient):
        raise UserError("This thread belongs to somebody else.")
    own, other = invitation.sender_person, invitation.recipient_person
    return await pair_reasons(services, *((own, other) if member == invitation.sender else (other, own)))


async def show_invitations(services: Services, member: int) -> ui.LayoutView:
    """The invitations that a member has sent and received, and the members whom they have blocked."""
    invitations = await services.store.invitations.of(member)
    blocked = await services.store.invitations.blocked(member)
    if not invitations and not blocked:
        return note(
            "You have not sent or received any invitations. /collaborators suggests people to work with; "
            "/invite asks one."
        )
    # Those that wait for an answer come first; the store gives the newest first.
    invitations.sort(key=lambda entry: entry.state not in OPEN)
    lines: list[tuple[str, ui.Item[Any]]] = []
    for entry in invitations[:SHOWN]:
        sent = entry.sender == member
        person = entry.recipient_person if sent else entry.sender_person
        is_open = entry.state in OPEN
        button: ui.Item[Any] = (
            link("person.card", "Card", person=person)
            if not is_open
            else link("invite.withdraw", "Withdraw", number=entry.id)
            if sent
            else link("invite.read", "Read", number=entry.id)
        )
        lines.append((line(entry, member, await name_of(services, person)), button))
    more = len(invitations) - SHOWN
    view = people_list("## Your invitations", lines, f"-# and {more} older ones" if more > 0 else None)
    if blocked:
        options = [
            discord.SelectOption(label=label(await _member_name(services, other), 100), value=str(other))
            for other in blocked[:25]
        ]
        view.add_item(ui.ActionRow(choice("invite.choose_unblock", options)))
    return view


async def _member_name(services: Services, member: int) -> str:
    claim = await services.store.claims.of_member(member)
    return await name_of(services, claim.person_id) if claim else f"member {member}"
