"""kill -9 at any point: the next run completes it, with neither loss nor duplicate."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import signal
from pathlib import Path

import numpy as np

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from data.stores.store import Store
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.embedding_model import fingerprint
from tests.helpers import databases
from tests.helpers.crash_child import ingest
from tests.helpers.process import PATIENCE, logged_in, start

KILLS = int(os.environ.get("LABMATE_CRASHES", "15"))
PAPERS = 1_500


def _write(path: Path, generation: int) -> None:
    """A file of papers; later generations change some of the texts."""
    with path.open("w") as out:
        for number in range(PAPERS):
            changed = generation if number % 7 == generation % 7 else 0
            item = {
                "id": f"2601.{number:05d}",
                "title": f"Paper {number} in state {changed}",
                "abstract": f"About subject{number}.",
                "authors": ["Ada Lovelace", f"Person {number % 90}"],
                "lists": ["cs.CL"],
                "announced": "2026-01-05",
            }
            out.write(json.dumps(item) + "\n")


def _vectors(path: Path, print_: dict) -> Path:
    """Rows that say which record they belong to: two ones, at the digits of its number."""
    rows = np.zeros((PAPERS, 384), np.float16)
    rows[np.arange(PAPERS), np.arange(PAPERS) % 100] = 0.6
    rows[np.arange(PAPERS), 100 + np.arange(PAPERS) // 100] = 0.8
    np.save(path / "p.minilm.f16.npy", rows)
    (path / "p.minilm.json").write_text(json.dumps({**print_, "rows": PAPERS}))
    return path / "p.minilm.f16.npy"


async def _check(folder: Path, *, whole: bool) -> int:
    """What store and indexes say must agree, whenever they are opened."""
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    try:
        assert await store.integrity() == "ok"
        facts = {fact.paper_id: fact for fact in await store.index_facts()}
        papers = await store.papers(facts)
        assert len({paper.arxiv_id for paper in papers}) == len(papers)
        assert all(len(paper.authors) == 2 for paper in papers)
        with corpus.writing():
            await corpus.catch_up_words()
        assert len(corpus.words) == len(papers)
        ids, _ = corpus.vectors.known()
        assert len(set(ids.tolist())) == len(ids)
        waiting = set(corpus.backlog())
        for paper in papers:
            if paper.id in waiting:
                continue
            number = int(paper.arxiv_id.partition(".")[2])
            row = corpus.vectors.row(paper.id)
            assert (row[:100].argmax(), row[100:].argmax()) == (number % 100, number // 100)
            assert corpus.vectors.hash_of(paper.id) == facts[paper.id].text_hash
        assert len(ids) == len(corpus.vectors) >= len(papers) - len(waiting)
        if whole:
            assert len(papers) == PAPERS
            assert not waiting
        return len(papers)
    finally:
        await store.close()


async def test_store_words_and_vectors_agree_after_any_crash(tmp_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.helpers.crash_child"])
    file = tmp_path / "p.jsonl"
    vectors = _vectors(tmp_path, fingerprint("all-MiniLM-L6-v2"))
    chance = random.Random(20)
    killed, generation = 0, 0
    folder = tmp_path / "lab"
    folder.mkdir()
    while killed < KILLS:
        generation += 1
        _write(file, generation)
        for _ in range(6):  # several crashes over one file, then it completes
            process = context.Process(target=ingest, args=(folder, file, vectors))
            process.start()
            process.join(chance.uniform(0.05, 1.1))
            if process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
                process.join()
                killed += 1
                if killed % 4 == 0:
                    await _check(folder, whole=False)
            else:
                assert process.exitcode == 0
        process = context.Process(target=ingest, args=(folder, file, vectors))
        process.start()
        process.join()
        assert process.exitcode == 0
        await _check(folder, whole=True)
    print(f"\nkilled {killed} times over {generation} files")


async def test_a_button_of_the_first_reply_works_after_kill_9(tmp_path):
    async with LocalDiscord() as discord, UserClient(discord.url, discord.user_token) as user:
        first = start(discord, tmp_path)
        await logged_in(first)
        reply = await user.slash("/similar PrismLLM")
        first.kill()
        first.wait()
        second = start(discord, tmp_path)
        try:
            await logged_in(second)
            assert "6. " in (await reply.press("More")).text
        finally:
            second.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(second.wait, PATIENCE) == 0
