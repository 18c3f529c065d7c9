"""What the commands that measure and train share: where papers come from, and how results are shown."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from bot.app import open_corpus
from bot.cli.command_line import perform, settings
from bot.cli.outputs import leave_if_unwritable
from bot.cli.reporter import Reporter
from bot.cli.result_tables import print_part, print_rows
from index.evaluate.corpus import FileCorpus, read_file, temporary_library, vectors_beside
from index.search.corpus import Corpus
from index.search.embedding import Embedder

Result = dict[str, Any]


class EvaluationRun:
    """One evaluation or training: the settings it runs with, and the progress it reports."""

    def __init__(self) -> None:
        self.config = settings()
        self.reporter = Reporter(events=False)
        self.step = self.reporter.step

    def asking(self, done: int, whole: int) -> None:
        """Report questions that were asked."""
        self.step("asking", done, whole)

    def embedder(self) -> Embedder:
        """The model of the settings."""
        return Embedder(self.config.embedding_model)

    def read(self, path: Path, vectors: Path | None) -> FileCorpus:
        """A file of papers, with ready vectors where they are given or lie beside it."""
        ready = vectors or vectors_beside(path)
        return read_file(path, self.embedder(), vectors=ready, report=self.step)

    async def read_aside(self, path: Path, vectors: Path | None) -> FileCorpus:
        """As :meth:`read`, in a thread."""
        return await asyncio.to_thread(self.read, path, vectors)

    @asynccontextmanager
    async def corpus(self, path: Path | None, vectors: Path | None = None) -> AsyncIterator[Corpus]:
        """A corpus over a file, gone afterwards; without a file what this Labmate holds."""
        if path is None:
            opened = open_corpus(self.config)
        else:
            ready = vectors or vectors_beside(path)
            opened = temporary_library(path, self.embedder(), vectors=ready, report=self.step)
        async with opened as corpus:
            yield corpus


def measure(
    work: Callable[[EvaluationRun], Awaitable[Result]], data: Path | None, as_json: bool, *, after: str = ""
) -> None:
    """Run an evaluation and print its result, as JSON or as a table.

    Parameters
    ----------
    after
        A part of the result that is printed below the table where it is there.
    """
    run = EvaluationRun()

    async def whole() -> None:
        with run.reporter.showing():
            result = await work(run)
        result = {"task": result["task"], "data": str(data or run.config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
            return
        print_rows(result, Console())
        if after in result:
            print_part(result[after], Console())

    perform(whole())


def trained(out: Path, shown: object) -> str:
    """What a training did: the folder that its models went to, and what their recipe says."""
    return f"{shown}; trained into {out}"


def timed(
    work: Callable[[EvaluationRun], Awaitable[str]],
    out: Path,
    reads: Iterable[Path | None],
    *,
    folder: bool = False,
) -> None:
    """Run something, and say what it did, as it answers, and how long that took.

    ``out`` is the file or the folder that it writes, and ``reads`` are its inputs.
    """
    run = EvaluationRun()
    leave_if_unwritable(run.config, out, reads, folder=folder)

    async def whole() -> None:
        begun = time.monotonic()
        with run.reporter.showing():
            answer = await work(run)
        run.reporter.say(f"{answer} in {time.monotonic() - begun:.0f} s")

    perform(whole())
