"""python -m bot rank | evaluate | train | match: how good Labmate is, and the models that make it so."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from bot.cli.days import a_day

rank = typer.Typer(no_args_is_help=True, help="Rank a file's papers for each query, and write a TREC run.")
evaluate = typer.Typer(
    no_args_is_help=True, help="Measure how well papers and people are found, beside baselines."
)
train = typer.Typer(no_args_is_help=True, help="Retrain the models that ship with Labmate.")

MODELS = Path("index/models")
ModelsFolder = Annotated[Path, typer.Option("--out", help="The folder that the models go to.")]
PaperFiles = Annotated[
    list[Path], typer.Option("--data", help="A file of papers; repeat it for several collections.")
]
DaysBefore = Annotated[
    list[datetime] | None,
    typer.Option(
        "--before",
        parser=a_day,
        metavar="DAY",
        help="Only papers before this day are looked at; once for each file. By default 2026-03-01.",
    ),
]


@rank.command("similar")
def rank_similar(
    papers: Annotated[Path, typer.Option(help="A file of papers.")],
    queries: Annotated[Path, typer.Option(help="One id of the papers a line.")],
    out: Annotated[Path, typer.Option(help="Where the run goes.")],
    depth: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
) -> None:
    """Rank the file's papers by similarity to each query paper."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.rank("similar", papers, queries, out, depth)


@rank.command("search")
def rank_search(
    papers: Annotated[Path, typer.Option(help="A file of papers.")],
    queries: Annotated[Path, typer.Option(help='JSON lines of {"id", "text"}.')],
    out: Annotated[Path, typer.Option(help="Where the run goes.")],
    depth: Annotated[int, typer.Option(min=1, max=10_000)] = 100,
) -> None:
    """Rank the file's papers for each query text."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.rank("search", papers, queries, out, depth)


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
    """Known-item search by title words, a rare name or a long question; beside words, vectors and RRF."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.search(data, vectors, questions, seed, as_json)


@evaluate.command("identity")
def evaluate_identity(
    data: Annotated[
        Path | None, typer.Option(help="A file of papers; with author_ids, these are the truth.")
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Matching authors to people, beside plain rules and (after `make peers`) S2AND."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.identity(data, vectors, seed, as_json)


@evaluate.command("score")
def evaluate_score(
    cut: Annotated[
        datetime, typer.Option(parser=a_day, metavar="DAY", help="The day up to which papers are looked at.")
    ] = datetime(2025, 12, 31),
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Does a paper's score on a day predict later follow-up? For this Labmate's papers, after `identify`."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.score(cut.date(), seed, as_json)


@train.command("identity")
def train_identity(
    data: PaperFiles,
    vectors: Annotated[
        list[Path] | None, typer.Option(help="Ready embeddings, once for each file and in their order.")
    ] = None,
    out: ModelsFolder = MODELS,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the models that tell people apart, on pseudo-people; half of all rare names are kept out."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.train_identity(paired(data, "--vectors", vectors), out, seed)


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
        datetime,
        typer.Option(parser=a_day, metavar="DAY", help="Papers from this day on count as the future."),
    ] = datetime(2026, 3, 1),
    until: Annotated[
        datetime | None,
        typer.Option(parser=a_day, metavar="DAY", help="The last day of the future looked at."),
    ] = None,
    min_papers: Annotated[int, typer.Option(min=1, help="Papers before the cut that everybody has.")] = 3,
    people: Annotated[int, typer.Option(min=1, help="How many people are asked for.")] = 3_000,
    wider: Annotated[
        float, typer.Option(min=0.1, max=20, help="How many times as many candidates are ranked.")
    ] = 1.0,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Do people write with the people we suggest? Labmate beside graph scores and plain similarity."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    last = until.date() if until else None
    tasks.collaborators(data, vectors, cut.date(), last, min_papers, people, wider, seed, as_json)


@evaluate.command("reviewers")
def evaluate_reviewers(
    data: Annotated[Path, typer.Option(help="A file of papers.")],
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of that file.")] = None,
    sentences: Annotated[
        int,
        typer.Option(min=0, help="Ask so many people, and compare sentences, too; 100 take ten minutes."),
    ] = 0,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Ways to compare a person's papers with a submission; `match` uses the first."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.reviewers(data, vectors, sentences, seed, as_json)


@train.command("collaborators")
def train_collaborators(
    data: PaperFiles,
    vectors: Annotated[
        list[Path] | None, typer.Option(help="Ready embeddings, once for each file and in their order.")
    ] = None,
    before: DaysBefore = None,
    out: ModelsFolder = MODELS,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the ranker of suggested collaborators, on first papers together before a day."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    ends = [day for _, day in until(data, before)]
    tasks.train_collaborators(paired(data, "--vectors", vectors), ends, out, seed)


def paired(data: list[Path], option: str, values: list[Any] | None) -> list[tuple[Path, Any]]:
    """Each file with its value of an option that is given once for each, or not at all.

    Raises
    ------
    typer.BadParameter
        If it is given another number of times.
    """
    if values and len(values) != len(data):
        raise typer.BadParameter(f"{option} is given {len(values)} times for {len(data)} files of --data")
    return list(zip(data, values or [None] * len(data), strict=True))


def until(data: list[Path], before: list[datetime] | None) -> list[tuple[Path, date]]:
    """Each file with the day before which its papers are looked at; raises as :func:`paired` does."""
    return [(file, (day or datetime(2026, 3, 1)).date()) for file, day in paired(data, "--before", before)]


def match(
    archives: Annotated[Path, typer.Option(help="A folder with one NAME.jsonl a reviewer.")],
    submissions: Annotated[Path, typer.Option(help="A file of submissions.")],
    out: Annotated[Path, typer.Option(help="Where submission,reviewer,score lines go.")],
) -> None:
    """Score reviewers for submissions, in the file formats of OpenReview's expertise tool."""
    from bot.cli import evaluation_tasks as tasks  # lazy: loads models and learners

    tasks.match(archives, submissions, out)
