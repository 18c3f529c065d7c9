"""Buttons and selects that work after a restart: all they need is in their ``custom_id``."""

from __future__ import annotations

import re
from typing import Any, Self

import discord
from discord import ui

from commands.kit.access import may_use
from commands.kit.replies import handling
from commands.kit.services import Services
from index.trust.views import Place

TEMPLATES: list[re.Pattern[str]] = []


def services_of(interaction: discord.Interaction) -> Services:
    """The services that the client carries."""
    services: Services = interaction.client.services  # type: ignore[attr-defined]
    return services


async def seen_by(interaction: discord.Interaction) -> Services:
    """The services as the server where this happens sees people."""
    return await services_of(interaction).seen_from(Place(interaction.guild_id, interaction.user.id))


def is_ours(custom_id: str) -> bool:
    """Whether some button of this Labmate has such a ``custom_id``."""
    return any(template.fullmatch(custom_id) for template in TEMPLATES)


class Pressable(ui.DynamicItem[ui.Button[ui.LayoutView]], template=r"labmate-none"):
    """A button; subclasses give a template and say what happens in :meth:`pressed`.

    The template's named groups become the keyword arguments of ``__init__`` after the label.
    """

    def __init_subclass__(cls, *, template: str) -> None:
        super().__init_subclass__(template=template)
        TEMPLATES.append(re.compile(template))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        make: Any = cls  # subclasses take the label and the groups
        made: Self = make(getattr(item, "label", None) or "?", **match.groupdict())
        return made

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Refuse the banned."""
        return await may_use(interaction)

    async def callback(self, interaction: discord.Interaction) -> None:
        async with handling(interaction):
            await self.pressed(interaction, await seen_by(interaction))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        """Do what the button is for."""
        raise AssertionError("a button without a purpose")


class Choosable(ui.DynamicItem[ui.Select[ui.LayoutView]], template=r"labmate-no-select"):
    """A select; subclasses say in :meth:`chosen` what a choice does."""

    def __init_subclass__(cls, *, template: str) -> None:
        super().__init_subclass__(template=template)
        TEMPLATES.append(re.compile(template))

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        make: Any = cls
        made: Self = make([], **match.groupdict())
        return made

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Refuse the banned."""
        return await may_use(interaction)

    async def callback(self, interaction: discord.Interaction) -> None:
        async with handling(interaction):
            data: Any = interaction.data or {}
            values = data.get("values", [])
            await self.chosen(interaction, await seen_by(interaction), str(values[0])[:100] if values else "")

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        """Do what was chosen."""
        raise AssertionError("a select without a purpose")
