"""The real data for the benchmarks, and a corpus made from it once."""

from __future__ import annotations

import io
import os
import shutil
import statistics
import sys
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import zstandard

from bot.app import sample_file
from data.database.engine import BULK
from data.sources.files import PaperFile
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake, ReadyVectors

ROOT = Path(__file__).parent.parent
SHARED = Path(os.environ.get("LABMATE_SHARED", ROOT.parent / "shared"))
PAPERS = SHARED / "data" / "arxiv-daily.jsonl.zst"
VECTORS = SHARED / "data" / "arxiv-daily.minilm.f16.npy"
QUESTIONS = SHARED / "data" / "pubmedqa.jsonl.zst"
FOLDER = ROOT / "var" / "benchmark"


def need_data(*more: Path) -> None:
    """Exit with one line where the real data is missing: all papers, and ``more`` files."""
    if not all(path.exists() for path in (PAPERS, *more)):
        sys.exit(
            f"Benchmarks need the real data; it is not at {SHARED} (LABMATE_SHARED names another place)."
        )


async def kept_corpus(
    folder: Path, fill: Callable[[Corpus], Awaitable[None]], says: str, *, writable: bool = False
) -> Corpus:
    """A corpus that ``fill`` made in a folder on first use; the next ones find it there."""
    done = folder / "done"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        print(says, flush=True)
        store = await Store.open(url(folder), paging=BULK)
        corpus = await Corpus.open(store, folder, Embedder(), writable=True)
        with corpus.writing():
            await fill(corpus)
        await store.close()
        done.touch()
    return await Corpus.open(await Store.open(url(folder)), folder, Embedder(), writable=writable)


async def full_corpus(*, writable: bool = False) -> Corpus:
    """The sample and all 111,997 papers with vectors; made on first use and kept in var/benchmark."""
    need_data()
    return await kept_corpus(
        FOLDER, _all_papers, "making the corpus of all papers once...", writable=writable
    )


async def _all_papers(corpus: Corpus) -> None:
    await Intake(corpus, "sample", "sample").run(iter(PaperFile(sample_file())))
    assert corpus.vectors is not None
    ready = ReadyVectors(VECTORS, corpus.vectors.fingerprint)
    await Intake(corpus, "file", PAPERS.name, vectors=ready).run(iter(PaperFile(PAPERS)))
    await corpus.embed_backlog()


def researchers_questions(most: int) -> list[dict[str, Any]]:
    """The first records of PubMedQA: researchers' questions with the abstracts that answer them."""
    need_data()
    with QUESTIONS.open("rb") as disk:
        lines = io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(disk))
        return [orjson.loads(line) for line in islice(lines, most)]


def url(folder: Path) -> str:
    """The URL of the database in a folder."""
    return f"sqlite+aiosqlite:///{folder / 'labmate.db'}"


def percentile(times: Sequence[float], share: float) -> float:
    """The time in ms that this share of the samples stay below."""
    ordered = sorted(times)
    return 1_000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def show(name: str, times: Sequence[float], target: str = "", bound: str = "") -> None:
    """Print one line: p50 and p99 in ms."""
    p50, p99 = 1_000 * statistics.median(times), percentile(times, 0.99)
    print(f"{name:34} p50 {p50:7.1f} ms  p99 {p99:7.1f} ms  {target:18} {bound}", flush=True)
