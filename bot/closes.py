"""Why Discord closed the connection for good, and what to do about it."""

from __future__ import annotations

import logging

import aiohttp
import discord

log = logging.getLogger("labmate")

ACT = 78
"""Exit status when a restart is pointless until someone fixes the cause (EX_CONFIG of sysexits.h)."""

WORDS = {
    4004: "the token was reset or revoked. Copy the new one from the Developer Portal (your application, "
    "Bot, Reset Token) into DISCORD_TOKEN, and start Labmate again.",
    4010: "the shard is not valid. Labmate chooses its shards itself. If DISCORD_API_URL or "
    "DISCORD_GATEWAY_URL is set, check that both name the same server; otherwise update Labmate.",
    4011: "the bot is in too many servers for one connection. Start Labmate again; it then asks Discord how "
    "many shards it needs.",
    4012: "Discord no longer serves this version of its gateway. Update Labmate (docs/operate.md, Update).",
    4013: "the intents are not valid. Update Labmate; if you changed the intents in bot/client.py, "
    "undo that.",
    4014: "the application may not use one of the intents. Switch it on in the Developer Portal (your "
    "application, Bot, Privileged Gateway Intents), or remove LINK_CARDS from the settings, or undo your "
    "change to the intents in bot/client.py.",
}
"""By close code: https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway"""
RESTARTS_HELP = frozenset({4011})
DISALLOWED_INTENTS = 4014


class LoginError(RuntimeError):
    """Discord does not let the bot in, or no longer does; the message says what to do.

    ``status`` is the exit status of the process, ``code`` the close code, if Discord gave one.
    """

    def __init__(self, message: str, *, status: int = 1, code: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def closed(code: int) -> LoginError:
    """The error for a close code."""
    words = WORDS.get(code)
    if words is None:
        return LoginError(
            f"Discord closed the connection for good (code {code}). Start Labmate again.", code=code
        )
    return LoginError(
        f"Discord closed the connection for good (code {code}): {words}",
        status=1 if code in RESTARTS_HELP else ACT,
        code=code,
    )


def explained(error: BaseException | None) -> LoginError:
    """An error that says why the connection ended, whatever discord.py raised."""
    if error is None:
        return LoginError("The connection to Discord was closed. Start Labmate again.")
    if isinstance(error, LoginError):
        return error
    if isinstance(error, discord.LoginFailure):
        return LoginError(
            "Discord does not accept DISCORD_TOKEN. Copy it from the Developer Portal (your application, "
            "Bot, Reset Token), and start Labmate again.",
            status=ACT,
        )
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return closed(4014)
    if isinstance(error, discord.ConnectionClosed):
        return closed(error.code)
    if isinstance(error, discord.DiscordException | aiohttp.ClientError | OSError):
        return LoginError(f"Discord can't be reached: {error or type(error).__name__}")
    log.error("a bug in Labmate ended the connection to Discord", exc_info=error)
    return LoginError("A bug in Labmate ended the connection to Discord; the log says where.")
