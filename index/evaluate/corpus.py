"""A corpus of one file's papers in a temporary folder, for evaluations and `rank`."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from data.database.engine import BULK
from data.records import PaperRecord
from data.sources.files import PaperFile
from data.sources.http import SourceError
from data.stores.store import Store
from index.evaluate.pseudo_people import narrowed
from index.identity.authorships import Authorships
from index.search.corpus import Corpus
from index.search.embedding import Embedder, paper_text
from index.search.embedding_model import fingerprint
from index.search.intake import Intake, ReadyVectors

Report = Callable[[str, int, int], None]


@asynccontextmanager
async def temporary_library(
    path: Path,
    embedder: Embedder,
    *,
    vectors: Path | None = None,
    report: Report | None = None,
    own_ids: bool = False,
) -> AsyncIterator[Corpus]:
    """Read a file of papers into a temporary corpus, with every paper embedded.

    Parameters
    ----------
    vectors
        Ready embeddings of the file's records; missing ones are computed.
    report
        Called with the name of a step, how much is done, and the total.
    own_ids
        The file's ids may be anything; each one is a separate work.
    """
    with tempfile.TemporaryDirectory(prefix="labmate-") as name:
        folder = Path(name)
        store = await Store.open(f"sqlite+aiosqlite:///{folder / 'labmate.db'}", paging=BULK)
        try:
            corpus = await Corpus.open(store, folder, embedder, writable=True)
            with corpus.writing():
                await fill(corpus, path, vectors, report, own_ids=own_ids)
            yield corpus
        finally:
            await store.close()


async def fill(
    corpus: Corpus, path: Path, vectors: Path | None, report: Report | None, *, own_ids: bool = False
) -> None:
    """Read a file and embed its papers."""
    assert corpus.vectors is not None
    file = PaperFile(path, own_ids=own_ids)
    ready = ReadyVectors(vectors, corpus.vectors.fingerprint) if vectors else None

    def tell(step: str) -> Callable[[int, int], None]:
        return lambda done, whole: report(step, done, whole) if report else None

    read = tell("reading")
    intake = Intake(
        corpus, "file", path.name, vectors=ready, progress=lambda _: read(file.position, file.size)
    )
    await intake.run(iter(file))
    await corpus.embed_backlog(tell("embedding"), exactly=True)  # the same figures on every CPU


@dataclass(frozen=True)
class FileCorpus:
    """A file's papers in the file's order, outside any store.

    Attributes
    ----------
    records
        The records that are papers.
    authorships
        Their authorships, with a vector for each paper.
    people
        int64, shape (authorships,): the person named by the file's ``author_ids``, -1 if none.
    """

    records: list[PaperRecord]
    authorships: Authorships
    people: np.ndarray

    def days(self) -> np.ndarray:
        """int64: the day of each paper as an ordinal, 0 if it has none."""
        return self.authorships.days.astype(np.int64)

    def before(self, day: date) -> FileCorpus:
        """The papers of earlier days only."""
        papers = np.flatnonzero(self.days() < day.toordinal())
        inside = np.isin(self.authorships.paper, papers)
        return FileCorpus(
            [self.records[place] for place in papers], narrowed(self.authorships, papers), self.people[inside]
        )


def read_file(
    path: Path, embedder: Embedder, *, vectors: Path | None = None, report: Report | None = None
) -> FileCorpus:
    """Read a whole file.

    Raises
    ------
    SourceError
        If it holds no paper, or the vectors belong to another file.
    """
    file = PaperFile(path, own_ids=True)
    lines, records, refused = [], [], ""
    for line, record in file:
        if isinstance(record, PaperRecord):
            lines.append(line)
            records.append(record)
        else:
            refused = refused or f" ({record.where}: {record.reason})"
        if report and line % 5_000 == 0:
            report("reading", file.position, file.size)
    if not records:
        raise SourceError(f"{path} holds no paper{refused}")
    texts = [paper_text(record.title, record.abstract) for record in records]
    rows: np.ndarray
    if vectors:
        ready = ReadyVectors(vectors, fingerprint(embedder.name))
        if lines[-1] >= len(ready.rows):
            raise SourceError(f"{vectors} has {len(ready.rows)} rows; {path} has more lines")
        rows = np.asarray(ready.rows[lines])
    else:
        rows = embedder.encode(texts, lambda done: report("embedding", done, len(texts)) if report else None)
    names = [name for record in records for name in record.authors]
    people: dict[str, int] = {}
    numbers = [
        people.setdefault(who, len(people)) if who else -1
        for record in records
        for who in (record.author_ids or [None] * len(record.authors))
    ]
    offsets = np.concatenate([[0], np.cumsum([len(record.authors) for record in records])])
    days = np.array([day.toordinal() if day else 0 for day in map(_day, records)], np.int32)
    described = np.array([bool(record.abstract) for record in records])
    authorships = Authorships(offsets.astype(np.int64), names, texts, rows, days, described)
    return FileCorpus(records, authorships, np.array(numbers, np.int64))


def _day(record: PaperRecord) -> date | None:
    return record.announced or record.submitted or record.updated


def vectors_beside(path: Path) -> Path | None:
    """Ready embeddings that lie beside a file under its name (``x.jsonl.zst`` -> ``x.*.npy``)."""
    stem = path.name.partition(".")[0]
    matrices = sorted(path.parent.glob(f"{stem}.*npy"))
    return matrices[0] if matrices else None
