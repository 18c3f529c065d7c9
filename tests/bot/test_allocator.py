"""All threads of a running Labmate share few arenas, so that freed memory is used again."""

import os
import platform
import re
import subprocess
import sys

import pytest

from tests.helpers.paths import ROOT

CHILD = """
import ctypes, sys, threading
from bot.allocator import keep_few_arenas

if "few" in sys.argv:
    keep_few_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fdopen.restype = ctypes.c_void_p
together = threading.Barrier(6)

def allocate():
    together.wait()
    libc.malloc(ctypes.c_size_t(1_000))
    together.wait()

threads = [threading.Thread(target=allocate) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
stream = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.malloc_info(0, stream)
libc.fflush(stream)
"""


def arenas(*arguments, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    said = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], cwd=ROOT, env=kept | environment, capture_output=True
    )
    return len(re.findall(rb"<heap nr=", said.stdout))


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc",
    reason="arenas are glibc's; with another C library there is nothing to do",
)
def test_threads_share_few_arenas_unless_the_environment_says_otherwise():
    assert arenas() > 2
    assert arenas("few") == 2
    assert arenas("few", MALLOC_ARENA_MAX="1") == 1
