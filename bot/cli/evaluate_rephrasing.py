"""python -m bot evaluate rephrasing: what the check of reworded sentences keeps and drops."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.evaluate import evaluate


@evaluate.command("rephrasing")
def evaluate_rephrasing(
    data: Annotated[Path, typer.Option(help="A file of papers, or of questions with abstracts.")],
    pairs: Annotated[int, typer.Option(min=1, help="Sentences of each kind.")] = 300,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Are a language model's sentences kept if a quote supports them, and dropped if none does?"""
    from bot.cli.evaluation import EvaluationRun, Result, measure  # lazy: loads models and learners
    from index.evaluate import rephrasing  # lazy: as above
    from index.evaluate.fields import read_field  # lazy: as above

    async def work(run: EvaluationRun) -> Result:
        abstracts = await asyncio.to_thread(lambda: read_field(data).abstracts)
        encode = run.embedder().encode
        return await asyncio.to_thread(
            lambda: rephrasing.evaluate(abstracts, encode, per_kind=pairs, seed=seed)
        )

    measure(work, data, as_json, after="why")
