"""Where a command is offered: in servers with Labmate, in its direct messages, or wherever members bring it.

A member can install Labmate for themselves. Its commands then work in every server and direct message of
theirs, though Labmate itself is not there: it can answer, but neither read nor write, nor see who else is.
See https://docs.discord.com/developers/resources/application#installation-context.
"""

from __future__ import annotations

from typing import TypeVar

import discord
from discord import app_commands

T = TypeVar("T")
FOLLOW_UPS = 5
"""Further messages that Discord takes for an answer where Labmate itself is not."""


def anywhere(command: T) -> T:
    """Offered everywhere: it needs nothing but who asks and what is asked."""
    app_commands.allowed_installs(guilds=True, users=True)(command)
    app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)(command)
    return command


def with_labmate(command: T) -> T:
    """Offered in servers with Labmate and in its direct messages: it needs to know who is in a server."""
    app_commands.allowed_installs(guilds=True, users=False)(command)
    app_commands.allowed_contexts(guilds=True, dms=True, private_channels=False)(command)
    return command


def in_servers(command: T) -> T:
    """Offered in servers with Labmate only: it is about the server."""
    app_commands.allowed_installs(guilds=True, users=False)(command)
    app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)(command)
    return command


def in_direct_messages(command: T) -> T:
    """Offered in direct messages with Labmate only."""
    app_commands.allowed_installs(guilds=True, users=False)(command)
    app_commands.allowed_contexts(guilds=False, dms=True, private_channels=False)(command)
    return command


def is_present(interaction: discord.Interaction) -> bool:
    """Whether Labmate itself is where somebody asks: in the server, or in the direct message."""
    if interaction.guild_id is not None:
        return interaction.client.get_guild(interaction.guild_id) is not None
    return not interaction.context.private_channel


def without_users(tree: app_commands.CommandTree) -> None:
    """Offer nothing to members who install Labmate for themselves: for an application that allows no such."""
    for command in tree.get_commands():
        if command.allowed_installs is not None:
            command.allowed_installs.user = False
        if command.allowed_contexts is not None:
            command.allowed_contexts.private_channel = False
