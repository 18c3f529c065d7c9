"""The ``digest`` option: completed while typing, and looked up in the answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import discord
from discord import app_commands

from commands.cards import digest_replies as replies
from commands.cards.text import label
from commands.kit.authority import manages_server
from commands.kit.installs import is_present
from commands.kit.options import CHOICES, MAX_OPTION
from commands.kit.replies import UserError
from commands.kit.services import services_of
from data.stores.digest_record import Digest


@dataclass(frozen=True, slots=True)
class NamedDigest:
    """What a member typed for a digest; nothing means their only one."""

    typed: str = ""

    async def find(self, interaction: discord.Interaction) -> Digest:
        """The digest, if it is one that the member can change.

        Raises
        ------
        UserError
            Where there is none, or several could be meant.
        """
        digests = await _changeable(interaction)
        if wanted := self.typed.strip().casefold():
            digests = (
                [one for one in digests if f"#{one.id}" == wanted]
                or [one for one in digests if one.name.casefold() == wanted]
                or [one for one in digests if wanted in one.name.casefold()]
            )
        if not digests:
            raise UserError(replies.NONE_TO_CHANGE if wanted else await _why_none(interaction))
        if len(digests) > 1:
            command = interaction.command.qualified_name if interaction.command else "digest edit"
            raise UserError(replies.several_meant(digests, command))
        return digests[0]


class DigestTransformer(app_commands.Transformer):
    """Reads the ``digest`` option. It looks nothing up itself, since that belongs in the answer."""

    @property
    def min_value(self) -> int:
        """Characters."""
        return 1

    @property
    def max_value(self) -> int:
        """Characters."""
        return MAX_OPTION

    async def transform(self, interaction: discord.Interaction, value: str, /) -> NamedDigest:
        """What was typed."""
        return NamedDigest(value)

    async def autocomplete(  # type: ignore[override]  # discord.py's own allows any kind of value
        self, interaction: discord.Interaction, value: str, /
    ) -> list[app_commands.Choice[str]]:
        """The member's digests whose names have what was typed."""
        wanted = value.casefold()
        named = [(line_of(interaction, digest), digest) for digest in await _changeable(interaction)]
        counts = Counter(line for line, _ in named)
        return [
            app_commands.Choice(
                name=f"{line} (#{digest.id})" if counts[line] > 1 else line, value=f"#{digest.id}"
            )
            for line, digest in named
            if wanted in line.casefold()
        ][:CHOICES]


def line_of(interaction: discord.Interaction, digest: Digest) -> str:
    """A digest in a menu: its name, and where it posts; a long name leaves room for the place."""
    name = label(digest.name, 50)
    if digest.is_own:
        return f"{name} · direct message"
    channel = getattr(interaction.client.get_channel(digest.channel), "name", "")
    return f"{name} · #{label(channel, 30)}" if channel else name


async def _changeable(interaction: discord.Interaction) -> list[Digest]:
    """The digests that a member can change: the server's that they manage, and their own."""
    store = services_of(interaction).store.digests
    digests: list[Digest] = []
    if interaction.guild_id and manages_server(interaction):
        digests += await store.of_guild(interaction.guild_id, drafts=True)
    return digests + await store.of_owner(interaction.user.id, drafts=True)


async def _why_none(interaction: discord.Interaction) -> str:
    """What to say to a member who named no digest, and can change none."""
    guild = interaction.guild_id
    seen = guild is not None and is_present(interaction)
    others = await services_of(interaction).store.digests.of_guild(guild) if guild and seen else []
    return replies.NONE_OF_YOURS if others else replies.NO_DIGESTS


if TYPE_CHECKING:
    DigestOption = NamedDigest
else:
    DigestOption = app_commands.Transform[NamedDigest, DigestTransformer]
ONLY_ONE = NamedDigest()
"""The member's only digest, where none was named."""
