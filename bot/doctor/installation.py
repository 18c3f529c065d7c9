"""Checks on this machine: Python, database, backups, model, index, authors, files, disk."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

from bot.app import open_corpus
from bot.backups import ONLY_FILES, folder_of, overdue
from bot.doctor.finding import Finding, bad, good, note
from bot.settings import Settings
from bot.settings_checks import SettingError, check_folder
from data.calendar import clock
from data.database import checksums
from data.database.backups import kept_in, newest_in
from data.database.engine import StoreError, shown, sqlite_path
from data.stores.store import Store
from index.documents.confinement import can_forbid
from index.identity.models import Models
from index.identity.standing import outnumbered
from index.models.shipped import ModelDamagedError
from index.search.embedding_model import ModelError, device_called, fingerprint
from index.search.files_of_database import BusyError
from index.search.precision import has_bfloat16
from index.search.vector_manifest import VectorsError
from index.search.word_checks import damaged
from index.search.word_files import WordsUnreadableError

ENOUGH_DISK = 2_000_000_000
"""Bytes."""


async def python(_: Settings) -> list[Finding]:
    """Which Python this is, and how it computes embeddings."""
    version = ".".join(map(str, sys.version_info[:3]))
    faster = "bfloat16 or float32, whichever is faster here"
    precision = faster if has_bfloat16() else "float32 (this CPU has no bfloat16)"
    return good(f"{version}; embeddings in {precision}")


async def database(settings: Settings) -> list[Finding]:
    """Whether the database opens and is intact."""
    try:
        store = await Store.open(settings.database)
    except StoreError as error:
        return bad(str(error))
    try:
        papers, integrity = await store.count(), await store.integrity()
    finally:
        await store.close()
    if integrity != "ok":
        return bad(f"the database is damaged: {integrity}", "Restore a backup: docs/operate.md")
    if not papers:
        return note(
            f"no papers in {shown(settings.database)}",
            "Check LABMATE_DATA and DATABASE_URL if there should be some. Otherwise start Labmate, or read "
            "papers in: docs/data.md",
        )
    return good(f"{papers:,} papers in {shown(settings.database)}")


async def backups(settings: Settings) -> list[Finding]:
    """Whether backups are made, and the newest is recent."""
    if sqlite_path(settings.database) is None:
        advice = "Use pg_dump (docs/operate.md), and leave BACKUP_EVERY empty."
        return note(ONLY_FILES, advice) if settings.backup_every else []
    folder, now = folder_of(settings), clock.now()
    try:
        if folder.exists():
            check_folder("LABMATE_DATA", folder)
    except SettingError as error:
        return bad(str(error).removeprefix("LABMATE_DATA: "))
    times, newest = kept_in(folder, now), newest_in(folder, now)
    count = "1 backup" if len(times) == 1 else f"{len(times)} backups"
    summary = f"{count}, newest from {newest:%Y-%m-%d %H:%M} UTC" if newest else "no backup yet"
    if times and (altered := await asyncio.to_thread(_altered, [*times][-1])):
        return bad(altered, "To make a new one now: python -m bot backup")
    if not settings.backup_every:
        return note(
            f"{summary}; automatic backups are off",
            "BACKUP_EVERY=24 makes one a day; to make one now: python -m bot backup",
        )
    if overdue(settings, newest, now):
        return note(
            f"{summary}, although one is due every {settings.backup_every:g} hours",
            "A running Labmate makes them; if one failed, labmate.log says why.",
        )
    return good(summary)


def _altered(newest: Path) -> str:
    """What is wrong with the newest backup, as its checksum says; empty if nothing is."""
    try:
        wrong = checksums.is_altered(newest)
    except OSError as error:
        return f"the newest backup, {newest}, can't be read: {error.strerror}"
    return f"the newest backup, {newest}, was altered or damaged since it was made" if wrong else ""


async def model(settings: Settings) -> list[Finding]:
    """Whether the embedding model is there and undamaged, and torch has the device."""
    try:
        identity = await asyncio.to_thread(fingerprint, settings.embedding_model)
        device = await asyncio.to_thread(device_called, settings.embedding_device)
    except ModelError as error:
        return bad(str(error))
    checksum = identity["weights_sha256"][:12]
    facts = f"{identity['model']}, checksum {checksum}…, {identity['dimension']} dimensions"
    return good(f"{facts}; papers are embedded on {device.replace('cpu', 'the CPU')}")


async def index(settings: Settings) -> list[Finding]:
    """Whether the word index and the vectors match the database."""
    try:
        async with open_corpus(settings) as corpus:
            waiting, orphans, words = len(corpus.backlog()), len(corpus.orphans()), len(corpus.words)
            papers = len(corpus.facets)
            torn = await asyncio.to_thread(damaged, corpus.words.folder)
            spoilt = len(await asyncio.to_thread(corpus.vectors.spoilt)) if corpus.vectors else 0
    except (StoreError, VectorsError, ModelError, BusyError, WordsUnreadableError) as error:
        return bad(str(error))
    if torn:
        return bad(f"the word index is damaged ({', '.join(torn[:3])}). Run: python -m bot index")
    if spoilt:
        says = "1 embedding has" if spoilt == 1 else f"{spoilt:,} embeddings have"
        return bad(f"{says} changed on the disk. Run: python -m bot index. The disk may be failing.")
    findings = []
    if words != papers:
        findings += note(f"the word index has {words:,} of {papers:,} papers", "Run: python -m bot index")
    if waiting or orphans:
        left_over = f"; {orphans:,} embeddings have no paper" if orphans else ""
        findings += note(
            f"{waiting:,} {'paper has' if waiting == 1 else 'papers have'} no embedding yet{left_over}",
            "A running Labmate takes care of it; or run: python -m bot index",
        )
    return findings or good(f"database and indexes agree on {papers:,} papers")


async def people(settings: Settings) -> list[Finding]:
    """Whether authors are matched to papers, and recently."""
    try:
        await asyncio.to_thread(Models.shipped)
    except ModelDamagedError as error:
        return bad(str(error))
    try:
        store = await Store.open(settings.database)
    except StoreError as error:
        return bad(str(error))
    try:
        last, newest = await store.people.last_pass(), await store.last_change()
        authorships, judged = await store.people.standing()
    finally:
        await store.close()
    if last is None:
        return note("authors are not matched to papers yet", "Run: python -m bot identify")
    summary = (
        f"{last.people:,} people with {last.authorships:,} authorships, matched on {last.finished:%Y-%m-%d}"
    )
    advice = "A running Labmate takes care of it; or run: python -m bot identify"
    if last.upto != newest:
        return note(f"{summary}; newer papers are waiting", advice)
    if outnumbered(authorships, judged):
        return note(
            f"{summary}; a full pass judged only {judged:,} of {authorships:,} authorships",
            advice,
        )
    return good(summary)


async def files(_: Settings) -> list[Finding]:
    """Whether the process that reads members' files can be cut off from the outside."""
    if can_forbid():
        return good("the process that reads members' files can't reach the network or other files")
    return note(
        "this system can't block system calls in the process that reads members' files",
        "Run Labmate as a user of its own; docs/security.md says what protects it without seccomp.",
    )


async def disk(settings: Settings) -> list[Finding]:
    """Whether there is room."""
    folder = settings.labmate_data
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free
    text = f"{free / 1e9:,.1f} GB free under {folder.absolute()}"
    advice = "Free some space, or move LABMATE_DATA to another disk."
    if free > ENOUGH_DISK:
        return good(text)
    return note(text, advice) if free > ENOUGH_DISK / 10 else bad(text, advice)
