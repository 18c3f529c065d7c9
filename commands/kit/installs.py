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
    """Offered everywhere: it needs only the member and the question."""
    return _offered(command, by_users=True, in_servers=True, in_dms=True)


def with_labmate(command: T) -> T:
    """Offered in servers with Labmate and in its direct messages: it needs to know who is in a server."""
    return _offered(command, by_users=False, in_servers=True, in_dms=True)


def in_servers(command: T) -> T:
    """Offered in servers with Labmate only: it is about the server."""
    return _offered(command, by_users=False, in_servers=True, in_dms=False)


def in_direct_messages(command: T) -> T:
    """Offered in direct messages with Labmate only."""
    return _offered(command, by_users=False, in_servers=False, in_dms=True)


def _offered(command: T, *, by_users: bool, in_servers: bool, in_dms: bool) -> T:
    """Set where Discord offers a command; ``by_users``: also where a member brings Labmate."""
    app_commands.allowed_installs(guilds=True, users=by_users)(command)
    app_commands.allowed_contexts(guilds=in_servers, dms=in_dms, private_channels=by_users)(command)
    return command


def is_present(interaction: discord.Interaction) -> bool:
    """Whether Labmate itself is where somebody asks: in the server, or in the direct message."""
    if interaction.guild_id is not None:
        return interaction.client.get_guild(interaction.guild_id) is not None
    return not interaction.context.private_channel


def without_users(tree: app_commands.CommandTree) -> None:
    """Offer nothing to members who install Labmate for themselves, if the application forbids it."""
    for command in tree.get_commands():
        if command.allowed_installs is not None:
            command.allowed_installs.user = False
        if command.allowed_contexts is not None:
            command.allowed_contexts.private_channel = False
