"""Digests in SQL: what is to be posted, what was, and who may post now."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, or_, select, update

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores.deliveries import ADMITTED, Deliveries, show_unknown
from data.stores.digest_record import Digest, DigestRefused
from data.stores.limits import OWN_DIGESTS, spend
from data.stores.notices import Notices, leave_notice
from data.stores.opinions import Opinions
from data.stores.seeds import Seeds
from data.tables.digests import DeliveryRow, DigestRow, NoticeRow, OpinionRow, SeedRow, ShownRow

MOST_IN_GUILD, MOST_OF_MEMBER = 25, 3
"""Digests of a server, and of a member by direct message."""
MOST_DRAFTS = 5
"""Drafts of one manager in a server."""
LIVE = ("active", "paused", "broken")
SCHEDULE = ("state", "at", "days", "zone")
"""What decides when a digest is due."""
_SETTINGS = (
    "name",
    "state",
    "query",
    "require",
    "exclude",
    "news",
    "most",
    "days",
    "at",
    "zone",
    "quiet",
    "style",
)
_EVERY = 10_000
"""More postings than a digest can have."""


_ANEW = {"tried": None, "not_before": None}
"""Of a delivery: no try counts any more, and nothing puts the next one off."""
_DIGEST = [getattr(DigestRow, name) for name in Digest.__slots__]


def _living(drafts: bool) -> tuple[str, ...]:
    return ("draft", *LIVE) if drafts else LIVE


class Digests(Deliveries, Opinions, Seeds, Notices):
    """Asks and changes digests, their deliveries, what they learn from and what members think of papers."""

    # -- digests ---------------------------------------------------------------------------------

    async def find(self, number: int) -> Digest | None:
        """A digest by number; None for one that was deleted."""
        digests = await self._digests(DigestRow.id == number, DigestRow.state != "deleted")
        return digests[0] if digests else None

    async def active(self) -> list[Digest]:
        """Everything posted on schedule; posts for banned servers and members wait until the ban ends."""
        return await self._digests(DigestRow.state == "active", ADMITTED)

    async def of_guild(self, guild: int, *, drafts: bool = False) -> list[Digest]:
        """A server's digests; with ``drafts`` also those that were never started."""
        return await self._digests(DigestRow.guild == guild, DigestRow.state.in_(_living(drafts)))

    async def of_owner(self, owner: int, *, drafts: bool = False) -> list[Digest]:
        """A member's own digests by direct message; with ``drafts`` also those that were never started."""
        mine = (DigestRow.guild == 0) & (DigestRow.owner == owner)
        return await self._digests(mine, DigestRow.state.in_(_living(drafts)))

    async def _digests(self, *where: Any) -> list[Digest]:
        query = select(*_DIGEST).where(*where).order_by(DigestRow.made, DigestRow.id)
        async with self._read() as connection:
            return [Digest(**row._mapping) for row in await connection.execute(query)]

    async def make(self, digest: Digest) -> Digest:
        """Keep a draft, and delete the owner's oldest: `MOST_DRAFTS` stay in a server, one by direct message.

        Raises
        ------
        DigestRefused
            Where there are as many as there may be.
        """
        now = utc_now()
        made = replace(digest, id=fresh_number(), state="draft", made=now, changed=now)
        async with self._writer.begin() as connection:
            mine = (DigestRow.guild == digest.guild) & (DigestRow.owner == digest.owner)
            drafts = select(DigestRow.id).where(mine, DigestRow.state == "draft")
            newest = drafts.order_by(DigestRow.made.desc(), DigestRow.id.desc())
            keeps = MOST_DRAFTS - 1 if digest.guild else 0
            gone = (await connection.scalars(newest.offset(keeps))).all()
            await connection.execute(delete(SeedRow).where(SeedRow.digest_id.in_(gone)))
            await connection.execute(delete(DigestRow).where(DigestRow.id.in_(gone)))
            place = DigestRow.guild == digest.guild if digest.guild else mine
            count = await connection.scalar(select(func.count()).where(place, DigestRow.state.in_(LIVE)))
            most = MOST_IN_GUILD if digest.guild else MOST_OF_MEMBER
            if int(count or 0) >= most:
                raise DigestRefused(f"There are {most} digests here already; /digest delete ends one.")
            if not digest.guild and not await spend(connection, OWN_DIGESTS, digest.owner):
                raise DigestRefused("You began many digests today; try again tomorrow.")
            await connection.execute(insert(DigestRow).values(**asdict(made)))
        return made

    async def change(self, number: int, **values: Any) -> Digest | None:
        """Change settings or state; None for a digest that was deleted.

        A posting that is due by now and still waits is not cancelled, unless the schedule changes. Where a
        digest goes on or moves, what it has not posted is tried at once, and for a day again. Of a deleted
        digest no words stay, nor what it was given, nor what it has not posted.
        """
        if values.get("state") == "deleted":
            values |= dict.fromkeys(("name", "query", "people", "require", "exclude"), "")
        if "why" in values:
            values["why"] = values["why"][:300]
        living = DigestRow.id == number, DigestRow.state != "deleted"
        async with self._writer.begin() as connection:
            # Locked: another process may set another schedule meanwhile.
            before = (await connection.execute(select(*_DIGEST).where(*living).with_for_update())).first()
            if before is None:
                return None
            old = before._mapping
            changed = any(values.get(name, old[name]) != old[name] for name in SCHEDULE)
            values["changed"] = utc_now() if changed else old["changed"]
            made = update(DigestRow).where(*living).values(**values).returning(*_DIGEST)
            row = (await connection.execute(made)).first()
            unsent = DeliveryRow.digest_id == number, DeliveryRow.state == "written"
            if any(values.get(name, old[name]) != old[name] for name in ("state", "channel")):
                await connection.execute(update(DeliveryRow).where(*unsent).values(_ANEW))
            if values.get("state") == "deleted":
                await show_unknown(connection, DeliveryRow.digest_id == number)
                await connection.execute(delete(DeliveryRow).where(*unsent))
                for table in (SeedRow, NoticeRow):
                    await connection.execute(delete(table).where(table.digest_id == number))
        return Digest(**row._mapping) if row else None

    async def stop(self, number: int, delivery: int, why: str) -> None:
        """Stop a digest whose delivery can't be posted, unless it does not run any more.

        Its owner is to be told.
        """
        running = DigestRow.id == number, DigestRow.state == "active"
        values = {"state": "broken", "why": why[:300], "changed": utc_now()}
        tried = {"tries": DeliveryRow.tries + 1, "why": why[:300], **_ANEW}
        async with self._writer.begin() as connection:
            if (await connection.execute(update(DigestRow).where(*running).values(values))).rowcount:
                await leave_notice(connection, number, "stopped", why)
            await connection.execute(update(DeliveryRow).where(DeliveryRow.id == delivery).values(tried))

    async def guilds(self, why: str) -> tuple[set[int], set[int]]:
        """(servers with active digests, servers whose digests were paused for this reason)."""
        one = select(DigestRow.guild).where(DigestRow.guild != 0, DigestRow.state == "active").distinct()
        other = select(DigestRow.guild).where(DigestRow.state == "broken", DigestRow.why == why).distinct()
        async with self._read() as connection:
            return set((await connection.scalars(one)).all()), set((await connection.scalars(other)).all())

    async def break_all(self, guild: int, why: str) -> None:
        """Pause all of a server's digests because they can't be posted, until :meth:`mend_all`."""
        await self._states(guild, "active", "broken", why)

    async def mend_all(self, guild: int, why: str) -> None:
        """Let digests go on that were paused for this reason."""
        await self._states(guild, "broken", "active", "", DigestRow.why == why)

    async def stopped(self, since: datetime) -> list[Digest]:
        """Digests of servers that stopped since then, and did not go on."""
        broken = DigestRow.state == "broken"
        return await self._digests(DigestRow.guild != 0, broken, DigestRow.changed >= since)

    async def restate(self, digest: Digest, state: str, why: str) -> None:
        """Give a digest that has stopped another state or reason, unless it changed since it was read."""
        same = DigestRow.id == digest.id, DigestRow.why == digest.why
        await self._states(digest.guild, "broken", state, why, *same)

    async def _states(self, guild: int, old: str, new: str, why: str, *where: Any) -> None:
        changed = update(DigestRow).where(DigestRow.guild == guild, DigestRow.state == old, *where)
        changed = changed.values(state=new, why=why[:300]).returning(DigestRow.id)
        async with self._writer.begin() as connection:
            digests = (await connection.scalars(changed)).all()
            unsent = DeliveryRow.digest_id.in_(digests), DeliveryRow.state == "written"
            await connection.execute(update(DeliveryRow).where(*unsent).values(_ANEW))

    # -- everything about a member ---------------------------------------------------------------

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON."""
        said = select(OpinionRow.guild, OpinionRow.paper_id, OpinionRow.kind, OpinionRow.made)
        async with self._read() as connection:
            thought = await connection.execute(
                said.where(OpinionRow.member == member).order_by(OpinionRow.made)
            )
            opinions = [
                {"server": str(guild or ""), "paper": paper, "opinion": kind, "made": made.isoformat()}
                for guild, paper, kind, made in thought
            ]
        own = await self._digests(
            DigestRow.guild == 0, DigestRow.owner == member, DigestRow.state != "deleted"
        )
        set_up = await self._digests(DigestRow.guild != 0, DigestRow.owner == member)
        return {
            "opinions": opinions,
            "own_digests": [await self._settings(digest) for digest in own],
            "server_digests": [
                {"server": str(d.guild), "name": d.name, "state": d.state, "made": d.made.isoformat()}
                for d in set_up
            ],
            "untold": [one.why for one in await self.notices(member)],
        }

    async def _settings(self, digest: Digest) -> dict[str, Any]:
        """A member's own digest and what it posted, ready for JSON."""
        return {
            **{name: getattr(digest, name) for name in _SETTINGS},
            "categories": sorted(digest.category_set),
            "people": list(digest.person_numbers),
            "made": digest.made.isoformat(),
            "learns_from": [seed.paper for seed in await self.seeds(digest.id)],
            "posted": [
                {"day": one.slot.isoformat(), "state": one.state, "papers": [it.paper for it in one.papers]}
                for one in await self.history(digest.id, _EVERY)
            ],
        }

    async def forget(self, member: int) -> int:
        """Delete a member's opinions, own digests and drafts; a server's stay, without who set them up."""
        is_own = (DigestRow.owner == member) & or_(DigestRow.guild == 0, DigestRow.state == "draft")
        own = select(DigestRow.id).where(is_own)
        gone = 0
        async with self._writer.begin() as connection:
            for statement in (
                delete(OpinionRow).where(OpinionRow.member == member),
                delete(ShownRow).where(ShownRow.place == member),
                delete(DeliveryRow).where(DeliveryRow.digest_id.in_(own)),
                delete(SeedRow).where(SeedRow.digest_id.in_(own)),
                delete(NoticeRow).where(NoticeRow.digest_id.in_(own)),
                update(NoticeRow).where(NoticeRow.member == member).values(member=0),
                delete(DigestRow).where(is_own),
                update(DigestRow).where(DigestRow.owner == member).values(owner=0),
            ):
                gone += (await connection.execute(statement)).rowcount
        return gone
