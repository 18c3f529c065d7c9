"""`python -m bot explore`: where the research graph can be walked in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.command_line import perform, settings
from bot.explore.address import address_of
from bot.logs import log_to
from data.stores.store import Store

OFF = "The explorer is off. Set EXPLORE=private or EXPLORE=public, and HTTP_LISTEN (docs/explore.md)."


def explore(
    new: Annotated[
        bool, typer.Option("--new", help="Make a new private address; the earlier one works until a restart.")
    ] = False,
) -> None:
    """Print the address of the research graph's pages."""
    config = settings()
    log_to(config)

    async def told() -> int:
        store = await Store.open(config.database)
        try:
            address = await address_of(config, store, new=new)
        finally:
            await store.close()
        typer.echo(address.url if address else OFF, err=address is None)
        return 0 if address else 1

    perform(told())
