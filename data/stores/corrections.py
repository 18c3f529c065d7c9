"""Corrections in SQL: which authorships are one person's or two people's, who said so and where it holds."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, case, func, insert, select, update

from data.calendar.clock import utc_now
from data.stores import audit
from data.stores.generations import HOLDS, MERGED
from data.stores.repository import Repository
from data.stores.scopes import GLOBAL, LOCAL, Scope
from data.tables.papers import CorrectionRow, MembershipRow, PersonRow

_MOST_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class Correction:
    """A statement about two authorships: one person's (``same``) or two people's (``apart``)."""

    id: int
    kind: str
    paper_id: int
    author_id: int
    other_paper_id: int
    other_author_id: int
    person_id: int
    made: datetime
    made_by: int
    made_by_name: str
    guild: int | None
    note: str
    authority: str
    """As :attr:`Scope.authority`; ``before`` for a server's correction that is older than this field."""
    claim: int | None
    moved: tuple[tuple[int, int, int], ...] = ()
    """(paper, position, earlier person) of each authorship that changed hands."""
    everybody: tuple[tuple[int, int], ...] = ()
    """For ``apart``: all authorships (paper, name's number) that are not by the first one's author."""
    undone: datetime | None = None
    undone_by_name: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether it holds only in its server."""
        return self.authority in LOCAL

    @property
    def ends(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The two authorships, each as (paper, name's number)."""
        return (self.paper_id, self.author_id), (self.other_paper_id, self.other_author_id)


def _merged_into(person: int) -> Select[int]:
    """The people who turned out to be this one."""
    ever = (PersonRow.merged_into == person) | (PersonRow.next_merged == person)  # each has an index
    return select(PersonRow.id).where(ever, MERGED.in_([person]))


class Corrections(Repository):
    """Keeps corrections and takes them back; every change is one transaction."""

    async def make(
        self,
        kind: str,
        one: tuple[int, int],
        other: tuple[int, int],
        person_id: int,
        scope: Scope,
        *,
        note: str,
        moved: Sequence[tuple[int, int, int]] = (),
        everybody: Sequence[tuple[int, int]] = (),
    ) -> int:
        """Keep a correction of two authorships (paper and name's number each); returns its number."""
        row = {
            "kind": kind,
            "paper_id": one[0],
            "author_id": one[1],
            "other_paper_id": other[0],
            "other_author_id": other[1],
            "person_id": person_id,
            "made": utc_now(),
            "made_by": scope.by[0],
            "made_by_name": scope.by[1][:100],
            "guild": scope.guild,
            "authority": scope.authority,
            "claim": scope.claim,
            "note": note[:2_000],
            "moved": _packed(moved, everybody),
        }
        async with self._writer.begin() as connection:
            inserted = await connection.execute(
                insert(CorrectionRow).values(**row).returning(CorrectionRow.id)
            )
            number = int(inserted.scalar_one())
            what = f"correction.{kind}"
            await audit.note(connection, scope.by[0], what, f"correction {number}", note, scope.guild)
            return number

    async def widen(
        self, correction_id: int, scope: Scope, *, person_id: int, moved: Sequence[tuple[int, int, int]]
    ) -> bool:
        """Let a server's correction hold everywhere on a wider authority; False where it is not in force."""
        async with self._writer.begin() as connection:
            moved_before = await connection.scalar(
                select(CorrectionRow.moved).where(
                    CorrectionRow.id == correction_id,
                    CorrectionRow.undone.is_(None),
                    CorrectionRow.authority.in_(LOCAL),
                )
            )
            if moved_before is None:
                return False
            values = {
                "authority": scope.authority,
                "claim": scope.claim,
                "made_by": scope.by[0],
                "made_by_name": scope.by[1][:100],
                "person_id": person_id,
                "moved": _packed(moved, json.loads(moved_before)["everybody"]),
            }
            await connection.execute(
                update(CorrectionRow).where(CorrectionRow.id == correction_id).values(**values)
            )
            what = "correction.promote"
            await audit.note(connection, scope.by[0], what, f"correction {correction_id}", guild=scope.guild)
            return True

    async def undo(self, correction_id: int, *, by: tuple[int, str]) -> bool:
        """Take a correction back; False where it is not in force."""
        async with self._writer.begin() as connection:
            done = await connection.execute(
                update(CorrectionRow)
                .where(CorrectionRow.id == correction_id, CorrectionRow.undone.is_(None))
                .values(undone=utc_now(), undone_by=by[0], undone_by_name=by[1][:100])
            )
            if done.rowcount:
                what, subject = "correction.undo", f"correction {correction_id}"
                await audit.note(connection, by[0], what, subject, f"by {by[1]}")
            return bool(done.rowcount)

    async def settle_before(self, operators: Collection[int]) -> int:
        """Give corrections from before authorities were kept one; returns how many there were.

        An operator's corrections hold everywhere, all others in their server.
        """
        before = CorrectionRow.authority == "before"
        theirs = CorrectionRow.made_by.in_(list(operators)) | CorrectionRow.guild.is_(None)
        async with self._read() as connection:
            if await connection.scalar(select(CorrectionRow.id).where(before).limit(1)) is None:
                return 0
        async with self._writer.begin() as connection:
            done = await connection.execute(
                update(CorrectionRow)
                .where(before)
                .values(authority=case((theirs, "operator"), else_="server"))
            )
            return int(done.rowcount)

    # -- asking ----------------------------------------------------------------------------------

    async def all(self, *, in_force: bool = False) -> list[Correction]:
        """All corrections of all servers, oldest first."""
        return await self._listed(*([_IN_FORCE] if in_force else []))

    async def for_all(self) -> list[Correction]:
        """Those in force that hold everywhere, oldest first."""
        return await self._listed(_IN_FORCE, CorrectionRow.authority.in_(GLOBAL))

    async def only_in(self, guild: int) -> list[Correction]:
        """Those in force that hold only in this server, oldest first."""
        return await self._listed(_IN_FORCE, CorrectionRow.authority.in_(LOCAL), CorrectionRow.guild == guild)

    async def only_of(self, member: int) -> list[Correction]:
        """Those in force that a member made for one server only, oldest first."""
        return await self._listed(
            _IN_FORCE, CorrectionRow.authority.in_(LOCAL), CorrectionRow.made_by == member
        )

    async def by_claim(self, claim: int) -> list[Correction]:
        """Those in force that a claim's holder made, newest first."""
        return (await self._listed(_IN_FORCE, CorrectionRow.claim == claim))[::-1]

    async def _listed(self, *where: Any) -> list[Correction]:
        query = _CORRECTIONS.where(*where).order_by(CorrectionRow.id)
        async with self._read() as connection:
            return [_correction(row) for row in await connection.execute(query)]

    async def history(
        self,
        person_id: int,
        guild: int | None,
        member: int,
        most: int = 25,
        *,
        also: Collection[int] = (),
    ) -> list[Correction]:
        """Corrections about a person, under earlier numbers too, newest first.

        Shown are those that hold everywhere and those made in this server (in direct messages, by this
        member). ``also`` adds corrections by number: those that change who the person is there
        (``People.said_of``).
        """
        here = CorrectionRow.guild == guild if guild is not None else CorrectionRow.made_by == member
        shown = CorrectionRow.authority.in_(GLOBAL) | here
        async with self._read() as connection:
            merged = (await connection.scalars(_merged_into(person_id))).all()
            mine = select(MembershipRow.paper_id, MembershipRow.author_id).where(
                MembershipRow.person_id == person_id, HOLDS
            )
            pairs = {tuple(row) for row in await connection.execute(mine)}
            ids, papers = {person_id, *merged}, mine.with_only_columns(MembershipRow.paper_id)
            near = CorrectionRow.person_id.in_(ids) | CorrectionRow.id.in_(also)
            near |= CorrectionRow.paper_id.in_(papers) | CorrectionRow.other_paper_id.in_(papers)
            rows = await connection.execute(_CORRECTIONS.where(shown, near).order_by(CorrectionRow.id.desc()))
            corrections = [_correction(row) for row in rows]
        return [c for c in corrections if c.person_id in ids or c.id in also or pairs & set(c.ends)][:most]

    async def find(self, correction_id: int) -> Correction | None:
        """A correction by number."""
        async with self._read() as connection:
            row = (await connection.execute(_CORRECTIONS.where(CorrectionRow.id == correction_id))).first()
        return _correction(row) if row else None

    async def made_since(
        self, since: datetime, *, member: int | None = None, guild: int | None = None
    ) -> int:
        """How many corrections a member or a server made since a time, including those taken back."""
        whose = CorrectionRow.made_by == member if member is not None else CorrectionRow.guild == guild
        query = select(func.count()).select_from(CorrectionRow).where(CorrectionRow.made > since, whose)
        async with self._read() as connection:
            return int(await connection.scalar(query) or 0)

    async def held(self, member: int) -> dict[str, Any]:
        """The corrections that a member made, ready for JSON."""
        query = _CORRECTIONS.where(CorrectionRow.made_by == member).order_by(CorrectionRow.id)
        async with self._read() as connection:
            made = [_correction(row) for row in await connection.execute(query)]
        return {
            "corrections": [
                {
                    "kind": c.kind,
                    "papers": [c.paper_id, c.other_paper_id],
                    "server": str(c.guild or ""),
                    "name_shown": c.made_by_name,
                    "made": c.made.isoformat(),
                    "undone": c.undone is not None,
                }
                for c in made
            ]
        }

    async def forget(self, member: int) -> int:
        """Nothing: who wrote what is a fact about papers, as docs/members.md says."""
        return 0

    async def newest_change(self) -> int:
        """Grows with every correction that is made or taken back for all."""
        everywhere = CorrectionRow.authority.in_(GLOBAL)
        undone = select(func.count()).select_from(CorrectionRow).where(CorrectionRow.undone.is_not(None))
        async with self._read() as connection:
            newest = await connection.scalar(select(func.max(CorrectionRow.id)).where(everywhere))
            taken_back = await connection.scalar(undone.where(everywhere))
        return int(taken_back or 0) + int(newest or 0)  # each only grows; a pass keeps it in 32 bits

    async def papers(self) -> set[int]:
        """The papers of all corrections ever made, also of those taken back: what they may have moved."""
        query = select(CorrectionRow.paper_id, CorrectionRow.other_paper_id, CorrectionRow.moved)
        async with self._read() as connection:
            rows = (await connection.execute(query)).all()
        return {
            paper
            for one, other, moved in rows
            for paper in (one, other, *(entry[0] for entry in json.loads(moved)["moved"]))
        }

    async def stamp(self) -> tuple[int, int, int]:
        """Changes with every change to a correction, also by another process."""
        return await self._unchanged.ask("stamp of corrections", self._stamp)

    async def _stamp(self) -> tuple[int, int, int]:
        query = select(
            func.max(CorrectionRow.id),
            func.count(CorrectionRow.undone),
            func.sum(case((CorrectionRow.authority.in_(LOCAL), 1), else_=0)),
        )
        async with self._read() as connection:
            row = (await connection.execute(query)).one()
        return int(row[0] or 0), int(row[1] or 0), int(row[2] or 0)


_IN_FORCE = CorrectionRow.undone.is_(None)
_CORRECTIONS = select(
    CorrectionRow.id,
    CorrectionRow.kind,
    CorrectionRow.paper_id,
    CorrectionRow.author_id,
    CorrectionRow.other_paper_id,
    CorrectionRow.other_author_id,
    CorrectionRow.person_id,
    CorrectionRow.made,
    CorrectionRow.made_by,
    CorrectionRow.made_by_name,
    CorrectionRow.guild,
    CorrectionRow.note,
    CorrectionRow.authority,
    CorrectionRow.claim,
    CorrectionRow.moved,
    CorrectionRow.undone,
    CorrectionRow.undone_by_name,
)


def _packed(moved: Sequence[tuple[int, int, int]], everybody: Sequence[tuple[int, int]]) -> str:
    return json.dumps({"moved": list(moved), "everybody": list(everybody)[:_MOST_KEPT]})


def _correction(row: Any) -> Correction:
    values = row._asdict()
    packed = json.loads(values.pop("moved"))
    return Correction(
        **values,
        moved=tuple(tuple(entry) for entry in packed["moved"]),
        everybody=tuple(tuple(entry) for entry in packed["everybody"]),
    )
