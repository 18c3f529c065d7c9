"""Queries, filters and exact answers for benchmarks/scale/vectors.py and its peers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.data import PAPERS, percentile, researchers_questions
from benchmarks.scale.draw_vectors import draw
from data.records import PaperRecord
from data.sources.files import PaperFile
from index.search.embedding import Embedder
from index.search.vectors import Vectors

NEAREST, MANY = 10, 200
"""How many are asked for: what a reader looks at, and what /search and /similar rank."""
SHARES = {"10 %": 0.1, "1 %": 0.01, "0.1 %": 0.001}
_AT_ONCE = 20_480


@dataclass(frozen=True, slots=True)
class Questions:
    """For each filter: queries, float32 (n, dimension); their nearest, int64 (n, MANY); whom it keeps.

    ``kept`` has a bool for each store id. Where a filter keeps fewer papers, the rest of ``wanted`` is -1.
    """

    queries: dict[str, np.ndarray]
    wanted: dict[str, np.ndarray]
    kept: dict[str, np.ndarray]

    @classmethod
    def make(cls, vectors: Vectors, count: int, seed: int) -> Questions:
        """Half the queries are papers that pass the filter, and half come from outside the collection.

        "random" keeps papers anywhere, "field" those nearest to one paper, "newest" the last ones. "typed"
        queries are what people type, not papers (:func:`typed`).
        """
        rng, table = np.random.default_rng(seed + 10), vectors.log.table
        whole = table.count
        papers = np.asarray(table.entries["paper"][:whole], np.int64)

        def mask(rows: np.ndarray) -> np.ndarray:
            kept = np.zeros(int(papers.max()) + 1, bool)
            kept[papers[rows]] = True
            return kept

        kept: dict[str, np.ndarray] = {"all": mask(np.arange(whole))}
        centre = table.rows[int(rng.integers(whole))].astype(np.float32)
        near = np.concatenate([rows @ centre for _, rows in _parts(vectors)])
        for name, share in SHARES.items():
            size = max(NEAREST, int(share * whole))
            kept[f"random {name}"] = mask(rng.choice(whole, size, replace=False))
            kept[f"field {name}"] = mask(np.argpartition(-near, size - 1)[:size])
        kept["newest 1 %"] = mask(np.arange(whole - whole // 100, whole))
        new = np.concatenate(list(draw(count, seed + 1))).astype(np.float32)
        queries = {}
        for name, inside in kept.items():
            own = np.sort(rng.choice(np.flatnonzero(inside[papers]), count // 2))
            queries[name] = np.concatenate([table.rows[own].astype(np.float32), new[: count - count // 2]])
        said = typed(count, seed)
        for name in ("all", "random 10 %", "field 10 %"):
            queries[f"typed, {name}"], kept[f"typed, {name}"] = said, kept[name]
        return cls(queries, _exact(vectors, queries, kept), kept)

    def of(self, kind: str) -> Questions:
        """Only the questions whose names begin with ``kind``."""
        queries, wanted, kept = (
            {name: held for name, held in part.items() if name.startswith(kind)}
            for part in (self.queries, self.wanted, self.kept)
        )
        return Questions(queries, wanted, kept)

    def save(self, path: Path) -> None:
        """Write them to a file."""
        arrays = {f"queries {name}": rows for name, rows in self.queries.items()}
        arrays |= {f"wanted {name}": rows for name, rows in self.wanted.items()}
        arrays |= {f"kept {name}": np.packbits(mask) for name, mask in self.kept.items()}
        np.savez(path, whole=len(self.kept["all"]), **arrays)

    @classmethod
    def load(cls, path: Path) -> Questions:
        """Read them from a file."""
        stored = np.load(path)
        whole = int(stored["whole"])
        parts: dict[str, dict[str, np.ndarray]] = {"queries": {}, "wanted": {}, "kept": {}}
        for key in stored.files:
            kind, _, name = key.partition(" ")
            if name:
                parts[kind][name] = stored[key]
        kept = {name: np.unpackbits(bits, count=whole).astype(bool) for name, bits in parts["kept"].items()}
        return cls(parts["queries"], parts["wanted"], kept)


def typed(count: int, seed: int) -> np.ndarray:
    """What people type, embedded: float32, (count, dimension).

    Half are two to four words in a row of a real title, half researchers' questions of another field.
    """
    rng = np.random.default_rng(seed + 20)
    texts = [item["question"] for item in researchers_questions(count // 2)]
    for paper in islice(PaperFile(PAPERS), count - len(texts)):
        assert isinstance(paper[1], PaperRecord)
        words = paper[1].title.split()
        length = int(rng.integers(2, 5))
        first = int(rng.integers(max(1, len(words) - length + 1)))
        texts.append(" ".join(words[first : first + length]))
    # In another process, since this one's memory is measured.
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        return other.submit(_embedded, texts).result()


def _embedded(texts: list[str]) -> np.ndarray:
    return np.asarray(Embedder().encode(texts), np.float32)


def _parts(vectors: Vectors) -> Iterator[tuple[int, np.ndarray]]:
    table = vectors.log.table
    for start in range(0, table.count, _AT_ONCE):
        yield start, table.read_rows(start, min(start + _AT_ONCE, table.count)).astype(np.float32)


def _exact(
    vectors: Vectors, queries: dict[str, np.ndarray], kept: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    scores = {name: np.full((len(rows), MANY), -2, np.float32) for name, rows in queries.items()}
    papers = {name: np.full((len(rows), MANY), -1, np.int64) for name, rows in queries.items()}
    together = np.concatenate(list(queries.values()))
    entries = vectors.log.table.entries["paper"]
    for start, rows in _parts(vectors):
        here = np.asarray(entries[start : start + len(rows)], np.int64)
        near, first = together @ rows.T, 0
        for name, mask in kept.items():
            own = near[first : first + len(queries[name])]
            first += len(own)
            inside = np.flatnonzero(mask[here])
            own = own[:, inside]
            if len(inside) > MANY:
                best = np.argpartition(-own, MANY, axis=1)[:, :MANY]
            else:
                best = np.tile(np.arange(len(inside)), (len(own), 1))
            both = np.hstack([scores[name], np.take_along_axis(own, best, 1)])
            ids = np.hstack([papers[name], here[inside[best]]])
            order = np.argsort(-both, axis=1)[:, :MANY]
            scores[name] = np.take_along_axis(both, order, 1)
            papers[name] = np.take_along_axis(ids, order, 1)
    return papers


@dataclass(frozen=True, slots=True)
class Answered:
    """How one kind of question was answered: times in seconds."""

    name: str
    nearest: int
    recall: float
    times: list[float]
    cpu: list[float]

    def __str__(self) -> str:
        return (
            f"{self.name:18} recall@{self.nearest} {self.recall:.3f}  "
            f"p50 {percentile(self.times, 0.5):5.1f} ms  p99 {percentile(self.times, 0.99):5.1f} ms  "
            f"(CPU: {percentile(self.cpu, 0.5):.1f}, {percentile(self.cpu, 0.99):.1f})"
        )


def ask(
    questions: Questions,
    search: Callable[[np.ndarray, np.ndarray | None], np.ndarray],
    nearest: int = NEAREST,
) -> Iterator[Answered]:
    """Ask everything, filter by filter, for the ``nearest`` papers."""
    for name, wanted in questions.wanted.items():
        where = None if name.endswith("all") else questions.kept[name]
        wanted = wanted[:, :nearest]
        hits, times, cpu = 0, [], []
        for query in questions.queries[name][:5]:
            search(query, where)
        for query, right in zip(questions.queries[name], wanted, strict=True):
            begun, own = time.perf_counter(), time.thread_time()
            papers = search(query, where)
            times.append(time.perf_counter() - begun)
            cpu.append(time.thread_time() - own)
            hits += len(set(papers.tolist()) & set(right.tolist()))
        yield Answered(name, nearest, hits / np.count_nonzero(wanted >= 0), times, cpu)
