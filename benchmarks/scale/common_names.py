"""python -m benchmarks.scale.common_names: how well the bearers of a common name are told apart.

It judges some names of each size, each by itself, in a library whose authorships were gathered by a people
pass. With ``--truth``, it prints precision and recall against a made collection's truth. Without, it judges
names of 80 to 300 authorships whole and in small parts, and prints how far these agree with the whole: larger
names are always judged in parts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.data import FOLDER, url
from benchmarks.scale.truth import Truth
from benchmarks.scale.vectors import PRINT
from data.stores.store import Store
from index.evaluate.identity import bcubed, f1
from index.identity import large_names
from index.identity.collection import AuthorshipFiles
from index.identity.identity import Judge
from index.identity.models import Models
from index.search.vectors import Vectors

SIZES = ((300, 600), (1_000, 2_000), (3_000, 5_000))
NAMES = 6
"""Names of each size that are judged."""
PARTS = (60, 30)
SEED = 5


def opened(library: Path) -> AuthorshipFiles:
    """The authorships of a library's last pass."""
    vectors = Vectors.open(library / "vectors", PRINT, writable=False)
    vectors.refresh()
    collection = AuthorshipFiles.open(library / "identity" / "collection", vectors)
    if collection is None:
        raise SystemExit(f"{library} has no authorships that a pass gathered: run `python -m bot identify`")
    return collection


def spelled_names(judge: Judge, least: int, most: int) -> np.ndarray:
    """The spelled names with ``least`` to ``most`` authorships."""
    counts = np.diff(judge.authorships.by_name[1])
    chosen: np.ndarray = np.flatnonzero((counts >= least) & (counts <= most) & judge.authorships.spelled)
    return chosen


def people(judge: Judge, names: Iterable[int]) -> np.ndarray:
    """The person of each authorship of these names, judged one name at a time; -1 for all others."""
    found = np.full(len(judge.authorships.paper), -1, np.int64)
    for name in names:
        for group in judge._groups(judge.blocks(np.array([name]))[name]):
            found[group] = group[0]
    return found


def line(found: np.ndarray, right: np.ndarray) -> str:
    """Precision, recall and F1 of the authorships that both have."""
    known = (found >= 0) & (right >= 0)
    precision, recall = (float(each.mean()) for each in bcubed(found[known], right[known]))
    return f"precision {precision:.3f}  recall {recall:.3f}  B-cubed F1 {f1(precision, recall):.3f}"


async def truth_of(made: Path, library: Path, collection: AuthorshipFiles) -> np.ndarray:
    """The person behind each authorship."""
    store = await Store.open(url(library))
    truth = Truth(made)
    await truth.read(store)
    await store.close()
    papers = np.asarray(collection.papers)[collection.authorships.paper]
    return truth.people(papers, np.asarray(collection.positions, np.int64))


def against_truth(judge: Judge, right: np.ndarray) -> None:
    """Print a line for each size."""
    people(judge, spelled_names(judge, 100, 110)[:1].tolist())  # what the first name would wait for
    chance = np.random.default_rng(SEED)
    for least, most in SIZES:
        every = spelled_names(judge, least, most)
        names = chance.choice(every, min(NAMES, len(every)), replace=False).tolist()
        if not names:
            continue
        begun = time.process_time()
        found = people(judge, names)
        worked = time.process_time() - begun
        print(
            f"{least:,} to {most:,} authorships, {len(names)} of {len(every)} names: {line(found, right)}  "
            f"{1_000 * worked / (found >= 0).sum():.1f} ms of CPU an authorship",
            flush=True,
        )


def against_whole(judge: Judge, parts: Sequence[int]) -> None:
    """Print how far parts of each size agree with the whole."""
    usual = large_names.LARGEST
    names = spelled_names(judge, 80, usual).tolist()
    whole = people(judge, names)
    print(f"{len(names)} names of 80 to {usual} authorships, judged in parts, against the whole:")
    for large_names.LARGEST in parts:
        print(f"  parts of {large_names.LARGEST}: {line(people(judge, names), whole)}", flush=True)
    large_names.LARGEST = usual


async def main(library: Path, made: Path | None) -> None:
    """Judge and print."""
    collection = opened(library)
    judge = Judge(collection.authorships, Models.shipped(), statistics=collection.statistics)
    if made is None:
        against_whole(judge, PARTS)
    else:
        against_truth(judge, await truth_of(made, library, collection))


if __name__ == "__main__":
    import asyncio

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--library", type=Path, default=FOLDER)
    parser.add_argument("--truth", type=Path, help="the made collection that the library has")
    asked = parser.parse_args()
    asyncio.run(main(asked.library, asked.truth))
