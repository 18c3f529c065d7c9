"""Whose account it is, by what nobody can copy: the account behind a mention, its username, its age."""

from __future__ import annotations

from typing import Any

from discord.utils import snowflake_time

from commands.cards.text import moment, shown


def account(number: int, user: Any = None, where: str = "this server") -> str:
    """An account for whoever has to judge whose it is: ``<@1>, username **ada**, on Discord since …``.

    A display name is left out, since anybody can choose any. The mention pings nobody where the message is
    sent without allowed mentions.

    Parameters
    ----------
    user
        As Discord knows the account now, as a member where they are one; None where it could not be asked.
    where
        The server of that membership.
    """
    parts = [f"<@{number}>"]
    if user is not None:
        parts.append(f"username **{shown(user.name, 40)}**")
    parts.append(f"on Discord since {moment(snowflake_time(number))}")
    joined = getattr(user, "joined_at", None)
    if joined is not None:
        parts.append(f"in {where} since {moment(joined)}")
    return ", ".join(parts)
