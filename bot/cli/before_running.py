"""What `python -m bot run` needs: a token or somebody to ask, and a folder of its own."""

from __future__ import annotations

import os
import stat
import sys

from bot.settings import Settings

NOBODY_TYPES = (
    "DISCORD_TOKEN is not set, and nobody can type here. To answer in Discord, get a token (README, “Put it "
    "into your Discord”). Put it into .env, or into the file that the supervisor reads, such as "
    "/etc/labmate.env. To try Labmate without Discord, start it in a terminal, or serve its page: "
    "python -m bot run --port 8080"
)


def _takes_no_input() -> bool:
    """Whether nothing can come from the input: it is closed, or it is /dev/null."""
    if sys.stdin is None or sys.stdin.closed:
        return True
    return not sys.stdin.isatty() and stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode)


def _hold_folder(config: Settings) -> None:
    """Hold the data folder for this process, or say that another runs over it, and end."""
    from bot.closes import LoginError  # lazy: start-up
    from bot.only_one import IN_DISCORD, LOCALLY, hold_folder  # lazy: start-up

    if config.shards:  # the database tells these apart
        return
    try:
        hold_folder(config.labmate_data, IN_DISCORD if config.discord_token else LOCALLY)
    except LoginError as error:
        print(error, file=sys.stderr)
        sys.exit(error.status)


def check_before_running(config: Settings, *, serves: bool) -> None:
    """Say in a line why there is nothing to run, and end; else hold the data folder.

    ``serves``: the page of the local Discord is asked for, which needs no terminal.
    """
    if not config.discord_token and not serves and _takes_no_input():
        print(NOBODY_TYPES, file=sys.stderr)
        sys.exit(2)
    _hold_folder(config)
