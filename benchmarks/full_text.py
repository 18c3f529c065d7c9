"""python -m benchmarks.full_text: a paper of 20 pages, first asked about: from its file to the answer.

Times are by the clock; CPU seconds beside them tell what a busy machine adds.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import tempfile
import time
from datetime import date
from itertools import islice, pairwise
from pathlib import Path
from textwrap import wrap

import numpy as np

from benchmarks.data import PAPERS, need_data, url
from data.records import Paper, PaperRecord
from data.sources.files import PaperFile
from data.sources.full_text import ArxivFullText
from data.sources.http import PoliteClient
from data.stores.store import Store
from index.answers.answer import Answerer
from index.documents.full_texts import FullTexts
from index.documents.paper_file import read_paper
from index.search.embedding import Embedder
from index.search.embedding_model import fingerprint
from tests.helpers.paper_pdfs import LEFT, RIGHT, Put, column, furniture, paper_pdf
from tests.helpers.paper_server import PaperServer

PAGES, LINES, LETTERS = 20, 55, 52
"""A paper in two columns; letters a line."""
ROUNDS = 3
QUESTION = "What causes loss spikes when large models are trained?"


STEPS = (
    ("reading it in the sandbox alone", ""),
    ("fetched from loopback, read, kept, embedded", ""),
    ("the answer from it", ""),
    ("first asked: from its file to the answer", "target 8 s"),
    ("its text when asked for again", ""),
)


def now() -> tuple[float, float]:
    """The clock, and the CPU seconds of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return time.perf_counter(), sum(one.ru_utime + one.ru_stime for one in used)


def twenty_pages() -> bytes:
    """Abstracts of real papers, set in two columns under titles of sections."""
    texts = (record.abstract for _, record in PaperFile(PAPERS) if isinstance(record, PaperRecord))
    lines = [line for text in islice(texts, 2_000) for line in wrap(text, LETTERS)]
    pages: list[list[Put]] = []
    for number in range(1, PAGES + 1):
        taken, lines = lines[: 2 * LINES], lines[2 * LINES :]
        title = Put(LEFT, 735, f"{number} Section number {number}", 12, "B")
        left = column(LEFT, 715, taken[:LINES])
        pages.append([*furniture(number), title, *left, *column(RIGHT, 715, taken[LINES:])])
    return paper_pdf(pages)


async def paper_in(store: Store, number: int) -> Paper:
    """A paper that the store knows only the abstract of."""
    record = PaperRecord(
        source="arxiv",
        ids={"arxiv": f"2601.{number:05d}"},
        title=f"A paper of {PAGES} pages, number {number}",
        abstract="We study many things.",
        authors=["Ada Lovelace"],
        announced=date(2026, 1, 5),
    )
    [paper_id] = (await store.upsert([record])).ids
    [paper] = await store.papers([paper_id])
    return paper


async def main() -> None:
    need_data()
    pdf = twenty_pages()
    embedder, answerer = Embedder(), Answerer.shipped()
    embedder.load()
    model = str(fingerprint(embedder.name)["weights_sha256"])
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name, _ in STEPS}
    with tempfile.TemporaryDirectory() as folder:
        store = await Store.open(url(Path(folder)))
        async with PaperServer() as server:
            source = ArxivFullText(PoliteClient(interval=0), server.url)
            texts = FullTexts(store, embedder, model, source, most=500)
            for number in range(ROUNDS + 1):
                paper = await paper_in(store, number)
                server.pages[f"/pdf/{paper.arxiv_id}"] = pdf
                marks = [now()]
                await read_paper(pdf, "pdf")
                marks.append(now())
                text = await texts.of(paper)
                marks.append(now())
                await asyncio.to_thread(answerer.answer, QUESTION, text.passages, embedder.encode)
                marks.append(now())
                await asyncio.gather(*texts._embedding.values())
                before = now()
                await texts.of(paper)
                after = now()
                if number:  # the first round warms up
                    ends = [*pairwise(marks), (marks[1], marks[3]), (before, after)]
                    for (name, _), (begun, ended) in zip(STEPS, ends, strict=True):
                        spent[name].append((ended[0] - begun[0], ended[1] - begun[1]))
            await texts.close()
        await store.close()
    kept = sum(len(one.text.encode()) for one in text.passages) + 2 * int(np.size(text.vectors))
    print(f"{PAGES} pages, {len(text.passages)} passages, {kept / 1_000:.0f} KB kept; medians of {ROUNDS}")
    for name, target in STEPS:
        clock, cpu = (statistics.median(one[place] for one in spent[name]) for place in (0, 1))
        print(f"{name:42} {clock:6.2f} s  CPU {cpu:6.2f} s  {target}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
