"""Replies that say only that the answer takes longer, and the wait for the answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

from bot.local_discord.client import UserClient
from bot.local_discord.shown_reply import ShownReply
from commands.kit.replies import INTERIM

PATIENCE = 600.0
"""Seconds to wait for an answer; Discord lets a bot edit its reply for fifteen minutes."""


def is_interim(reply: ShownReply) -> bool:
    """Whether the answer will stand in this reply's place."""
    return "modal" not in reply.message and reply.text.startswith(INTERIM)


async def until_answered(user: UserClient, reply: ShownReply) -> AsyncIterator[ShownReply]:
    """A reply and, if that is an interim one, those that replace it; the last is the answer.

    Raises
    ------
    NoReplyError
        If no answer comes.
    """
    yield reply
    while is_interim(reply):
        reply = await user.next_answer(reply, within=PATIENCE)
        yield reply
