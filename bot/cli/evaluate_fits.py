"""python -m bot evaluate fits: answers withheld, and answers given where there are none."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.evaluate import evaluate


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
    """Does search know when nothing fits? Answers withheld (lost) or wrong (false), beside simpler ways."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.fits(data, others, papers, questions, seed, fit, as_json)
