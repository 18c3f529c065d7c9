"""What each command of `rank`, `evaluate`, `train` and `match` does; loaded when one of them is called."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

import typer

from bot.app import open_corpus
from bot.cli.command_line import perform
from bot.cli.evaluation import EvaluationRun, Result, measure, timed, trained
from bot.cli.outputs import leave_if_unwritable
from bot.cli.result_tables import installed_peers
from data.sources.http import SourceError
from index.evaluate import collaborators as with_whom
from index.evaluate import digest as listings
from index.evaluate import fits as fitting
from index.evaluate import identity as who
from index.evaluate import reviewers as pooling
from index.evaluate import score as scoring
from index.evaluate import search as known_items
from index.evaluate import train_collaborators as ranker
from index.evaluate import train_digest as reader_models
from index.evaluate import train_identity as name_models
from index.evaluate.corpus import temporary_library
from index.evaluate.fields import has_questions, read_field, write_collection
from index.evaluate.run_file import rank_queries
from index.identity.passes import read_authorships
from index.people.insight import Insight
from index.people.reviewers import match as score_reviewers
from index.people.reviewers import read_archives, read_notes
from index.search.corpus import Corpus


def rank(kind: str, papers: Path, queries: Path, out: Path, depth: int) -> None:
    """Write a TREC run."""

    async def work(run: EvaluationRun) -> str:
        count = await rank_queries(kind, papers, queries, out, depth, run.config.embedding_model, run.step)
        return f"{count:,} queries ranked into {out}"

    timed(work, out, [papers, queries])


def search(data: Path | None, vectors: Path | None, questions: int, seed: int, as_json: bool) -> None:
    """Known-item search."""

    async def work(run: EvaluationRun) -> Result:
        async with run.corpus(data, vectors) as corpus:
            return await known_items.evaluate(corpus, per_kind=questions, seed=seed, progress=run.asking)

    measure(work, data, as_json)


def identity(data: Path | None, vectors: Path | None, seed: int, as_json: bool) -> None:
    """Who is who."""

    async def work(run: EvaluationRun) -> Result:
        truth = None
        if data:
            read = await run.read_aside(data, vectors)
            authorships = read.authorships
            truth = read.people if (read.people >= 0).any() else None
        else:
            async with open_corpus(run.config) as corpus:
                authorships = (await read_authorships(corpus)).authorships
        return await asyncio.to_thread(
            who.evaluate, authorships, truth, seed=seed, peers=installed_peers(), report=run.step
        )

    measure(work, data, as_json, after="why")


def score(cut: date, seed: int, as_json: bool) -> None:
    """What a paper's score tells of its future."""

    async def work(run: EvaluationRun) -> Result:
        async with open_corpus(run.config) as corpus:
            insight = Insight(corpus)
            await insight.refresh()
            if insight.novelty is None:
                raise SourceError("Nothing was compared with earlier papers yet. Run: python -m bot identify")
            return await scoring.evaluate(corpus, insight, cut=cut, seed=seed, report=run.step)

    measure(work, None, as_json)


def train_identity(files: list[tuple[Path, Path | None]], out: Path, seed: int) -> None:
    """Train the models that tell people apart, on the papers and ready vectors of some files."""

    async def work(run: EvaluationRun) -> str:
        corpora = [(await run.read_aside(data, vectors)).authorships for data, vectors in files]
        recipe = await asyncio.to_thread(name_models.train, corpora, out, run.step, seed)
        return trained(out, recipe["sha256"])

    timed(work, out, [path for pair in files for path in pair], folder=True)


def collaborators(
    data: Path | None,
    vectors: Path | None,
    cut: date,
    until: date | None,
    least: int,
    people: int,
    wider: float,
    seed: int,
    as_json: bool,
) -> None:
    """Suggested collaborators against later papers."""

    async def work(run: EvaluationRun) -> Result:
        if data:
            written = await asyncio.to_thread(
                lambda path: with_whom.Written.of(run.read(path, vectors), run.step), data
            )
        else:
            async with open_corpus(run.config) as corpus:
                written = await with_whom.Written.of_library(corpus)
        return await asyncio.to_thread(
            with_whom.evaluate,
            written,
            cut=cut,
            until=until,
            least=least,
            people=people,
            wider=wider,
            seed=seed,
            report=run.step,
        )

    measure(work, data, as_json)


def reviewers(data: Path, vectors: Path | None, sentences: int, seed: int, as_json: bool) -> None:
    """Ways to sum up somebody's papers."""

    async def work(run: EvaluationRun) -> Result:
        read = await run.read_aside(data, vectors)
        return await asyncio.to_thread(
            pooling.evaluate, read, seed, run.step, sentences=sentences, embedder=run.embedder()
        )

    measure(work, data, as_json)


def train_collaborators(
    files: list[tuple[Path, Path | None]], ends: list[date], out: Path, seed: int
) -> None:
    """Train the ranker of suggested collaborators, on each file's papers before its own day."""

    async def work(run: EvaluationRun) -> str:
        def learned() -> Result:
            collections = [
                (with_whom.Written.of(run.read(data, vectors).before(end), run.step), end)
                for (data, vectors), end in zip(files, ends, strict=True)
            ]
            return ranker.train(collections, out, seed=seed, report=run.step)

        return trained(out, (await asyncio.to_thread(learned))["sha256"])

    timed(work, out, [path for pair in files for path in pair], folder=True)


def match(archives: Path, submissions: Path, out: Path) -> None:
    """Score reviewers for submissions."""

    async def work(run: EvaluationRun) -> str:
        def matched() -> tuple[int, int]:
            held, asked = read_archives(archives), read_notes(submissions)
            score_reviewers(held, asked, run.embedder(), run.step).write(out)
            return len(held), len(asked)

        people, papers = await asyncio.to_thread(matched)
        return f"{papers:,} submissions scored for {people:,} reviewers into {out}"

    timed(work, out, [archives, submissions])


# -- digests ---------------------------------------------------------------------------------------


def digest(
    data: Path | None,
    vectors: Path | None,
    cut: date,
    until: date | None,
    readers: int,
    half: str,
    seed: int,
    seeds: int,
    as_json: bool,
) -> None:
    """A day's ranking for its readers."""
    if half not in listings.HALVES:
        raise typer.BadParameter(f"--half is one of {', '.join(listings.HALVES)}")

    async def work(run: EvaluationRun) -> Result:
        days = await _listing_days(run, data, vectors)
        return await asyncio.to_thread(
            listings.evaluate,
            days,
            cut=cut,
            until=until,
            people=readers,
            seed=seed,
            seeds=seeds,
            half=half,
            report=run.step,
        )

    measure(work, data, as_json)


def train_digest(data: Path | None, vectors: Path | None, before: date, out: Path, seed: int) -> None:
    """Train what ranks a day's papers."""

    async def work(run: EvaluationRun) -> Result:
        days = await _listing_days(run, data, vectors)
        return await asyncio.to_thread(
            reader_models.train, days, out, before=before, seed=seed, report=run.step
        )

    run = EvaluationRun()
    leave_if_unwritable(run.config, out, [data, vectors], folder=True)

    async def whole() -> None:
        with run.reporter.showing():
            recipe = await work(run)
        print(json.dumps(recipe["sha256"], indent=1))

    perform(whole())


async def _listing_days(run: EvaluationRun, data: Path | None, vectors: Path | None) -> listings.ListingDays:
    """A file's papers by day, or those that this Labmate holds."""
    if data is None:
        async with open_corpus(run.config) as corpus:
            stored = await read_authorships(corpus)
            texts = await corpus.store.texts(stored.papers.tolist())
            pairs = [texts[int(paper)][:2] for paper in stored.papers]
            day = corpus.facets.days[stored.papers].astype(int)
        held = stored.authorships
        return listings.ListingDays.of(pairs, held.names, held.offsets, day, held.vectors)

    def read(path: Path) -> listings.ListingDays:
        corpus = run.read(path, vectors)
        pairs = [(record.title, record.abstract) for record in corpus.records]
        held = corpus.authorships
        return listings.ListingDays.of(pairs, held.names, held.offsets, corpus.days(), held.vectors)

    return await asyncio.to_thread(read, data)


# -- fits ------------------------------------------------------------------------------------------


def fits(
    data: Path | None,
    others: Path | None,
    papers: int | None,
    questions: int,
    seed: int,
    fit: bool,
    as_json: bool,
) -> None:
    """Whether search knows when nothing fits."""

    async def work(run: EvaluationRun) -> Result:
        field = read_field(others) if others else None
        async with _with_questions(run, data, papers, seed) as (corpus, own):
            return await fitting.evaluate(
                corpus, own=own, others=field, per_kind=questions, seed=seed, fit=fit, progress=run.asking
            )

    measure(work, data, as_json, after="fitted" if fit else "")


@asynccontextmanager
async def _with_questions(
    run: EvaluationRun, data: Path | None, papers: int | None, seed: int
) -> AsyncIterator[tuple[Corpus, list[str]]]:
    """The corpus to ask, and the questions that came with its papers."""
    if data is None or (papers is None and not has_questions(data)):
        async with run.corpus(data) as corpus:
            yield corpus, []
        return
    with tempfile.TemporaryDirectory(prefix="labmate-") as name:
        written = Path(name) / "papers.jsonl"
        own = write_collection(data, written, papers, seed)
        async with temporary_library(written, run.embedder(), report=run.step, own_ids=True) as corpus:
            yield corpus, own
