"""python -m benchmarks.cold_start: how long importing torch from a cold disk holds up other threads.

Prints another thread's longest wait, during which Labmate can't reply, with torch's libraries linked ahead
(`index.search.torch_libraries`) and without. For a slow disk, run it in a control group that limits reads.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from benchmarks.data import ROOT

_ROUNDS = 3
_IMPORTED = """
import sys, threading, time
from index.search.torch_libraries import link

done, waited = threading.Event(), [0.0]

def wait():
    last = time.perf_counter()
    while not done.wait(0.002):
        waited.append((now := time.perf_counter()) - last)
        last = now

waiting = threading.Thread(target=wait)
waiting.start()
begun = time.perf_counter()
if sys.argv[1] == "ahead":
    link()
import torch
done.set()
waiting.join()
print(time.perf_counter() - begun, max(waited))
"""


def _forget(folder: Path) -> int:
    """Drop a folder's files from the page cache; returns their size in bytes."""
    total = 0
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            file = os.open(path, os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            total += os.fstat(file).st_size
            os.close(file)
    return total


def main() -> None:
    """Import torch in a process of its own, by turns without and with its libraries linked ahead."""
    spec = find_spec("torch")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    seconds: dict[str, list[tuple[float, float]]] = {"as torch does it": [], "linked ahead": []}
    for _ in range(_ROUNDS):
        for way in seconds:
            size = _forget(folder)
            said = subprocess.run(
                [sys.executable, "-c", _IMPORTED, way.split()[-1]], cwd=ROOT, capture_output=True, check=True
            ).stdout
            imported, waited = map(float, said.split())
            seconds[way].append((imported, waited))
    print(f"torch takes {size / 1e6:,.0f} MB on disk; medians of {_ROUNDS} imports")
    for way, times in seconds.items():
        imported, waited = (statistics.median(each) for each in zip(*times, strict=True))
        print(f"{way:20} imported in {imported:6.2f} s, another thread waited for up to {waited:6.2f} s")


if __name__ == "__main__":
    main()
