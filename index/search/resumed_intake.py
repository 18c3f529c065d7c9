"""Reading a long file in, so that after a kill the next run goes on where the last one stopped."""

from __future__ import annotations

from collections.abc import Callable

from index.search.corpus import Corpus
from index.search.intake import Intake, Numbered, ReadyVectors, Summary
from index.search.ready_words import ReadyWords


class ResumedIntake(Intake):
    """An ingest run that notes after every batch how far it is.

    The run's count ``read`` is the line at which to go on. A kill loses at most the batch being written, and
    the next run reads it again.

    Parameters
    ----------
    scope
        Names the file's content and what is taken of it: another scope begins anew.
    """

    def __init__(
        self,
        corpus: Corpus,
        source: str,
        scope: str,
        *,
        vectors: ReadyVectors | None = None,
        words: ReadyWords | None = None,
        progress: Callable[[Summary], None] | None = None,
    ) -> None:
        super().__init__(corpus, source, scope, vectors=vectors, words=words, progress=progress)
        self._run_id: int | None = None

    async def find_place(self) -> int:
        """The line at which to begin: 0, or where an interrupted run of the same scope stopped."""
        before = await self._library.store.interrupted_run(self._source, self._scope)
        if before is None:
            return 0
        self._run_id, counts = before
        self.summary = Summary(
            counts["read"], counts["added"], counts["updated"], counts["unchanged"], counts["refused"]
        )
        return self.summary.read

    async def _begin(self) -> int:
        return await super()._begin() if self._run_id is None else self._run_id

    async def _note(self, run_id: int, batch: list[Numbered]) -> None:
        last_line, _ = batch[-1]
        self.summary.read = last_line + 1
        await self._library.store.save_run(run_id, self.counts, finished=False)
