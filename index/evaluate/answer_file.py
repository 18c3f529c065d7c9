"""Answers to a file of questions from a file of papers alone, as JSON lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from data.sources.files import PaperFile
from data.sources.http import SourceError
from index.answers.answer import Answer, Answerer, worded
from index.answers.candidates import library_rarity, passages
from index.answers.evidence import Reading
from index.answers.passage import Passage
from index.evaluate.corpus import temporary_library
from index.evaluate.run_file import read_texts
from index.search.corpus import Corpus
from index.search.embedding import Embedder, Worded
from index.search.precision import embeds_in_bfloat16
from index.search.search import Search

PAPERS = 16
_AT_ONCE = 60
"""Questions whose sentences are embedded together; large calls are fastest."""
_REMEMBERED = 8_000
"""Sentences whose embeddings are kept for later questions: about 200 MB."""

SHORT = 112
"""Where bfloat16 doesn't help, only this many tokens of each abstract are embedded, in half the time."""

Report = Callable[[str, int, int], None]


async def answer_file(
    papers: Path, questions: Path, out: Path, sentences: int, model: str, report: Report | None = None
) -> tuple[int, int]:
    """Answer each question from the papers' abstracts, and write a line for each to ``out``.

    A line is ``{"id", "answered", "confidence", "sentences": [{"paper", "start", "end", "text"}]}``: best
    first, with offsets into the abstract as the file of papers gives it.

    Parameters
    ----------
    questions
        JSON lines of ``{"id", "text"}``.
    sentences
        Sentences per question, at most.

    Returns
    -------
    tuple of int
        (questions, those with an answer).

    Raises
    ------
    SourceError
        If a file is missing or a question is invalid; nothing is written then.
    """
    wanted = read_texts(questions)
    quick = await asyncio.to_thread(embeds_in_bfloat16)
    embedder = Embedder(model, most_tokens=None if quick else SHORT)
    lines: list[bytes] = []
    answered = 0
    loading = asyncio.create_task(asyncio.to_thread(embedder.load))  # while the file is being read
    async with temporary_library(papers, embedder, report=report, own_ids=True) as corpus:
        await loading
        printed = await asyncio.to_thread(abstracts, papers)
        ids = await corpus.store.ids_of("file")
        if not ids:
            raise SourceError(f"{papers} holds no paper")
        names = {paper: name for name, paper in ids.items()}
        answerer = Answerer.shipped()
        known: dict[str, Worded] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            found = await _passages(corpus, part, names, printed)
            answers = await asyncio.to_thread(_answers, corpus, answerer, part, found, sentences, known)
            for (name, _), texts, answer in zip(part, found, answers, strict=True):
                lines.append(orjson.dumps(_line(name, answer, texts, names)) + b"\n")
                answered += answer.answered
            if report:
                report("answering", start + len(part), len(wanted))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(b"".join(lines))
    except OSError as error:
        raise SourceError(f"{out} can't be written: {error.strerror}") from error
    return len(wanted), answered


def abstracts(path: Path) -> dict[str, str]:
    """Each paper's abstract by its id, character for character as the file gives it."""
    return {str(item["id"]): text for item, text in _printed(path)}


def _printed(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    for _, item in PaperFile(path, own_ids=True).objects():
        if isinstance(item, dict) and "id" in item and isinstance(item.get("abstract"), str):
            yield item, item["abstract"]


async def _passages(
    corpus: Corpus, questions: Sequence[tuple[str, str]], names: dict[int, str], printed: dict[str, str]
) -> list[list[Passage]]:
    """The candidates of each question, with their abstracts as printed."""
    search = Search(corpus)
    found = []
    for _, text in questions:
        hits = (await search.search(text, PAPERS, as_text=True, judged=0)).hits
        found.append(
            [
                Passage(p.paper, printed.get(names[p.paper], ""), p.title, closeness=p.closeness)
                for p in await passages(corpus, hits)
            ]
        )
    return found


def _answers(
    corpus: Corpus,
    answerer: Answerer,
    questions: Sequence[tuple[str, str]],
    found: Sequence[Sequence[Passage]],
    sentences: int,
    known: dict[str, Worded],
) -> list[Answer]:
    """The answers of some questions; ``known`` remembers the sentences embedded for those before."""
    rarity = library_rarity(corpus)
    readings = [
        Reading(text, candidates, rarity) for (_, text), candidates in zip(questions, found, strict=True)
    ]
    texts = list(dict.fromkeys(text for reading in readings for text in reading.texts))
    embedder = corpus.embedder
    if not embedder.has_words:
        place = {text: number for number, text in enumerate(texts)}
        rows = embedder.encode(texts)
        plain = [reading.evidence(rows[[place[text] for text in reading.texts]]) for reading in readings]
        return [answerer.conclude(evidence, sentences, least=0) for evidence in plain]
    if len(known) > _REMEMBERED:
        known.clear()
    new = [text for text in texts if text not in known]
    known |= dict(zip(new, embedder.encode_words(new), strict=True))
    return [
        answerer.conclude(
            worded(reading, [known[text] for text in reading.texts], embedder.pieces(reading.texts[0])),
            sentences,
            least=0,
        )
        for reading in readings
    ]


def _line(name: str, answer: Answer, texts: Sequence[Passage], names: dict[int, str]) -> dict[str, Any]:
    return {
        "id": name,
        "answered": answer.answered,
        "confidence": round(answer.confidence, 4),
        "sentences": [
            {"paper": names[texts[q.passage].paper], "start": q.start, "end": q.end, "text": q.text}
            for q in answer.best_first()
        ],
    }
