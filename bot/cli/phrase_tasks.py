"""What `phrases`, `evaluate phrases` and `train phrases` do; loaded when one of them is called."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

from bot.cli.evaluation import EvaluationRun, Result, measure, timed, trained
from index.evaluate import phrases as naming
from index.evaluate import train_phrases as finder
from index.evaluate.phrase_file import read_records, write_phrases
from index.evaluate.phrase_peers import peers


def write(papers: Path, out: Path, most: int) -> None:
    """Write the phrases of a file's papers."""

    async def work(run: EvaluationRun) -> str:
        count = await asyncio.to_thread(write_phrases, papers, out, most, run.step)
        return f"phrases of {count:,} papers written into {out}"

    timed(work, out, [papers])


def measured(data: Path, since: date | None, papers: int, seed: int, as_json: bool) -> None:
    """Phrases against titles and keywords."""

    async def work(run: EvaluationRun) -> Result:
        def asked() -> Result:
            records = read_records(data, run.step)
            others = peers(run.embedder())
            return naming.evaluate(records, others, since=since, count=papers, seed=seed, report=run.step)

        return await asyncio.to_thread(asked)

    measure(work, data, as_json)


def train(files: list[tuple[Path, date]], out: Path, seed: int) -> None:
    """Train on the papers of some files before a day each."""

    async def work(run: EvaluationRun) -> str:
        def learned() -> Result:
            records = [
                record
                for path, before in files
                for record in read_records(path, run.step)
                if (day := record.announced or record.submitted or record.updated) and day < before
            ]
            return finder.train(
                records, [str(before) for _, before in files], out, seed=seed, report=run.step
            )

        return trained(out, (await asyncio.to_thread(learned))["sha256"])

    timed(work, out, [path for path, _ in files], folder=True)
