"""Direct message channels that were opened once, in SQL, so that none has to be opened again."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, insert, select

from data.stores.repository import Repository
from data.tables.direct_channels import DirectChannelRow


class DirectChannels(Repository):
    """Keeps the channel of each member who got a direct message; every change is one transaction."""

    async def of(self, member: int) -> int | None:
        """The channel of direct messages with a member; None where none was opened yet."""
        query = select(DirectChannelRow.channel).where(DirectChannelRow.member == member)
        async with self._read() as connection:
            channel = await connection.scalar(query)
        return int(channel) if channel is not None else None

    async def keep(self, member: int, channel: int) -> None:
        """Keep a member's channel, in place of an older one."""
        async with self._writer.begin() as connection:
            await connection.execute(delete(DirectChannelRow).where(DirectChannelRow.member == member))
            await connection.execute(insert(DirectChannelRow).values(member=member, channel=channel))

    async def held(self, member: int) -> dict[str, Any]:
        """The channel, ready for JSON."""
        channel = await self.of(member)
        return {"direct_messages": [] if channel is None else [str(channel)]}

    async def forget(self, member: int) -> int:
        """Delete a member's channel; returns how many there were."""
        mine = DirectChannelRow.member == member
        async with self._writer.begin() as connection:
            return int((await connection.execute(delete(DirectChannelRow).where(mine))).rowcount)
