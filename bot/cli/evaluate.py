"""python -m bot rank | evaluate | train | match: how good Labmate is, and the models that make it so."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bot.cli.command_line import perform, settings

rank = typer.Typer(no_args_is_help=True, help="Rank queries over a file's papers alone, as a TREC run.")
evaluate = typer.Typer(
    no_args_is_help=True, help="Measure how well papers and people are found, beside baselines."
)
train = typer.Typer(no_args_is_help=True, help="Train the shipped models anew.")


@rank.command("similar")
def rank_similar(
    papers: Annotated[Path, typer.Option(help="A file of papers.")],
    queries: Annotated[Path, typer.Option(help="One id of the papers a line.")],
    out: Annotated[Path, typer.Option(help="Where the run goes.")],
    depth: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
) -> None:
    """Rank the file's papers by closeness to each query paper."""
    _rank("similar", papers, queries, out, depth)


@rank.command("search")
def rank_search(
    papers: Annotated[Path, typer.Option(help="A file of papers.")],
    queries: Annotated[Path, typer.Option(help='JSON lines of {"id", "text"}.')],
    out: Annotated[Path, typer.Option(help="Where the run goes.")],
    depth: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
) -> None:
    """Rank the file's papers for each query text."""
    _rank("search", papers, queries, out, depth)


def _rank(kind: str, papers: Path, queries: Path, out: Path, depth: int) -> None:
    from bot.cli.ingest import Reporter
    from index.evaluate.run_file import rank_queries

    config = settings()

    async def work() -> None:
        report, begun = Reporter(events=False), time.monotonic()
        with report.showing():
            count = await rank_queries(kind, papers, queries, out, depth, config.embedding_model, report.step)
        report.say(f"{count:,} queries ranked into {out} in {time.monotonic() - begun:.0f} s")

    perform(work())


@evaluate.command("search")
def evaluate_search(
    data: Annotated[
        Path | None, typer.Option(help="A file of papers; by default what this Labmate holds.")
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="Queries of each kind.")] = 200,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Known-item search: words of a title, a rare name, a long question; ours beside words, vectors and RRF."""
    from index.evaluate.collection import temporary_library, vectors_beside

    from bot.app import open_corpus
    from bot.cli.ingest import Reporter
    from bot.cli.result_tables import print_rows
    from index.evaluate.search import evaluate as evaluate_now
    from index.search.embedding import Embedder

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        with report.showing():
            if data:
                ready = vectors or vectors_beside(data)
                opened = temporary_library(
                    data, Embedder(config.embedding_model), vectors=ready, report=report.step
                )
            else:
                opened = open_corpus(config)
            async with opened as corpus:
                result = await evaluate_now(
                    corpus, per_kind=questions, seed=seed, progress=lambda d, t: report.step("asking", d, t)
                )
        result = {"task": result["task"], "data": str(data or config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@evaluate.command("identity")
def evaluate_identity(
    data: Annotated[
        Path | None, typer.Option(help="A file of papers; with author_ids, these are the truth.")
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Who is who: ours beside plain rules and, after `make peers`, S2AND; on known ids or on pseudo-people."""
    from index.evaluate.collection import read_file, vectors_beside

    from bot.app import open_corpus
    from bot.cli.ingest import Reporter
    from bot.cli.result_tables import installed_peers, print_rows
    from index.evaluate.identity import evaluate as evaluate_now
    from index.identity.passes import read_authorships
    from index.search.embedding import Embedder

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        with report.showing():
            truth = None
            if data:
                embedder = Embedder(config.embedding_model)
                ready = vectors or vectors_beside(data)
                collection = await asyncio.to_thread(
                    read_file, data, embedder, vectors=ready, report=report.step
                )
                authorships = collection.authorships
                truth = collection.people if (collection.people >= 0).any() else None
            else:
                async with open_corpus(config) as corpus:
                    authorships = (await read_authorships(corpus)).authorships
            result = await asyncio.to_thread(
                evaluate_now, authorships, truth, seed=seed, peers=installed_peers(), report=report.step
            )
        result = {"task": result["task"], "data": str(data or config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@evaluate.command("score")
def evaluate_score(
    cut: Annotated[
        datetime, typer.Option(formats=["%Y-%m-%d"], help="The day up to which papers are looked at.")
    ] = datetime(2025, 12, 31),
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Does a paper's score on a day tell what follows it later? On what this Labmate holds, after `identify`."""
    from bot.app import open_corpus
    from bot.cli.ingest import Reporter
    from bot.cli.result_tables import print_rows
    from data.sources.http import SourceError
    from index.evaluate.score import evaluate as evaluate_now
    from index.people.insight import Insight

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)
        async with open_corpus(config) as corpus:
            insight = Insight(corpus)
            await insight.refresh()
            if insight.novelty is None:
                raise SourceError("Nothing was compared with earlier papers yet. Run: python -m bot identify")
            with report.showing():
                result = await evaluate_now(corpus, insight, cut=cut.date(), seed=seed, report=report.step)
        result = {"task": result["task"], "data": str(config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@train.command("identity")
def train_identity(
    data: Annotated[Path, typer.Option(help="A file of papers.")],
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    out: Annotated[Path, typer.Option(help="The folder that the models go to.")] = Path("index/models"),
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the models that tell people apart, on pseudo-people; half of all rare names are kept out."""
    from index.evaluate.collection import read_file, vectors_beside

    from bot.cli.ingest import Reporter
    from index.evaluate.train_identity import train as train_now
    from index.search.embedding import Embedder

    config = settings()

    async def work() -> None:
        report, begun = Reporter(events=False), time.monotonic()
        with report.showing():
            collection = await asyncio.to_thread(
                read_file,
                data,
                Embedder(config.embedding_model),
                vectors=vectors or vectors_beside(data),
                report=report.step,
            )
            recipe = await asyncio.to_thread(train_now, collection.authorships, out, report.step, seed)
        report.say(f"trained into {out} in {time.monotonic() - begun:.0f} s: {recipe['sha256']}")

    perform(work())


@evaluate.command("collaborators")
def evaluate_collaborators(
    data: Annotated[
        Path | None,
        typer.Option(
            help="A file of papers; its author_ids say who is who where it has them. "
            "By default what this Labmate holds, people as its last pass told them apart."
        ),
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    cut: Annotated[
        datetime, typer.Option(formats=["%Y-%m-%d"], help="The day from which on papers are the future.")
    ] = datetime(2026, 3, 1),
    until: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The last day of the future looked at.")
    ] = None,
    min_papers: Annotated[int, typer.Option(min=1, help="Papers before the cut that everybody has.")] = 3,
    people: Annotated[int, typer.Option(min=1, help="How many people are asked for.")] = 3_000,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Do people write with those who were suggested? Ours beside graph scores and plain closeness."""
    from index.evaluate.collection import read_file, vectors_beside

    from bot.app import open_corpus
    from bot.cli.ingest import Reporter
    from bot.cli.result_tables import print_rows
    from index.evaluate.collaborators import Written
    from index.evaluate.collaborators import evaluate as evaluate_now
    from index.search.embedding import Embedder

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)

        def of_file(path: Path) -> Written:
            ready = vectors or vectors_beside(path)
            collection = read_file(path, Embedder(config.embedding_model), vectors=ready, report=report.step)
            return Written.of(collection, report.step)

        with report.showing():
            if data:
                written = await asyncio.to_thread(of_file, data)
            else:
                async with open_corpus(config) as corpus:
                    written = await Written.of_library(corpus)
            result = await asyncio.to_thread(
                evaluate_now,
                written,
                cut=cut.date(),
                until=until.date() if until else None,
                least=min_papers,
                people=people,
                seed=seed,
                report=report.step,
            )
        result = {"task": result["task"], "data": str(data or config.labmate_data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@evaluate.command("reviewers")
def evaluate_reviewers(
    data: Annotated[Path, typer.Option(help="A file of papers.")],
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """How to sum up somebody's papers beside a submission: every way that was tried, as `match` uses the first."""
    from index.evaluate.collection import read_file, vectors_beside

    from bot.cli.ingest import Reporter
    from bot.cli.result_tables import print_rows
    from index.evaluate.reviewers import evaluate as evaluate_now
    from index.search.embedding import Embedder

    config = settings()

    async def work() -> None:
        report = Reporter(events=False)

        def measured() -> dict[str, object]:
            ready = vectors or vectors_beside(data)
            collection = read_file(data, Embedder(config.embedding_model), vectors=ready, report=report.step)
            return evaluate_now(collection, seed, report.step)

        with report.showing():
            result = await asyncio.to_thread(measured)
        result = {"task": result["task"], "data": str(data), **result}
        if as_json:
            print(json.dumps(result, indent=1))
        else:
            print_rows(result, Console())

    perform(work())


@train.command("collaborators")
def train_collaborators(
    data: Annotated[Path, typer.Option(help="A file of papers.")],
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    before: Annotated[
        datetime, typer.Option(formats=["%Y-%m-%d"], help="Only papers before this day are looked at.")
    ] = datetime(2026, 3, 1),
    out: Annotated[Path, typer.Option(help="The folder that the models go to.")] = Path("index/models"),
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the ranker of suggested collaborators, on first papers together before a day."""
    from index.evaluate.collection import read_file, vectors_beside

    from bot.cli.ingest import Reporter
    from index.evaluate.collaborators import Written
    from index.evaluate.train_collaborators import train as train_now
    from index.search.embedding import Embedder

    config = settings()

    async def work() -> None:
        report, begun = Reporter(events=False), time.monotonic()

        def trained() -> dict[str, object]:
            ready = vectors or vectors_beside(data)
            collection = read_file(data, Embedder(config.embedding_model), vectors=ready, report=report.step)
            early = collection.before(before.date())
            return train_now(
                Written.of(early, report.step), out, before=before.date(), seed=seed, report=report.step
            )

        with report.showing():
            recipe = await asyncio.to_thread(trained)
        report.say(f"trained into {out} in {time.monotonic() - begun:.0f} s: {recipe['sha256']}")

    perform(work())


def match(
    archives: Annotated[Path, typer.Option(help="A folder with one NAME.jsonl a reviewer.")],
    submissions: Annotated[Path, typer.Option(help="A file of submissions.")],
    out: Annotated[Path, typer.Option(help="Where submission,reviewer,score lines go.")],
) -> None:
    """Score reviewers for submissions; reads and writes the form of OpenReview's expertise."""
    from bot.cli.ingest import Reporter
    from index.people.reviewers import match as match_now
    from index.people.reviewers import read_archives, read_notes
    from index.search.embedding import Embedder

    config = settings()

    async def work() -> None:
        report, begun = Reporter(events=False), time.monotonic()

        def matched() -> tuple[int, int]:
            reviewers, asked = read_archives(archives), read_notes(submissions)
            match_now(reviewers, asked, Embedder(config.embedding_model), report.step).write(out)
            return len(reviewers), len(asked)

        with report.showing():
            people, papers = await asyncio.to_thread(matched)
        report.say(
            f"{papers:,} submissions scored for {people:,} reviewers into {out} in {time.monotonic() - begun:.0f} s"
        )

    perform(work())
