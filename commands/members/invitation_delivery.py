"""Delivering invitations: the recipient hears once, and the two get one thread, whatever crashes in between.

Every step is written down before it is done and marked after. What was being done when the bot died is looked
for in Discord before it is done again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import discord
from discord import ui

from commands.cards.collaborators import papers_of
from commands.cards.invitations import agenda, clocks, invited, opening, why_lines
from commands.cards.lists import note
from commands.kit.direct import in_direct
from commands.kit.links import link
from commands.kit.refusals import CLOSED, NOT_ADDED, is_final, reason
from commands.kit.replies import NO_PINGS
from commands.kit.send_once import own_id, send_once
from commands.kit.servers import server_of
from commands.kit.services import Services
from data.calendar import clock
from data.records import Paper
from data.stores.invitations import Invitation
from index.people.suggest import Suggestion

log = logging.getLogger("labmate")
Bond = tuple[Suggestion | None, dict[int, Paper]]


async def bond(services: Services, person: int, other: int) -> Bond:
    """What connects two people, and the papers it names; nothing if one has no papers in memory."""
    await services.wait_for_people()
    experts, people = await services.insight.experts(), services.insight.people
    if experts is None or people is None or not len(people.papers(person)) or not len(people.papers(other)):
        return None, {}
    reasons = await asyncio.to_thread(lambda: experts.reasons(experts.of(person), other))
    return reasons, {paper.id: paper for paper in await services.store.papers(papers_of(reasons))}


async def name_of(services: Services, person: int) -> str:
    """A person's name, even if they have been merged into another person since."""
    somebody = await services.store.people.find(person)
    return somebody.name if somebody else "somebody"


async def invited_view(
    client: discord.Client, services: Services, invitation: Invitation, rows: list[list[ui.Item[Any]]]
) -> ui.LayoutView:
    """What the recipient of an invitation reads."""
    joined, papers = await bond(services, invitation.recipient_person, invitation.sender_person)
    guild = await server_of(client, invitation.guild)
    name = await name_of(services, invitation.recipient_person)
    text = invited(
        await name_of(services, invitation.sender_person),
        f"<@{invitation.sender}>",
        guild.name if guild else "a server that I have left",
        invitation.about,
        why_lines(name, joined, papers),
    )
    return note(text, rows)


def answer_rows(invitation: Invitation) -> list[list[ui.Item[Any]]]:
    """How the recipient can answer; the first button is also the mark by which the message is found again."""
    return [
        [
            link("invite.accept", "Accept", number=invitation.id),
            link("invite.decline", "Not now", number=invitation.id),
            link("invite.block", "Block", number=invitation.id),
            link("person.card", "Card", person=invitation.sender_person),
        ]
    ]


def opening_rows(invitation: Invitation) -> list[list[ui.Item[Any]]]:
    """Goes below the first message of a thread; its button also marks the message to be found again."""
    return [[link("invite.why", "Everything that connects us", number=invitation.id)]]


async def tell_recipient(
    client: discord.Client, services: Services, invitation: Invitation, *, again: bool = False
) -> str:
    """Tell the recipient by DM, or in their own thread if DMs are closed; returns dm, server or failed.

    With ``again`` it first looks for what a bot that died may have sent already.

    Raises
    ------
    discord.HTTPException
        Where Discord itself fails; a later try is made.
    """
    async with services.reaching:
        now = await services.store.invitations.find(invitation.id)
        if now is None or now.told or now.state != "waiting":
            return now.told if now else "failed"
        made = partial(invited_view, client, services, now, answer_rows(now))
        how, message = "dm", None
        channels = services.store.direct_channels
        try:
            message = await in_direct(
                client, channels, now.recipient, lambda to: _send_once(client, to, made, now, again)
            )
        except discord.HTTPException as refused:
            if not is_final(refused):
                raise
            how = "server" if refused.code in CLOSED else "failed"
        if how == "server":
            try:
                thread = await _thread(client, now, f"An invitation for you · {now.id}", again)
                await thread.add_user(discord.Object(now.recipient))
                message = await _send_once(client, thread, made, now, again)
            except (discord.HTTPException, NoThread) as refused:
                if not isinstance(refused, NoThread) and not _is_refused(refused):
                    raise
                log.info("invitation %d can't be delivered: %s", now.id, refused)
                how = "failed"
        place = (message.channel.id, message.id) if message else (None, None)
        await services.store.invitations.told(now.id, how, *place)
        return how


async def _send_once(
    client: discord.Client,
    place: Any,
    make: Callable[[], Awaitable[ui.LayoutView]],
    invitation: Invitation,
    again: bool,
) -> discord.Message:
    """Send the message that invites, or the first of a thread, once: it is known by its first button."""

    async def made() -> dict[str, Any]:
        return {"view": await make()}

    marks = {f"in:a:{invitation.id}", f"in:o:{invitation.id}"}
    nonce = f"{invitation.state}-{invitation.id}"
    return await send_once(client, place, made, marks=marks, nonce=nonce, again=again)


async def _thread(client: discord.Client, invitation: Invitation, name: str, again: bool) -> discord.Thread:
    """A private thread in the channel of the invitation; with ``again``, one that has this name already.

    Raises
    ------
    NoThread
        Where there can be none: the channel is gone, or private threads are not allowed in it.
    discord.HTTPException
        Where Discord can't do it now.
    """
    try:
        channel = client.get_channel(invitation.channel) or await client.fetch_channel(invitation.channel)
    except discord.HTTPException as error:
        if is_final(error):
            raise NoThread(reason(error)) from error
        raise
    if not isinstance(channel, discord.TextChannel):
        raise NoThread("the channel is not a text channel")
    if again:
        for thread in await channel.guild.active_threads():
            if thread.name == name and thread.parent_id == channel.id and thread.owner_id == own_id(client):
                return thread
    may = permitted(channel)
    if may is not None and not (may.create_private_threads and may.send_messages_in_threads):
        raise NoThread("I'm not allowed to create private threads and to write in them")
    try:
        return await channel.create_thread(
            name=name, type=discord.ChannelType.private_thread, invitable=False, auto_archive_duration=10_080
        )
    except discord.HTTPException as error:
        if is_final(error):
            raise NoThread(reason(error)) from error
        raise


def permitted(channel: discord.TextChannel) -> discord.Permissions | None:
    """What Labmate may do in a channel; None where that isn't known just now."""
    me = channel.guild.me
    return None if me is None or channel.guild.unavailable else channel.permissions_for(me)


class NoThread(Exception):
    """There can be no thread for two until somebody changes that; the text says why."""


def _is_refused(error: discord.HTTPException) -> bool:
    return is_final(error) or error.code in NOT_ADDED


async def open_thread(
    client: discord.Client, services: Services, invitation: Invitation, *, again: bool = False
) -> int:
    """Bring the two together in a private thread; returns its id.

    Raises
    ------
    NoThread
        Where that isn't allowed.
    discord.HTTPException
        Where that can't be done now; a later try is made.
    """
    async with services.reaching:
        now = await services.store.invitations.find(invitation.id)
        if now is None or now.state != "accepted":
            return 0
        if now.opened and now.thread:
            return now.thread
        return await _open(client, services, now, again)


async def _open(client: discord.Client, services: Services, invitation: Invitation, again: bool) -> int:
    store = services.store.invitations
    people = (invitation.sender_person, invitation.recipient_person)
    members = (invitation.sender, invitation.recipient)
    names = (await name_of(services, people[0]), await name_of(services, people[1]))
    thread: Any = None
    if invitation.thread is not None:
        try:
            thread = await client.fetch_channel(invitation.thread)
        except discord.HTTPException as error:
            if not is_final(error):
                raise  # else it was deleted meanwhile: a new one is made
    if thread is None:
        both = f"{names[0][:40]} and {names[1][:40]} · {invitation.id}"
        thread = await _thread(client, invitation, both, again)
        await store.made_thread(invitation.id, thread.id)
    gone = []
    for member, name in zip(members, names, strict=True):
        try:
            await thread.add_user(discord.Object(member))
        except discord.HTTPException as error:
            if error.code not in NOT_ADDED:
                raise
            gone.append(name)
    joined, papers = await bond(services, *people)
    one, other = [await services.store.claims.profile(member) for member in members]
    missing = f"-# I could not add {' and '.join(gone)}, who may have left this server." if gone else ""
    text = opening(
        invitation,
        names,
        why_lines(names[0], joined, papers),
        agenda(names, joined, papers),
        clocks(names, (one, other), clock.now()),
        missing,
    )

    async def made() -> ui.LayoutView:
        return note(text, opening_rows(invitation))

    await _send_once(client, thread, made, invitation, again)
    await store.opened_thread(invitation.id)
    return int(thread.id)


async def close_message(client: discord.Client, invitation: Invitation, view: ui.LayoutView) -> None:
    """Replace an invitation that can no longer be answered with its outcome, if its message still exists."""
    if invitation.told_channel is None or invitation.told_message is None:
        return
    try:
        place: Any = await client.fetch_channel(invitation.told_channel)
        await place.get_partial_message(invitation.told_message).edit(view=view, allowed_mentions=NO_PINGS)
        if invitation.told == "server":
            await place.edit(archived=True)
    except discord.HTTPException as error:
        log.info("the message of invitation %d stays as it is: %s", invitation.id, error)


async def resume(client: discord.Client, services: Services) -> None:
    """Complete what a crash or an outage of Discord left undone; end what nobody answered."""
    for invitation in await services.store.invitations.unfinished():
        try:
            if invitation.state == "waiting":
                await tell_recipient(client, services, invitation, again=True)
            else:
                await open_thread(client, services, invitation, again=True)
        except (discord.HTTPException, NoThread) as error:
            log.warning("trying again later to deliver invitation %d: %s", invitation.id, error)
    for invitation in await services.store.invitations.expire():
        await close_message(
            client, invitation, note("This invitation has ended: there was no answer for a month.")
        )
