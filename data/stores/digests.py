"""Digests in SQL: what is to be posted, what was, and who may post now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import case, delete, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.reasons import TYPICAL, Reason
from data.stores.bans import refused_server
from data.stores.leases import holds
from data.stores.limits import OWN_DIGESTS, spend
from data.stores.repository import Repository
from data.tables.digests import DeliveryRow, DigestRow, OpinionRow, ShownRow
from data.tables.operator import BanRow

MOST_IN_GUILD, MOST_OF_MEMBER = 25, 3
"""Digests of a server, and of a member by direct message."""
LIVE = ("active", "paused", "broken")
OPINIONS = ("like", "save", "dislike", "skip")


class DigestRefused(Exception):
    """A digest that can't be made; its text says why."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What is posted where, when, and of what; see :class:`data.tables.digests.DigestRow`."""

    guild: int
    channel: int
    owner: int
    id: int = 0
    name: str = "New papers"
    state: str = "draft"
    why: str = ""
    form: str = "message"
    style: str = "compact"
    picture: bool = True
    categories: str = ""
    query: str = ""
    people: str = ""
    followed: bool = False
    require: str = ""
    exclude: str = ""
    most: int = 5
    days: str = "1111100"
    at: str = "09:00"
    zone: str = "UTC"
    quiet: bool = False
    made: datetime = datetime.min
    changed: datetime = datetime.min
    upto: date = date.min
    seen: int = 0
    news: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it goes to its owner by direct message."""
        return self.guild == 0

    @property
    def category_set(self) -> frozenset[str]:
        """The categories; none means all that are followed."""
        return frozenset(self.categories.split())

    @property
    def person_numbers(self) -> tuple[int, ...]:
        """The people whose papers are wanted."""
        return tuple(int(number) for number in self.people.split())

    @property
    def required(self) -> tuple[str, ...]:
        """Words or phrases of which a paper needs one."""
        return lines(self.require)

    @property
    def excluded(self) -> tuple[str, ...]:
        """Words or phrases of which a paper may have none."""
        return lines(self.exclude)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A paper of a delivery, with the reason for it and its closeness (None where nothing is known).

    ``marked`` are the keys of the authors' names to print bold. A paper that is cross-listed was ``first``
    announced on an earlier day, if that is known.
    """

    paper: int
    why: Reason = TYPICAL
    closeness: float | None = None
    text_hash: int = 0
    marked: tuple[str, ...] = ()
    cross_listed: bool = False
    first: date | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One posting of a digest; see :class:`data.tables.digests.DeliveryRow`."""

    id: int
    digest_id: int
    slot: date
    due: datetime
    state: str
    upto: date | None
    read: int
    papers: tuple[Chosen, ...]
    late: bool
    channel: int
    message: int | None
    tries: int
    why: str
    made: datetime
    posted: datetime | None


_PAPERS = TypeAdapter(tuple[Chosen, ...])
"""The papers of a delivery as JSON."""
_DIGEST = [getattr(DigestRow, name) for name in Digest.__slots__]
_DELIVERY = [getattr(DeliveryRow, name) for name in Delivery.__slots__]
_OWNER_BANNED = exists().where(BanRow.kind == "member", BanRow.target == DigestRow.owner)
_ADMITTED = case((DigestRow.guild == 0, ~_OWNER_BANNED), else_=~refused_server(DigestRow.guild))
"""SQL: neither the member whose digest it is nor the server that it is posted in is banned."""


def lines(text: str) -> tuple[str, ...]:
    """Words or phrases, one a line."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def _living(drafts: bool) -> tuple[str, ...]:
    return ("draft", *LIVE) if drafts else LIVE


def _delivery(row: Any) -> Delivery:
    values = dict(row._mapping)
    return Delivery(**(values | {"papers": _PAPERS.validate_json(values["papers"])}))


class Digests(Repository):
    """Asks and changes digests, their deliveries and what members think of papers."""

    # -- digests ---------------------------------------------------------------------------------

    async def find(self, number: int) -> Digest | None:
        """A digest by number; None for one that was deleted."""
        found = await self._digests(DigestRow.id == number, DigestRow.state != "deleted")
        return found[0] if found else None

    async def active(self) -> list[Digest]:
        """Everything posted on schedule; posts for banned servers and members wait until the ban ends."""
        return await self._digests(DigestRow.state == "active", _ADMITTED)

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
        """Keep a draft; older drafts of the same owner in the same place go.

        Raises
        ------
        DigestRefused
            Where there are as many as there may be.
        """
        now = utc_now()
        made = replace(digest, id=fresh_number(), state="draft", made=now, changed=now)
        async with self._writer.begin() as connection:
            mine = (DigestRow.guild == digest.guild) & (DigestRow.owner == digest.owner)
            await connection.execute(delete(DigestRow).where(mine, DigestRow.state == "draft"))
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
        """Change settings or state."""
        async with self._writer.begin() as connection:
            row = (
                await connection.execute(
                    update(DigestRow)
                    .where(DigestRow.id == number, DigestRow.state != "deleted")
                    .values(**values, changed=utc_now())
                    .returning(*_DIGEST)
                )
            ).first()
        return Digest(**row._mapping) if row else None

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

    async def _states(self, guild: int, old: str, new: str, why: str, *where: Any) -> None:
        async with self._writer.begin() as connection:
            await connection.execute(
                update(DigestRow)
                .where(DigestRow.guild == guild, DigestRow.state == old, *where)
                .values(state=new, why=why[:300])
            )

    # -- deliveries ------------------------------------------------------------------------------

    async def last_slots(self) -> dict[int, date]:
        """For each digest the last local day that was dealt with."""
        query = select(DeliveryRow.digest_id, func.max(DeliveryRow.slot)).group_by(DeliveryRow.digest_id)
        async with self._read() as connection:
            return {row[0]: row[1] for row in await connection.execute(query)}

    async def counts(self) -> tuple[dict[str, int], int]:
        """How many deliveries there are in each state, and how many were posted late."""
        by_state = select(DeliveryRow.state, func.count()).group_by(DeliveryRow.state)
        late = select(func.count()).where(DeliveryRow.late, DeliveryRow.state == "posted")
        async with self._read() as connection:
            states = {row[0]: int(row[1]) for row in await connection.execute(by_state)}
            return states, int(await connection.scalar(late) or 0)

    async def write(
        self,
        digest: Digest,
        slot: date,
        due: datetime,
        *,
        state: str,
        upto: date | None,
        seen: int = 0,
        read: int = 0,
        papers: Sequence[Chosen] = (),
        late: bool = False,
        why: str = "",
        lease: tuple[str, str] | None = None,
    ) -> Delivery | None:
        """Keep a delivery before it is posted; None where this slot has one, or the lease is another's.

        What a digest was looked through for moves with it, so that a crash neither loses a listing nor
        repeats it.
        """
        values = {
            "id": fresh_number(),
            "digest_id": digest.id,
            "slot": slot,
            "due": due.replace(tzinfo=None),
            "state": state,
            "upto": upto,
            "read": read,
            "papers": _PAPERS.dump_json(tuple(papers)).decode(),
            "late": late,
            "channel": digest.channel,
            "message": None,
            "tries": 0,
            "why": why[:300],
            "made": utc_now(),
            "posted": None,
        }
        try:
            async with self._writer.begin() as connection:
                if lease is not None and not await holds(connection, *lease):
                    return None
                made = await connection.execute(insert(DeliveryRow).values(**values).returning(*_DELIVERY))
                found = _delivery(made.one())
                if upto is not None:
                    await connection.execute(
                        update(DigestRow)
                        .where(DigestRow.id == digest.id)
                        .values(upto=upto, seen=max(seen, digest.seen))
                    )
                return found
        except IntegrityError:
            return None

    async def unposted(self) -> list[Delivery]:
        """What was written and not marked as posted, oldest first; nothing of the banned."""
        query = (
            select(*_DELIVERY)
            .join(DigestRow, DigestRow.id == DeliveryRow.digest_id)
            .where(DeliveryRow.state == "written", _ADMITTED)
            .order_by(DeliveryRow.made)
        )
        async with self._read() as connection:
            return [_delivery(row) for row in await connection.execute(query)]

    async def delivery(self, number: int) -> Delivery | None:
        """A delivery by number."""
        async with self._read() as connection:
            row = (await connection.execute(select(*_DELIVERY).where(DeliveryRow.id == number))).first()
        return _delivery(row) if row else None

    async def history(self, digest: int, most: int = 10) -> list[Delivery]:
        """The last deliveries of a digest, newest first."""
        query = (
            select(*_DELIVERY)
            .where(DeliveryRow.digest_id == digest)
            .order_by(DeliveryRow.slot.desc())
            .limit(most)
        )
        async with self._read() as connection:
            return [_delivery(row) for row in await connection.execute(query)]

    async def posted(self, delivery: Delivery, place: int, message: int | None) -> None:
        """Mark a delivery as posted, and its papers as shown in its place."""
        async with self._writer.begin() as connection:
            done = await connection.execute(
                update(DeliveryRow)
                .where(DeliveryRow.id == delivery.id, DeliveryRow.state == "written")
                .values(state="posted", message=message, posted=utc_now())
            )
            if not done.rowcount:
                return
            ids = [entry.paper for entry in delivery.papers]
            await connection.execute(
                delete(ShownRow).where(ShownRow.place == place, ShownRow.paper_id.in_(ids))
            )
            for entry in delivery.papers:
                row = {"place": place, "paper_id": entry.paper, "text_hash": entry.text_hash}
                await connection.execute(insert(ShownRow).values(**row, day=delivery.slot))

    async def tried(self, delivery: int, why: str, *, failed: bool = False) -> None:
        """Note an attempt that failed; with ``failed`` it was the last."""
        values: dict[str, Any] = {"tries": DeliveryRow.tries + 1, "why": why[:300]}
        values |= {"state": "failed"} if failed else {}
        async with self._writer.begin() as connection:
            await connection.execute(update(DeliveryRow).where(DeliveryRow.id == delivery).values(**values))

    async def shown(self, place: int, papers: Collection[int]) -> dict[int, int]:
        """Which of some papers were shown in a place, with the text they had then."""
        found: dict[int, int] = {}
        wanted = list(papers)
        async with self._read() as connection:
            for start in range(0, len(wanted), 5_000):
                query = select(ShownRow.paper_id, ShownRow.text_hash).where(
                    ShownRow.place == place, ShownRow.paper_id.in_(wanted[start : start + 5_000])
                )
                found.update({row[0]: row[1] for row in await connection.execute(query)})
        return found

    # -- opinions --------------------------------------------------------------------------------

    async def think(
        self, guild: int, member: int, paper: int, kind: str | None, channel: int = 0
    ) -> str | None:
        """Keep what a member thinks of a paper, in place of what they thought; None takes it back.

        Returns what they thought before.
        """
        mine = (OpinionRow.guild == guild) & (OpinionRow.member == member) & (OpinionRow.paper_id == paper)
        async with self._writer.begin() as connection:
            before: str | None = await connection.scalar(select(OpinionRow.kind).where(mine))
            await connection.execute(delete(OpinionRow).where(mine))
            if kind is not None:
                assert kind in OPINIONS
                row = {"guild": guild, "member": member, "paper_id": paper, "kind": kind, "channel": channel}
                await connection.execute(insert(OpinionRow).values(**row, made=utc_now()))
        return before

    async def opinions(
        self, *, guild: int | None = None, member: int | None = None, since: datetime | None = None
    ) -> list[tuple[int, int, str, datetime]]:
        """(member, paper, kind, when) of a server or of a member, oldest first."""
        query = select(OpinionRow.member, OpinionRow.paper_id, OpinionRow.kind, OpinionRow.made)
        if guild is not None:
            query = query.where(OpinionRow.guild == guild)
        if member is not None:
            query = query.where(OpinionRow.member == member)
        if since is not None:
            query = query.where(OpinionRow.made >= since)
        async with self._read() as connection:
            rows = await connection.execute(query.order_by(OpinionRow.made))
            return [(row[0], row[1], row[2], row[3]) for row in rows]

    # -- everything about a member ---------------------------------------------------------------

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON."""
        return {
            "opinions": [
                {"paper": paper, "opinion": kind, "made": when.isoformat()}
                for _, paper, kind, when in await self.opinions(member=member)
            ],
            "own_digests": [
                {"name": d.name, "query": d.query, "require": d.require, "exclude": d.exclude, "zone": d.zone}
                for d in await self._digests(DigestRow.guild == 0, DigestRow.owner == member)
            ],
        }

    async def forget(self, member: int) -> int:
        """Delete a member's opinions and own digests; a server's digests are the server's."""
        own = select(DigestRow.id).where(DigestRow.guild == 0, DigestRow.owner == member)
        gone = 0
        async with self._writer.begin() as connection:
            for statement in (
                delete(OpinionRow).where(OpinionRow.member == member),
                delete(ShownRow).where(ShownRow.place == member),
                delete(DeliveryRow).where(DeliveryRow.digest_id.in_(own)),
                delete(DigestRow).where(DigestRow.guild == 0, DigestRow.owner == member),
            ):
                gone += (await connection.execute(statement)).rowcount
        return gone
