"""Who may use this Labmate at all: one check before every command, button, select and form."""

from __future__ import annotations

import discord
from discord import ui

from commands.kit.authority import is_operator
from commands.kit.replies import tell

REFUSED = "You can't use this Labmate here. If you think that is a mistake, ask the person who runs it."


async def may_use(interaction: discord.Interaction) -> bool:
    """Whether neither the member nor the server is banned; where one is, they are told so privately.

    The operator may always, so that a ban made by mistake can be lifted.
    """
    bans = interaction.client.services.store.bans  # type: ignore[attr-defined]
    if not await bans.is_banned(interaction.user.id, interaction.guild_id) or await is_operator(interaction):
        return True
    if interaction.type is discord.InteractionType.autocomplete:
        await interaction.response.autocomplete([])
    else:
        await tell(interaction, REFUSED)
    return False


class CheckedModal(ui.Modal):
    """A form that those who may not use this Labmate can't send off."""

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Refuse the banned."""
        return await may_use(interaction)
