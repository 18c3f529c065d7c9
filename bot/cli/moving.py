"""`python -m bot move`: the database to another place."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bot.cli.command_line import perform, settings
from bot.cli.reporter import Reporter
from bot.logs import log_to
from bot.settings_checks import EMPTY, SettingError, check_database


def move(
    to: Annotated[
        str, typer.Option("--to", help="Where to, as in DATABASE_URL: postgresql+asyncpg://user@host/name.")
    ],
) -> None:
    """Copy the database to another place, such as PostgreSQL, and compare both. Stop Labmate first."""
    from data.database.engine import StoreError, shown  # lazy: start-up
    from data.stores.move import move as copy_all  # lazy: start-up

    config = settings()
    log_to(config, "command")
    try:
        check_database(to)
    except SettingError as error:
        print(str(error).replace("DATABASE_URL", "--to", 1).replace(f", or {EMPTY}", ""), file=sys.stderr)
        sys.exit(2)

    async def work() -> None:
        report = Reporter(events=False)
        with report.showing():
            try:
                moved = await copy_all(config.database, to, report.step)
            except StoreError as error:
                if shown(to) in str(error):  # not the database of the settings
                    raise StoreError(str(error).replace("DATABASE_URL", "--to", 1)) from error
                raise
        for name, content in moved.items():
            print(f"  {name:20} {content.rows:>12,} rows, checksum {content.checksum:016x}")
        print(
            f"Everything is in {shown(to)}, and the same as before. To use it, set DATABASE_URL to what "
            "you gave as --to, and start Labmate. The old database is left as it was."
        )

    perform(work())
