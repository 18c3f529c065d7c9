"""What members chose for themselves, in SQL: the theme of their pictures."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, insert, select

from data.stores.repository import Repository
from data.tables.member_settings import MemberSettingsRow

DARK, LIGHT = "dark", "light"
THEMES = (DARK, LIGHT)


class MemberSettings(Repository):
    """Keeps one row a member; every change is one transaction."""

    async def theme(self, member: int) -> str:
        """The theme of a member's pictures: dark, like Discord, until they choose."""
        query = select(MemberSettingsRow.theme).where(MemberSettingsRow.member == member)
        async with self._read() as connection:
            return await connection.scalar(query) or DARK

    async def choose_theme(self, member: int, theme: str) -> None:
        """Keep a member's choice.

        Raises
        ------
        ValueError
            For anything but a theme.
        """
        if theme not in THEMES:
            raise ValueError(f"{theme!r} is not one of {', '.join(THEMES)}")
        async with self._writer.begin() as connection:
            await connection.execute(delete(MemberSettingsRow).where(MemberSettingsRow.member == member))
            await connection.execute(insert(MemberSettingsRow).values(member=member, theme=theme))

    async def held(self, member: int) -> dict[str, Any]:
        """The choices, ready for JSON."""
        query = select(MemberSettingsRow.theme).where(MemberSettingsRow.member == member)
        async with self._read() as connection:
            return {"settings": [{"theme": theme} for theme in await connection.scalars(query)]}

    async def forget(self, member: int) -> int:
        """Delete a member's choices; returns how many rows there were."""
        mine = MemberSettingsRow.member == member
        async with self._writer.begin() as connection:
            return int((await connection.execute(delete(MemberSettingsRow).where(mine))).rowcount)
