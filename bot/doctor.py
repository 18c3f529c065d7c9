"""`python -m bot doctor`: what commonly goes wrong, and what to do about each."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import aiohttp
from rich.console import Console
from rich.text import Text

from bot.app import open_corpus
from bot.backups import folder_of
from bot.settings import Settings
from data.calendar import clock
from data.database.backups import kept_in
from data.database.engine import StoreError, shown, sqlite_path
from data.stores.store import Store
from index.documents.confinement import can_forbid
from index.identity.models import Models
from index.identity.passes import outnumbered
from index.models.shipped import ModelDamagedError
from index.search.embedding import ModelError, fingerprint, has_bfloat16
from index.search.vector_log import VectorsError

ENOUGH_DISK = 2_000_000_000
CLOCK_OFF = 60.0
_DISCORD = "https://discord.com/api/v10"
_TIMEOUT = aiohttp.ClientTimeout(total=10)


@dataclass(frozen=True)
class Finding:
    """What a check found: ``good``, ``note`` (works, but) or ``bad``, and what to do."""

    state: str
    text: str
    advice: str = ""


async def examine(settings: Settings) -> int:
    """Run all checks and print them; returns 1 where something is bad."""
    console = Console()
    checks: list[tuple[str, Callable[[Settings], Awaitable[list[Finding]]]]] = [
        ("Python", _python),
        ("Discord", _discord),
        ("Database", _database),
        ("Backups", _backups),
        ("Model", _model),
        ("Index", _index),
        ("People", _people),
        ("OpenAlex", _openalex),
        ("arXiv", _arxiv),
        ("Files", _files),
        ("Disk", _disk),
        ("Clock", _clock),
    ]
    worst = 0
    for name, check in checks:
        for finding in await check(settings):
            mark, style = {"good": ("✓", "green"), "note": ("•", "yellow"), "bad": ("✗", "red")}[
                finding.state
            ]
            console.print(Text(f" {mark} {name:9} ", style=style) + Text(finding.text))
            if finding.advice:
                console.print(Text(f"   {'':9} → {finding.advice}", style="dim"))
            worst = max(worst, int(finding.state == "bad"))
    return worst


async def _python(_: Settings) -> list[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    fast = "bfloat16" if has_bfloat16() else "float32 (this CPU multiplies no bfloat16)"
    return [Finding("good", f"{version}; embeddings in {fast}")]


async def _discord(settings: Settings) -> list[Finding]:
    if settings.discord_token is None:
        return [
            Finding(
                "note",
                "no DISCORD_TOKEN: `make run` starts a local Discord in the terminal",
                "For a real server: README, “Put it into your Discord”.",
            )
        ]
    base = (settings.discord_api_url or _DISCORD).rstrip("/")
    headers = {"Authorization": f"Bot {settings.discord_token.get_secret_value()}"}
    try:
        async with aiohttp.ClientSession(headers=headers, timeout=_TIMEOUT) as session:
            async with session.get(f"{base}/users/@me") as answer:
                if answer.status == 401:
                    return [
                        Finding(
                            "bad",
                            "Discord does not accept the token",
                            "Developer Portal → your application → Bot → Reset Token; put it into .env as DISCORD_TOKEN.",
                        )
                    ]
                if answer.status != 200:
                    return [
                        Finding(
                            "bad", f"Discord answers {answer.status}", "Try again later: discordstatus.com"
                        )
                    ]
                name = (await answer.json(content_type=None))["username"]
            async with session.get(f"{base}/users/@me/guilds") as answer:
                guilds = await answer.json(content_type=None) if answer.status == 200 else []
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        reason = str(error) or type(error).__name__
        return [
            Finding(
                "bad", f"{base} can't be reached: {reason}", "Check the network, a proxy, DISCORD_API_URL."
            )
        ]
    findings = [
        Finding("good", f"logged in as {name}, in {len(guilds)} servers"),
        Finding("good", "intents: only unprivileged ones are used; nothing to switch on"),
    ]
    if not guilds:
        findings.append(
            Finding("note", "the bot is in no server yet", "Invite it: README, “Put it into your Discord”.")
        )
    return findings


async def _database(settings: Settings) -> list[Finding]:
    try:
        store = await Store.open(settings.database)
    except StoreError as error:
        return [Finding("bad", str(error))]
    try:
        papers, state = await store.count(), await store.integrity()
    finally:
        await store.close()
    if state != "ok":
        return [Finding("bad", f"the database is damaged: {state}", "Restore a backup: docs/operate.md")]
    return [Finding("good", f"{papers:,} papers in {shown(settings.database)}")]


async def _backups(settings: Settings) -> list[Finding]:
    if sqlite_path(settings.database) is None:
        return []
    made = kept_in(folder_of(settings))
    newest = max(made.values(), default=None)
    known = f"{len(made)} backups, the newest of {newest:%Y-%m-%d %H:%M} UTC" if newest else "no backup yet"
    if not settings.backup_every:
        return [
            Finding(
                "note",
                f"{known}; none is made by the clock",
                "BACKUP_EVERY=24 makes one a day; by hand: python -m bot backup",
            )
        ]
    if newest is None or clock.now() - newest > timedelta(hours=2 * settings.backup_every + 1):
        return [
            Finding(
                "note",
                f"{known}, although one is due every {settings.backup_every:g} hours",
                "A running Labmate makes them; why one failed is in labmate.log.",
            )
        ]
    return [Finding("good", known)]


async def _model(settings: Settings) -> list[Finding]:
    try:
        found = await asyncio.to_thread(fingerprint, settings.embedding_model)
    except ModelError as error:
        return [Finding("bad", str(error))]
    return [
        Finding(
            "good",
            f"{found['model']}, checksum {found['weights_sha256'][:12]}…, {found['dimension']} dimensions",
        )
    ]


async def _index(settings: Settings) -> list[Finding]:
    try:
        async with open_corpus(settings) as corpus:
            waiting, orphans, words = len(corpus.backlog()), len(corpus.orphans()), len(corpus.words)
            papers = len(corpus.facets)
    except (StoreError, VectorsError, ModelError) as error:
        return [Finding("bad", str(error))]
    findings = []
    if words != papers:
        findings.append(
            Finding("note", f"the word index has {words:,} of {papers:,} papers", "python -m bot index")
        )
    if waiting or orphans:
        text = f"{waiting:,} papers wait for their embedding" + (
            f", {orphans:,} rows are left over" if orphans else ""
        )
        findings.append(Finding("note", text, "A running Labmate does it by itself; or: python -m bot index"))
    return findings or [Finding("good", f"store and index agree on {papers:,} papers")]


async def _people(settings: Settings) -> list[Finding]:
    try:
        await asyncio.to_thread(Models.shipped)
    except ModelDamagedError as error:
        return [Finding("bad", str(error))]
    try:
        store = await Store.open(settings.database)
    except StoreError as error:
        return [Finding("bad", str(error))]
    try:
        last, newest = await store.people.last_pass(), await store.last_change()
        standing = await store.people.standing()
    finally:
        await store.close()
    if last is None:
        return [Finding("note", "people were not told apart yet", "python -m bot identify")]
    text = (
        f"{last.people:,} people of {last.authorships:,} authorships, told apart on {last.finished:%Y-%m-%d}"
    )
    if last.upto != newest:
        return [
            Finding(
                "note",
                f"{text}; newer papers wait",
                "A running Labmate does it by itself; or: python -m bot identify",
            )
        ]
    if outnumbered(*standing):
        return [
            Finding(
                "note",
                f"{text}; only {standing[1]:,} of {standing[0]:,} by a full pass, the others were placed",
                "A running Labmate does it by itself; or: python -m bot identify",
            )
        ]
    return [Finding("good", text)]


async def _openalex(settings: Settings) -> list[Finding]:
    if settings.openalex_api_key is None:
        return [
            Finding(
                "note",
                "no OPENALEX_API_KEY: cards show what Labmate computes itself",
                "A free key (openalex.org/settings/api) adds citations, h-index, affiliations and ORCIDs.",
            )
        ]
    # Looking one record up is free; without a record of that id, the answer is 404 for a key that is good.
    params = {"api_key": settings.openalex_api_key.get_secret_value()}
    url = settings.openalex_url.rstrip("/") + "/works/W0"
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as session,
            session.get(url, params=params) as answer,
        ):
            status = answer.status
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        return [
            Finding(
                "note", f"OpenAlex can't be reached: {type(error).__name__}", "Cards go without it meanwhile."
            )
        ]
    if status in (401, 403):
        return [Finding("bad", "OpenAlex does not accept the key", "Copy it anew: openalex.org/settings/api")]
    store = await Store.open(settings.database)
    try:
        spent = await store.facts.spent("openalex", datetime.now(UTC).date())
    finally:
        await store.close()
    return [
        Finding(
            "good", f"the key works; ${spent / 10_000:.4f} of ${settings.openalex_daily_budget:g} spent today"
        )
    ]


async def _arxiv(settings: Settings) -> list[Finding]:
    try:
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT) as session,
            session.get(settings.arxiv_oai_url, params={"verb": "Identify"}) as answer,
        ):
            if answer.status == 200:
                return [Finding("good", f"{settings.arxiv_oai_url} answers")]
            reason = f"answers {answer.status}"
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        reason = str(error) or type(error).__name__
    return [
        Finding(
            "note",
            f"arXiv can't be read now: {reason}",
            "Labmate answers from what it knows and tries again. From a file: python -m bot ingest file PATH",
        )
    ]


async def _files(_: Settings) -> list[Finding]:
    if can_forbid():
        return [Finding("good", "files of members are read without a system call that reaches outward")]
    advice = "docs/security.md says what holds without seccomp; run Labmate as a user of its own"
    return [
        Finding("note", "this system can't stop what reads members' files from making system calls", advice)
    ]


async def _disk(settings: Settings) -> list[Finding]:
    folder = settings.labmate_data
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    state = "good" if free > ENOUGH_DISK else "note" if free > ENOUGH_DISK / 10 else "bad"
    advice = "" if state == "good" else "Free some space, or move LABMATE_DATA to another disk."
    return [Finding(state, f"{free / 1e9:,.1f} GB free under {folder.absolute()}", advice)]


async def _clock(settings: Settings) -> list[Finding]:
    """Compare with a server's clock: buttons and listing days depend on ours."""
    for url in (settings.discord_api_url or _DISCORD, settings.arxiv_oai_url):
        try:
            async with aiohttp.ClientSession(timeout=_TIMEOUT) as session, session.get(url) as answer:
                date = answer.headers.get("Date")
        except (aiohttp.ClientError, TimeoutError, OSError):
            continue
        if date:
            off = time.time() - parsedate_to_datetime(date).timestamp()
            if abs(off) > CLOCK_OFF:
                return [
                    Finding("bad", f"the clock is {off:+.0f} s off", "Switch on time synchronisation (NTP).")
                ]
            return [Finding("good", f"within {max(1, abs(off)):.0f} s of {url.split('/')[2]}")]
    return [Finding("note", "no server could be asked for the time", "Check the network.")]
