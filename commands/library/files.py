"""A library as a file, and files of references read into a library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui

from commands.cards.exports import AROUND, FORMATS, ExportedWork, entries
from commands.cards.library import EMPTY, no_match
from commands.cards.lists import note
from commands.cards.text import plural, shown
from commands.kit.links import Press, button, link
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services
from commands.kit.uploads import Flat, packed, with_files
from data.stores.library import LibraryFull, clean_tags
from index.documents.cv_file import UnreadableError
from index.documents.reference_file import MOST_BYTES, match, read_file
from index.library.query import LibraryQuery
from index.library.search import search_library

FORMAT_NAMES = {"bibtex": "BibTeX", "ris": "RIS", "csl-json": "CSL-JSON"}
FORMAT_CHOICES = [app_commands.Choice(name=name, value=name) for name in FORMATS]
_EPOCH = datetime(1970, 1, 1)


@button("library.undo_import", "lb:u:{moment:snowflake}", style=ButtonStyle.danger)
async def undo_pressed(press: Press, moment: int) -> None:
    """Undo an import, or the saving of several papers, identified by its instant in microseconds."""
    work = undo_import(press.services, press.member, moment)
    await answer(press.interaction, work, private=True, update=True)


async def export_library(
    services: Services, member: int, format_: str, query: LibraryQuery, limit: int
) -> Reply:
    """A library, or the works of it that match, as a file."""
    total, matching = await search_library(services.store, services.corpus, services.search, member, query)
    if not matching:
        raise UserError(no_match(query) if total else EMPTY)
    works = [ExportedWork(paper, kept.record, kept.tags, kept.note) for kept, paper in matching]
    return await file_of(works, format_, f"library.{FORMATS[format_]}", limit)


async def file_of(works: Sequence[ExportedWork], format_: str, name: str, limit: int) -> Reply:
    """Works as a file with a line above it, or as parts of ``limit`` bytes."""
    records = (("", text) for text in entries(works, format_))
    files = await asyncio.to_thread(packed, name, records, Flat(*AROUND[format_]), limit)
    here = "Here is" if len(works) == 1 else "Here are"
    return with_files(f"{here} {plural(len(works), 'reference')} as {FORMAT_NAMES[format_]}.", files)


async def import_file(services: Services, member: int, file: discord.Attachment) -> ui.LayoutView:
    """Read a file of references into a library."""
    items, unread = await _references(file)
    works: list[tuple[int | None, dict[str, Any]]] = []
    more: list[tuple[str, str, tuple[str, ...]]] = []
    for item in items:
        paper = await match(services.store, item)
        tags = clean_tags(item.get("keyword", "").replace(";", ","))
        works.append((paper.id if paper else None, item))
        more.append(("unread", item.get("note", ""), tags))
    try:
        added = await services.store.library.add(member, works, more)
    except LibraryFull as error:
        raise UserError(f"{error} Nothing was saved.") from error
    ours = sum(paper is not None for paper, _ in works)
    lines = [
        f"## Imported\n{plural(len(items), 'reference')} read: {added.new:,} new, {added.known:,} already in "
        f"your library. I know {ours:,} of them as papers; the rest stay as they are in the file."
    ]
    if unread:
        lines.append(f"I could not read {plural(len(unread), 'entry', 'entries')}:")
        lines += [f"- {shown(line, 80)}" for line in unread[:5]]
    moment = (added.made - _EPOCH) // timedelta(microseconds=1)
    undo = [[link("library.undo_import", "Undo", moment=moment)]] if added.new else []
    return note("\n".join(lines), undo)


async def _references(file: discord.Attachment) -> tuple[list[dict[str, Any]], list[str]]:
    """The references of a file as CSL-JSON, and the entries that could not be read."""
    if file.size > MOST_BYTES:
        raise UserError(
            f"The file has {file.size / 1e6:.1f} MB; I read files of up to {MOST_BYTES // 1_000_000} MB."
        )
    try:
        items, unread = await read_file(await file.read(), file.filename)
    except UnreadableError as error:
        raise UserError(f"I can't read {shown(file.filename, 80)}. {shown(str(error), 300)}") from error
    if not items:
        raise UserError("I found no reference with a title in this file, so nothing was saved.")
    return items, unread


async def undo_import(services: Services, member: int, moment: int) -> ui.LayoutView:
    """Remove what one import added, but for works that the member has worked on since."""
    gone, stay = await services.store.library.drop_added(member, moment)
    it = "it" if stay == 1 else "them"
    spared = (
        f"I kept {plural(stay, 'work')} because you have saved, tagged, annotated or read {it} since. "
        "To remove one, use /library show, then *Manage* and *Remove*."
    )
    if not gone:
        raise UserError(f"Nothing was removed. {spared}" if stay else "This was undone already.")
    undone = f"Undone: {plural(gone, 'work')} removed from your library."
    return note(f"{undone} {spared}" if stay else undone)
