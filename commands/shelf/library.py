"""`/save` and `/library`: what a member keeps, with tags, notes and how far it was read; in and out as files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards import shelf as cards
from commands.cards.exports import AROUND, FORMATS, ExportedWork, entries
from commands.cards.lists import note
from commands.cards.text import plural, shown
from commands.kit.access import CheckedModal
from commands.kit.components import Choosable, Pressable
from commands.kit.limits import ASK, EXPORT, FEED, IMPORT, SEARCH
from commands.kit.links import link
from commands.kit.options import complete_paper
from commands.kit.replies import Reply, UserError, answer, apologise, in_line, open_form, take
from commands.kit.services import Services
from commands.kit.uploads import Flat, packed, with_files
from commands.kit.which_paper import which_paper
from commands.shelf.feeds import FeedButton, feed_view
from commands.shelf.library_search import Wanted, found_in
from data.keys import fold
from data.stores.shelf import MAX_NOTE, STATES, Kept, ShelfFull, clean_tags
from index.documents.cv_file import UnreadableError
from index.documents.reference_file import MOST_BYTES, match, read_file

EMPTY = "Your library is empty. /save keeps a paper, and so does *Save* on the papers of a digest; /library import takes a file."
STATE_CHOICES = [app_commands.Choice(name=text, value=state) for state, text in cards.STATE_WORDS.items()]
FORMAT_CHOICES = [app_commands.Choice(name=name, value=name) for name in FORMATS]


class ShelfPage(Pressable, template=r"lb:p:(?P<page>\d{1,4}):(?P<text>\d{1,12}):(?P<key>[pn])"):
    """Leads to a page of the presser's own library."""

    def __init__(self, label: str, *, page: str, text: str, key: str) -> None:
        self.page, self.text = int(page), int(text)
        super().__init__(ui.Button(label=label, custom_id=f"lb:p:{self.page}:{self.text}:{key}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        work = self._turned(services, interaction.user.id)
        await answer(interaction, work, private=True, update=True)

    async def _turned(self, services: Services, member: int) -> ui.LayoutView:
        kept = await services.store.kept_texts.find(self.text) if self.text else "{}"
        if kept is None:
            raise UserError("I no longer know what was asked here. Please ask again: /library show.")
        return await show(services, member, Wanted(**json.loads(kept)), self.page)


class ShelfButton(Pressable, template=r"lb:(?P<what>[mnrbu]):(?P<kept>\d{1,18})"):
    """Of a work in the presser's own library: manage (m), tags and note (n), remove (r), put back (b); undo an
    import (u, with its instant in microseconds)."""

    def __init__(self, label: str, *, what: str, kept: str) -> None:
        self.what, self.kept = what, int(kept)
        style = ButtonStyle.danger if what in "ru" else ButtonStyle.secondary
        super().__init__(ui.Button(label=label, style=style, custom_id=f"lb:{what}:{self.kept}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        member = interaction.user.id
        if self.what == "n":
            await open_form(interaction, NoteForm(services, await own(services, member, self.kept)))
            return
        work = {
            "m": lambda: show_one(services, member, self.kept),
            "r": lambda: remove(services, member, self.kept),
            "b": lambda: put_back(services, member, self.kept),
            "u": lambda: undo_import(services, member, self.kept),
        }[self.what]
        await answer(interaction, work(), private=True, update=self.what in "rbu")


class StateSelect(Choosable, template=r"lbs:(?P<kept>\d{1,12})"):
    """How far a work of the chooser's own library was read."""

    def __init__(self, choices: list[discord.SelectOption], *, kept: str) -> None:
        self.kept = int(kept)
        super().__init__(
            ui.Select(
                custom_id=f"lbs:{self.kept}",
                placeholder="How far you read it",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        await answer(interaction, self._set(services, interaction.user.id, value), private=True, update=True)

    async def _set(self, services: Services, member: int, value: str) -> ui.LayoutView:
        if value not in STATES:
            raise UserError("This can't be chosen (any more).")
        await services.store.shelf.change(member, self.kept, state=value)
        return await show_one(services, member, self.kept)


class NoteForm(CheckedModal):
    """Tags and a note."""

    def __init__(self, services: Services, kept: Kept) -> None:
        super().__init__(title="Tags and note", custom_id=f"lbm:{kept.id}")
        self._services, self._kept = services, kept
        self.tags: ui.TextInput[Any] = ui.TextInput(
            label="Tags, with commas between", default=", ".join(kept.tags), required=False, max_length=500
        )
        self.note: ui.TextInput[Any] = ui.TextInput(
            label="Note; only you see it",
            default=kept.note,
            required=False,
            max_length=MAX_NOTE,
            style=discord.TextStyle.long,
        )
        self.add_item(self.tags)
        self.add_item(self.note)

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Keep them."""
        take(interaction)
        await answer(interaction, self._kept_now(interaction.user.id), private=True)

    async def on_error(self, interaction: discord.Interaction, error: Exception) -> None:
        """The one door for failures; the form stays open to be sent once more."""
        await apologise(interaction, error)

    async def _kept_now(self, member: int) -> ui.LayoutView:
        tags, text = clean_tags(self.tags.value), self.note.value.strip()
        await _changed(self._services, member, self._kept.id, tags=tags, note=text)
        return await show_one(self._services, member, self._kept.id)


async def _changed(services: Services, member: int, number: int, **values: Any) -> None:
    """Change a work of a member's own.

    Raises
    ------
    UserError
        Where it is gone.
    """
    if await services.store.shelf.change(member, number, **values) is None:
        raise UserError("This is no longer in your library.")


async def own(services: Services, member: int, number: int) -> Kept:
    """A work of a member's own."""
    kept = await services.store.shelf.find(member, number)
    if kept is None:
        raise UserError("This is not in your library (any more). /library show lists what is.")
    return kept


async def show(services: Services, member: int, wanted: Wanted, page: int = 0) -> ui.LayoutView:
    """A page of a library."""
    total, found = await found_in(services, member, wanted)
    if not total:
        return note(EMPTY)
    if not found:
        return note(f"None of your {plural(total, 'work')} has {wanted.words}.")
    pages = -(-len(found) // cards.PAGE)
    page = min(page, pages - 1)
    part = found[page * cards.PAGE : (page + 1) * cards.PAGE]
    entries: list[tuple[str, ui.Item[Any]]] = [
        (cards.kept_lines(kept, paper), ShelfButton("Manage", what="m", kept=str(kept.id)))
        for kept, paper in part
    ]
    rows: list[list[ui.Item[Any]]] = []
    if pages > 1:
        number = str(await services.store.kept_texts.keep(wanted.packed()))
        back = ShelfPage("Newer", page=str(max(page - 1, 0)), text=number, key="p")
        on = ShelfPage("Older", page=str(min(page + 1, pages - 1)), text=number, key="n")
        back.item.disabled, on.item.disabled = page == 0, page == pages - 1
        rows.append([back, on])
    footer = f"-# Page {page + 1} of {pages}" if pages > 1 else ""
    return cards.page(
        cards.heading(total, len(found), wanted.words),
        entries,
        start=page * cards.PAGE,
        footer=footer,
        rows=rows,
    )


async def show_one(services: Services, member: int, number: int) -> ui.LayoutView:
    """A work of a library with what can be done about it."""
    kept = await own(services, member, number)
    papers = await services.store.papers([kept.paper_id]) if kept.paper_id else []
    paper = papers[0] if papers else None
    buttons: list[ui.Item[Any]] = [
        ShelfButton("Tags and note", what="n", kept=str(kept.id)),
        ShelfButton("Remove", what="r", kept=str(kept.id)),
    ]
    if paper is not None:
        buttons.insert(0, link("paper.card", "Details", paper=paper.id))
    text = cards.kept_lines(kept, paper, note=1_500)
    return note(text, [[StateSelect(cards.state_options(kept.state), kept=str(kept.id))], buttons])


async def remove(services: Services, member: int, number: int) -> ui.LayoutView:
    """Take a work off; it can be put back for a day."""
    kept = await services.store.shelf.drop(member, number)
    if kept is None:
        raise UserError("This is not in your library (any more).")
    return note("Removed from your library.", [[ShelfButton("Put back", what="b", kept=str(number))]])


async def put_back(services: Services, member: int, number: int) -> ui.LayoutView:
    """Undo a removal."""
    if await services.store.shelf.put_back(member, number) is None:
        raise UserError("It is too late to put this back; /save keeps the paper anew.")
    return await show_one(services, member, number)


async def save(services: Services, member: int, typed: str, tags: str, text: str) -> ui.LayoutView:
    """Keep the paper that a text means."""
    paper = await which_paper(services, typed)
    try:
        kept, new = await services.store.shelf.keep(member, paper)
    except ShelfFull as error:
        raise UserError(str(error)) from error
    values: dict[str, Any] = {}
    if tags:
        values["tags"] = tuple(dict.fromkeys([*kept.tags, *clean_tags(tags)]))
    if text:
        values["note"] = text
    if values:
        await services.store.shelf.change(member, kept.id, **values)
    view = await show_one(services, member, kept.id)
    if not new:
        view.add_item(ui.TextDisplay("-# It was in your library already."))
    return view


async def exported(services: Services, member: int, format_: str, wanted: Wanted, limit: int) -> Reply:
    """A library, or what is asked for of it, as a file."""
    total, found = await found_in(services, member, wanted)
    if not found:
        raise UserError(EMPTY if not total else f"None of your {plural(total, 'work')} has {wanted.words}.")
    works = [ExportedWork(paper, kept.record, kept.tags, kept.note) for kept, paper in found]
    return await file_of(works, format_, f"library.{FORMATS[format_]}", limit)


async def file_of(works: Sequence[ExportedWork], format_: str, name: str, limit: int) -> Reply:
    """Works as a file with a line above it, or as parts of ``limit`` bytes."""
    records = (("", text) for text in entries(works, format_))
    files = await asyncio.to_thread(packed, name, records, Flat(*AROUND[format_]), limit)
    return with_files(f"{plural(len(works), 'work')} as {format_}.", files)


async def import_file(services: Services, member: int, file: discord.Attachment) -> ui.LayoutView:
    """Read a file of references into a library."""
    if file.size > MOST_BYTES:
        raise UserError(f"The file has {file.size / 1e6:.1f} MB; up to {MOST_BYTES // 1_000_000} are read.")
    try:
        items, unread = await read_file(await file.read(), file.filename)
    except UnreadableError as error:
        raise UserError(shown(str(error), 300)) from error
    if not items:
        raise UserError("I found no reference with a title in this file; nothing was kept.")
    works: list[tuple[int | None, dict[str, Any]]] = []
    more: list[tuple[str, str, tuple[str, ...]]] = []
    for item in items:
        paper = await match(services.store, item)
        tags = clean_tags(item.get("keyword", "").replace(";", ","))
        works.append((paper.id if paper else None, item))
        more.append(("unread", item.get("note", ""), tags))
    try:
        added = await services.store.shelf.add(member, works, more)
    except ShelfFull as error:
        raise UserError(f"{error} Nothing was kept.") from error
    ours = sum(paper is not None for paper, _ in works)
    lines = [
        f"## Imported\n{plural(len(items), 'reference')} read: {added.new:,} kept anew, {added.known:,} in your library "
        f"before. {ours:,} are papers that I know; the others are kept as the file has them."
    ]
    if unread:
        lines.append(f"{plural(len(unread), 'entry', 'entries')} not understood:")
        lines += [f"- {shown(line, 80)}" for line in unread[:5]]
    moment = (added.made - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    buttons: list[ui.Item[Any]] = [ShelfButton("Undo", what="u", kept=str(moment))] if added.new else []
    return note("\n".join(lines), [buttons] if buttons else [])


async def undo_import(services: Services, member: int, moment: int) -> ui.LayoutView:
    """Take off what one import kept."""
    gone = await services.store.shelf.drop_added(member, moment)
    if not gone:
        raise UserError("This import was undone already.")
    return note(f"Undone: {plural(gone, 'work')} removed from your library.")


class LibraryCommands(
    commands.GroupCog, group_name="library", group_description="What you keep: papers, tags, notes"
):
    """A member's library."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    @app_commands.command()
    @app_commands.describe(
        search="Words of it, or what it is about", tag="One of your tags", state="How far you read it"
    )
    @app_commands.choices(state=STATE_CHOICES)
    async def show(
        self,
        interaction: discord.Interaction,
        search: app_commands.Range[str, 1, 200] | None = None,
        tag: app_commands.Range[str, 1, 60] | None = None,
        state: str | None = None,
    ) -> None:
        """Show what you keep"""
        work = show(self._services, interaction.user.id, Wanted(search or "", tag or "", state or ""))
        await answer(interaction, work, private=True, cost=SEARCH if search else ASK)

    @app_commands.command(name="export")
    @app_commands.describe(format="For which program", tag="One of your tags alone")
    @app_commands.choices(format=FORMAT_CHOICES)
    async def export_(
        self,
        interaction: discord.Interaction,
        format: str = "bibtex",
        tag: app_commands.Range[str, 1, 60] | None = None,
    ) -> None:
        """Get what you keep as BibTeX, RIS or CSL-JSON"""
        limit = interaction.filesize_limit
        work = exported(self._services, interaction.user.id, format, Wanted(tag=tag or ""), limit)
        await answer(interaction, work, private=True, cost=EXPORT)

    @app_commands.command(name="import")
    @app_commands.describe(file="BibTeX, RIS or CSL-JSON, as Zotero exports them")
    async def import_(self, interaction: discord.Interaction, file: discord.Attachment) -> None:
        """Take references from a file over"""
        work = in_line(interaction, import_file(self._services, interaction.user.id, file))
        await answer(interaction, work, private=True, cost=IMPORT)

    @app_commands.command()
    async def feed(self, interaction: discord.Interaction) -> None:
        """Read what you keep in a feed reader"""
        member = interaction.user.id
        work = feed_view(self._services, "library", member, member)
        await answer(interaction, work, private=True, cost=FEED)

    @show.autocomplete("tag")
    @export_.autocomplete("tag")
    async def _tags(self, interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        counts = await self._services.store.shelf.tags(interaction.user.id)
        wanted = fold(current.lstrip("#"))
        found = islice((tag for tag in counts if wanted in fold(tag)), 25)
        return [app_commands.Choice(name=f"{tag} ({counts[tag]})"[:100], value=tag) for tag in found]


class Save(commands.Cog):
    """Keeping one paper."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command(name="save")
    @app_commands.describe(
        paper="A title, an arXiv id or a link", tags="With commas between", note="For yourself"
    )
    @app_commands.autocomplete(paper=complete_paper)
    async def save(
        self,
        interaction: discord.Interaction,
        paper: app_commands.Range[str, 1, 500],
        tags: app_commands.Range[str, 1, 500] | None = None,
        note: app_commands.Range[str, 1, MAX_NOTE] | None = None,
    ) -> None:
        """Keep a paper in your library"""
        work = save(self._services, interaction.user.id, paper, tags or "", note or "")
        await answer(interaction, work, private=True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands, buttons and selects."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(ShelfPage, ShelfButton, StateSelect, FeedButton)
    await bot.add_cog(LibraryCommands(services))
    await bot.add_cog(Save(services))
