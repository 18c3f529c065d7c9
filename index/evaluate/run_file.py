"""Rankings as TREC runs, which other evaluation tools can score."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from data.sources.http import SourceError
from index.evaluate.corpus import temporary_library
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.search import Found, Search

TAG = "labmate"


async def rank_queries(
    kind: str,
    papers: Path,
    queries: Path,
    out: Path,
    depth: int,
    model: str,
    report: Callable[[str, int, int], None] | None = None,
) -> int:
    """Rank every query over the papers of a file, and write the run to ``out``.

    Parameters
    ----------
    kind
        ``similar`` (one id of the file per line) or ``search`` (JSON lines of ``id`` and ``text``).
    depth
        Papers per query, at most.

    Returns
    -------
    int
        The number of queries.

    Raises
    ------
    SourceError
        If a file is missing or a query is invalid; nothing is written then.
    """
    wanted = _ids(queries) if kind == "similar" else read_texts(queries)
    embedder = Embedder(model)
    lines: list[str] = []
    loading = asyncio.create_task(asyncio.to_thread(embedder.load))  # while the file is being read
    async with temporary_library(papers, embedder, report=report, own_ids=True) as corpus:
        await loading
        ids = await corpus.store.ids_of("file")
        names = {paper: name for name, paper in ids.items()}
        if kind == "similar" and (strange := next((text for _, text in wanted if text not in ids), None)):
            raise SourceError(f"the query {strange[:80]!r} is not the id of a paper in {papers}")
        for done, (query, text) in enumerate(wanted, 1):
            results = await _rank(kind, corpus, text, ids, depth)
            for rank, hit in enumerate(results.hits, 1):
                lines.append(f"{query} Q0 {names[hit.paper_id]} {rank} {hit.score:.6f} {TAG}")
            if report:
                report("ranking", done, len(wanted))
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("".join(line + "\n" for line in lines))
    except OSError as error:
        raise SourceError(f"{out} can't be written: {error.strerror}") from error
    return len(wanted)


async def _rank(kind: str, corpus: Corpus, text: str, ids: dict[str, int], depth: int) -> Found:
    search = Search(corpus)
    if kind == "similar":
        [paper] = await corpus.store.papers([ids[text]])
        return await search.similar(paper, depth)
    return await search.search(text, depth, as_text=True)


def _read(path: Path) -> list[str]:
    try:
        # By line feeds alone: JSON may hold other line ends, such as U+2028, as they are.
        return [line.strip() for line in path.read_text("utf-8-sig").split("\n") if line.strip()]
    except OSError as error:
        raise SourceError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} can't be read: it is not UTF-8 text") from error


def _ids(path: Path) -> list[tuple[str, str]]:
    return [(line, line) for line in _read(path)]


def read_texts(path: Path) -> list[tuple[str, str]]:
    """(id, text) of each line of a file of queries.

    Raises
    ------
    SourceError
        If it can't be read, or a line is not such an object.
    """
    queries = []
    for number, line in enumerate(_read(path), 1):
        try:
            item: Any = orjson.loads(line)
            query, text = str(item["id"]), item["text"]
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise SourceError(f'{path}, line {number}: not a JSON object with "id" and "text"') from error
        if not isinstance(text, str) or not query or len(query.split()) != 1:
            raise SourceError(f'{path}, line {number}: "id" must be one word and "text" a string')
        queries.append((query, text))
    return queries
