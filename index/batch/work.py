"""Work that can be done anywhere: what it is, which files it reads, and which Labmate does it."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol, Self

import data
import index

_LIBRARIES = "numpy", "scipy", "scikit-learn", "sentence-transformers", "torch", "xgboost", "xgboost-cpu"
"""What the results depend on, besides Labmate's own code and models."""
_CODE = {".py", ".txt", ".json", ".ubj", ".npz"}


class SharedWork(Protocol):
    """Something to be done many times; it can be pickled."""

    @property
    def wants(self) -> str:
        """What one worker takes: ``core``, ``machine``, or ``gpu`` (a machine where there is no GPU)."""

    def files(self) -> Mapping[Path, list[str]]:
        """The files that a worker reads: folders, and names in them with ``/`` between."""

    def at(self, places: Mapping[Path, Path]) -> Self:
        """The same work with its folders elsewhere."""

    def opened(self, cores: int, *, gpu: bool) -> Callable[[Any], Any]:
        """What does one piece of it, once all that it needs is loaded."""


class NoWork:
    """Work that does nothing: to see whether workers come, and how long the way to them is."""

    wants = "core"

    def files(self) -> dict[Path, list[str]]:
        """None."""
        return {}

    def at(self, _places: Mapping[Path, Path]) -> NoWork:
        """The same."""
        return self

    def opened(self, _cores: int, *, gpu: bool) -> Callable[[Any], None]:
        """Does nothing."""
        return _nothing


def _nothing(_piece: Any) -> None:
    pass


@dataclass(frozen=True)
class Release:
    """What has to be the same wherever one result is computed.

    Attributes
    ----------
    code
        Checksum of the code and the shipped models.
    libraries
        The versions of Python and of the libraries that the results depend on.
    """

    code: str
    libraries: tuple[tuple[str, str], ...]

    @classmethod
    def here(cls) -> Release:
        """That of this process."""
        digest = hashlib.sha256()
        for package in (index, data):
            root = Path(str(package.__path__[0]))
            for path in sorted(path for path in root.rglob("*") if path.suffix in _CODE):
                digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
        found = [("Python", platform.python_version())]
        for name in _LIBRARIES:
            try:
                # The build after the plus says which processor it is for.
                found.append((name, version(name).partition("+")[0]))
            except PackageNotFoundError:
                continue
        return cls(digest.hexdigest()[:16], tuple(found))

    def check(self, theirs: Release) -> None:
        """Compare it with another machine's.

        Raises
        ------
        OtherReleaseError
            It says what differs, and what to do.
        """
        ours, others = dict(self.libraries), dict(theirs.libraries)
        differing = [
            f"{name} {others.get(name, 'missing')} instead of {ours.get(name, 'none')}"
            for name in sorted(ours.keys() | others.keys())
            if ours.get(name) != others.get(name)
        ]
        if self.code != theirs.code:
            differing.insert(0, "another version of Labmate")
        if differing:
            raise OtherReleaseError(
                f"it has {', '.join(differing)}; install the same there, with the same constraints.txt"
            )


class OtherReleaseError(RuntimeError):
    """A machine would compute something else."""
