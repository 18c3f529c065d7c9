"""python -m bot evaluate digest | train digest: how well a day's papers are ranked for their readers."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from bot.cli.command_line import perform, settings
from bot.cli.evaluate import evaluate, train
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.cli.ingest import Reporter
    from index.evaluate.digest import ListingDays


@evaluate.command("digest")
def evaluate_digest(
    data: Annotated[
        Path | None,
        typer.Option(help="A file of papers with announcement days; by default what this Labmate holds."),
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    cut: Annotated[
        datetime, typer.Option(formats=["%Y-%m-%d"], help="The day from which on readers are asked for.")
    ] = datetime(2026, 5, 1),
    until: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last day that is asked for.")
    ] = None,
    readers: Annotated[int, typer.Option(min=1, help="How many readers.")] = 200,
    half: Annotated[
        str, typer.Option(help="kept: readers whom nothing was trained or tuned on; tuned; all.")
    ] = "kept",
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Is a reader's own next paper high in its day's ranking? Ours beside arxiv-sanity-lite's and plain closeness."""
    from bot.cli.ingest import Reporter
    from bot.cli.result_tables import print_rows
    from index.evaluate.digest import HALVES
    from index.evaluate.digest import evaluate as evaluate_now

    if half not in HALVES:
        raise typer.BadParameter(f"--half is one of {', '.join(HALVES)}")
    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        with report.showing():
            listings = await _listings(config, data, vectors, report)
            result = await asyncio.to_thread(
                evaluate_now,
                listings,
                cut=cut.date(),
                until=until.date() if until else None,
                people=readers,
                seed=seed,
                half=half,
                report=report.step,
            )
        result = {"task": result["task"], "data": str(data or config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@train.command("digest")
def train_digest(
    data: Annotated[
        Path | None,
        typer.Option(help="A file of papers with announcement days; by default what this Labmate holds."),
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    before: Annotated[
        datetime, typer.Option(formats=["%Y-%m-%d"], help="Only papers before this day are looked at.")
    ] = datetime(2026, 5, 1),
    out: Annotated[Path, typer.Option(help="The folder that the models go to.")] = Path("index/models"),
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train what ranks a day's papers for a taste, on readers of whom none is in the kept half."""
    from bot.cli.ingest import Reporter
    from index.evaluate.train_digest import train as train_now

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        with report.showing():
            listings = await _listings(config, data, vectors, report)
            recipe = await asyncio.to_thread(
                train_now, listings, out, before=before.date(), seed=seed, report=report.step
            )
        print(json.dumps(recipe["sha256"], indent=1))

    perform(work())


async def _listings(
    config: Settings, data: Path | None, vectors: Path | None, report: Reporter
) -> ListingDays:
    """A file's papers by day, or those that this Labmate holds."""
    from index.evaluate.stored import read_file, vectors_beside

    from bot.app import open_corpus
    from index.evaluate.digest import ListingDays as Made
    from index.identity.passes import read_authorships
    from index.search.embedding import Embedder

    if data is None:
        async with open_corpus(config) as corpus:
            stored = await read_authorships(corpus)
            texts = await corpus.store.texts(stored.papers.tolist())
            pairs = [texts[int(paper)][:2] for paper in stored.papers]
            day = corpus.facets.days[stored.papers].astype(int)
        return Made.of(
            pairs, stored.authorships.names, stored.authorships.offsets, day, stored.authorships.vectors
        )

    def read(path: Path) -> ListingDays:
        ready = vectors or vectors_beside(path)
        found = read_file(path, Embedder(config.embedding_model), vectors=ready, report=report.step)
        pairs = [(record.title, record.abstract) for record in found.records]
        held = found.authorships
        return Made.of(pairs, held.names, held.offsets, found.days(), held.vectors)

    return await asyncio.to_thread(read, data)
