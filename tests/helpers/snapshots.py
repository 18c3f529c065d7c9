"""Files in the form of arXiv's metadata snapshot, and the ingest of one that the crash test kills.

`python -m tests.helpers.snapshots FOLDER FILE VECTORS RUN` is that ingest.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import zstandard

import bot.cli.ingest_snapshot as ingesting
import index.search.intake
from bot.cli.reporter import Reporter
from data.database.engine import MILLIONS
from data.sources.snapshot import SnapshotChoice
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers import databases


def snapshot_line(number: int) -> dict[str, Any]:
    """A paper of cs.CL or cs.LG in turn, first submitted in 2007 or one of the nine years after."""
    return {
        "id": f"0704.{number:04d}",
        "submitter": "Ada Lovelace",
        "authors": "Ada Lovelace",
        "title": f"Paper {number} about subject{number}",
        "comments": None,
        "journal-ref": None,
        "doi": None,
        "report-no": None,
        "categories": "cs.LG" if number % 2 else "cs.CL",
        "license": None,
        "abstract": f"  We study subject{number} and nothing else.\n",
        "versions": [{"version": "v1", "created": f"Mon, 2 Apr {2007 + number % 10} 19:18:42 GMT"}],
        "update_date": "2017-04-03",
        "authors_parsed": [["Lovelace", "Ada", ""], [f"Person{number % 90}", "A.", ""]],
    }


def write_snapshot(path: Path, count: int) -> None:
    """Write so many papers, compressed as the name says."""
    lines = b"".join(json.dumps(snapshot_line(number)).encode() + b"\n" for number in range(count))
    path.write_bytes(gzip.compress(lines) if path.suffix == ".gz" else zstandard.compress(lines))


def ingest_in_small_batches(folder: Path, file: Path, vectors: Path, run: int) -> None:
    """What `ingest snapshot --categories all` does with a long file, in batches of 40.

    It notes the line where it begins.
    """
    ingesting._LONG = 0
    index.search.intake.BATCH = 40
    index.search.intake._COMMIT_EVERY = 3
    asyncio.run(_ingest(folder, file, vectors, folder / f"begun-{run}"))


async def _ingest(folder: Path, file: Path, vectors: Path, begun: Path) -> None:
    begun.write_text("0")

    class Listening(Reporter):
        def say(self, text: str) -> None:
            if text.startswith("Going on after line "):
                begun.write_text(text.split()[4].strip(",").replace(",", ""))

    store = await Store.open(databases.url_of(folder / "labmate.db"), paging=MILLIONS)
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    with corpus.writing():
        await ingesting.ingest_snapshot(corpus, file, SnapshotChoice(), vectors, Listening(events=False))
    await store.close()


if __name__ == "__main__":
    ingest_in_small_batches(*map(Path, sys.argv[1:4]), int(sys.argv[4]))
