"""Topics and novelty as earlier Labmates kept them, turned into mapped files once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from index.models import arrays
from index.people.novelty import Novelty
from index.people.topics import Topics
from index.search.phrase_vocabulary import TopicVocabulary

_TOPICS, _NOVELTY = 2, 1
"""The formats of the earlier files."""


def turn(folder: Path) -> None:
    """Write the mapped files that are missing from earlier ones, and remove those."""
    for name, load in (("topics", topics), ("novelty", novelty)):
        earlier, path = folder / f"{name}.npz", folder / f"{name}.map"
        if not earlier.exists():
            continue
        if not path.exists() and (loaded := load(earlier)) is not None:
            loaded.save(path)
        earlier.unlink(missing_ok=True)


def topics(path: Path) -> Topics | None:
    """Read an earlier file of topics; None if it can't be read."""
    names = ("upto", "phrases", "keys", "columns", "papers", "indptr", "indices", "data")
    loaded = arrays.load(path, _TOPICS, *names)
    if loaded is None:
        return None
    phrases = arrays.texts_of(loaded["phrases"])
    try:
        rows = sparse.csr_matrix(
            (loaded["data"].astype(np.float32), loaded["indices"], loaded["indptr"]),
            shape=(len(loaded["papers"]), len(phrases)),
        )
    except ValueError:  # parts that don't fit each other
        return None
    found = TopicVocabulary(phrases, loaded["keys"], loaded["columns"], rows)
    return Topics.made_of(found, loaded["papers"], int(loaded["upto"]))


def novelty(path: Path) -> Novelty | None:
    """Read an earlier file of novelty; None if it can't be read."""
    names = ("papers", "days", "earlier", "cosines")
    loaded = arrays.load(path, _NOVELTY, *names)
    return None if loaded is None else Novelty.of_parts(*(loaded[name] for name in names))
