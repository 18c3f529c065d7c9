"""python -m benchmarks.whole_search: known items among 112,000 papers, by Labmate and LanceDB (`make peers`).

Both get the same texts and vectors. LanceDB searches its words and its vectors and fuses both, as its manual
says; its query comes embedded, so the time of embedding stands by itself.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import orjson

from benchmarks.data import ROOT, full_corpus, show
from benchmarks.scale.vectors import PEERS
from benchmarks.scale.watching import memory_of
from index.evaluate.search_kinds import KnownItem, make_questions
from index.search.corpus import Corpus
from index.search.search import Search

_PER_KIND, _SEED = 25, 12
_NEAREST = 10
_AT_ONCE = 4_000


async def main() -> None:
    corpus = await full_corpus()
    await corpus.refresh_names()
    corpus.embedder.load()
    questions = await make_questions(corpus, _PER_KIND, _SEED)
    with tempfile.TemporaryDirectory() as name:
        await _write(corpus, questions, Path(name))
        await _ask(corpus, questions)
        await corpus.store.close()
        await asyncio.to_thread(_ask_peer, Path(name))


async def _ask(corpus: Corpus, questions: list[KnownItem]) -> None:
    search = Search(corpus)
    await search.search("a question before those that count", _NEAREST)
    embedding, times, found = [], [], 0.0
    for question in questions:
        begun = time.perf_counter()
        corpus.embedder.encode([question.text + "?"])
        embedding.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        hits = (await search.search(question.text, _NEAREST)).hits
        times.append(time.perf_counter() - begun)
        found += sum(1 / rank for rank, hit in enumerate(hits, 1) if hit.paper_id == question.paper_id)
    show("embedding the query, alone", embedding)
    own = memory_of(os.getpid())[0]
    show(
        "Labmate", times, f"MRR@10 {found / len(questions):.3f}", f"{own:,.0f} MB of its own, model included"
    )


def _ask_peer(folder: Path) -> None:
    if not PEERS.exists():
        print("LanceDB is not installed: make peers")
        return
    subprocess.run(
        [str(PEERS), str(ROOT / "benchmarks" / "peers" / "whole_search.py"), str(folder)], check=True
    )


async def _write(corpus: Corpus, questions: list[KnownItem], folder: Path) -> None:
    """The papers, their vectors and the questions, for another Python."""
    assert corpus.vectors is not None
    held = np.asarray(corpus.facets.held())
    np.save(folder / "vectors.npy", corpus.vectors.rows(held).astype(np.float32))
    with (folder / "papers.jsonl").open("wb") as out:
        for start in range(0, len(held), _AT_ONCE):
            part = held[start : start + _AT_ONCE].tolist()
            texts = await corpus.store.texts(part)
            for paper in part:
                title, abstract, _ = texts[paper]
                out.write(orjson.dumps({"paper": paper, "text": f"{title}\n{abstract}"}) + b"\n")
    np.save(folder / "queries.npy", corpus.embedder.encode([question.text for question in questions]))
    asked = [{"text": question.text, "paper": question.paper_id} for question in questions]
    (folder / "queries.json").write_bytes(orjson.dumps(asked))


if __name__ == "__main__":
    asyncio.run(main())
