"""Checks of services elsewhere: Discord, OpenAlex, arXiv, and this machine's clock against theirs."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import aiohttp

from bot import listening
from bot.doctor.finding import Finding, bad, good, note
from bot.file_place import shared_files
from bot.settings import Settings
from data.stores.store import Store
from index.batch.team import NoTeamError, tried

CLOCK_OFF = 60.0
"""Seconds that the clock may be wrong."""
MAY_READ_MESSAGES = 1 << 18 | 1 << 19
"""An application's flags: it has the Message Content Intent, for good or while it is in few servers."""
_DISCORD = "https://discord.com/api/v10"
_TIMEOUT = aiohttp.ClientTimeout(total=10)
_UNREACHABLE = (aiohttp.ClientError, TimeoutError, OSError)


async def discord(settings: Settings) -> list[Finding]:
    """Whether the token works, and where the bot is."""
    if settings.discord_token is None:
        return note(
            "no DISCORD_TOKEN: `make run` starts a local Discord in the terminal",
            "To use a real server: README, “Put it into your Discord”.",
        )
    base = (settings.discord_api_url or _DISCORD).rstrip("/")
    headers = {"Authorization": f"Bot {settings.discord_token.get_secret_value()}"}
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=_TIMEOUT) as session:
            async with session.get(f"{base}/users/@me") as answer:
                if answer.status == 401:
                    return bad(
                        "Discord does not accept the token",
                        "Developer Portal → your application → Bot → Reset Token; "
                        "put it into .env as DISCORD_TOKEN.",
                    )
                if answer.status != 200:
                    return bad(f"Discord answers {answer.status}", "Try again later: discordstatus.com")
                name = (await answer.json(content_type=None))["username"]
            async with session.get(f"{base}/users/@me/guilds") as answer:
                guilds = await answer.json(content_type=None) if answer.status == 200 else []
            async with session.get(f"{base}/applications/@me") as answer:
                about = await answer.json(content_type=None) if answer.status == 200 else {}
                flags = int(about.get("flags") or 0)
    except _UNREACHABLE as error:
        return bad(
            f"{base} can't be reached: {_reason(error)}",
            "Check the network, any proxy, and DISCORD_API_URL.",
        )
    findings = [*good(f"logged in as {name}, in {len(guilds)} servers"), *_intents(settings, flags)]
    if not guilds:
        findings += note("the bot is not in a server yet", "Invite it: README, “Put it into your Discord”.")
    return findings


def _intents(settings: Settings, flags: int) -> list[Finding]:
    """Whether the application may read messages, if link cards need it."""
    if not settings.link_cards:
        return good("no privileged intents needed; nothing to switch on")
    if flags & MAY_READ_MESSAGES:
        return good("LINK_CARDS is set, and the Message Content Intent is switched on")
    return bad(
        "LINK_CARDS is set, but the application may not read messages: Labmate starts without link cards",
        "Developer Portal → your application → Bot → Privileged Gateway Intents → Message Content Intent; "
        "or remove LINK_CARDS.",
    )


async def openalex(settings: Settings) -> list[Finding]:
    """Whether the key works, and what was spent today."""
    if settings.openalex_api_key is None:
        return note(
            "no OPENALEX_API_KEY: cards show only what Labmate computes itself",
            "A free key (openalex.org/settings/api) adds citations, h-index, affiliations and ORCIDs.",
        )
    # Looking up one record is free. There is no such record, so a good key gets a 404.
    params = {"api_key": settings.openalex_api_key.get_secret_value()}
    url = settings.openalex_url.rstrip("/") + "/works/W0"
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as session,
            session.get(url, params=params) as answer,
        ):
            status = answer.status
    except _UNREACHABLE as error:  # its words may hold the key
        return note(f"OpenAlex can't be reached: {type(error).__name__}", "Cards do without it until then.")
    if status in (401, 403):
        return bad("OpenAlex does not accept the key", "Copy it again: openalex.org/settings/api")
    store = await Store.open(settings.database)
    try:
        spent = await store.facts.spent("openalex", datetime.now(UTC).date())
    finally:
        await store.close()
    return good(f"the key works; ${spent / 10_000:.4f} of ${settings.openalex_daily_budget:g} spent today")


async def ray(settings: Settings) -> list[Finding]:
    """Whether the cluster has workers for Labmate; it starts one, which takes up to two minutes."""
    if settings.ray_address is None:
        return []
    try:
        workers, nodes = await asyncio.to_thread(tried, settings.ray_address)
    except NoTeamError as error:
        return bad(str(error), "Until then, embedding and people passes run on this machine: docs/operate.md")
    return good(f"{settings.ray_address} answers; workers: {workers}, nodes: {nodes}")


async def http(settings: Settings) -> list[Finding]:
    """Whether feeds and /healthz can be served, or a running Labmate serves them."""
    listen = settings.http_listen
    if listen is None:
        return note(
            "HTTP_LISTEN is not set, so feeds, web pages and /healthz are off",
            "To turn them on: HTTP_LISTEN=127.0.0.1:8090 (docs/configure.md)",
        )
    if not (wrong := await listening.tried(listen)):
        return good(f"{listen} is free; once Labmate runs, it serves feeds, /healthz and /metrics there")
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as session,
            session.get(f"http://{listen}/healthz") as answer,
        ):
            if (await answer.json(content_type=None)).get("status") in ("ok", "failing"):
                return good(f"a running Labmate answers on {listen}")
    except (*_UNREACHABLE, ValueError, AttributeError):
        pass
    return bad(wrong, listening.NOTHING_SERVED)


async def bucket(settings: Settings) -> list[Finding]:
    """Whether files can be shared through the bucket."""
    if not settings.labmate_files.startswith("s3://"):
        return []
    try:
        await asyncio.to_thread(shared_files(settings).probe)
    except Exception as error:  # a bucket's errors have no common type
        return bad(
            f"{settings.labmate_files} can't be used: {_reason(error).splitlines()[0]}",
            "Check LABMATE_FILES, S3_URL, and the keys. Until then, each process draws and reads for itself.",
        )
    return good(f"{settings.labmate_files} takes and gives back files")


async def arxiv(settings: Settings) -> list[Finding]:
    """Whether arXiv answers."""
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as session,
            session.get(settings.arxiv_oai_url, params={"verb": "Identify"}) as answer,
        ):
            if answer.status == 200:
                return good(f"{settings.arxiv_oai_url} answers")
            reason = f"it answers {answer.status}"
    except _UNREACHABLE as error:
        reason = _reason(error)
    return note(
        f"arXiv can't be read right now: {reason}",
        "Labmate answers from the papers it has and tries again. "
        "To add papers from a file: python -m bot ingest file PATH",
    )


async def clock(settings: Settings) -> list[Finding]:
    """Whether this machine's clock agrees with a server's: buttons and listing days depend on it."""
    for url in (settings.discord_api_url or _DISCORD, settings.arxiv_oai_url):
        try:
            async with aiohttp.ClientSession(timeout=_TIMEOUT) as session, session.get(url) as answer:
                date = answer.headers.get("Date")
        except _UNREACHABLE:
            continue
        if date:
            off = time.time() - parsedate_to_datetime(date).timestamp()
            if abs(off) > CLOCK_OFF:
                return bad(f"the clock is {off:+.0f} s off", "Switch on time synchronisation (NTP).")
            return good(f"within {max(1, abs(off)):.0f} s of {url.split('/')[2]}")
    return note("no server answered with the time", "Check the network.")


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__
