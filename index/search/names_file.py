"""Keeps the names at hand: a mapped file of nearly all, and in memory those of papers that came since."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from pathlib import Path

import numpy as np

from data.stores.store import Store
from index.search.name_table import NameTable
from index.search.names import NameIndex

FILE = "names.map"
SMALL = 5_000
"""So many names are as quickly read from the store as mapped."""
MOST_FRESH = 20_000
"""With more papers than this since the file was made, it is made again."""
KEPT_FRESH = 2_000
"""With more than this a worker makes it again, at an hour when nobody waits."""
_CHECKED = 200
_AT_ONCE = 5_000


class LibraryNames:
    """The names of a store, followed as papers come in."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store, self._path = store, folder / FILE
        self._table: NameTable | None = None
        self._stamp = 0
        self._made = self._upto = 0
        """The batches of papers that the file, and these names, know of."""
        self._fresh: dict[str, tuple[str, str, int]] = {}
        self._touched = 0

    async def upto(self, seen: int) -> NameIndex:
        """The names up to a batch of papers, or a later one."""
        await self._follow(seen)
        if self._table is None:
            if not await self._store.author_names.has_more_than(SMALL):
                return await asyncio.to_thread(NameIndex, await self._store.author_names.counts())
            await self._make(seen)
        await self._read_on(seen)
        if self._touched > MOST_FRESH:
            await self._make(seen)
        return await asyncio.to_thread(NameIndex, list(self._fresh.values()), table=self._table)

    async def keep(self, seen: int) -> None:
        """Make the file if many papers came since, or if there is none for so many names."""
        await self._follow(seen)
        if self._table is None and not await self._store.author_names.has_more_than(SMALL):
            return
        await self._read_on(seen)
        if self._table is None or self._touched > KEPT_FRESH:
            await self._make(seen)

    async def _follow(self, seen: int) -> None:
        """Take the file if it is another than before, and of this store."""
        stamp = self._path.stat().st_mtime_ns if self._path.exists() else 0
        if stamp == self._stamp and (self._table is None or self._upto <= seen):
            return
        self._stamp, self._table = stamp, None
        opened = await asyncio.to_thread(NameTable.open, self._path)
        if opened is not None and opened[1].get("upto", seen + 1) <= seen and await self._are_ours(opened[0]):
            self._take(*opened)

    async def _are_ours(self, table: NameTable) -> bool:
        """Whether the store has these names: compared are some, spread evenly."""
        places = np.linspace(0, len(table) - 1, min(_CHECKED, len(table))).astype(int).tolist()
        keys = [table.key(place) for place in places]
        return len(await self._store.author_names.numbers(keys)) == len(set(keys))

    def _take(self, table: NameTable, stamp: dict[str, int]) -> None:
        self._table, self._fresh, self._touched = table, {}, 0
        self._made = self._upto = stamp["upto"]

    async def _make(self, seen: int) -> None:
        """Make the file; on a full disk the names live in a file of their own that vanishes at once."""
        names = self._store.author_names
        try:
            await NameTable.write(self._path, names.count_parts(), upto=seen)
            opened = await asyncio.to_thread(NameTable.open, self._path)
        except OSError:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / FILE
                await NameTable.write(path, names.count_parts(), upto=seen)
                opened = await asyncio.to_thread(NameTable.open, path)
        with contextlib.suppress(OSError):
            self._stamp = self._path.stat().st_mtime_ns
        assert opened is not None
        self._take(*opened)

    async def _read_on(self, seen: int) -> None:
        """Count the names of papers that changed since, again."""
        while self._table is not None and self._upto < seen and self._touched <= MOST_FRESH:
            papers, upto = await self._store.changed_ids(self._upto, _AT_ONCE)
            if not papers:
                break
            for counted in await self._store.author_names.counts_on(papers):
                self._fresh[counted[0]] = counted
            self._upto, self._touched = upto, self._touched + len(papers)
