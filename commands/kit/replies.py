"""Answering: at once where the work is quick, deferred where it is slow, with an apology where it fails."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import discord
from discord import app_commands, ui

from commands.cards.lists import note
from commands.cards.text import safe
from commands.kit.installs import FOLLOW_UPS, is_present
from commands.kit.limits import ASK, Cost, RateLimits, TooMuch
from commands.kit.progress import Need
from commands.kit.reply import Reply
from commands.kit.services import Services
from commands.kit.waiting import told
from commands.kit.welcome import welcome
from data.database.unavailable import DatabaseUnavailableError, Why
from data.stores.repository import BEFORE_WRITING
from index.documents.sandboxes import IN_LINE

T = TypeVar("T")
log = logging.getLogger("labmate")
QUICK = 1.2
"""Seconds after which an answer is deferred; Discord waits three."""
ALREADY_ANSWERED, UNKNOWN_INTERACTION = 40060, 10062
NO_PINGS = discord.AllowedMentions.none()
LONGER = "This takes longer than usual."
OTHERS_FIRST = "I'm reading other members' files first"
INTERIM = (LONGER, OTHERS_FIRST)
"""How replies begin that an answer will replace."""


OUTAGES = {
    Why.AWAY: "My database doesn't answer right now. What was saved is safe. Please try again in a minute.",
    Why.COPY: "Only a copy of my database answers right now, and it may be out of date. Please try again in "
    "a minute.",
    Why.BUSY: "My database is very busy right now, so nothing was changed. Please try again in a minute.",
    Why.READ_ONLY: "My database takes no changes right now, so nothing changed. I can still look things up.",
    Why.FULL: "My database's disk is full, so nothing was changed. I can still look things up.",
}


class UserError(Exception):
    """A problem that members can solve themselves; the text is the reply."""


async def acknowledge(interaction: discord.Interaction, *, private: bool, update: bool = False) -> None:
    """Say that an answer is being made, where nothing was said yet; what is written is written after this.

    Raises
    ------
    discord.HTTPException
        Where Discord no longer waits for an answer: then nothing may be written.
    """
    async with _speaking(interaction):
        if interaction.response.is_done():
            return
        if update:
            await interaction.response.defer()
        else:
            await interaction.response.defer(ephemeral=private, thinking=True)
            interaction.extras["seen by all"] = not private


def _speaking(interaction: discord.Interaction) -> asyncio.Lock:
    """Held while the first answer is on its way, so that there are never two."""
    lock: asyncio.Lock = interaction.extras.setdefault("speaking", asyncio.Lock())
    return lock


@asynccontextmanager
async def handling(interaction: discord.Interaction) -> AsyncIterator[None]:
    """Handles every command, button and form: answers failures, acknowledges before it writes.

    A process that ends or hands its shards over waits until the reply is sent, not only until it is made.
    """
    take(interaction)
    working: set[asyncio.Future[Any]] = interaction.client.services.answering  # type: ignore[attr-defined]
    task = asyncio.current_task()
    assert task is not None
    outermost = task not in working
    working.add(task)
    try:
        yield
    except Exception as error:  # whatever it was, the person gets an answer
        await apologise(interaction, error)
    finally:
        if outermost:
            working.discard(task)


def take(interaction: discord.Interaction) -> None:
    """Mark an interaction as being worked on; before its task writes, Discord is told so."""
    interaction.extras["taken"] = True
    BEFORE_WRITING.set(partial(acknowledge, interaction, private=True))


def is_taken(interaction: discord.Interaction) -> bool:
    """Whether something works on an interaction."""
    return bool(interaction.extras.get("taken"))


async def answer(
    interaction: discord.Interaction,
    work: Coroutine[Any, Any, ui.LayoutView | Reply],
    *,
    private: bool = False,
    update: bool = False,
    cost: Cost = ASK,
    needs: Sequence[Need] = (),
) -> None:
    """Send what the work makes: as a reply, or with ``update`` in place of the message pressed on.

    The work is done in the member's turn; where that is too much, they are told so, privately. What the
    answer ``needs`` and is still being worked on is named below it.
    """
    services: Services = interaction.client.services  # type: ignore[attr-defined]
    limits: RateLimits = services.limits
    try:
        await limits.admit(cost, interaction.user.id, interaction.guild_id)
    except TooMuch as refused:
        work.close()
        async with limits.refusing(interaction.user.id):
            await apologise(interaction, UserError(str(refused)))
        return
    before = BEFORE_WRITING.set(partial(acknowledge, interaction, private=private, update=update))
    task = asyncio.ensure_future(limits.carry(cost, interaction.user.id, told(services, work, *needs)))
    BEFORE_WRITING.reset(before)
    working: set[asyncio.Future[Any]] = services.answering
    working.add(task)
    task.add_done_callback(working.discard)
    task.add_done_callback(lambda _: work.close())  # cancelled before its turn, it was never awaited
    done, _ = await asyncio.wait({task}, timeout=QUICK)
    if not done:
        await acknowledge(interaction, private=private, update=update)
        done, _ = await asyncio.wait({task}, timeout=services.interim_after)
        if not done and not update:
            await _interim(interaction, services)
    made = await task
    await _send(interaction, made if isinstance(made, Reply) else Reply(made), private, update)
    await welcome(interaction, services)


async def _send(interaction: discord.Interaction, reply: Reply, private: bool, update: bool) -> None:
    response, files = interaction.response, list(reply.files)
    async with _speaking(interaction):
        if response.is_done():
            await interaction.edit_original_response(
                view=reply.view, attachments=files, allowed_mentions=NO_PINGS
            )
        elif update:
            await response.edit_message(view=reply.view, attachments=files, allowed_mentions=NO_PINGS)
        else:
            await response.send_message(
                view=reply.view, ephemeral=private, files=files, allowed_mentions=NO_PINGS
            )
    for part in _that_fit(interaction, reply.more):
        await interaction.followup.send(
            view=part.view, ephemeral=private, files=list(part.files), allowed_mentions=NO_PINGS
        )
    if reply.later is None or (better := await reply.later()) is None:
        return
    try:
        await interaction.edit_original_response(view=better, allowed_mentions=NO_PINGS)
    except discord.HTTPException as error:  # the first answer stands, or somebody deleted it meanwhile
        log.warning("a reply could not be replaced: %s", error)


def _that_fit(interaction: discord.Interaction, more: Sequence[Reply]) -> Sequence[Reply]:
    """The further messages that Discord takes: only a few where Labmate itself is not."""
    if is_present(interaction) or len(more) <= FOLLOW_UPS:
        return more
    shown = more[: FOLLOW_UPS - 1]
    left = len(more) - len(shown)
    told = f"{left} more messages don't fit here. Ask me in a direct message, and I send them all."
    return [*shown, Reply(note(told))]


def in_line(interaction: discord.Interaction, work: Coroutine[Any, Any, T]) -> Coroutine[Any, Any, T]:
    """Work on a file that may have to wait until others' are read; who waits is told so.

    It is the work itself: one that wraps it would leave it never awaited where :func:`answer` refuses.
    """

    async def tell_place(place: int) -> None:
        await acknowledge(interaction, private=True)
        interaction.extras["interim"] = True
        before = f"{place - 1} before yours" if place > 1 else "yours is next"
        view = note(f"{OTHERS_FIRST} ({before}). You don't need to send yours again; just wait.")
        await interaction.edit_original_response(view=view, allowed_mentions=NO_PINGS)

    IN_LINE.set(tell_place)  # what handles an interaction has a context of its own
    return work


async def open_form(interaction: discord.Interaction, form: ui.Modal) -> None:
    """Open a form, which has to be the first answer.

    Raises
    ------
    UserError
        Where looking up what stands in it took so long that another answer was given.
    """
    async with _speaking(interaction):
        if interaction.response.is_done():
            raise UserError("That took too long to open. Please press the button again.")
        await interaction.response.send_modal(form)


def interim(services: Services) -> ui.LayoutView:
    """That the answer takes longer, where it will stand."""
    why = "" if services.model_settled.is_set() else " I've just started and am still loading."
    now = f"\n-# Right now: {safe(services.progress.text)}" if services.progress.text else ""
    return note(f"{LONGER}{why} The answer will appear here as soon as it's ready.{now}")


async def _interim(interaction: discord.Interaction, services: Services) -> None:
    interaction.extras["interim"] = True
    try:
        await interaction.edit_original_response(view=interim(services), allowed_mentions=NO_PINGS)
    except discord.HTTPException as error:  # the answer itself is still to come
        log.warning("an interim reply could not be sent: %s", error)


async def tell(interaction: discord.Interaction, text: str, *, private: bool = True) -> None:
    """A short reply, whatever has been answered before."""
    view = note(text)
    try:
        async with _speaking(interaction):
            if not interaction.response.is_done():
                await interaction.response.send_message(
                    view=view, ephemeral=private, allowed_mentions=NO_PINGS
                )
                return
        seen_by_all = private and interaction.extras.pop("seen by all", False)
        if interaction.extras.get("interim") and not seen_by_all:
            await interaction.edit_original_response(view=view, allowed_mentions=NO_PINGS)
            return
        if seen_by_all:
            # What comes after "thinking" is seen by whoever sees that; once it is gone, by the member alone.
            await interaction.delete_original_response()
        await interaction.followup.send(view=view, ephemeral=private, allowed_mentions=NO_PINGS)
    except discord.HTTPException as error:  # the person is gone, or Discord is
        log.warning("a reply could not be sent: %s", error)


async def apologise(interaction: discord.Interaction, error: BaseException) -> None:
    """Tell a member about a failure; one that is not their fault gets a number that stands in the log."""
    error = getattr(error, "original", error)
    if isinstance(error, discord.HTTPException) and error.code in (ALREADY_ANSWERED, UNKNOWN_INTERACTION):
        log.info("%s was answered already, or too late", _what(interaction))
        return
    kind = UserError | app_commands.TransformerError | app_commands.CheckFailure
    interaction.extras["failed"] = "refused" if isinstance(error, kind) else "failed"
    interaction.client.dispatch("labmate_failure", interaction)
    if isinstance(error, UserError):
        await tell(interaction, str(error))
        return
    if isinstance(error, app_commands.TransformerError | app_commands.CheckFailure):
        await tell(interaction, str(error))
        return
    await tell(interaction, logged(error, _what(interaction)))


def logged(error: BaseException, what: str) -> str:
    """Log a failure, one that can be looked into under a number; returns what to tell the member."""
    if isinstance(error, DatabaseUnavailableError):
        log.warning("%s failed: %s", what, error)
        return OUTAGES[error.why]
    reference = secrets.token_hex(4)
    log.error("reference %s: %s failed", *(reference, what), exc_info=error, extra={"reference": reference})
    return (
        f"Something went wrong on my side. I logged it as **{reference}**. "
        "Please try again. If it keeps happening, tell the person who runs me that number."
    )


def _what(interaction: discord.Interaction) -> str:
    data: Any = interaction.data or {}
    return str(data.get("name") or data.get("custom_id") or interaction.type)[:120]
