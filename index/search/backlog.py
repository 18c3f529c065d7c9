"""Embedding papers that have no vector yet, batch by batch, newest first: here, or on a Ray cluster."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from data.stores.store import Store
from index.batch.team import NoTeamError, Team
from index.search.embedding import Embedder, paper_text
from index.search.embedding_model import DEFAULT_MODEL, locate
from index.search.int8_fit import sample

log = logging.getLogger("labmate")
AT_ONCE = 256
"""Papers in a batch that goes to a cluster."""
WORTH = 2_000
"""From this many papers on, a cluster saves more time than its workers need to load the model."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class EmbeddedBatch:
    """Papers with their text hashes and vectors, shape (len(papers), dimension)."""

    papers: list[int]
    hashes: list[int]
    rows: np.ndarray


@dataclass(frozen=True)
class Embedding:
    """The model as work for any machine (:class:`index.batch.work.SharedWork`): one worker holds it once.

    Attributes
    ----------
    model
        The packaged model's name, or a folder, which is sent to machines that don't see it.
    device
        As EMBEDDING_DEVICE has it; anything but ``cpu`` takes GPUs where there are some.
    """

    model: str
    device: str

    @property
    def wants(self) -> str:
        """A GPU or a machine for each worker."""
        return "machine" if self.device == "cpu" else "gpu"

    def files(self) -> dict[Path, list[str]]:
        """The model's files, unless they come with the package."""
        if self.model == DEFAULT_MODEL:
            return {}
        folder = Path(self.model)
        return {folder: sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())}

    def at(self, places: Mapping[Path, Path]) -> Embedding:
        """The same model in another folder."""
        return replace(self, model=str(places[Path(self.model)]))

    def opened(self, cores: int, *, gpu: bool) -> Callable[[Sequence[str]], np.ndarray]:
        """What embeds a batch of texts: float16, shape (len(texts), dimension)."""
        embedder = Embedder(self.model, threads=cores, device="auto" if gpu else "cpu")
        embedder.load()
        return lambda texts: embedder.encode(texts).astype(np.float16)


async def embedded(
    store: Store,
    embedder: Embedder,
    backlog: Sequence[int],
    progress: Progress | None = None,
    ray: str | None = None,
    *,
    exactly: bool = False,
) -> AsyncGenerator[EmbeddedBatch]:
    """Each batch as soon as it is embedded.

    Parameters
    ----------
    backlog
        Store ids; those that are gone meanwhile are left out.
    ray
        The address of a Ray cluster that embeds a large backlog. What it leaves undone is embedded here.
    exactly
        Not in 8 bits, however large the backlog is.
    """
    parts = [list(backlog[start : start + AT_ONCE]) for start in range(0, len(backlog), AT_ONCE)]
    left = dict(enumerate(parts))
    tell = progress or (lambda _done, _total: None)
    done = 0
    if ray is not None and len(backlog) >= WORTH:
        try:
            async with aclosing(_embedded_on(ray, store, embedder, left)) as batches:
                async for number, batch in batches:
                    done += len(left.pop(number))
                    yield batch
                    tell(done, len(backlog))
        except NoTeamError as error:
            log.warning("%s The rest is embedded on this machine: %d papers.", error, len(backlog) - done)
    rest = [paper for part in left.values() for paper in part]
    here = _embedded_here(
        store, embedder, rest, lambda count: tell(done + count, len(backlog)), exactly=exactly
    )
    async with aclosing(here) as batches:
        async for batch in batches:
            yield batch


async def _embedded_here(
    store: Store,
    embedder: Embedder,
    papers: Sequence[int],
    tell: Callable[[int], None],
    *,
    exactly: bool,
) -> AsyncGenerator[EmbeddedBatch]:
    """Batches that this machine embeds; the next one's texts are read meanwhile."""
    if not papers:
        return
    await asyncio.to_thread(embedder.load)
    quickly = not exactly and await _is_fitted(store, embedder, papers)
    size, done = embedder.call_size, 0
    parts = [papers[start : start + size] for start in range(0, len(papers), size)]
    reading = asyncio.create_task(_texts(store, parts[0]))
    try:
        for part, following in zip(parts, [*parts[1:], None], strict=True):
            known, hashes, texts = await reading
            if following is not None:
                reading = asyncio.create_task(_texts(store, following))

            def tick(count: int, base: int = done) -> None:
                tell(base + count)

            rows = await asyncio.to_thread(embedder.encode, texts, tick, quickly=quickly)
            yield EmbeddedBatch(known, hashes, rows)
            done += len(part)
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def _is_fitted(store: Store, embedder: Embedder, papers: Sequence[int]) -> bool:
    """Whether the model is prepared to embed these in 8 bits, with papers from all over them."""
    if not embedder.is_worth_fitting(len(papers)):
        return False
    _, _, texts = await _texts(store, sample(papers))
    return await asyncio.to_thread(embedder.fit_int8, texts)


async def _embedded_on(
    ray: str, store: Store, embedder: Embedder, parts: Mapping[int, list[int]]
) -> AsyncGenerator[tuple[int, EmbeddedBatch]]:
    """Batches with their numbers; a worker has one in hand, and that is done again if it is killed."""
    name = embedder.name
    work = Embedding(name if name == DEFAULT_MODEL else str(locate(name)), embedder.wanted_device)
    team = Team(ray, work)
    waiting, given = iter(list(parts.items())), dict[int, tuple[list[int], list[int]]]()
    finished = False
    try:
        await asyncio.to_thread(team.open)
        while True:
            while len(given) < 2 * team.workers and (following := next(waiting, None)):
                number, part = following
                papers, hashes, texts = await _texts(store, part)
                given[number] = papers, hashes
                await asyncio.to_thread(team.give, number, texts)
            if not given:
                break
            number, rows = await asyncio.to_thread(team.take)
            yield number, EmbeddedBatch(*given.pop(number), rows)
        finished = True
    finally:
        await asyncio.to_thread(team.close, at_once=not finished)


async def _texts(store: Store, part: Sequence[int]) -> tuple[list[int], list[int], list[str]]:
    """The papers that are still there, their text hashes, and their texts."""
    found: dict[int, Any] = await store.texts(part)
    papers = [paper for paper in part if paper in found]
    return papers, [found[paper][2] for paper in papers], [paper_text(*found[paper][:2]) for paper in papers]
