"""A library over one file, in a temporary folder: what evaluations and `rank` work on."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from data.sources.files import PaperFile
from data.store import Store
from index.embedding import Embedder
from index.intake import Intake, ReadyVectors
from index.library import Library

Report = Callable[[str, int, int], None]


@asynccontextmanager
async def temporary_library(
    path: Path,
    embedder: Embedder,
    *,
    vectors: Path | None = None,
    report: Report | None = None,
    own_ids: bool = False,
) -> AsyncIterator[Library]:
    """Read a file of papers into a library that is gone afterwards, every paper embedded.

    Parameters
    ----------
    vectors
        Ready embeddings of the file's records; what they lack is embedded.
    report
        Called with a step's name, what is done and the whole.
    own_ids
        The file's ids may be anything; each is a work of its own.
    """
    with tempfile.TemporaryDirectory(prefix="labmate-") as name:
        folder = Path(name)
        store = await Store.open(f"sqlite+aiosqlite:///{folder / 'labmate.db'}", bulk=True)
        try:
            library = await Library.open(store, folder, embedder, writable=True)
            with library.writing():
                await fill(library, path, vectors, report, own_ids=own_ids)
            yield library
        finally:
            await store.close()


async def fill(
    library: Library, path: Path, vectors: Path | None, report: Report | None, *, own_ids: bool = False
) -> None:
    """Read a file and embed what it brings."""
    assert library.vectors is not None
    file = PaperFile(path, own_ids=own_ids)
    ready = ReadyVectors(vectors, library.vectors.fingerprint) if vectors else None

    def tell(step: str) -> Callable[[int, int], None]:
        return lambda done, whole: report(step, done, whole) if report else None

    read = tell("reading")
    intake = Intake(
        library, "file", path.name, vectors=ready, progress=lambda _: read(file.position, file.size)
    )
    await intake.run(iter(file))
    await library.embed_backlog(tell("embedding"))


def vectors_beside(path: Path) -> Path | None:
    """Ready embeddings that lie beside a file under its name (``x.jsonl.zst`` -> ``x.*.npy``)."""
    stem = path.name.partition(".")[0]
    found = sorted(path.parent.glob(f"{stem}.*npy"))
    return found[0] if found else None
