"""The authority to correct who is who: as manager of the server, about oneself, or as operator."""

from __future__ import annotations

from typing import Any

import discord

from commands.kit.installs import is_present
from commands.kit.servers import server_of
from commands.kit.services import Services
from data.stores.corrections import Correction
from data.stores.scopes import Scope
from data.stores.store import Store
from index.trust.corrections import holder_scope, may_take_back

WHO_MAY = (
    "Only those who manage this server can correct who is who here. Once you have proven who you are with "
    "/claim, you can correct your own papers."
)
MAY_SAY = {
    "server": "You manage this server, so you can correct me. "
    "Everybody in this server then sees it your way.",
    "holder": "You have proven that this is you, so you can correct me for everybody.",
    "operator": "You run this Labmate, so your corrections hold for everybody.",
}
WHERE = {True: "in this server", False: "for everybody"}


def manages_server(interaction: discord.Interaction) -> bool:
    """Whether this member manages the server where they ask, and Labmate is one of its members."""
    return (
        interaction.guild_id is not None and interaction.permissions.manage_guild and is_present(interaction)
    )


async def manages(interaction: discord.Interaction, guild: int) -> bool:
    """Whether this member manages a server, also from a direct message, where Labmate asks Discord.

    Members of a banned server don't manage it from outside; in it, they are refused before.
    """
    if interaction.guild_id is not None:
        return interaction.guild_id == guild and manages_server(interaction)
    services: Services = interaction.client.services  # type: ignore[attr-defined]
    if await services.store.bans.is_refused(guild) and not await is_operator(interaction):
        return False
    member = await member_in(interaction, guild)
    return member is not None and member.guild_permissions.manage_guild


async def member_in(interaction: discord.Interaction, guild: int) -> discord.Member | None:
    """Who asks, as a member of a server; in a direct message Discord is asked. None if they are no member."""
    if interaction.guild_id == guild and isinstance(interaction.user, discord.Member):
        return interaction.user
    try:
        server = await server_of(interaction.client, guild)
        return await server.fetch_member(interaction.user.id) if server is not None else None
    except discord.HTTPException:
        return None


async def is_operator(interaction: discord.Interaction) -> bool:
    """Whether this member runs this Labmate: as owner of the application, or in the team that owns it."""
    bot: Any = interaction.client
    return bool(await bot.is_owner(interaction.user))


async def operators(client: Any) -> set[int]:
    """The Discord ids of those who run this Labmate."""
    if not client.owner_id and not client.owner_ids:
        await client.is_owner(client.user)  # discord.py asks Discord, and remembers
    return set(client.owner_ids or ()) | ({client.owner_id} if client.owner_id else set())


async def scope_of(interaction: discord.Interaction, services: Services, *people: int) -> Scope | None:
    """On whose authority this member corrects something about people; None where they may not.

    What they say about themselves holds everywhere; else it holds in the server that they manage. What the
    operator says holds everywhere, unless they manage the server where they say it.
    """
    everywhere = services.everywhere.store
    for person in people:
        own = await holder_scope(everywhere, *by(interaction), person, interaction.guild_id)
        if own is not None:
            return own
    if manages_server(interaction):
        assert interaction.guild_id is not None
        return Scope.server(interaction.guild_id, by(interaction))
    if await is_operator(interaction):
        return Scope.operator(by(interaction), interaction.guild_id)
    return None


async def may_correct_somebody(interaction: discord.Interaction, services: Services) -> bool:
    """Whether this member may correct anything at all; those who may not are refused before questions."""
    return (
        await scope_of(interaction, services) is not None
        or await services.everywhere.store.claims.of_member(interaction.user.id) is not None
    )


async def wider_scope(
    interaction: discord.Interaction, services: Services, correction: Correction
) -> Scope | None:
    """The authority to make a server's correction hold everywhere; None if this member has none."""
    if not correction.is_local or correction.undone is not None:
        return None
    if await is_operator(interaction):
        return Scope.operator(by(interaction), interaction.guild_id)
    store = services.everywhere.store
    whose = await store.people.whose(list(correction.ends))
    for person in whose.values() if correction.kind == "same" else [whose.get(correction.ends[0])]:
        if person is not None:
            own = await holder_scope(store, *by(interaction), person, interaction.guild_id)
            if own is not None:
                return own
    return None


def seen_with(services: Services, scope: Scope) -> Store:
    """The store in which a correction is judged: as the server sees people, or as everybody does."""
    return services.store if scope.is_local else services.everywhere.store


def by(interaction: discord.Interaction) -> tuple[int, str]:
    """Who makes a correction: Discord id and display name."""
    return interaction.user.id, interaction.user.display_name


async def may_undo(interaction: discord.Interaction, correction: Correction) -> bool:
    """Whether this member may take a correction back."""
    manages = interaction.guild_id if manages_server(interaction) else None
    operator = await is_operator(interaction)
    return may_take_back(correction, interaction.user.id, manages=manages, operator=operator)
