"""What the crash test kills: an ingest with ready vectors, in small batches."""

from __future__ import annotations

import asyncio
from pathlib import Path

import index.search.intake
from data.database.engine import BULK
from data.sources.files import PaperFile
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake, ReadyVectors
from tests.helpers import databases


def ingest(folder: Path, file: Path, vectors: Path) -> None:
    """Read the file into the folder's corpus, as `python -m bot ingest file --vectors` does."""
    index.search.intake.BATCH = 40
    index.search.intake._COMMIT_EVERY = 3
    asyncio.run(_ingest(folder, file, vectors))


async def _ingest(folder: Path, file: Path, vectors: Path) -> None:
    store = await Store.open(databases.url_of(folder / "labmate.db"), paging=BULK)
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    with corpus.writing():
        ready = ReadyVectors(vectors, corpus.vectors.fingerprint)
        await Intake(corpus, "file", file.name, vectors=ready).run(iter(PaperFile(file)))
        corpus.vectors.remove(corpus.orphans())
        if corpus.vectors.dead_share > 0.2:
            corpus.vectors.compact()
    await store.close()
