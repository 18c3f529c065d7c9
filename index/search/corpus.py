"""Store, word index, vectors and names, kept in step for every command and every ingest."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout

from data.database.in_thread import finished_in_thread
from data.stores.store import Store
from index.search import facets_file, origin
from index.search.backlog import Progress, embedded
from index.search.embedding import Embedder
from index.search.embedding_model import fingerprint
from index.search.facets import Facets
from index.search.files_of_database import BusyError, of_this_database
from index.search.following import StoreFollower
from index.search.lacking import LackingVectors
from index.search.lexical import WordIndex
from index.search.names import NameIndex
from index.search.names_file import LibraryNames
from index.search.origin import FORMER_WORDS, WORDS
from index.search.vector_index import DEFAULT, engine
from index.search.vectors import Vectors
from index.search.word_checks import damaged
from index.search.word_files import PART

_WORDS_AT_ONCE = 2_000
_KEEP_FROM = 20_000
"""After so many new facts at once they are kept in a file, so that the next start needn't read them again."""
_BUSY = (
    "Another Labmate process is importing or embedding papers or matching authors, as a running Labmate does "
    "by itself. Wait for it to end, or stop it."
)


class Corpus:
    """The papers and everything derived from them.

    One process writes at a time (:meth:`writing`); others read and call :meth:`refresh`.

    Attributes
    ----------
    ray
        The address of a Ray cluster that embeds a large backlog and judges everybody (:mod:`index.batch`).
    """

    def __init__(
        self,
        store: Store,
        folder: Path,
        embedder: Embedder,
        engine_name: str = DEFAULT,
        *,
        by_words: bool = False,
    ) -> None:
        self.store = store
        self.folder = folder
        self.embedder = embedder
        self.facets = Facets()
        self.names = NameIndex()
        self._library_names = LibraryNames(store, folder)
        self.vectors: Vectors | None = None
        self.ray: str | None = None
        self._engine_name, self._by_words = engine_name, by_words
        self.words = WordIndex(folder / WORDS)
        self.following = StoreFollower(store, lambda: min(self._seen, self.words.upto))
        self._seen = -1
        self._following = asyncio.Lock()
        """One at a time: a late answer of the store must not look like a step back."""
        self._named = -1
        self._hashes = np.zeros(0, np.int64)
        self._lacks = LackingVectors()
        self._lock = FileLock(folder / "write.lock", timeout=0)
        self._may_write = False

    @classmethod
    async def open(
        cls,
        store: Store,
        folder: Path,
        embedder: Embedder,
        *,
        writable: bool = False,
        rebuild: bool = False,
        renew: bool = False,
        engine_name: str = DEFAULT,
        ray: str | None = None,
        by_words: bool = False,
    ) -> Corpus:
        """Open the indexes in ``folder``; ``engine_name`` names the engine for nearest vectors.

        Files of another database are removed if it is opened ``writable``, or to ``renew`` them. With
        ``by_words``, it does without vectors that can't be read (:attr:`unreadable`).

        Raises
        ------
        index.search.vector_manifest.VectorsError
            If the vectors are another model's or unreadable, or there is no such engine.
        index.search.embedding_model.ModelError
            If the model is missing.
        BusyError
            If the files are of another database, and a process has been writing to them for :data:`PATIENCE`;
            or if vectors are to be thrown away to ``rebuild`` them, and a process is writing.
        data.database.engine.StoreError
            If the files are of another database, and this one may have been named by mistake.
        """
        folder.mkdir(parents=True, exist_ok=True)
        async with of_this_database(store, folder, may_remove=renew or writable) as foreign:
            corpus = cls(store, folder, embedder, engine_name, by_words=by_words)
            corpus.ray, corpus._may_write = ray, writable
            if foreign:
                await corpus.open_vectors(writable=True, rebuild=rebuild)
            elif writable:
                await corpus._open_to_write(rebuild=rebuild)
            else:
                await corpus.open_vectors()
            await corpus.refresh()
            if foreign:
                await asyncio.to_thread(corpus._remove_foreign_vectors)
        if foreign and not writable:
            await corpus.open_vectors()
        await asyncio.to_thread(corpus.waiting)  # checks all papers once, which would delay a reply
        return corpus

    async def _open_to_write(self, *, rebuild: bool) -> None:
        """Open the vectors as who may cut a torn tail back, or throw them away, if nobody else writes now.

        Raises
        ------
        BusyError
            If another process does, and they are to be thrown away; else :meth:`writing` says so.
        """
        try:
            with self.writing():
                await self.open_vectors(writable=True, rebuild=rebuild)
        except BusyError:
            if rebuild:
                raise
            await self.open_vectors()

    def _remove_foreign_vectors(self) -> None:
        """Remove the vectors that are of no paper's present text."""
        assert self.vectors is not None
        papers, _ = self.vectors.known()
        lacking = self._lacking()
        papers = papers[papers < len(lacking)]
        self.vectors.remove([*self.orphans(), *papers[lacking[papers]].tolist()])

    async def open_vectors(self, *, writable: bool = False, rebuild: bool = False) -> None:
        """(Re)open the vectors."""

        def work() -> Vectors:
            print_ = fingerprint(self.embedder.name)
            open_index = engine(self._engine_name)
            where = self.folder / "vectors"
            more = {"writable": writable, "rebuild": rebuild, "by_words": self._by_words}
            return Vectors.open(where, print_, open_index=open_index, **more)

        opened = await asyncio.to_thread(work)
        if opened.unreadable and self.vectors is not None:  # what was read before still serves
            self.vectors.unreadable = opened.unreadable
            return
        self.vectors, self._lacks = opened, LackingVectors()

    @property
    def unreadable(self) -> str:
        """Why vectors can't be read or updated, and how to mend them; empty if they are fine."""
        return "" if self.vectors is None else self.vectors.unreadable

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the right to write to the indexes.

        Raises
        ------
        BusyError
            If another process holds it.
        """
        try:
            self._lock.acquire()
        except Timeout as error:
            raise BusyError(_BUSY) from error
        try:
            if self._may_write and self.vectors is not None:  # another process may have written since
                self.vectors.begin_to_write()
            yield
        finally:
            try:
                self.words.close()
            finally:
                self._lock.release()

    # -- following the store -------------------------------------------------------------------

    async def refresh(self) -> bool:
        """Follow changes in the store and the indexes; returns whether there were any."""
        async with self._following:
            newest = await self.store.last_change()
            changed = newest != self._seen
            if changed:
                await self._follow(newest)
        if self.vectors is not None:
            changed |= bool(await asyncio.to_thread(self.vectors.refresh))
        self.words.refresh()
        return changed

    async def _follow(self, newest: int) -> None:
        """Take in what changed up to a batch of the store; keep it in the file if it was much."""
        if newest < self._seen:  # a standby that had not received all of it took over
            self.facets, self._hashes, self._seen = Facets(), np.zeros(0, np.int64), -1
            self._lacks = LackingVectors()
        if self._seen < 0 and (known := await facets_file.load(self.folder, self.store)) is not None:
            self.facets, self._hashes, self._seen = known
        if self._seen == newest:
            return
        taken = 0
        async for facts in self.store.index_fact_parts(self._seen):
            self.facets.update(facts)
            self._take_hashes(facts)
            taken += len(facts)
        gone = await self.store.gone_since(self._seen) if self._seen >= 0 else ()
        self.facets.drop(gone)
        self._lacks.changed(gone)
        self._seen = newest
        if taken >= _KEEP_FROM:
            with contextlib.suppress(OSError):  # a full disk: the store has it all
                await asyncio.to_thread(facets_file.save, self.folder, self.facets, self._hashes, newest)

    async def refresh_names(self) -> None:
        """Bring the names up to date with papers that have come in since."""
        if self._named != self._seen:
            seen = self._seen
            self.names = await self._library_names.upto(seen)
            self._named = seen

    async def keep_names(self) -> None:
        """Make the file of names anew if much has come in since; for a worker, since it takes a while."""
        await self._library_names.keep(self._seen)

    def _take_hashes(self, facts: list[Any]) -> None:
        top = max((fact.paper_id for fact in facts), default=-1) + 1
        if top > len(self._hashes):
            grown = np.zeros(max(top, len(self._hashes) * 5 // 4), np.int64)
            grown[: len(self._hashes)] = self._hashes
            self._hashes = grown
        for fact in facts:
            self._hashes[fact.paper_id] = fact.text_hash
        self._lacks.changed([fact.paper_id for fact in facts])

    @property
    def seen(self) -> int:
        """The newest batch of papers that the indexes here know."""
        return self._seen

    def waiting(self) -> int:
        """How many papers have no vector for their present text yet."""
        return 0 if self.vectors is None else int(np.count_nonzero(self._lacking()))

    def has_vector(self, paper_id: int) -> bool:
        """Whether the paper can already be compared by meaning."""
        return self.vectors is not None and self.vectors.has(paper_id)

    def backlog(self) -> list[int]:
        """Store ids of papers without a vector for their present text, newest first; none if unreadable."""
        if self.unreadable:
            return []
        newest: list[int] = self.facets.latest(np.flatnonzero(self._lacking())).tolist()
        return newest

    def _lacking(self) -> np.ndarray:
        """By store id, whether a paper has no vector for its present text."""
        assert self.vectors is not None
        return self._lacks.mask(self.vectors.log, self._hashes, self.facets.codes)

    def orphans(self) -> list[int]:
        """Papers that still have a vector but are gone from the store."""
        assert self.vectors is not None
        papers, _ = self.vectors.known()
        known = np.concatenate([self.facets.codes >= 0, np.zeros(1, bool)])
        gone: list[int] = papers[~known[np.minimum(papers, len(known) - 1)]].tolist()
        return gone

    # -- writing -------------------------------------------------------------------------------

    async def words_behind(self, most: int) -> int:
        """How many papers the word index here has not followed yet, counted up to ``most``.

        Another machine may have read them in; each keeps a word index of its own.
        """
        upto, newest = self.words.upto, await self.store.last_change()
        if upto == newest:
            return 0
        return (
            most if upto > newest else await self.store.changed_count(upto, most)
        )  # > in a restored database

    async def catch_up_words(self, progress: Progress | None = None) -> None:
        """Bring the word index up to date with the store, after a crash or from scratch."""
        upto, newest = self.words.upto, await self.store.last_change()
        if upto > newest or (upto == 0 and len(self.words)):
            await finished_in_thread(self.words.clear)
            upto = 0
        total = await self.store.count() if upto == 0 else 0
        done = 0
        while upto < newest:
            ids, upto = await self.store.changed_ids(upto, _WORDS_AT_ONCE)
            gone = await self.store.merged(ids)
            papers = await self.store.papers([i for i in ids if i not in gone])
            await finished_in_thread(self.words.add, papers, gone)
            done += len(ids)
            if progress:
                progress(done, max(total, done))
            if done % PART < _WORDS_AT_ONCE:
                await finished_in_thread(self.words.commit, upto)
        if done:
            await finished_in_thread(self.words.commit, upto)
        if upto >= newest and (former := self.folder / FORMER_WORDS).is_dir():
            await asyncio.to_thread(origin.remove_folder, former)

    async def words_lost(self) -> bool:
        """Whether the word index, though up to date, has another number of papers than the database."""
        await self.refresh()
        followed = self.words.upto == await self.store.last_change()
        return followed and len(self.words) != len(self.facets)

    async def remake_damaged_words(self) -> list[str]:
        """Empty the word index if a file of it is damaged; returns the names of such files.

        :meth:`catch_up_words` then fills it again. All of it is read: seconds for millions of papers.
        """
        names = await asyncio.to_thread(damaged, self.words.folder)
        if names:
            self.words.release()
            await asyncio.to_thread(origin.empty, self.words.folder)
            self.words = await asyncio.to_thread(WordIndex, self.words.folder)
        return names

    async def embed_backlog(
        self, progress: Progress | None = None, *, tend: bool = True, exactly: bool = False
    ) -> int:
        """Embed papers without a vector; returns how many there were. Safe to stop at any point.

        Parameters
        ----------
        tend
            Bring the vectors' files up to date meanwhile (:meth:`Vectors.tend`), and embed again those that
            have changed on the disk, which may take minutes.
        exactly
            Not in 8 bits, however large the backlog is.
        """
        assert self.vectors is not None
        await self.refresh()
        if self.unreadable:
            return 0
        spoilt = await asyncio.to_thread(self.vectors.spoilt) if tend else []
        self.vectors.remove([*self.orphans(), *spoilt])
        backlog, done = self.backlog(), 0
        made = embedded(self.store, self.embedder, backlog, progress, self.ray, exactly=exactly)
        async with aclosing(made) as batches:
            async for batch in batches:
                # Finished even if cancelled: whoever writes next cuts off rows without entries.
                await finished_in_thread(self.vectors.append, batch.papers, batch.hashes, batch.rows)
                done += len(batch.papers)
                if tend:
                    await asyncio.to_thread(self.vectors.tend)
        if tend:
            await asyncio.to_thread(self.vectors.tend)
        return done

    async def close(self) -> None:
        """Close the store and the word index."""
        try:
            self.words.release()
        finally:
            await self.store.close()
