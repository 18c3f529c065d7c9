"""What glibc keeps of the memory that threads have freed."""

from __future__ import annotations

import ctypes
import os
import sys

_ARENA_MAX = -8
"""M_ARENA_MAX of glibc's malloc.h, as mallopt(3) describes it."""
ARENAS = 2


def keep_few_arenas() -> None:
    """Let all threads share a few arenas; each of glibc's usual eight a core keeps what was freed in it.

    Call it before the first thread starts. `MALLOC_ARENA_MAX` overrides it; other C libraries have no arenas.
    """
    if sys.platform == "linux" and "MALLOC_ARENA_MAX" not in os.environ:
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(_ARENA_MAX, ARENAS)
