"""`python -m bot export vectors` and `ingest vectors`: one Labmate computes vectors for others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.command_line import perform, settings
from bot.cli.outputs import leave_if_unwritable
from bot.cli.reporter import Reporter
from bot.logs import log_to

if TYPE_CHECKING:
    from index.search.shared_vectors import Taken

export = typer.Typer(no_args_is_help=True, help="Write what Labmate computed to files for another Labmate.")


@export.command("vectors")
def export_vectors_command(
    path: Annotated[Path, typer.Argument(help="The file to write, such as vectors.npy.")],
) -> None:
    """Write the embeddings of arXiv papers: rows (.npy), papers (.papers.npy) and manifest (.json)."""
    from bot.app import open_corpus  # lazy: start-up
    from index.search.shared_vectors import export_vectors  # lazy: start-up

    config = settings()
    leave_if_unwritable(config, path, [], option="PATH")
    log_to(config, "command")

    async def work() -> None:
        report = Reporter(events=False)
        async with open_corpus(config) as corpus:
            with report.showing():
                count = await export_vectors(
                    corpus, path, lambda done, total: report.step("writing", done, total)
                )
            report.say(f"{count:,} vectors written to {path}.")

    perform(work())


def take_vectors_command(
    path: Annotated[
        Path, typer.Argument(help="The .npy file of an export; its other two files must be beside it.")
    ],
) -> None:
    """Read in embeddings that another Labmate exported, for papers with the same title and abstract here."""
    from bot.app import open_corpus  # lazy: start-up
    from index.search.shared_vectors import take_vectors  # lazy: start-up

    config = settings()
    log_to(config, "command")

    async def work() -> None:
        report = Reporter(events=False)
        async with open_corpus(config, writable=True) as corpus:
            with corpus.writing(), report.showing():
                taken = await take_vectors(
                    corpus, path, lambda done, total: report.step("reading", done, total)
                )
            report.say(closing(taken))

    perform(work())


def closing(taken: Taken) -> str:
    """The last line: how many rows came, and what became of them."""
    skipped = {
        "of papers that are not here": taken.unknown,
        "of papers whose text differs": taken.other_text,
        "with damaged vectors (their length is not 1)": taken.broken,
    }
    text = f"{taken.read:,} vectors read: {taken.taken:,} taken in, {taken.unchanged:,} already here"
    text += "".join(f"\n  skipped {count:,} {why}" for why, count in skipped.items() if count)
    if taken.unknown and taken.unknown == taken.read:
        text += "\nRead the papers in first: python -m bot ingest snapshot FILE (without --embed)"
    return text
