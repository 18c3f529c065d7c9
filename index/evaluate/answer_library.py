"""A library to ask: papers of a file, and among them those with a part taken out."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from index.answers.candidates import library_rarity
from index.answers.matching import Rarity
from index.answers.passage import Passage
from index.evaluate.answer_questions import Asked, Made, Paper
from index.evaluate.corpus import Report, temporary_library
from index.search.corpus import Corpus
from index.search.embedding import Embedder, paper_text
from index.search.embedding_model import fingerprint
from index.search.intake import ReadyVectors
from index.search.search import Search

POOL = 16


@dataclass(frozen=True)
class Asking:
    """A library, and the names that its file gave its papers."""

    corpus: Corpus
    search: Search
    rarity: Rarity
    ids: dict[str, int]

    async def passages(self, asked: Asked, most: int = POOL) -> list[Passage]:
        """What the library's search finds for a question, without the paper that is left out."""
        found = await self.search.search(asked.text, most + 1, as_text=True, judged=0)
        hidden = self.ids.get(asked.without, -1)
        hits = [hit for hit in found.hits if hit.paper_id != hidden][:most]
        texts = await self.corpus.store.texts([hit.paper_id for hit in hits])
        return [
            Passage(hit.paper_id, texts[hit.paper_id][1], texts[hit.paper_id][0], closeness=hit.closeness)
            for hit in hits
            if texts[hit.paper_id][1].strip()
        ]


@asynccontextmanager
async def library_of(
    made: Made,
    others: Mapping[int, Paper],
    vectors: Path | None,
    embedder: Embedder,
    report: Report | None = None,
) -> AsyncIterator[Asking]:
    """The made papers and the others in one temporary library.

    Parameters
    ----------
    others
        Records of a file by their line, counted from 0; those that ``made`` has changed are left out.
    vectors
        Ready embeddings of that file.
    """
    changed = {paper["id"] for paper in made.papers}
    kept = [line for line, paper in others.items() if str(paper["id"]) not in changed]
    with tempfile.TemporaryDirectory(prefix="labmate-") as name:
        path = Path(name) / "papers.jsonl"
        with path.open("wb") as stream:
            for paper in [*made.papers, *(others[line] for line in kept)]:
                stream.write(orjson.dumps(paper) + b"\n")
        ready = None
        if vectors and kept:
            ready = _ready(made, kept, vectors, embedder, Path(name), report)
        async with temporary_library(path, embedder, vectors=ready, report=report, own_ids=True) as corpus:
            ids = await corpus.store.ids_of("file")
            yield Asking(corpus, Search(corpus), library_rarity(corpus), ids)


def _ready(
    made: Made, kept: list[int], vectors: Path, embedder: Embedder, folder: Path, report: Report | None
) -> Path:
    """The vectors of the written file: computed for the made papers, taken over for the others."""
    known = ReadyVectors(vectors, fingerprint(embedder.name)).rows
    texts = [paper_text(paper["title"], paper["abstract"]) for paper in made.papers]
    rows = embedder.encode(texts, lambda done: report("embedding", done, len(texts)) if report else None)
    path = folder / "papers.npy"
    np.save(path, np.concatenate([rows.astype(np.float16), np.asarray(known[kept])]))
    manifest = {**fingerprint(embedder.name), "rows": len(texts) + len(kept)}
    path.with_suffix(".json").write_text(json.dumps(manifest))
    return path
