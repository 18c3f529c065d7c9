"""python -m bot answer, and evaluate and train answers: sentences that answer questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.evaluate import MODELS, ModelsFolder, evaluate, paired, train


def answer(
    papers: Annotated[Path, typer.Option(help="A file of papers.")],
    questions: Annotated[Path, typer.Option(help='JSON lines of {"id", "text"}.')],
    out: Annotated[Path, typer.Option(help="Where the answers go, as JSON lines.")],
    sentences: Annotated[int, typer.Option(min=1, max=100, help="Sentences a question, at most.")] = 3,
) -> None:
    """Answer questions with sentences quoted from a file's papers, each with its place in the abstract."""
    from bot.cli import answer_tasks as tasks  # lazy: loads models and learners

    tasks.answer(papers, questions, out, sentences)


@evaluate.command("answers")
def evaluate_answers(
    data: Annotated[
        Path, typer.Option(help="Questions with the abstracts that answer them, or a file of papers.")
    ],
    others: Annotated[
        Path | None, typer.Option(help="A file of papers that are searched, too; claims are made from it.")
    ] = None,
    vectors: Annotated[Path | None, typer.Option(help="Ready embeddings of the file of papers.")] = None,
    questions: Annotated[int, typer.Option(min=1, help="Questions of each kind.")] = 200,
    papers: Annotated[int | None, typer.Option(min=1, help="Only so many of the file's papers.")] = None,
    seed: Annotated[int, typer.Option()] = 0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Do the sentences quoted answer, and does the confidence know? Beside BM25, vectors and their sum."""
    from bot.cli import answer_tasks as tasks  # lazy: loads models and learners

    tasks.answers(data, others, vectors, questions, papers, seed, as_json)


@train.command("roles")
def train_roles(
    questions: Annotated[Path, typer.Option(help="Questions with abstracts in labelled sections.")],
    papers: Annotated[Path, typer.Option(help="A file of papers, some of which print headings.")],
    out: ModelsFolder = MODELS,
) -> None:
    """Train the model of what each sentence of an abstract does."""
    from bot.cli import answer_tasks as tasks  # lazy: loads models and learners

    tasks.train_roles(questions, papers, out)


@train.command("emptiness")
def train_emptiness(
    data: Annotated[
        list[Path], typer.Option(help="A file of papers or questions with marked sentences; repeat it.")
    ],
    out: Annotated[Path, typer.Option(help="The folder that the model goes to.")] = Path("index/models"),
) -> None:
    """Train what tells empty sentences (praise, promises, announcements) from those that say something."""
    from bot.cli import answer_tasks as tasks  # lazy: loads models and learners

    tasks.train_emptiness(data, out)


@train.command("first")
def train_first(
    data: Annotated[list[Path], typer.Option(help="A file of papers or questions; repeat it.")],
    out: Annotated[Path, typer.Option(help="The folder that the model goes to.")] = Path("index/models"),
    each: Annotated[int, typer.Option(min=10, help="Questions of each kind.")] = 60,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train the chance that the best sentence of the right paper answers."""
    from bot.cli import answer_tasks as tasks  # lazy: loads models and learners

    tasks.train_first(data, out, each, seed)


@train.command("answers")
def train_answers(
    questions: Annotated[Path, typer.Option(help="Questions with the abstracts that answer them.")],
    papers: Annotated[list[Path], typer.Option(help="A file of papers; repeat it for several collections.")],
    vectors: Annotated[
        list[Path] | None,
        typer.Option(help="Ready embeddings, once for each file of papers, in their order."),
    ] = None,
    out: ModelsFolder = MODELS,
    each: Annotated[int, typer.Option(min=10, help="Questions of each kind.")] = 60,
    of: Annotated[int, typer.Option(min=100, help="Papers of each file, drawn at random.")] = 4_000,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Train what tells the right paper from its neighbours, and how sure an answer is."""
    from bot.cli import answer_tasks as tasks  # lazy: loads models and learners

    tasks.train_answers(questions, paired(papers, "--vectors", vectors), out, each, of, seed)
