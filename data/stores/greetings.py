"""Which servers were greeted, in SQL: each is greeted once, whatever happens in between."""

from __future__ import annotations

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.digests import GreetingRow


class Greetings(Repository):
    """Asks and changes greetings."""

    async def state(self, guild: int) -> tuple[str | None, int]:
        """The state of a server's greeting, and its channel (0: a direct message).

        It is ``begun``, ``sent``, ``refused`` or ``known``; None before.
        """
        query = select(GreetingRow.state, GreetingRow.place).where(GreetingRow.guild == guild)
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return (row[0], row[1]) if row else (None, 0)

    async def meet(self, guild: int, state: str) -> bool:
        """Note a server that was not met before; False if any process met it before."""
        try:
            async with self._writer.begin() as connection:
                await connection.execute(
                    insert(GreetingRow).values(guild=guild, state=state, place=0, made=utc_now())
                )
        except IntegrityError:
            return False
        return True

    async def settle(self, guild: int, state: str, place: int | None = None) -> None:
        """Note the state of a greeting, and its channel."""
        values = {"state": state} | ({} if place is None else {"place": place})
        async with self._writer.begin() as connection:
            await connection.execute(update(GreetingRow).where(GreetingRow.guild == guild).values(**values))
