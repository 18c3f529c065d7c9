"""A worker on a Ray node: it opens some work once, and does one piece of it after the other."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from index.batch.shipping import Manifest, Shipment, forget
from index.batch.work import Release


class NodeWorker:
    """What a Ray actor runs; work, pieces and results cross as pickles, which the driver never opens."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._do: Callable[[Any], Any] = lambda _: None

    def meet(self, release: Release, files: Manifest) -> bool:
        """Whether the files can be read where they are.

        Raises
        ------
        index.batch.work.OtherReleaseError
            If this machine would compute something else.
        """
        release.check(Release.here())
        return files.is_here()

    def open(self, work: bytes, sent: Shipment | None, cores: int, gpu: bool) -> None:
        """Load what the work needs."""
        opened = pickle.loads(work)
        if sent is not None:
            import ray  # lazy: optional

            opened = opened.at(sent.unpacked(self._node, ray.get))
        self._do = opened.opened(cores, gpu=gpu)

    def do(self, piece: bytes) -> bytes:
        """Do one piece."""
        return pickle.dumps(self._do(pickle.loads(piece)))

    def forget(self, number: str) -> None:
        """Remove the files that were sent here."""
        forget(number, self._node)
