"""Answering: at once where the work is quick, deferred where it is not, kindly where it fails."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands, ui

from commands.cards.lists import note
from commands.cards.text import safe

if TYPE_CHECKING:
    from commands.services import Services

log = logging.getLogger("labmate")
QUICK = 1.2
"""Seconds after which an answer is deferred; Discord waits three."""
ALREADY_ANSWERED, UNKNOWN_INTERACTION = 40060, 10062
NO_PINGS = discord.AllowedMentions.none()


class Kindly(Exception):
    """Something a person can do better; its text is the reply."""


@dataclass(frozen=True)
class Reply:
    """A view with the files that it shows."""

    view: ui.LayoutView
    files: Sequence[discord.File] = ()


async def answer(
    interaction: discord.Interaction,
    work: Awaitable[ui.LayoutView | Reply],
    *,
    private: bool = False,
    update: bool = False,
) -> None:
    """Send what the work makes: as a reply, or with ``update`` in place of the message pressed on."""
    task = asyncio.ensure_future(work)
    services: Services = interaction.client.services  # type: ignore[attr-defined]
    services.answering.add(task)
    task.add_done_callback(services.answering.discard)
    done, _ = await asyncio.wait({task}, timeout=QUICK)
    response = interaction.response
    if not done:
        await (response.defer() if update else response.defer(ephemeral=private, thinking=True))
        done, _ = await asyncio.wait({task}, timeout=services.interim_after)
        if not done and not update:
            await _interim(interaction, services)
    made = await task
    reply = made if isinstance(made, Reply) else Reply(made)
    files = list(reply.files)
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


async def _interim(interaction: discord.Interaction, services: Services) -> None:
    """Say that the answer takes longer, where it will stand."""
    why = (
        "" if services.model_settled.is_set() else " I started a moment ago and am still loading what I need."
    )
    now = f"\n-# Right now: {safe(services.progress.text)}" if services.progress.text else ""
    interaction.extras["interim"] = True
    text = f"This takes longer than usual.{why} The answer will stand here as soon as I have it.{now}"
    try:
        await interaction.edit_original_response(view=note(text), allowed_mentions=NO_PINGS)
    except discord.HTTPException as error:  # the answer itself is still to come
        log.warning("an interim reply could not be sent: %s", error)


async def tell(interaction: discord.Interaction, text: str, *, private: bool = True) -> None:
    """A short reply, whatever has been answered before."""
    view = note(text)
    try:
        if not interaction.response.is_done():
            await interaction.response.send_message(view=view, ephemeral=private, allowed_mentions=NO_PINGS)
        elif interaction.extras.get("interim"):
            await interaction.edit_original_response(view=view, allowed_mentions=NO_PINGS)
        else:
            await interaction.followup.send(view=view, ephemeral=private, allowed_mentions=NO_PINGS)
    except discord.HTTPException as error:  # the person is gone, or Discord is
        log.warning("a reply could not be sent: %s", error)


async def apologise(interaction: discord.Interaction, error: BaseException) -> None:
    """Tell a person about a failure; what is no fault of theirs gets a number that the log holds."""
    error = getattr(error, "original", error)
    if isinstance(error, discord.HTTPException) and error.code in (ALREADY_ANSWERED, UNKNOWN_INTERACTION):
        log.info("%s was answered already, or too late", _what(interaction))
        return
    kind = Kindly | app_commands.TransformerError | app_commands.CheckFailure
    interaction.extras["failed"] = "refused" if isinstance(error, kind) else "failed"
    interaction.client.dispatch("labmate_failure", interaction)
    if isinstance(error, Kindly):
        await tell(interaction, str(error))
        return
    if isinstance(error, app_commands.TransformerError | app_commands.CheckFailure):
        await tell(interaction, str(error))
        return
    reference = secrets.token_hex(4)
    log.error(
        "reference %s: %s failed",
        *(reference, _what(interaction)),
        exc_info=error,
        extra={"reference": reference},
    )
    await tell(
        interaction,
        f"Something went wrong on my side, and I have written it down as **{reference}**. "
        "Please try again; if it stays, tell the person who runs me that number.",
    )


def _what(interaction: discord.Interaction) -> str:
    data: Any = interaction.data or {}
    return str(data.get("name") or data.get("custom_id") or interaction.type)[:120]
