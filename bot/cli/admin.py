"""`python -m bot admin`: the operator's console on the command line. It works while Labmate runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.command_line import perform, settings
from bot.logs import log_to
from data.keys import visible
from data.stores.audit import CONSOLE
from data.stores.store import Store
from index.trust.operator import Operator, OperatorError

admin = typer.Typer(
    no_args_is_help=True,
    help="Review and undo corrections, claims and contests from all servers; ban; allow servers.",
)
Subject = Literal["correction", "claim", "contest"]
Kind = Literal["member", "server"]
Number = Annotated[int, typer.Argument(min=1, max=(1 << 31) - 1, help="The number that `admin look` prints.")]
Target = Annotated[int, typer.Argument(min=1, max=(1 << 63) - 1, help="The Discord id.")]
NewTarget = Annotated[
    int,
    typer.Argument(
        min=10**14,
        max=(1 << 63) - 1,
        help="The Discord id, 15 digits or more: turn on Developer Mode, right-click, Copy ID.",
    ),
]


def _with_operator(work: Callable[[Operator, Store], Awaitable[None]]) -> None:
    """Open the store, do one thing, close it; an error prints one line and exits with 1."""
    config = settings()
    log_to(config)

    async def opened() -> int:
        store = await Store.open(config.database)
        try:
            await work(Operator(store, CONSOLE, "the operator"), store)
        except OperatorError as error:
            typer.echo(str(error), err=True)
            return 1
        finally:
            await store.close()
        return 0

    perform(opened())


def _print(title: str, columns: list[str], rows: Sequence[Sequence[object]], empty: str) -> None:
    if not rows:
        typer.echo(empty)
        return
    table = Table(title=title)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible("" if cell is None else str(cell))) for cell in row))
    Console().print(table)


@admin.command()
def look(
    what: Subject, most: Annotated[int, typer.Option(min=1, max=10_000, help="The most to show.")] = 50
) -> None:
    """Show the newest corrections, claims or contests from all servers."""

    async def work(operator: Operator, _: Store) -> None:
        lines = await operator.look(what, most)
        rows = [[line.number, line.made.date(), line.state, line.guild, line.text] for line in lines]
        _print(f"{what}s", ["number", "made", "state", "server", "text"], rows, f"There are no {what}s.")

    _with_operator(work)


@admin.command()
def undo(what: Subject, number: Number) -> None:
    """Undo a correction, end or restore a claim, or reopen a settled contest."""
    _say(lambda operator: operator.undo(what, number))


@admin.command()
def promote(number: Number) -> None:
    """Apply a server's correction everywhere."""
    _say(lambda operator: operator.promote(number))


@admin.command("end-claim")
def end_claim(number: Number, reason: Annotated[str, typer.Option(help="Why; the member sees it.")]) -> None:
    """End a claim, with a reason."""
    _say(lambda operator: operator.end_claim(number, reason))


@admin.command()
def settle(
    number: Number,
    end_claim: Annotated[
        bool, typer.Option("--end-claim", help="End the claim: the contest is right.")
    ] = False,
    keep_claim: Annotated[bool, typer.Option("--keep-claim", help="Keep the claim.")] = False,
) -> None:
    """Settle a contested claim: with --end-claim or --keep-claim."""

    async def settled(operator: Operator) -> str:
        if end_claim == keep_claim:
            raise typer.BadParameter("say what becomes of the claim: either --end-claim or --keep-claim")
        return await operator.settle(number, upheld=end_claim)

    _say(settled)


@admin.command()
def ban(
    kind: Kind, target: NewTarget, reason: Annotated[str, typer.Option(help="Why, for the log.")]
) -> None:
    """Ban a member or a server; a running Labmate leaves a banned server within a minute."""
    _say(lambda operator: operator.ban(kind, target, reason))


@admin.command()
def unban(kind: Kind, target: Target) -> None:
    """Lift a ban."""
    _say(lambda operator: operator.unban(kind, target))


@admin.command()
def bans() -> None:
    """Show who is banned."""

    async def work(_: Operator, store: Store) -> None:
        rows = [[ban.kind, ban.target, ban.made.date(), ban.reason] for ban in await store.bans.all()]
        _print("Banned", ["what", "id", "since", "why"], rows, "No member or server is banned.")

    _with_operator(work)


@admin.command()
def allow(server: NewTarget) -> None:
    """Add a server to the allow list; once the list has an entry, no other servers may use Labmate."""
    _say(lambda operator: operator.allow(server))


@admin.command()
def disallow(server: Target) -> None:
    """Remove a server from the allow list."""
    _say(lambda operator: operator.disallow(server))


@admin.command()
def servers() -> None:
    """Show the allow list: the servers that may use this Labmate."""

    async def work(_: Operator, store: Store) -> None:
        allowed = await store.bans.allowed()
        _print(
            "Allow list",
            ["server"],
            [[guild] for guild in allowed],
            "The allow list is empty, so every server may use this Labmate.",
        )

    _with_operator(work)


@admin.command()
def log(most: Annotated[int, typer.Option(min=1, max=100_000, help="The most to show.")] = 50) -> None:
    """Show decisions and who made them, newest first."""

    async def work(operator: Operator, _: Store) -> None:
        rows = [
            [
                entry.made.isoformat(" ", "seconds"),
                entry.actor or "Labmate or command line",
                entry.action,
                entry.subject,
                entry.guild,
                entry.detail,
            ]
            for entry in await operator.log(most)
        ]
        _print(
            "Audit log",
            ["when (UTC)", "who", "what", "about", "server", "detail"],
            rows,
            "The log is empty.",
        )

    _with_operator(work)


def _say(decide: Callable[[Operator], Awaitable[str]]) -> None:
    async def work(operator: Operator, _: Store) -> None:
        typer.echo(await decide(operator))

    _with_operator(work)
