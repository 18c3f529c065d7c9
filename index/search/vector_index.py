"""Engines for nearest vectors: the interface, and the registry of engines by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np

from index.search.vector_log import VectorLog
from index.search.vector_manifest import VectorsError

DEFAULT = "faiss"


class VectorIndex(Protocol):
    """Finds the nearest papers. It is derived from a :class:`VectorLog` and can be thrown away.

    One thread changes it at a time, while others may search.
    """

    def add(self, papers: np.ndarray, rows: np.ndarray) -> None:
        """Add papers, or replace the vectors of known ones.

        Parameters
        ----------
        papers
            int64, shape (n,): store ids, each once.
        rows
            float16, shape (n, dimension), unit length.
        """

    def remove(self, papers: np.ndarray) -> None:
        """Take papers out of the searches; unknown ones do no harm."""

    def search(
        self, query: np.ndarray, k: int, where: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest papers.

        Parameters
        ----------
        query
            float32, shape (dimension,), unit length.
        where
            Booleans over store ids (:meth:`index.search.facets.Facets.allowed`), or None for all papers.

        Returns
        -------
        (numpy.ndarray, numpy.ndarray)
            Store ids (int64) and cosines (float32), closest first; fewer than k if there are fewer.
        """


@runtime_checkable
class TendedIndex(VectorIndex, Protocol):
    """An engine with structures on disk that need time to be made."""

    def is_outdated(self) -> bool:
        """Whether opening it again would give a better one, such as one with a newer structure."""

    def is_due(self) -> bool:
        """Whether :meth:`tend` would do something now."""

    def tend(self) -> bool:
        """Bring the stored structures up to date, if it is time; returns whether it did.

        The worker calls it, in the one process that writes; it may take minutes. Searches in other processes
        go on with the structures they have.
        """


OpenIndex = Callable[[VectorLog], VectorIndex]
"""Builds an engine with all rows in use, or loads it from files beside the log."""

_ENGINES: dict[str, Callable[..., VectorIndex]] = {}
_SERVERS = {"postgresql": "pgvector", "milvus": "milvus", "milvus+https": "milvus"}
"""The engine for the scheme of a URL."""
SERVED = frozenset(_SERVERS.values())
"""The engines that are on a server, and need its URL."""
_EXTRAS = {"pgvector": "postgres", "milvus": "milvus"}
"""What installs an engine's packages."""


def register(name: str, open_index: Callable[..., VectorIndex]) -> None:
    """Register an engine under a name; one on a server is also given its URL."""
    _ENGINES[name] = open_index


def engine(name: str = DEFAULT) -> OpenIndex:
    """The engine of that name, or on the server of that URL.

    If it is not registered yet, ``index/search/NAME_index.py`` registers it.

    Raises
    ------
    VectorsError
        If there is none.
    """
    scheme, is_url, _ = name.partition("://")
    if is_url:
        if scheme not in _SERVERS:
            raise VectorsError(f"No vector engine has addresses like {scheme}://.")
        served: Callable[..., VectorIndex] = engine(_SERVERS[scheme])
        return partial(served, url=name)
    if name not in _ENGINES and name.isidentifier():
        module = f"index.search.{name}_index"
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                command = f'python -m pip install -c constraints.txt -e ".[{_EXTRAS.get(name)}]"'
                how = f" Install it: {command}." if name in _EXTRAS else ""
                raise VectorsError(
                    f"The vector engine {name} needs the package {error.name}.{how}"
                ) from error
    if name not in _ENGINES:
        raise VectorsError(f"I know no vector engine called {name[:40]!r}.")
    return _ENGINES[name]
