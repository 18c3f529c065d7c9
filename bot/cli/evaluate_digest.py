"""python -m bot evaluate digest | train digest: how well a day's papers are ranked for their readers."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.days import a_day
from bot.cli.evaluate import MODELS, ModelsFolder, evaluate, train


@evaluate.command("digest")
def evaluate_digest(
    data: Annotated[
        Path | None,
        typer.Option(help="A file of papers with announcement days; by default what this Labmate holds."),
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    cut: Annotated[
        datetime, typer.Option(parser=a_day, metavar="DAY", help="Readers are asked for from this day on.")
    ] = datetime(2026, 5, 1),
    until: Annotated[
        datetime | None, typer.Option(parser=a_day, metavar="DAY", help="The last day that is asked for.")
    ] = None,
    readers: Annotated[int, typer.Option(min=1, help="How many readers.")] = 200,
    half: Annotated[
        str,
        typer.Option(
            help="kept: the held-out half, unseen in training and tuning; tuned: the other half; all."
        ),
    ] = "kept",
    seed: Annotated[int, typer.Option()] = 0,
    seeds: Annotated[
        int, typer.Option(min=1, help="How many draws of readers, from the seed on; the mean is printed.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Does a reader's own next paper rank high on its day? Beside arxiv-sanity-lite and plain similarity."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    last = until.date() if until else None
    tasks.digest(data, vectors, cut.date(), last, readers, half, seed, seeds, as_json)


@train.command("digest")
def train_digest(
    data: Annotated[
        Path | None,
        typer.Option(help="A file of papers with announcement days; by default what this Labmate holds."),
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    before: Annotated[
        datetime, typer.Option(parser=a_day, metavar="DAY", help="Only papers before this day are looked at.")
    ] = datetime(2026, 5, 1),
    out: ModelsFolder = MODELS,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train what ranks a day's papers for a taste, on readers outside the held-out half."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.train_digest(data, vectors, before.date(), out, seed)
