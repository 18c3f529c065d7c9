"""Links torch's libraries before ``import torch`` does, which keeps every other thread waiting meanwhile."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

_KERNELS = "libtorch_cpu.so"
"""430 MB, a part of which is read when it is linked; it doesn't use Python."""
_BINDINGS = "libtorch_python.so"
"""30 MB, which only torch itself may link."""


def link(folder: Path | None = None) -> None:
    """Link torch's kernels and read its bindings without the interpreter's lock; failures are left to torch.

    ``import torch`` holds that lock while its libraries are read from disk. On a slow one, that takes up to
    ten seconds, in which no command is acknowledged; Discord waits for three. Linked ahead, they take as
    long, but keep nobody waiting (``python -m benchmarks.cold_start``).

    Parameters
    ----------
    folder
        Where the libraries are; None: in the installed torch.
    """
    if sys.platform != "linux":
        return
    if folder is None:
        spec = find_spec("torch")
        if spec is None or spec.origin is None:
            return
        folder = Path(spec.origin).parent / "lib"
    process = ctypes.CDLL(None)
    process.dlopen.argtypes, process.dlopen.restype = [ctypes.c_char_p, ctypes.c_int], ctypes.c_void_p
    # Unlike `ctypes.CDLL(path)`, calling the linker's function lets other threads go on.
    process.dlopen(os.fsencode(folder / _KERNELS), os.RTLD_NOW)
    with suppress(OSError):
        (folder / _BINDINGS).read_bytes()
