"""The command tree: who may use a command, and what happens when one fails."""

from __future__ import annotations

import logging

import discord
from discord import app_commands
from discord.ext import commands

from commands.kit.access import may_use
from commands.kit.replies import ALREADY_ANSWERED, UNKNOWN_INTERACTION, apologise, take, tell

log = logging.getLogger("labmate")


class Tree(app_commands.CommandTree[commands.AutoShardedBot]):
    """The command tree: every command passes one check, and every error reaches one handler."""

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Refuse banned users, even while they type; acknowledge a command before anything is written."""
        if interaction.type is discord.InteractionType.application_command:
            take(interaction)
        return await may_use(interaction)

    async def on_error(
        self, interaction: discord.Interaction, error: app_commands.AppCommandError, /
    ) -> None:
        """Answer every command that failed."""
        if interaction.type is discord.InteractionType.autocomplete:
            cause = getattr(error, "original", error)
            if getattr(cause, "code", None) in (ALREADY_ANSWERED, UNKNOWN_INTERACTION):
                return
            log.error("autocomplete failed", exc_info=error)
            if not interaction.response.is_done():
                await interaction.response.autocomplete([])
        elif isinstance(error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch):
            await tell(
                interaction,
                "This command has changed since Discord last loaded it. "
                "Reload Discord (Ctrl+R) and try again.",
            )
        else:
            await apologise(interaction, error)
