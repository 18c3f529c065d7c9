"""The files of a pass: who wrote what, mean vectors, the network; made when missing or out of date."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from filelock import FileLock, Timeout

from data.stores.person_passes import Pass
from data.stores.store import Store
from index.models.read_ahead import gathered
from index.people.closest_work import ClosestWork
from index.people.network_file import StoredNetwork, write_network
from index.people.packed_names import PackedNames
from index.people.people import PeopleIndex
from index.people.people_fresh import FreshPapers
from index.people.people_table import PeopleTable
from index.people.stored_partners import StoredPartners, write_directions
from index.search.facets import Facets
from index.search.vectors import Vectors

SMALL = 20_000
"""So many authorships are read from the store as quickly as from a file."""
MOST_FRESH = 50_000
"""So many papers that changed since are read beside the file of who wrote what; with more, it is too old."""
KEPT_FRESH = 500
"""Above so many a worker makes the files again."""
GROWN = 50
"""Mean vectors and the network are made again once one in so many papers is new among those with a vector."""
_CHANGED_AT_ONCE = 5_000
_Made = TypeVar("_Made")
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class FiledPeople:
    """People from the file of who wrote what.

    Attributes
    ----------
    upto
        The store's change up to which every paper has its people.
    is_current
        Whether they are those of the last pass; else a worker has yet to make the file again.
    """

    people: PeopleIndex
    upto: int
    is_current: bool


class PeopleFiles:
    """Opens the files of a folder, and makes those that are missing; one process makes them at a time."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._table_file = folder / "people.map"
        self._closest_file = folder / "closest.map"
        self._network_file = folder / "network.map"
        self._directions_file = folder / "directions.map"
        self._lock = FileLock(folder / "people.lock", timeout=0)
        self._opened: tuple[int, tuple[PeopleTable, PackedNames, dict[str, int]]] | None = None
        self._mapped: tuple[int, tuple[ClosestWork, dict[str, int]]] | None = None

    @staticmethod
    def serve(last: Pass) -> bool:
        """Whether the people of a pass are so many that they live in files."""
        return last.authorships > SMALL

    # -- who wrote what ----------------------------------------------------------------------------

    async def people(self, last: Pass, facets: Facets, *, again: bool) -> FiledPeople | None:
        """The people of the last pass without mean vectors; None while another process makes the file.

        A file that is missing or can't be right is made at once, one that is out of date only if ``again``.
        Until it is made, the people in it stay, except of papers that are new or that somebody has corrected.
        """
        held = await asyncio.to_thread(self._table)
        if held is None or _is_ahead(held[2], last):
            if await self._alone(lambda: self._write_table(last)) is None:
                return None
            held = await asyncio.to_thread(self._table)
            assert held is not None
        table, names, stamp = held
        touched = await self._touched(stamp, last)
        is_current = touched is not None and not await self._is_old(stamp)
        if not is_current and again and await self._alone(lambda: self._write_table(last)) is not None:
            newest = await self._store.people.last_pass() or last  # one may have ended meanwhile
            return await self.people(newest, facets, again=False)
        upto = last.upto
        if touched is None:
            touched, upto = await self._store.corrections.papers(), stamp["upto"]
        number = last.id if is_current else stamp["pass_"]
        people = PeopleIndex(number, table, names, facets, None, await self._fresh(table, touched))
        return FiledPeople(people, upto, is_current)

    def _table(self) -> tuple[PeopleTable, PackedNames, dict[str, int]] | None:
        stamp = _stamp(self._table_file)
        if self._opened is None or self._opened[0] != stamp:
            opened = PeopleTable.open(self._table_file)
            if opened is None or {"pass_", "upto"} - opened[2].keys():
                return None
            self._opened = stamp, opened
        return self._opened[1]

    async def _is_old(self, stamp: dict[str, int]) -> bool:
        full = await self._store.people.last_pass("full")
        stale = await self._store.people.last_pass("stale")
        return max(full.id if full else 0, stale.id if stale else 0) > stamp.get("pass_", 0)

    async def _touched(self, stamp: dict[str, int], last: Pass) -> set[int] | None:
        """Papers that are new or corrected since the file was written; None if they are too many to read."""
        if stamp["pass_"] == last.id and stamp["upto"] == last.upto:
            return set()
        touched = await self._store.corrections.papers()
        upto = stamp["upto"]
        while upto < last.upto:
            changed, upto = await self._store.changed_ids(upto, _CHANGED_AT_ONCE)
            touched.update(changed)
            if not changed or len(touched) > MOST_FRESH:
                break
        return touched if len(touched) <= MOST_FRESH else None

    async def _is_due(self, stamp: dict[str, int], last: Pass) -> bool:
        """Whether a worker should make the file again."""
        if _is_ahead(stamp, last) or await self._is_old(stamp):
            return True
        touched = await self._touched(stamp, last)
        return touched is None or len(touched) > KEPT_FRESH

    async def _fresh(self, table: PeopleTable, touched: set[int]) -> FreshPapers:
        papers = sorted(touched)
        pairs = await self._store.people.pairs_of(papers)
        people = {person for person, _ in pairs}
        for paper in papers:
            people.update(table.writers_of(paper).tolist())
        return FreshPapers(papers, pairs, await self._store.people.names(sorted(people)))

    async def _write_table(self, last: Pass) -> bool:
        rows = await self._store.people.pairs()
        names = PackedNames()
        async for number, name in self._store.people.all_names():
            names.add(number, name)

        def write() -> None:
            table = PeopleTable.of(np.frombuffer(rows, np.int64).reshape(-1, 2))
            table.write(self._table_file, names, pass_=last.id, upto=last.upto)

        await asyncio.to_thread(write)
        return True

    # -- mean vectors ------------------------------------------------------------------------------

    async def closest(self, people: PeopleIndex, vectors: Vectors, *, again: bool) -> ClosestWork | None:
        """Everybody's mean vectors; made if there are none, or ``again``. None while another makes them."""

        async def write() -> bool:
            def work() -> None:
                made = ClosestWork.of(people.everybody, vectors)
                made.write(self._closest_file, pass_=people.number, embedded=len(vectors))

            await asyncio.to_thread(work)
            return True

        opened = None if again else self._open_closest(vectors)
        if opened is None:
            await self._alone(write)
            opened = self._open_closest(vectors)
        return opened[0] if opened else None

    def embedded(self, vectors: Vectors) -> int:
        """How many papers had a vector when the mean vectors were made; 0 where there are none."""
        opened = self._open_closest(vectors)
        return opened[1].get("embedded", 0) if opened else 0

    def _open_closest(self, vectors: Vectors) -> tuple[ClosestWork, dict[str, int]] | None:
        stamp = _stamp(self._closest_file)
        if self._mapped is None or self._mapped[0] != stamp:
            opened = ClosestWork.open(self._closest_file, vectors.dimension)
            if opened is None:
                return None
            self._mapped = stamp, opened
        return self._mapped[1]

    # -- the network -------------------------------------------------------------------------------

    async def partners(self, people: PeopleIndex, facets: Facets, vectors: Vectors) -> StoredPartners | None:
        """Who could write with whom; made if there is no file of it. None while another process makes it."""
        opened = await asyncio.to_thread(self._partners, vectors)
        if opened is None:
            await self._alone(lambda: self._write_network(people, facets, vectors))
            opened = await asyncio.to_thread(self._partners, vectors)
        return opened

    def _partners(self, vectors: Vectors) -> StoredPartners | None:
        network = StoredNetwork.open(self._network_file)
        directions = ClosestWork.open(self._directions_file, vectors.dimension)
        if network is None or directions is None or directions[1].get("pass_") != network.stamp.get("pass_"):
            return None
        papers = network.papers
        return StoredPartners(
            network, lambda rows: vectors.rows(gathered(papers, rows).astype(np.int64)), directions[0]
        )

    async def _write_network(
        self, people: PeopleIndex, facets: Facets, vectors: Vectors, report: Report | None = None
    ) -> bool:
        tell = (lambda done, total: report("joining coauthors", done, total)) if report else None

        def write() -> None:
            write_network(self._network_file, people.everybody, facets.days, tell, pass_=people.number)
            network = StoredNetwork.open(self._network_file)
            assert network is not None
            write_directions(self._directions_file, network, vectors, pass_=people.number)

        await asyncio.to_thread(write)
        return True

    def network_stamp(self) -> tuple[int, int]:
        """Which files of the network are there; others after they were made again."""
        return _stamp(self._network_file), _stamp(self._directions_file)

    # -- making ------------------------------------------------------------------------------------

    async def keep(
        self, facets: Facets, vectors: Vectors, report: Report | None = None
    ) -> PeopleIndex | None:
        """Bring all files up to date, if much has changed; for a worker. Returns the people, if any."""
        last = await self._store.people.last_pass()
        if last is None or not self.serve(last):
            return None
        held = await asyncio.to_thread(self._table)
        if held is None or await self._is_due(held[2], last):
            if report:
                report("writing who wrote what", 0, 0)
            await self._alone(lambda: self._write_table(last))
        filed = await self.people(last, facets, again=True)
        if filed is None:
            return None
        people = filed.people
        known = self._open_closest(vectors)
        embedded = known[1].get("embedded", 0) if known is not None else 0
        grown = abs(len(vectors) - embedded) > embedded // GROWN
        if (
            grown
            or known is None
            or (people.is_whole and known[1].get("pass_") != people.number)
            or await self._is_old(known[1])
        ):
            if report:
                report("averaging people's papers", 0, 0)
            await self.closest(people, vectors, again=True)
        partners = await asyncio.to_thread(self._partners, vectors)
        if (
            grown
            or partners is None
            or (people.is_whole and partners.network.stamp["pass_"] != people.number)
            or await self._is_old(partners.network.stamp)
        ):
            await self._alone(lambda: self._write_network(people, facets, vectors, report))
        return people

    async def are_behind(self, vectors: Vectors) -> bool:
        """Whether mean vectors or the network are of people before the last full pass, or torn."""
        known = await asyncio.to_thread(self._open_closest, vectors)
        if known is not None and await self._is_old(known[1]):
            return True
        if not any(self.network_stamp()):
            return False  # the first question makes it
        partners = await asyncio.to_thread(self._partners, vectors)
        return partners is None or await self._is_old(partners.network.stamp)

    async def _alone(self, make: Callable[[], Awaitable[_Made]]) -> _Made | None:
        """Make something while no other process does; None where one does."""
        try:
            self._lock.acquire()
        except Timeout:
            return None
        try:
            return await make()
        finally:
            self._lock.release()


def _is_ahead(stamp: dict[str, int], last: Pass) -> bool:
    """Whether a file was written from a later store, such as before an earlier one was put back."""
    return stamp["pass_"] > last.id or stamp["upto"] > last.upto


def _stamp(path: Path) -> int:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime_ns
    return 0
