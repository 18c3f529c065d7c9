"""python -m benchmarks.scale.vectors: searching 112 thousand to 3 million vectors, all and behind filters."""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import faiss
import numpy as np

from benchmarks.data import ROOT, VECTORS, need_data
from benchmarks.scale.draw_vectors import Anchors, draw
from benchmarks.scale.place import size_of
from benchmarks.scale.vector_questions import MANY, NEAREST, Questions, ask
from benchmarks.scale.watching import memory_of
from index.search.embedding_model import fingerprint
from index.search.flat_rows import FlatRows
from index.search.vectors import Vectors

PRINT = fingerprint("all-MiniLM-L6-v2")
AT_ONCE, MORE = 20_480, 20_480
PEERS = ROOT / ".peers" / "bin" / "python"
PEERS_UNTIL = 400_000
"""Beyond, hnswlib and usearch take hours to build here and more memory than the budget."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="112k,400k")
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "benchmark-vectors")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.measure)
        return
    need_data()
    speed = bandwidth()
    print(f"a core copies {speed:.1f} GB/s", flush=True)
    for size in asked.sizes.split(","):
        one_size(
            111_997 if size == "112k" else size_of(size),
            asked.folder / size,
            asked.questions,
            asked.seed,
            speed,
        )


def one_size(count: int, folder: Path, questions: int, seed: int, speed: float) -> None:
    """Make, ask and remove a log of so many rows."""
    shutil.rmtree(folder, ignore_errors=True)
    begun = time.perf_counter()
    made = Vectors.open(folder / "v", PRINT)
    fill(made, count, seed)
    print(f"\n{count:,} vectors, written in {time.perf_counter() - begun:.0f} s", flush=True)
    begun, cpu = time.perf_counter(), time.process_time()
    made.tend()
    print(
        f"  inverted file made in {time.perf_counter() - begun:.0f} s "
        f"({time.process_time() - cpu:.0f} s of CPU; peak {_peak():.0f} MB with mapped pages)"
    )
    files = {
        path.name.partition("-")[0]: path.stat().st_size for path in sorted((folder / "v").glob("*-*.*"))
    }
    sizes = {name: sum(p.stat().st_size for p in (folder / "v").glob(f"{name}-*")) for name in files}
    each = ", ".join(f"{name} {size / count:.0f}" for name, size in sizes.items())
    print(f"  on disk {sum(sizes.values()) / count:.0f} bytes a paper: {each}", flush=True)
    inside = (folder / "v" / "inverted.json").exists()
    Questions.make(made, questions, seed).save(folder / "questions.npz")
    command = [sys.executable, "-m", "benchmarks.scale.vectors", "--measure", str(folder)]
    subprocess.run(command, check=True)
    whole = {name: 1e3 * sizes.get(name, 0) / speed / 1e9 for name in ("rows", "inverted")}
    print(
        f"  limit: at that speed all rows take {whole['rows']:.1f} ms to read, "
        f"all codes {whole['inverted']:.1f} ms"
    )
    print(f"  disk reads {disk_rate(next((folder / 'v').glob('rows-*'))):.1f} GB/s")
    _flat(made, folder)
    if PEERS.exists() and count <= PEERS_UNTIL:
        peer = ROOT / "benchmarks" / "peers" / "nearest_vectors.py"
        subprocess.run([str(PEERS), str(peer), str(folder)], check=False)
    if inside:
        _extend(made, seed)
    shutil.rmtree(folder)


def fill(made: Vectors, count: int, seed: int) -> None:
    """Append the real vectors if they are enough, else drawn ones."""
    if count <= 111_997:
        rows = np.load(VECTORS, mmap_mode="r")
        for start in range(0, count, AT_ONCE):
            part = range(start, min(start + AT_ONCE, count))
            made.append(part, part, rows[start : part.stop])
        return
    waiting, start = [], 0
    for block in draw(count, seed):
        waiting.append(block)
        held = sum(len(rows) for rows in waiting)
        if held >= AT_ONCE or start + held == count:
            made.append(range(start, start + held), range(start, start + held), np.concatenate(waiting))
            waiting, start = [], start + held


def _extend(made: Vectors, seed: int) -> None:
    """More papers come in, and the file takes them in."""
    begun = len(made)
    for rows in draw(MORE, seed + 2, Anchors.of_real()):
        papers = range(len(made), len(made) + len(rows))
        made.append(papers, papers, rows)
    start, cpu = time.perf_counter(), time.process_time()
    tended = made.tend()
    print(
        f"  {len(made) - begun:,} more rows taken in: {tended}, in {time.perf_counter() - start:.1f} s "
        f"({time.process_time() - cpu:.1f} s of CPU)",
        flush=True,
    )


def measure(folder: Path) -> None:
    """Open the vectors in this process and ask; prints memory, recall and times."""
    questions = Questions.load(folder / "questions.npz")
    before = memory_of(os.getpid())
    begun = time.perf_counter()
    vectors = Vectors.open(folder / "v", PRINT, writable=False)
    vectors.refresh()
    opening = time.perf_counter() - begun
    opened = memory_of(os.getpid())
    for count in (NEAREST, MANY):
        for line in ask(questions, lambda query, where, k=count: vectors.search(query, k, where)[0], count):
            print(f"  {line}", flush=True)
    asked = memory_of(os.getpid())
    count = len(vectors)
    own = asked[0] - before[0]
    print(
        f"  opened in {opening:.2f} s; resident {opened[0] - before[0]:.0f} MB when opened, "
        f"{own:.0f} MB ({1e6 * own / count:.0f} bytes a paper) after the questions; "
        f"mapped pages {asked[1] - before[1]:.0f} MB",
        flush=True,
    )


def _peak() -> float:
    """The most memory that this process has had, mapped pages included, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _flat(made: Vectors, folder: Path) -> None:
    """What comparing every row takes: FAISS's flat index over float16, which is also the bound of a scan."""
    questions = Questions.load(folder / "questions.npz")
    if len(made) > PEERS_UNTIL:
        return
    faiss.omp_set_num_threads(1)
    flat = FlatRows(made.dimension)
    table = made.log.table
    for start in range(0, table.count, AT_ONCE):
        stop = min(start + AT_ONCE, table.count)
        flat.add(table.entries["paper"][start:stop], table.read_rows(start, stop))
    for line in ask(questions.of("all"), lambda query, _: flat.search(query, NEAREST, None)[0]):
        print(f"  FAISS flat, float16: {line}", flush=True)


def bandwidth() -> float:
    """GB/s that one core reads and writes while it copies 256 MB."""
    source = np.ones(1 << 28, np.uint8)
    target = np.zeros_like(source)
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        np.copyto(target, source)
        times.append(time.perf_counter() - begun)
    return 2 * len(source) / min(times) / 1e9


def disk_rate(path: Path) -> float:
    """GB/s at which a file is read that the system does not hold in memory."""
    with path.open("rb", buffering=0) as stream:
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        begun, read = time.perf_counter(), 0
        while read < 1 << 28 and (got := stream.read(1 << 22)):
            read += len(got)
    return read / (time.perf_counter() - begun) / 1e9


if __name__ == "__main__":
    main()
