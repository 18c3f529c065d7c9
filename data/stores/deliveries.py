"""What digests posted, or are about to post, in SQL: written before it is posted, and posted once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Select, and_, case, delete, exists, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores.bans import refused_server
from data.stores.delivery_record import PAPERS, UNKNOWN, Chosen, Delivery, kept_left_out, left_out_in
from data.stores.digest_record import Digest
from data.stores.leases import holds
from data.stores.listings import Listed
from data.stores.notices import leave_notice
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.digests import DeliveryRow, DigestRow, ShownRow
from data.tables.operator import BanRow
from data.tables.papers import PaperRow


class PapersTaken(Exception):
    """Another digest of the place has chosen or posted some of the papers meanwhile."""


_OWNER_BANNED = exists().where(BanRow.kind == "member", BanRow.target == DigestRow.owner)
ADMITTED = case((DigestRow.guild == 0, ~_OWNER_BANNED), else_=~refused_server(DigestRow.guild))
"""SQL: neither the member whose digest it is nor the server that it is posted in is banned."""
UNSEEN = ("empty", "missed", "failed")
"""States in which nothing was posted, and nothing will be."""
_DELIVERY = [getattr(DeliveryRow, name) for name in Delivery.__slots__]


def _delivery(row: Any) -> Delivery:
    values = dict(row._mapping)
    return Delivery(**(values | {"papers": PAPERS.validate_json(values["papers"])}))


async def _present(connection: AsyncConnection, papers: Collection[int]) -> dict[int, int]:
    """By the numbers of papers, those of what they were merged into, or the same."""
    present = {paper: paper for paper in papers}
    for part in slices(present):
        now = func.coalesce(PaperRow.merged_into, PaperRow.id)
        found = await connection.execute(select(PaperRow.id, now).where(PaperRow.id.in_(part)))
        present.update({row[0]: row[1] for row in found})
    return present


class Deliveries(Repository):
    """Asks and changes the deliveries of digests."""

    async def last_slots(self, now: datetime, digests: Collection[int] | None = None) -> dict[int, date]:
        """For each digest, or each of some, the last local day that was dealt with.

        Future days don't count: they were dealt with while the clock was ahead.
        """
        begun = DeliveryRow.slot <= now.date() + timedelta(days=1)  # tomorrow has begun somewhere
        # One look into the index for each digest; grouping would read every delivery there ever was.
        last = select(func.max(DeliveryRow.slot)).where(DeliveryRow.digest_id == DigestRow.id, begun)
        query = select(DigestRow.id, last.scalar_subquery())
        if digests is not None:
            query = query.where(DigestRow.id.in_(digests))
        async with self._read() as connection:
            return {row[0]: row[1] for row in await connection.execute(query) if row[1] is not None}

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
        known: int = 0,
        passed: int = 0,
        papers: Sequence[Chosen] = (),
        left_out: Collection[Listed] = (),
        late: bool = False,
        why: str = "",
        instead: bool = False,
        lease: tuple[str, str] | None = None,
    ) -> Delivery | None:
        """Keep a delivery before it is posted; None where this slot has one, or the lease is another's.

        Also None where the digest was deleted meanwhile.

        It may come ``instead`` of one that ended without a post. If it is missed, its digest's owner is to
        be told.

        What a digest was looked through for moves with it, so that a crash neither loses a listing nor
        repeats it; so does what it ``left_out`` for another digest.

        Raises
        ------
        PapersTaken
            Where some of the papers are no longer to be had in the place.
        """
        values = {
            "id": fresh_number(),
            "digest_id": digest.id,
            "slot": slot,
            "due": due.replace(tzinfo=None),
            "state": state,
            "upto": upto,
            "since": digest.upto,
            "seen": digest.seen,
            "left_out": digest.left_out,
            "read": read,
            "known": known,
            "passed": passed,
            "papers": PAPERS.dump_json(tuple(papers)).decode(),
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
                here = or_(DigestRow.id == digest.id, DigestRow.channel == digest.channel)
                # All of the place are locked: two processes must not give one paper to two of them.
                locked = select(DigestRow.id).where(here, DigestRow.state != "deleted").order_by(DigestRow.id)
                if digest.id not in (await connection.scalars(locked.with_for_update())).all():
                    return None
                if papers and await _taken(connection, digest, papers):
                    raise PapersTaken
                if instead:
                    same = DeliveryRow.digest_id == digest.id, DeliveryRow.slot == slot
                    await connection.execute(delete(DeliveryRow).where(*same, DeliveryRow.state.in_(UNSEEN)))
                if state == "missed":
                    await leave_notice(connection, digest.id, state, why)
                made = await connection.execute(insert(DeliveryRow).values(**values).returning(*_DELIVERY))
                found = _delivery(made.one())
                if upto is not None:
                    await connection.execute(
                        update(DigestRow)
                        .where(DigestRow.id == digest.id)
                        .values(upto=upto, seen=max(seen, digest.seen), left_out=kept_left_out(left_out))
                    )
                return found
        except IntegrityError:
            return None

    async def unposted(self) -> list[Delivery]:
        """What was written and not marked as posted, oldest first; nothing of the banned."""
        query = (
            select(*_DELIVERY)
            .join(DigestRow, DigestRow.id == DeliveryRow.digest_id)
            .where(DeliveryRow.state == "written", ADMITTED)
            .order_by(DeliveryRow.made)
        )
        async with self._read() as connection:
            return [_delivery(row) for row in await connection.execute(query)]

    async def delivery(self, number: int) -> Delivery | None:
        """A delivery by number."""
        async with self._read() as connection:
            row = (await connection.execute(select(*_DELIVERY).where(DeliveryRow.id == number))).first()
        return _delivery(row) if row else None

    async def beside(self, digest: Digest, delivery: Delivery) -> int:
        """How many papers other digests posted in the place of a digest's delivery on its day."""
        whose = DigestRow.owner == digest.owner if digest.is_own else DigestRow.guild == digest.guild
        others = select(DigestRow.id).where(whose, DigestRow.guild == digest.guild, DigestRow.id != digest.id)
        query = select(DeliveryRow.papers).where(
            DeliveryRow.digest_id.in_(others),
            DeliveryRow.slot == delivery.slot,
            DeliveryRow.channel == delivery.channel,
            DeliveryRow.state == "posted",
        )
        async with self._read() as connection:
            return sum(len(PAPERS.validate_json(row)) for row in await connection.scalars(query))

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
        """Mark a delivery as posted in a place, and its papers as shown there."""
        async with self._writer.begin() as connection:
            done = await connection.execute(
                update(DeliveryRow)
                .where(DeliveryRow.id == delivery.id, DeliveryRow.state == "written")
                .values(state="posted", channel=place, message=message, late=delivery.late, posted=utc_now())
            )
            if done.rowcount:
                await _show(connection, place, delivery.papers, delivery.slot)

    async def sending(self, delivery: int, place: int) -> None:
        """Note that a delivery is sent to a place from now on: until its answer is noted, that is unknown."""
        values = {"channel": place, "message": UNKNOWN}
        async with self._writer.begin() as connection:
            await connection.execute(update(DeliveryRow).where(DeliveryRow.id == delivery).values(values))

    async def not_sent(self, delivery: int) -> None:
        """Note that Discord took nothing of a delivery."""
        unknown = DeliveryRow.id == delivery, DeliveryRow.message == UNKNOWN
        async with self._writer.begin() as connection:
            await connection.execute(update(DeliveryRow).where(*unknown).values(message=None))

    async def tried(self, delivery: int, why: str, since: datetime, until: datetime) -> None:
        """Note an attempt that failed, as others did ``since`` an instant, and when it is tried again."""
        values: dict[str, Any] = {"tries": DeliveryRow.tries + 1, "why": why[:300]}
        values |= {"tried": since.replace(tzinfo=None), "not_before": until.replace(tzinfo=None)}
        async with self._writer.begin() as connection:
            await connection.execute(update(DeliveryRow).where(DeliveryRow.id == delivery).values(**values))

    async def give_up(
        self, delivery: Delivery, why: str, *, state: str = "failed", back: bool = True
    ) -> bool:
        """End a delivery that was not posted; returns whether the next covers what it covered.

        Where it has failed, its digest's owner is to be told.
        It does if nothing later was written down meanwhile; ``back`` is False where it never shall.
        Of one that was missed, nobody looks any more whether Discord took it: if that isn't known, its papers
        count as shown.
        """
        row, digest = DeliveryRow, delivery.digest_id
        values = {"state": state, "tries": row.tries + 1, "why": why[:300]}
        ended = update(row).where(row.id == delivery.id, row.state == "written").values(**values)
        async with self._writer.begin() as connection:
            if state == "missed":
                await show_unknown(connection, row.id == delivery.id)
            done = await connection.execute(ended.returning(row.upto, row.since, row.seen, row.left_out))
            found = done.first()
            if found is None:
                return False
            comes = back and found.since is not None and await self._back(connection, digest, found)
            if comes:  # it no longer covers anything, so its papers are not held against the next
                await connection.execute(update(row).where(row.id == delivery.id).values(since=None))
            if state == "failed":
                kind = "failed" if comes and delivery.papers else "lost"
                await leave_notice(connection, digest, kind, why)
            return comes

    @staticmethod
    async def _back(connection: AsyncConnection, digest: int, found: Any) -> bool:
        """Let a digest begin again where it stood before a delivery, unless it has gone on since."""
        row = DeliveryRow
        before = {"since": found.since, "seen": found.seen, "left_out": found.left_out}
        # If what is on its way after it is given up as well, that goes back as far.
        later = row.digest_id == digest, row.state == "written", row.since == found.upto
        await connection.execute(update(row).where(*later).values(**before))
        stands = DigestRow.id == digest, DigestRow.upto == found.upto
        moved = update(DigestRow).where(*stands)
        moved = moved.values(upto=found.since, seen=found.seen, left_out=found.left_out or "")
        return bool((await connection.execute(moved)).rowcount)

    async def coming(self, place: int, but: int) -> set[int]:
        """The papers that digests of a place, ``but`` for one, have chosen and not posted yet.

        Only those of active digests, and those that may have been posted there, whatever became of their
        digest.
        """
        async with self._read() as connection:
            return await _coming(connection, place, but)

    async def chosen_by(self, digest: int, since: datetime) -> set[int]:
        """The papers of what a digest has written down since an instant, but for what comes again."""
        row = DeliveryRow
        stands = or_(row.state.not_in(UNSEEN), row.since.is_not(None))
        query = select(row.papers).where(row.digest_id == digest, row.made >= since, stands)
        async with self._read() as connection:
            return await _papers_of(connection, query)

    async def still_new(self, delivery: Delivery, place: int) -> Delivery:
        """A delivery that nobody has seen, without papers that its place has or gets from another digest.

        That may have happened while its own digest had stopped. It is kept like this; what another digest is
        to post comes with the next if that one doesn't.
        """
        row = DeliveryRow
        async with self._writer.begin() as connection:
            present = await _present(connection, {entry.paper for entry in delivery.papers})
            gone = await _shown(connection, place, {*present.values()})
            later = await _coming(connection, place, delivery.digest_id, row.made > delivery.made)
            left: dict[int, Chosen] = {}
            others: dict[int, Listed] = {}
            for entry in delivery.papers:
                number = present[entry.paper]
                if number not in {*gone, *later}:
                    left.setdefault(number, entry)
                elif number not in gone:
                    others[number] = Listed(number, frozenset(), not entry.cross_listed)
            if len(left) == len(delivery.papers):
                return delivery
            papers = tuple(left.values())
            kept = update(row).where(row.id == delivery.id, row.state == "written")
            await connection.execute(kept.values(papers=PAPERS.dump_json(papers).decode()))
            if others:
                await _leave_out(connection, delivery.digest_id, others.values())
        return replace(delivery, papers=papers)

    async def shown(self, place: int, papers: Collection[int]) -> dict[int, int]:
        """Which of some papers were shown in a place, with the text they had then."""
        async with self._read() as connection:
            return await _shown(connection, place, papers)


async def _shown(connection: AsyncConnection, place: int, papers: Collection[int]) -> dict[int, int]:
    hashes: dict[int, int] = {}
    for part in slices(papers):
        query = select(ShownRow.paper_id, ShownRow.text_hash).where(
            ShownRow.place == place, ShownRow.paper_id.in_(part)
        )
        hashes.update({row[0]: row[1] for row in await connection.execute(query)})
    return hashes


async def _show(connection: AsyncConnection, place: int, papers: Collection[Chosen], day: date) -> None:
    """Note papers as shown in a place."""
    present = await _present(connection, {entry.paper for entry in papers})
    hashes = {present[entry.paper]: entry.text_hash for entry in papers}
    await connection.execute(delete(ShownRow).where(ShownRow.place == place, ShownRow.paper_id.in_(hashes)))
    for paper, text_hash in hashes.items():
        row = {"place": place, "paper_id": paper, "text_hash": text_hash}
        await connection.execute(insert(ShownRow).values(**row, day=day))


async def show_unknown(connection: AsyncConnection, *which: Any) -> None:
    """Note the papers of some deliveries as shown where it isn't known whether Discord took them."""
    unknown = DeliveryRow.state == "written", DeliveryRow.message == UNKNOWN
    query = select(*_DELIVERY).where(*which, *unknown)
    for row in (await connection.execute(query)).all():
        delivery = _delivery(row)
        await _show(connection, delivery.channel, delivery.papers, delivery.slot)


async def _leave_out(connection: AsyncConnection, digest: int, papers: Iterable[Listed]) -> None:
    """Keep more papers that a digest may show yet."""
    row = DigestRow
    before = await connection.scalar(select(row.left_out).where(row.id == digest).with_for_update())
    known = {entry.paper: entry for entry in (*left_out_in(before or ""), *papers)}
    await connection.execute(
        update(row).where(row.id == digest).values(left_out=kept_left_out(known.values()))
    )


async def _coming(connection: AsyncConnection, place: int, but: int, *where: Any) -> set[int]:
    query = (
        select(DeliveryRow.papers)
        .join(DigestRow, DigestRow.id == DeliveryRow.digest_id)
        .where(DeliveryRow.state == "written", DigestRow.id != but)
        .where(
            or_(
                and_(DigestRow.state == "active", DigestRow.channel == place, *where),
                and_(DeliveryRow.message == UNKNOWN, DeliveryRow.channel == place),
            )
        )
    )
    return await _papers_of(connection, query)


async def _papers_of(connection: AsyncConnection, query: Select[Any]) -> set[int]:
    """The papers of deliveries, under their present numbers."""
    rows = (await connection.scalars(query)).all()
    chosen = {entry.paper for row in rows for entry in PAPERS.validate_json(row)}
    return set((await _present(connection, chosen)).values())


async def _taken(connection: AsyncConnection, digest: Digest, papers: Sequence[Chosen]) -> bool:
    """Whether another digest of the place has posted one of the papers, or is going to."""
    wanted = {*(await _present(connection, {entry.paper for entry in papers})).values()}
    if await _shown(connection, digest.channel, wanted):
        return True
    return not wanted.isdisjoint(await _coming(connection, digest.channel, digest.id))
