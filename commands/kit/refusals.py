"""What Discord's JSON error codes mean for something that is sent: the place is gone or forbidden, or later.

Codes and meanings: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
"""

from __future__ import annotations

import errno
import socket

import discord

FINAL = {
    10003: "the channel is gone",
    10004: "the server is gone, or I am no longer in it",
    10013: "the member is gone",
    40066: "the forum requires a tag, and only moderators may set those that it has",
    50001: "I can't see the channel",
    50007: "direct messages are closed to me",
    50008: "nothing can be written in this kind of channel",
    50009: "the server's verification level keeps me out of the channel",
    50013: "I'm not allowed to write in the channel",
    50024: "nothing can be posted in this kind of channel",
    50033: "the member is gone",
    50083: "the thread is archived and locked",
    50278: "we share no server any more, so Discord lets me send no direct message",
    160005: "the thread is locked",
}
"""The place is gone or forbidden, until somebody changes that: trying again is of no use."""
PASSING = {
    10008: "the message was deleted meanwhile",
    20009: "Discord takes it for explicit content",
    20016: "the channel is in slow mode",
    20028: "too much is being written in the channel",
    20029: "too much is being written in the server",
    40001: "Discord didn't accept my token",
    40002: "my account has to be verified",
    40003: "I opened direct messages too fast for Discord",
    40004: "Discord has switched off sending for a while",
    40005: "it is too large for Discord",
    40006: "Discord has switched this feature off for a while",
    40058: "the channel has become a forum",
    40062: "Discord limits this service just now",
    40067: "the forum has begun to require a tag",
    40333: "Cloudflare, in front of Discord, blocks my requests",
    50006: "Discord found it empty",
    50035: "Discord didn't accept its form",
    50045: "a file is too large for Discord",
    50046: "Discord didn't accept a file",
    50110: "Discord didn't accept a file",
    50146: "Discord lost a file",
    50178: "my account has to be verified",
    60003: "the server asks its moderators for two-factor authentication",
    110001: "Discord isn't ready yet",
    130000: "Discord is overloaded",
    160002: "I'm not allowed to read the channel's history",
    160006: "the server has as many active threads as Discord allows",
    160007: "the server has as many active announcement threads as Discord allows",
    200000: "the server's automatic moderation blocked it",
    200001: "the server's automatic moderation blocked its title",
    240000: "Discord took a link in it for harmful",
    400001: "Discord limits files in this server just now",
}
"""What may work later; every other code, too."""
GONE = frozenset({10003})
"""The channel was deleted."""
TOO_FAST = 40003
NO_HISTORY = 160002
"""What was sent to a channel can't be read there."""
DIRECT_CLOSED = 50007
"""The code where a member takes no direct messages from Labmate."""
CLOSED = frozenset({DIRECT_CLOSED, 50278})
"""No direct message reaches the member."""
NOT_ADDED = frozenset({10007, 10013, 30033, 40007, 50001, 50007, 50013, 50033})
"""Somebody can't be added to a thread: not in the server, banned, no access, or the thread is full."""
WITHOUT_FILES = frozenset({40005, 50013, 50045, 50046, 50110, 50146, 400001})
"""It may be taken where it has no files."""
MODERATED = frozenset({20009, 200000, 200001, 240000})
"""What it says is refused; each further try alarms the server's moderators."""
FOR_ITS_WORDS = MODERATED | {50006, 50035}
"""What it says may be why it is refused, as it would be in another message."""
UNAVAILABLE = 503
"""The status with which Discord takes nothing; with others from 500 on, it may have."""
_UNREACHED = frozenset(
    {errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, socket.EAI_AGAIN, socket.EAI_NONAME}
)


def is_final(error: Exception) -> bool:
    """Whether Discord will refuse it every time, because the place is gone or forbidden.

    The HTTP status says nothing of that: Cloudflare's hiccups and deleted messages are 403 and 404, too.
    """
    return isinstance(error, discord.HTTPException) and error.code in FINAL


def is_not_taken(error: Exception) -> bool:
    """Whether Discord took nothing of what was sent: it says so, or was never reached.

    After any other failure, such as a timeout, it may have taken it.
    """
    if isinstance(error, discord.HTTPException):
        return error.status < 500 or error.status == UNAVAILABLE
    return not was_reached(error)


def was_reached(error: BaseException) -> bool:
    """Whether a request may have come to Discord before it ended with this error of the network."""
    return not (isinstance(error, OSError) and error.errno in _UNREACHED)


def reason(error: Exception) -> str:
    """Why it was not sent, in words."""
    if not isinstance(error, discord.HTTPException):
        return "Discord can't be reached"
    if said := FINAL.get(error.code) or PASSING.get(error.code):
        return said
    if error.status >= 500:
        return f"Discord has problems ({error.status})"
    return f"Discord refuses it ({error.status}, code {error.code})"
