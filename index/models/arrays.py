"""Related arrays in one npz file, written whole or not at all and read without trusting the content."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


def save(path: Path, format_: int, **arrays: Any) -> None:
    """Write a file of this format, whole or not at all."""
    draft = path.with_suffix(".new")
    with draft.open("wb") as stream:
        np.savez(stream, format=format_, **arrays)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(draft, path)


def load(path: Path, format_: int, *names: str) -> Arrays | None:
    """The arrays of these names; None if no file of this format can be read."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if int(archive["format"]) != format_:
                return None
            return {name: archive[name] for name in names}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def lines(texts: Sequence[str]) -> np.ndarray:
    """Texts without line breaks as an array."""
    return np.frombuffer("\n".join(texts).encode(), np.uint8)


def texts_of(array: np.ndarray) -> list[str]:
    """The texts in an array that :func:`lines` made."""
    text = array.tobytes().decode()
    return text.split("\n") if text else []
