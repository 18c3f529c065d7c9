"""The works in a member's library: pages of them, one with its buttons, saving, tags and notes, removing."""

from __future__ import annotations

from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards import library as cards
from commands.cards.lists import note
from commands.kit.access import CheckedModal
from commands.kit.links import Press, button, choice, link, select
from commands.kit.replies import UserError, answer, open_form, take
from commands.kit.services import Services
from commands.kit.which_paper import which_paper
from data.stores.library import MAX_NOTE, MAX_TAG, MOST_TAGS, STATES, Kept, LibraryFull, clean_tags
from index.library.query import LibraryQuery
from index.library.search import search_library

MAX_TAGS = MOST_TAGS * (MAX_TAG + len(", "))
"""Characters of all tags of a paper, written in a row."""
_FIELD = 4_000
"""Characters that Discord lets stand in a field of a form."""
_ADDED = "I added your new note below the earlier one; *Tags and note* changes both."
_HAD_NOTE = "Your note says this already."

# -- buttons -----------------------------------------------------------------------------------------


@button("library.newer", "lb:p:{page:page}:{text}:p")
@button("library.older", "lb:p:{page:page}:{text}:n")
async def turn_page(press: Press, page: int, text: int) -> None:
    """Turn to a page of the presser's own library; ``text`` is the number of the kept query, or 0."""
    await answer(press.interaction, _turned(press, page, text), private=True, update=True)


@button("library.manage", "lb:m:{kept}")
async def manage(press: Press, kept: int) -> None:
    """Show a work with what can be done about it."""
    await answer(press.interaction, show_one(press.services, press.member, kept), private=True)


@button("library.write_note", "lb:n:{kept}")
async def write_note(press: Press, kept: int) -> None:
    """Open the form for tags and a note."""
    await open_form(
        press.interaction, NoteForm(press.services, await own(press.services, press.member, kept))
    )


@button("library.remove", "lb:r:{kept}", style=ButtonStyle.danger)
async def remove_pressed(press: Press, kept: int) -> None:
    """Remove a work."""
    await answer(press.interaction, remove(press.services, press.member, kept), private=True, update=True)


@button("library.put_back", "lb:b:{kept}")
async def put_back_pressed(press: Press, kept: int) -> None:
    """Put a removed work back."""
    await answer(press.interaction, put_back(press.services, press.member, kept), private=True, update=True)


@select("library.choose_state", "lbs:{kept}", "How far you have read it")
async def choose_state(press: Press, state: str, kept: int) -> None:
    """Say how far the chooser has read a work of their library."""
    await answer(press.interaction, _set_state(press, state, kept), private=True, update=True)


async def _turned(press: Press, page: int, text: int) -> ui.LayoutView:
    packed = await press.services.store.kept_texts.find(text) if text else "{}"
    if packed is None:
        raise UserError("I no longer know what you asked here. Please ask again: /library show.")
    return await show(press.services, press.member, LibraryQuery.unpacked(packed), page)


async def _set_state(press: Press, state: str, kept: int) -> ui.LayoutView:
    if state not in STATES:
        raise UserError("You can't choose this any more.")
    await press.services.store.library.change(press.member, kept, state=state)
    return await show_one(press.services, press.member, kept)


class NoteForm(CheckedModal):
    """Tags and a note."""

    def __init__(self, services: Services, kept: Kept) -> None:
        super().__init__(title="Tags and note", custom_id=f"lbm:{kept.id}")
        self._services, self._kept = services, kept
        most = _FIELD // (MAX_TAG + len(", "))
        tags, self._other_tags = kept.tags[:most], kept.tags[most:]
        self._most_tags = max(MOST_TAGS, len(tags))
        text, self._rest_of_note = _fitting(kept.note)
        self.tags: ui.TextInput[Any] = ui.TextInput(
            label="Tags, separated by commas",
            default=", ".join(tags),
            required=False,
            max_length=max(MAX_TAGS, len(", ".join(tags))),
        )
        self.note: ui.TextInput[Any] = ui.TextInput(
            label="Beginning of your note" if self._rest_of_note else "Note (only you see it)",
            default=text,
            required=False,
            max_length=max(MAX_NOTE, len(text)),
            style=discord.TextStyle.long,
        )
        self.add_item(self.tags)
        self.add_item(self.note)

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Save them."""
        take(interaction)
        await answer(interaction, self._saved(interaction.user.id), private=True)

    async def _saved(self, member: int) -> ui.LayoutView:
        tags = (*clean_tags(self.tags.value, self._most_tags), *self._other_tags)
        typed = self.note.value[: self.note.max_length].strip()
        text = (typed + self._rest_of_note).strip()
        if await self._services.store.library.change(member, self._kept.id, tags=tags, note=text) is None:
            raise UserError("This is no longer in your library.")
        return await show_one(self._services, member, self._kept.id)


def _fitting(text: str) -> tuple[str, str]:
    """The lines of a note that a field holds, and the rest: papers that became one have a longer note."""
    if len(text) <= _FIELD:
        return text, ""
    end = text.rfind("\n", 1, _FIELD + 1)
    end = end if end > 0 else _FIELD
    return text[:end], text[end:]


# -- what is shown and done --------------------------------------------------------------------------


async def own(services: Services, member: int, number: int) -> Kept:
    """A work in a member's own library."""
    kept = await services.store.library.find(member, number)
    if kept is None:
        raise UserError("This is not in your library (any more). /library show lists what is.")
    return kept


async def show(services: Services, member: int, query: LibraryQuery, page: int = 0) -> ui.LayoutView:
    """A page of a library."""
    total, works = await search_library(services.store, services.corpus, services.search, member, query)
    if not total:
        return note(cards.EMPTY)
    if not works:
        return note(cards.no_match(query))
    pages = -(-len(works) // cards.PAGE)
    page = min(page, pages - 1)
    part = works[page * cards.PAGE : (page + 1) * cards.PAGE]
    entries: list[tuple[str, ui.Item[Any]]] = [
        (cards.kept_lines(kept, paper), link("library.manage", "Manage", kept=kept.id))
        for kept, paper in part
    ]
    rows: list[list[ui.Item[Any]]] = []
    if pages > 1:
        text = await services.store.kept_texts.keep(query.packed())
        newer = link("library.newer", "Newer", page=max(page - 1, 0), text=text)
        older = link("library.older", "Older", page=min(page + 1, pages - 1), text=text)
        newer.item.disabled, older.item.disabled = page == 0, page == pages - 1
        rows.append([newer, older])
    return cards.page(
        cards.heading(total, len(works), query),
        entries,
        start=page * cards.PAGE,
        footer=f"-# Page {page + 1} of {pages}" if pages > 1 else "",
        rows=rows,
    )


async def show_one(services: Services, member: int, number: int) -> ui.LayoutView:
    """A work of a library with what can be done about it."""
    kept = await own(services, member, number)
    papers = await services.store.papers([kept.paper_id]) if kept.paper_id else []
    paper = papers[0] if papers else None
    buttons: list[ui.Item[Any]] = [
        *([link("paper.card", "Details", paper=paper.id)] if paper is not None else []),
        link("library.write_note", "Tags and note", kept=kept.id),
        link("library.remove", "Remove", kept=kept.id),
    ]
    states = choice("library.choose_state", cards.state_options(kept.state), kept=kept.id)
    return note(cards.kept_lines(kept, paper, note=1_500), [[states], buttons])


async def remove(services: Services, member: int, number: int) -> ui.LayoutView:
    """Remove a work; it can be put back for a day."""
    kept = await services.store.library.drop(member, number)
    if kept is None:
        raise UserError("This is not in your library (any more).")
    return note("Removed from your library.", [[link("library.put_back", "Put back", kept=number)]])


async def put_back(services: Services, member: int, number: int) -> ui.LayoutView:
    """Undo a removal."""
    if await services.store.library.put_back(member, number) is None:
        raise UserError("It is too late to put this back. /save adds the paper again.")
    return await show_one(services, member, number)


async def save(services: Services, member: int, typed: str, tags: str, text: str) -> ui.LayoutView:
    """Save the paper that a text means."""
    paper = await which_paper(services, typed)
    try:
        kept, new = await services.store.library.keep(member, paper)
    except LibraryFull as error:
        raise UserError(str(error)) from error
    values: dict[str, Any] = {}
    said = [] if new else ["It was in your library already."]
    if tags:
        both = tuple(dict.fromkeys([*kept.tags, *clean_tags(tags)]))
        values["tags"] = both[: max(MOST_TAGS, len(kept.tags))]
    if text.strip():
        values["note"] = _longer_note(kept.note, text.strip())
        if kept.note:
            said.append(_ADDED if values["note"] != kept.note else _HAD_NOTE)
    if values:
        await services.store.library.change(member, kept.id, **values)
    view = await show_one(services, member, kept.id)
    if said:
        view.add_item(ui.TextDisplay("-# " + " ".join(said)))
    return view


def _longer_note(old: str, new: str) -> str:
    """A note with a line added to it; as it is where it has this line already."""
    if new in (old, *old.split("\n")):
        return old
    note = f"{old}\n{new}" if old else new
    if len(note) > MAX_NOTE:
        raise UserError(
            f"Your note on this paper is {len(old):,} characters long, and a note holds {MAX_NOTE:,}, so I "
            "changed nothing. To shorten it: /library show, then *Manage* and *Tags and note*."
        )
    return note
