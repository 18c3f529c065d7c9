"""Holding a process's memory in pages of 2 MB instead of 4 KB, on Linux.

A question reads tens of megabytes of weights and tables that the one before has pushed out of the processor's
cache. In small pages, it then also waits for the places of thousands of pages to be looked up
(``python -m benchmarks.large_pages``).
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path

SETTINGS = Path("/sys/kernel/mm/transparent_hugepage")
_WANTED, _AT_ONCE = 14, 25  # MADV_HUGEPAGE, MADV_COLLAPSE (since Linux 6.1): asm-generic/mman-common.h
_REGION = re.compile(
    r"^([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 *(\[heap\])?\n"
    r"(?:Size:.*\n|KernelPageSize:.*\n|MMUPageSize:.*\n)*Rss: +(\d+) kB",
    re.MULTILINE,
)
_FILLED = 0.75
"""Regions of which less is in use stay as they are, because a large page is in memory as a whole."""


def moved_into_large_pages() -> Iterator[int]:
    """Move what the process holds in its own memory into large pages, one a step.

    A step takes a few milliseconds, in which other threads that need new memory wait; 300 MB take about a
    second.

    Yields
    ------
    int
        How many bytes the system has moved or held so before: 0 where it does not do this. Nothing where it
        has no large pages or is set to use none.
    """
    try:
        if "[never]" in (SETTINGS / "enabled").read_text():
            return
        large = int((SETTINGS / "hpage_pmd_size").read_text())  # 2 MB; on ARM with pages of 64 KB, 512 MB
        regions = Path("/proc/self/smaps").read_text()
        advise = ctypes.CDLL(None).madvise
    except (OSError, AttributeError, ValueError):
        return
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for start, end in _filled(regions, large):
        advise(start, end - start, _WANTED)  # older systems move it in time
        for place in range(-(-start // large) * large, end - large + 1, large):
            yield large if advise(place, large, _AT_ONCE) == 0 else 0


def _filled(regions: str, large: int) -> Iterator[tuple[int, int]]:
    """The first and last address of regions that no file backs, and that are mostly in use."""
    for start, end, _, resident in _REGION.findall(regions):
        first, last = int(start, 16), int(end, 16)
        if last - first >= large and int(resident) * 1024 >= _FILLED * (last - first):
            yield first, last
