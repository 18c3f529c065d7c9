"""python -m bot phrases | evaluate phrases | train phrases: the phrases that papers are about."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.days import a_day
from bot.cli.evaluate import MODELS, DaysBefore, ModelsFolder, PaperFiles, evaluate, train, until


def phrases(
    papers: Annotated[Path, typer.Option(help="A file of papers.")],
    out: Annotated[Path, typer.Option(help='Where the lines {"id", "phrases"} go.')],
    most: Annotated[int, typer.Option(min=1, max=100, help="Phrases of a paper.")] = 10,
) -> None:
    """Write the phrases that each paper of a file is about, best first."""
    from bot.cli import phrase_tasks as tasks  # lazy: loads models and learners

    tasks.write(papers, out, most)


@evaluate.command("phrases")
def evaluate_phrases(
    data: Annotated[Path, typer.Option(help="A file of papers.")],
    since: Annotated[
        datetime | None,
        typer.Option(
            parser=a_day, metavar="DAY", help="Only papers of this day or later, which no model has seen."
        ),
    ] = None,
    papers: Annotated[
        int, typer.Option(min=1, help="How many abstracts are asked for titles' phrases.")
    ] = 500,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Phrases against titles and authors' own keywords, beside YAKE and KeyBERT where they are installed."""
    from bot.cli import phrase_tasks as tasks  # lazy: loads models and learners

    tasks.measured(data, since.date() if since else None, papers, seed, as_json)


@train.command("phrases")
def train_phrases(
    data: PaperFiles,
    before: DaysBefore = None,
    out: ModelsFolder = MODELS,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Count words and phrases, and train what ranks a paper's phrases."""
    from bot.cli import phrase_tasks as tasks  # lazy: loads models and learners

    tasks.train(until(data, before), out, seed)
