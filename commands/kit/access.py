"""Who may use this Labmate at all: one check before every command, button, select and form."""

from __future__ import annotations

import discord
from discord import ui

from commands.kit.authority import is_operator
from commands.kit.replies import apologise, tell

REFUSED = "You can't use this Labmate here. If you think that is a mistake, ask the person who runs it."


async def may_use(interaction: discord.Interaction) -> bool:
    """Whether neither the member nor the server is banned; if one is, the member is told so privately.

    The operator always may, so that a ban made by mistake can be lifted. Where it can't be known, because the
    database is away, nobody may, and they are told why.
    """
    bans = interaction.client.services.store.bans  # type: ignore[attr-defined]
    try:
        if not await bans.is_banned(interaction.user.id, interaction.guild_id):
            return True
        if await is_operator(interaction):
            return True
    except Exception as error:  # where a check fails, discord.py answers nothing
        if interaction.type is discord.InteractionType.autocomplete:
            await interaction.response.autocomplete([])
        else:
            await apologise(interaction, error)
        return False
    if interaction.type is discord.InteractionType.autocomplete:
        await interaction.response.autocomplete([])
    else:
        await tell(interaction, REFUSED)
    return False


class CheckedModal(ui.Modal):
    """A form that the banned can't send."""

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Refuse the banned."""
        return await may_use(interaction)

    async def on_error(self, interaction: discord.Interaction, error: Exception, /) -> None:  # type: ignore[override]
        """Answer failures as everywhere else; the form stays open and can be sent again."""
        await apologise(interaction, error)
