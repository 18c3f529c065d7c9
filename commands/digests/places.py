"""What a digest needs in its place: permissions by the kind of place and its form, and a tag in a forum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord

from commands.cards.digest_replies import permissions_named
from commands.kit.refusals import FINAL

HISTORY = "read_message_history"
NAMES = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "create_public_threads": "Create Public Threads",
    HISTORY: "Read Message History",
}
TIMED_OUT = "I'm timed out in this server"


class NotAllowed(Exception):
    """Something can't be posted in a place; the text says why, and ``permissions`` which are missing."""

    def __init__(self, text: str, permissions: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.permissions = permissions


class TimedOut(Exception):
    """A moderator silenced Labmate for a while."""


def needed(place: Any, form: str, *, history: bool = True) -> tuple[str, ...]:
    """The permissions that a digest needs: where a thread has its own, where a post of a forum needs none.

    ``history`` is needed only to look for what a crash may have left.
    """
    looks = (HISTORY,) if history else ()
    if isinstance(place, discord.Thread):
        return ("view_channel", "send_messages_in_threads", *looks)
    threads = form == "thread" and isinstance(place, discord.TextChannel)
    inside = ("create_public_threads", "send_messages_in_threads") if threads else ()
    return ("view_channel", "send_messages", *inside, *looks)


def missing(place: Any, may: discord.Permissions, form: str, *, history: bool = True) -> list[str]:
    """The names of the permissions that are missing, as Discord shows them."""
    wanted = needed(place, form, history=history)
    if not may.view_channel:  # without it, Discord takes all others away
        return [NAMES["view_channel"]]
    return [NAMES[name] for name in wanted if not getattr(may, name)]


def check(place: Any, may: discord.Permissions, form: str, *, history: bool = True) -> None:
    """Check that a digest can be posted in a place.

    Raises
    ------
    NotAllowed
        Where a permission or a tag is missing.
    """
    if names := missing(place, may, form, history=history):
        raise NotAllowed(f"I'm missing the {permissions_named(names)} there", names)
    if isinstance(place, discord.ForumChannel):
        tags_of(place, may)


def permissions_at(place: Any) -> discord.Permissions | None:
    """What Labmate may do in a place of a server; None where that isn't known just now.

    Raises
    ------
    TimedOut
        Where it may write nowhere in the server for a while.
    """
    if not isinstance(place, discord.TextChannel | discord.Thread | discord.ForumChannel):
        return None
    me = place.guild.me
    if me is None or place.guild.unavailable or (isinstance(place, discord.Thread) and place.parent is None):
        return None
    if me.is_timed_out():
        raise TimedOut(TIMED_OUT)
    return place.permissions_for(me)


def tags_of(forum: discord.ForumChannel, may: discord.Permissions) -> list[discord.ForumTag]:
    """The tag of a post where the forum requires one: the first that isn't moderated.

    Raises
    ------
    NotAllowed
        Where it has only tags that moderators set, and Labmate is none.
    """
    if not forum.flags.require_tag:
        return []
    usable = sorted(forum.available_tags, key=lambda tag: tag.moderated)
    if usable and usable[0].moderated and not may.manage_threads:
        raise NotAllowed(FINAL[40066])
    return list(usable[:1])
