"""Holding a process's memory in pages of 2 MB instead of 4 KB, on Linux.

A question reads tens of megabytes of weights and tables that the one before has pushed out of the processor's
cache. In small pages, it then also waits for the places of thousands of pages to be looked up
(``python -m benchmarks.large_pages``).
"""

from __future__ import annotations

import ctypes
import re
import time
from collections.abc import Iterator
from pathlib import Path

LARGE = 2 << 20
"""Bytes of a large page on x86-64, and on ARM with small pages of 4 KB."""
_WANTED, _AT_ONCE = 14, 25  # MADV_HUGEPAGE, MADV_COLLAPSE (since Linux 6.1): asm-generic/mman-common.h
_REGION = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 *(\[heap\])?\n"
    r"(?:Size:.*\n|KernelPageSize:.*\n|MMUPageSize:.*\n)*Rss: +(\d+) kB",
    re.MULTILINE,
)
_FILLED = 0.75
"""Regions of which less is in use stay as they are, because a large page is in memory as a whole."""


def hold_in_large_pages(pause: float = 0.0) -> int:
    """Move what the process holds in its own memory into large pages; takes a second for some 300 MB.

    Parameters
    ----------
    pause
        Seconds between two pages: for a few milliseconds each, other threads that need new memory wait.

    Returns
    -------
    int
        How many bytes the system has moved or held so before: 0 where it does not do this.
    """
    try:
        regions = Path("/proc/self/smaps").read_text()
        advise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):
        return 0
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    held = 0
    for start, end in _filled(regions):
        advise(start, end - start, _WANTED)  # older systems move it in time
        for place in range(-(-start // LARGE) * LARGE, end - LARGE + 1, LARGE):
            held += LARGE if advise(place, LARGE, _AT_ONCE) == 0 else 0
            time.sleep(pause)
    return held


def _filled(regions: str) -> Iterator[tuple[int, int]]:
    """The first and last address of regions that no file backs, and that are mostly in use."""
    for start, end, _, resident in _REGION.findall(regions):
        first, last = int(start, 16), int(end, 16)
        if last - first >= LARGE and int(resident) * 1024 >= _FILLED * (last - first):
            yield first, last
