"""FAISS's structures in files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import faiss

_FAISS: Any = faiss
_PART = 1 << 20
"""Bytes that are written at once."""


def write_structure(structure: Any, file: Path) -> None:
    """Write a structure through a file of Python's, and wait for the disk.

    FAISS's own writing tells of a full disk by a RuntimeError, and by nothing if only the last bytes fail.

    Raises
    ------
    OSError
        If the file can't be written whole.
    """
    with file.open("wb") as out:
        _FAISS.write_index(structure, _FAISS.PyCallbackIOWriter(out.write, _PART))
        out.flush()
        os.fsync(out.fileno())
