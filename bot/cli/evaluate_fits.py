"""python -m bot evaluate fits: how often an answer is withheld, and how often one is given where there is none."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from bot.cli.command_line import perform, settings
from bot.cli.evaluate import evaluate

if TYPE_CHECKING:
    from bot.cli.ingest import Reporter
    from index.search.corpus import Corpus


@evaluate.command("fits")
def evaluate_fits(
    data: Annotated[
        Path | None,
        typer.Option(
            help="A file of papers, or of questions with abstracts; by default what this Labmate holds."
        ),
    ] = None,
    others: Annotated[
        Path | None, typer.Option(help="Another field's papers, or questions: nothing should fit them.")
    ] = None,
    papers: Annotated[int | None, typer.Option(min=1, help="Only so many of the file's papers.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="Queries of each kind.")] = 100,
    seed: Annotated[int, typer.Option()] = 0,
    fit: Annotated[
        bool, typer.Option(help="Print the weights that these questions would give, too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Does search know when nothing fits? Answers withheld (lost) and given wrongly (false), beside simpler ways."""
    from bot.cli.ingest import Reporter
    from bot.cli.result_tables import print_rows
    from index.evaluate.fields import read_field
    from index.evaluate.fits import evaluate as evaluate_now

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        with report.showing():
            field = read_field(others) if others else None
            async with _collection(data, papers, seed, report) as (corpus, own):
                result = await evaluate_now(
                    corpus,
                    own=own,
                    others=field,
                    per_kind=questions,
                    seed=seed,
                    fit=fit,
                    progress=lambda done, whole: report.step("asking", done, whole),
                )
        result = {"task": result["task"], "data": str(data or config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
            return
        print_rows(result, Console())
        if fit:
            print(json.dumps(result["fitted"]))

    perform(work())


@asynccontextmanager
async def _collection(
    data: Path | None, papers: int | None, seed: int, report: Reporter
) -> AsyncIterator[tuple[Corpus, list[str]]]:
    """The library to ask, and the questions that came with its papers."""
    from bot.app import open_corpus
    from index.evaluate.corpus import temporary_library, vectors_beside
    from index.evaluate.fields import has_questions, write_collection
    from index.search.embedding import Embedder

    config = settings()
    if data is None:
        async with open_corpus(config) as corpus:
            yield corpus, []
        return
    embedder = Embedder(config.embedding_model)
    if papers is None and not has_questions(data):
        async with temporary_library(
            data, embedder, vectors=vectors_beside(data), report=report.step
        ) as corpus:
            yield corpus, []
        return
    with tempfile.TemporaryDirectory(prefix="labmate-") as name:
        written = Path(name) / "papers.jsonl"
        own = write_collection(data, written, papers, seed)
        async with temporary_library(written, embedder, report=report.step, own_ids=True) as corpus:
            yield corpus, own
