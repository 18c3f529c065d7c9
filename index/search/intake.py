"""Reading papers in: source -> store -> word index -> ready vectors, in batches, safe to repeat."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import date
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from data.database.in_thread import begun_in_thread, finished, finished_in_thread
from data.records import Changes, Deletion, PaperRecord, Rejected
from data.sources.http import SourceError
from index.search.corpus import Corpus
from index.search.ready_words import ReadyWords
from index.search.vector_manifest import check_fingerprint
from index.search.word_files import PART

BATCH = 2_000
_FIRST_COMMIT, _COMMIT_EVERY = 10, PART // BATCH
"""After how many batches words are committed: first soon, so that something is found."""
_COMMIT_AFTER = 60.0
"""Seconds after which they are committed at the latest, where papers come slowly."""
_COLLECT_EVERY = 10
_LENGTHS = 0.99, 1.01
"""How long a vector of length 1 may be in float16."""

Item = PaperRecord | Deletion | Rejected
Numbered = tuple[int, Item]


@dataclass(slots=True)
class Summary:
    """The result of a run.

    Attributes
    ----------
    reasons, first
        Why records were refused: how often, and the number of the first, such as its line from 0 on.
    """

    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)


def one_array(path: Path) -> np.ndarray:
    """The array in an ``.npy`` file, mapped.

    Raises
    ------
    FileNotFoundError
        Where there is no such file.
    ValueError
        Where it holds no array, or several. The message says so in plain words.
    OSError
        Where it can't be read.
    """
    with path.open("rb") as file:
        head = file.read(len(np.lib.format.MAGIC_PREFIX))
    if head.startswith(b"PK"):
        raise ValueError("it is an archive of several arrays")
    if head != np.lib.format.MAGIC_PREFIX:
        raise ValueError("it is not a .npy file")
    try:
        held: np.ndarray = np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        cut = "greater than file size" in str(error) or "EOF" in str(error) or "expected" in str(error)
        raise ValueError("it is cut off. Fetch it again" if cut else "it holds no numbers") from error
    return held


def are_whole(rows: np.ndarray) -> np.ndarray:
    """Which rows are numbers of length 1, as far as float16 can tell: booleans, shape (len(rows),)."""
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(rows.astype(np.float32), axis=1)
    return np.asarray((lengths > _LENGTHS[0]) & (lengths < _LENGTHS[1]))  # false for what is no number


class ReadyVectors:
    """Embeddings computed elsewhere: row *i* belongs to record *i* of the file.

    Parameters
    ----------
    exported
        They are an export (:mod:`index.search.shared_vectors`), whose rows are in the order of no file.

    Attributes
    ----------
    broken
        How many rows were left out so far, since their length is not 1.

    Raises
    ------
    SourceError
        If the file is not a matrix, has no manifest, does not match it, or is an export where none may be.
    index.search.vector_manifest.ForeignVectorsError
        If another model made it.
    """

    def __init__(self, path: Path, fingerprint: dict[str, Any], *, exported: bool = False) -> None:
        self.path = path
        self.broken = 0
        try:
            self.rows = one_array(path)
        except FileNotFoundError as error:
            raise SourceError(f"{path} does not exist.") from error
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise SourceError(f"{path} can't be read as a matrix of vectors: {reason}.") from error
        manifest = self._manifest()
        check_fingerprint(
            {**manifest, "max_tokens": fingerprint["max_tokens"]},
            fingerprint,
            str(path),
            "Get vectors that the model in use made, or set EMBEDDING_MODEL to theirs.",
        )
        if not exported and "papers_sha256" in manifest:
            raise SourceError(
                f"{path} is an export of another Labmate: its rows are not in the order of a file of papers. "
                f"Read the papers in without --vectors, then run: python -m bot ingest vectors {path}"
            )
        if self.rows.dtype.kind != "f":
            raise SourceError(
                f"{path} holds values of the kind {self.rows.dtype}, not float16 or float32. Copy or make it "
                "again."
            )
        if self.rows.shape != (manifest["rows"], fingerprint["dimension"]):
            raise SourceError(
                f"{path} has the shape {self.rows.shape}; its manifest says {manifest['rows']:,} rows "
                f"of {fingerprint['dimension']}. Copy or make both again."
            )

    def doubts(self, file: Path, lines: int) -> Iterator[str]:
        """What to say after they were read in with a file of so many lines: a sentence a fault."""
        name, rows, broken = self.path.name, len(self.rows), self.broken
        if broken:
            are = "1 row is" if broken == 1 else f"{broken:,} rows are"
            yield f"{are} damaged in {name} (not of length 1). Their papers are embedded as usual."
        if rows != lines:
            yield (
                f"{name} has {rows:,} rows, but {file.name} has {lines:,} lines. If the vectors belong to "
                "another file, papers have wrong ones now; to embed all again, run: "
                "python -m bot index --rebuild"
            )

    def _manifest(self) -> dict[str, Any]:
        stem = self.path.name.removesuffix(".npy")
        short = stem.removesuffix(".f16").removesuffix(".f32")
        names = list(dict.fromkeys([f"{stem}.json", f"{short}.json"]))
        for name in names:
            manifest = self.path.with_name(name)
            if manifest.exists():
                try:
                    said = dict(orjson.loads(manifest.read_bytes()))
                except (ValueError, TypeError) as error:
                    raise SourceError(f"{manifest} is not a manifest of vectors. Copy it again.") from error
                if type(said.get("rows")) is not int:
                    raise SourceError(f"{manifest} doesn't say how many rows there are. Copy it again.")
                return said
        raise SourceError(
            f"{self.path} has no manifest beside it ({' or '.join(names)}), so it is unknown which "
            "model made it. Put the manifest that came with it there."
        )


class Intake:
    """One ingest run.

    Parameters
    ----------
    words
        The words of the file's records that are coded already.
    progress
        Called with the summary so far after every batch.
    """

    def __init__(
        self,
        corpus: Corpus,
        source: str,
        scope: str,
        *,
        since: date | None = None,
        vectors: ReadyVectors | None = None,
        words: ReadyWords | None = None,
        progress: Callable[[Summary], None] | None = None,
    ) -> None:
        self._library = corpus
        self._source = source
        self._scope = scope
        self._since = since
        self._vectors = vectors
        self._words = words
        self._progress = progress
        self._waiting_words: asyncio.Future[None] | None = None
        self._upto = 0
        """The number of the last batch up to which the words have everything."""
        self._uncommitted = self._others_wrote = False
        self.summary = Summary()

    async def run(self, items: Iterator[Numbered] | AsyncIterator[Numbered]) -> Summary:
        """Read everything; after an interruption the papers so far stay, and a later run completes them."""
        corpus = self._library
        await corpus.catch_up_words()
        self._upto = corpus.words.upto
        run_id = await self._begin()
        finished = False
        try:
            with _rare_collection() as collect:
                number, committed = 0, time.monotonic()
                async for batch in _batches(items):
                    number += 1
                    await self._take(run_id, batch)
                    await self._note(run_id, batch)
                    late = time.monotonic() - committed >= _COMMIT_AFTER
                    if late or number == _FIRST_COMMIT or number % _COMMIT_EVERY == 0:
                        await self._commit_words()
                        committed = time.monotonic()
                    if number % _COLLECT_EVERY == 0:
                        collect()
                    if self._progress:
                        self._progress(self.summary)
            finished = True
        finally:
            try:
                await self._commit_words()
            finally:
                await corpus.store.save_run(run_id, self.counts, finished=finished)
        await corpus.refresh()
        if self._vectors is not None and corpus.vectors is not None:
            await asyncio.to_thread(corpus.vectors.tend)
        return self.summary

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of the summary."""
        return {name: value for name, value in asdict(self.summary).items() if isinstance(value, int)}

    async def _begin(self) -> int:
        return await self._library.store.start_run(self._source, self._scope, self._since)

    async def _note(self, run_id: int, batch: list[Numbered]) -> None:
        """Called after each batch."""

    async def _take(self, run_id: int, batch: list[Numbered]) -> None:
        rejected = [(number, item) for number, item in batch if isinstance(item, Rejected)]
        good = [(line, item) for line, item in batch if not isinstance(item, Rejected)]
        changes = await self._library.store.upsert([item for _, item in good]) if good else Changes()
        coded = self._words.take_out(good, changes) if self._words else {}
        if rejected:
            await self._library.store.refuse(run_id, self._source, [item for _, item in rejected])
            for number, item in rejected:
                reason = item.reason[:120]
                self.summary.reasons[reason] = self.summary.reasons.get(reason, 0) + 1
                self.summary.first.setdefault(reason, number)
        if changes.touched or changes.gone:
            await self._words_done()
            # From here on without a pause: a commit must not record a batch whose words were not begun.
            self._waiting_words = begun_in_thread(
                self._library.words.add, changes.touched, changes.gone, coded
            )
            if changes.stamp == self._upto + 1:
                self._upto = changes.stamp
            else:  # another machine has written a batch in between
                self._others_wrote = True
            self._uncommitted = True
        if self._vectors is not None:
            await self._keep_vectors(good, changes)
        summary = self.summary
        summary.read += len(batch)
        summary.added += changes.added
        summary.updated += changes.updated
        summary.unchanged += len(good) - changes.added - changes.updated
        summary.refused += len(rejected)

    async def _words_done(self) -> None:
        waiting, self._waiting_words = self._waiting_words, None
        if waiting is not None:
            await finished(waiting)

    async def _commit_words(self) -> None:
        await self._words_done()
        uncommitted, self._uncommitted = self._uncommitted, False
        if uncommitted:
            await finished_in_thread(self._library.words.commit, self._upto)
        if self._others_wrote:
            await self._library.catch_up_words()
            self._upto, self._others_wrote = self._library.words.upto, False

    async def _keep_vectors(self, good: Sequence[Numbered], changes: Changes) -> None:
        """Append the ready vectors of records whose text matches the store's."""
        vectors, ready = self._library.vectors, self._vectors
        assert vectors is not None
        assert ready is not None
        line_of = {
            paper_id: (line, item)
            for (line, item), paper_id in zip(good, changes.ids, strict=True)
            if paper_id and isinstance(item, PaperRecord) and line < len(ready.rows)
        }
        texts = await self._library.store.texts(list(line_of))
        papers, hashes, lines = [], [], []
        for paper_id, (line, item) in line_of.items():
            title, abstract, text_hash = texts.get(paper_id, ("", "", 0))
            if (title, abstract) == (item.title, item.abstract) and vectors.hash_of(paper_id) != text_hash:
                papers.append(paper_id)
                hashes.append(text_hash)
                lines.append(line)
        rows = np.asarray(ready.rows[lines])
        whole = np.flatnonzero(are_whole(rows)).tolist()
        ready.broken += len(lines) - len(whole)
        if whole:
            kept = [papers[place] for place in whole], [hashes[place] for place in whole]
            await finished_in_thread(vectors.append, *kept, rows[whole])


@contextmanager
def _rare_collection() -> Iterator[Callable[[], object]]:
    """Collect garbage only when told to, and leave out what was there at the beginning.

    Thousands of new records a second make Python look for cycles all the time: a quarter of the run. What is
    alive at the beginning goes to the oldest generation, which is walked only once, and not in a short run.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    gc.collect(1)
    generations = chain([2], repeat(1))
    try:
        yield lambda: gc.collect(next(generations))
    finally:
        if was_enabled:
            gc.enable()


async def _batches(items: Iterator[Numbered] | AsyncIterator[Numbered]) -> AsyncIterator[list[Numbered]]:
    """Items in batches; a plain iterator is read one batch ahead in a thread while the last is written."""
    if isinstance(items, AsyncIterator):
        batch: list[Numbered] = []
        async for item in items:
            batch.append(item)
            if len(batch) == BATCH:
                yield batch
                batch = []
        if batch:
            yield batch
        return

    iterator = iter(items)

    def read() -> tuple[list[Numbered], Exception | None]:
        got: list[Numbered] = []
        try:
            for item in iterator:
                got.append(item)
                if len(got) == BATCH:
                    break
        except SourceError as error:  # the items before the tear are good
            return got, error
        return got, None

    ahead = asyncio.create_task(asyncio.to_thread(read))
    while True:
        batch, error = await ahead
        if batch and error is None:
            ahead = asyncio.create_task(asyncio.to_thread(read))
        if batch:
            yield batch
        if error is not None:
            raise error
        if not batch:
            return
