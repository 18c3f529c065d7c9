"""What the commands of :mod:`bot.cli.answers` do; loaded when one of them is called."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from bot.cli.evaluation import EvaluationRun, Result, measure, timed, trained
from index.evaluate import answers as answering
from index.evaluate import train_answers as training
from index.evaluate import train_emptiness as emptiness
from index.evaluate import train_first as first
from index.evaluate import train_roles as roles
from index.evaluate.answer_file import answer_file


def answer(papers: Path, questions: Path, out: Path, sentences: int) -> None:
    """Write the answers of a file of questions."""

    async def work(run: EvaluationRun) -> str:
        asked, answered = await answer_file(
            papers, questions, out, sentences, run.config.embedding_model, run.step
        )
        return f"{asked:,} questions, {answered:,} answered, into {out}"

    timed(work, out, [papers, questions])


def answers(
    data: Path,
    others: Path | None,
    vectors: Path | None,
    questions: int,
    papers: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Quoted sentences against those that answer."""

    async def work(run: EvaluationRun) -> Result:
        return await answering.evaluate(
            data,
            others,
            vectors,
            run.embedder(),
            per_kind=questions,
            papers=papers,
            seed=seed,
            report=run.step,
        )

    measure(work, data, as_json, after="calibration")


def train_roles(questions: Path, papers: Path, out: Path) -> None:
    """Train what tells the roles of sentences."""

    async def work(run: EvaluationRun) -> str:
        recipe = await asyncio.to_thread(roles.train, questions, papers, out, run.step)
        held_out = json.dumps(recipe["accuracy_when_held_out"])
        return trained(out, f"accuracy on the file held out: {held_out}")

    timed(work, out, [questions, papers], folder=True)


def train_emptiness(data: list[Path], out: Path) -> None:
    """Train what tells empty sentences."""

    async def work(run: EvaluationRun) -> str:
        recipe = await asyncio.to_thread(emptiness.train, data, out, run.step)
        shown = json.dumps(recipe["auroc_when_held_out"]).replace("{", "{{").replace("}", "}}")
        return f"trained into {out} in {{}}; AUROC on the file held out: {shown}"

    timed(work, out, data, folder=True)


def train_first(data: list[Path], out: Path, each: int, seed: int) -> None:
    """Train the chance that a paper's best sentence answers."""

    async def work(run: EvaluationRun) -> str:
        found = {}
        for done, path in enumerate(data):
            run.step("reading", done, len(data))
            made, asked = await asyncio.to_thread(first.asked_of, path, each, seed)
            found[path.name] = await asyncio.to_thread(first.firsts, made, asked, run.embedder())
        recipe = await asyncio.to_thread(first.train, found, out)
        shown = json.dumps(recipe["when_held_out"]).replace("{", "{{").replace("}", "}}")
        return f"trained into {out} in {{}}; on the file held out: {shown}"

    timed(work, out, data, folder=True)


def train_answers(
    questions: Path, papers: list[tuple[Path, Path | None]], out: Path, each: int, of: int, seed: int
) -> None:
    """Train what scores papers and gives the confidence."""

    async def work(run: EvaluationRun) -> str:
        found = {}
        for data, vectors in [(questions, None), *papers]:
            found[data.name] = await training.collection(
                data, vectors, run.embedder(), each=each, papers=of, seed=seed, report=run.step
            )
        recipe = await asyncio.to_thread(training.train, found, out)
        return trained(out, f"on the file held out: {json.dumps(recipe['when_held_out'])}")

    timed(work, out, [questions, *(path for pair in papers for path in pair)], folder=True)
