"""python -m benchmarks.scale.draw_vectors: vectors drawn from the real ones, compared by their neighbours.

A drawn vector is a smoothed bootstrap (Silverman and Young 1987): a real vector, moved within the plane of
some of its neighbours and shrunk towards their mean by as much as the noise adds, so that the spread stays.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray

from benchmarks.data import VECTORS, need_data

BLOCK = 2_048
NEIGHBOURS = 40
_MIXED = 8
_MOVED = 0.97
_OFF_PLANE = 0.28
_LISTS, _PROBED = 1_024, 8

_QUERIES, _PAIRS = 500, 1_500
_ALIKE = 0.6
_SHARES = (0.05, 0.5, 0.95)

Rows = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class Anchors:
    """The real vectors, float32 (n, d), and the rows of each one's nearest, int32 (n, NEIGHBOURS)."""

    rows: NDArray[np.float32]
    near: NDArray[np.int32]

    @classmethod
    def of_real(cls, path: Path = VECTORS, most: int | None = None) -> Anchors:
        """Read the real vectors (the first ``most``) and find each one's neighbours; seconds on two cores."""
        rows = np.load(path, mmap_mode="r")[:most].astype(np.float32)
        lists = min(_LISTS, max(1, len(rows) // 50))
        index = faiss.IndexIVFFlat(
            faiss.IndexFlatIP(rows.shape[1]), rows.shape[1], lists, faiss.METRIC_INNER_PRODUCT
        )
        index.cp.niter, index.cp.max_points_per_centroid = 6, 48
        index.train(rows)
        index.add(rows)
        index.nprobe = _PROBED
        _, near = index.search(rows, NEIGHBOURS + 1)
        own = np.arange(len(rows))[:, None]
        near = np.where(near < 0, own, near)
        return cls(rows, near[:, 1:].astype(np.int32))

    def around(self, anchors: NDArray[np.integer], rng: np.random.Generator) -> Rows:
        """One drawn vector for each row in ``anchors``: float16 (len(anchors), d), of length 1."""
        count = len(anchors)
        centre = self.rows[anchors]
        chosen = rng.random((count, NEIGHBOURS), np.float32).argpartition(_MIXED, axis=1)[:, :_MIXED]
        others = self.rows[np.take_along_axis(self.near[anchors], chosen, axis=1)]
        mean = others.mean(axis=1)
        weights = rng.standard_normal((count, _MIXED), np.float32)
        weights -= weights.mean(axis=1, keepdims=True)
        moved = np.matmul(weights[:, None, :], others)[:, 0, :] / np.float32(np.sqrt(_MIXED - 1))
        drawn = mean + np.float32(np.sqrt(1 - _MOVED**2)) * (centre - mean) + np.float32(_MOVED) * moved
        off = rng.standard_normal(drawn.shape, np.float32)
        drawn += np.float32(_OFF_PLANE / np.sqrt(drawn.shape[1])) * off
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return drawn.astype(np.float16)


def draw(n: int, seed: int, anchors: Anchors | None = None) -> Iterator[Rows]:
    """``n`` vectors in float16 blocks of at most BLOCK rows; the same seed draws the same."""
    need_data()
    anchors = anchors or Anchors.of_real()
    for number, begin in enumerate(range(0, n, BLOCK)):
        rng = np.random.default_rng([seed, number])
        yield anchors.around(rng.integers(len(anchors.rows), size=min(BLOCK, n - begin)), rng)


def neighbourhoods(name: str, rows: Rows, n: int, rng: np.random.Generator) -> float:
    """Print how near ``n`` random rows lie to each other; returns the median cosine of the tenth nearest."""
    sample = rows if n == len(rows) else rows[np.sort(rng.choice(len(rows), n, replace=False))]
    places = rng.choice(n, _QUERIES, replace=False)
    queries = sample[places].astype(np.float32)
    best = np.full((_QUERIES, 10), -1.0, np.float32)
    alike = np.zeros(_QUERIES, np.int64)
    for begin in range(0, n, 50_000):
        block = sample[begin : begin + 50_000].astype(np.float32)
        cosines = queries @ block.T
        own = np.flatnonzero((places >= begin) & (places < begin + len(block)))
        cosines[own, places[own] - begin] = -1
        alike += (cosines > _ALIKE).sum(axis=1)
        best = -np.partition(np.concatenate([-best, -cosines], axis=1), 9, axis=1)[:, :10]
    best.sort(axis=1)
    pairs = queries[: _QUERIES // 2] @ queries[_QUERIES // 2 :].T

    def shares(values: NDArray[np.floating]) -> str:
        return " ".join(f"{value:.3f}" for value in np.quantile(values, _SHARES))

    per = 10_000 * alike / n
    print(
        f"{name:6} {n:>9,}  {shares(pairs)}   {shares(best[:, 9])}   {shares(best[:, 0])}   "
        f"{np.quantile(per, 0.5):6.1f} {np.quantile(per, 0.9):6.1f}",
        flush=True,
    )
    return float(np.median(best[:, 0]))


def main() -> None:
    """Compare real and drawn vectors at sizes that both have, then show how the drawn ones go on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=448_000, help="the largest size to draw")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    need_data()
    print("cosine at 5 %, 50 %, 95 % of     two at random        the nearest          the tenth nearest")
    print(f"  and the others above {_ALIKE} in 10,000: of the middle paper, of the 90 % paper")
    rng = np.random.default_rng(chosen.seed)
    real, anchors = np.load(VECTORS), Anchors.of_real()
    small = neighbourhoods("real", real, len(real) // 8, rng)
    large = neighbourhoods("real", real, len(real), rng)
    slope = np.log((1 - large) / (1 - small)) / np.log(8)
    for size in (len(real) // 8, len(real), *([chosen.n] if chosen.n > len(real) else [])):
        rows = np.concatenate(list(draw(size, chosen.seed + 1, anchors)))
        made = neighbourhoods("made", rows, size, rng)
        law = 1 - (1 - large) * (size / len(real)) ** slope
        print(f"       the tenth nearest, by the real ones' law: {law:.3f}; made: {made:.3f}")


if __name__ == "__main__":
    main()
