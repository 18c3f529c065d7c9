"""A shared list of papers: its pages, adding papers and taking them off, deleting it."""

from __future__ import annotations

import re
from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards import library as cards
from commands.cards.lists import note
from commands.cards.text import moment, plural, shown
from commands.kit.authority import manages_server
from commands.kit.links import Press, button, link
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.which_paper import which_paper
from data.stores.lists import ListRefused, SharedList
from index.library.rights import may_change_list, may_take_off

_NUMBER = re.compile(r"#[0-9]{1,12}")
"""A list as offered while typing."""
ONLY_HERE = "Shared lists belong to a server, so ask there. For papers of your own: /save and /library."


# -- buttons -----------------------------------------------------------------------------------------


@button("list.newer", "ls:p:{number}:{page:page}:p")
@button("list.older", "ls:p:{number}:{page:page}:n")
async def turn_page(press: Press, number: int, page: int) -> None:
    """Turn to a page of a list."""
    await answer(press.interaction, _turned(press, number, page), update=True)


@button("list.delete", "ls:x:{number}", style=ButtonStyle.danger)
async def delete_pressed(press: Press, number: int) -> None:
    """Delete a list."""
    await answer(press.interaction, _deleted(press, number), private=True, update=True)


@button("list.take_off", "ls:u:{number}:{paper}")
async def take_off_pressed(press: Press, number: int, paper: int) -> None:
    """Take a paper off a list."""
    await answer(press.interaction, _taken_off(press, number, paper), private=True)


@button("list.put_back", "ls:b:{number}:{paper}")
async def put_back_pressed(press: Press, number: int, paper: int) -> None:
    """Put a paper back on a list."""
    await answer(press.interaction, _put_back(press, number, paper), private=True)


async def _turned(press: Press, number: int, page: int) -> ui.LayoutView:
    return await show(press.services, await here(press.interaction, press.services, number), page)


async def _deleted(press: Press, number: int) -> ui.LayoutView:
    shared_list = await here(press.interaction, press.services, number)
    return await delete(press.interaction, press.services, shared_list)


async def _taken_off(press: Press, number: int, paper: int) -> ui.LayoutView:
    shared_list = await here(press.interaction, press.services, number)
    return await take_off(press.interaction, press.services, shared_list, paper)


async def _put_back(press: Press, number: int, paper: int) -> ui.LayoutView:
    shared_list = await here(press.interaction, press.services, number)
    return await put(press.services, shared_list, paper, press.member)


# -- what is shown and done --------------------------------------------------------------------------


async def here(interaction: discord.Interaction, services: Services, number: int) -> SharedList:
    """A list of the server where somebody asks."""
    shared_list = await services.store.lists.find(number)
    if shared_list is None or shared_list.guild != interaction.guild_id:
        raise UserError("This list is gone. /list show names the lists of this server.")
    return shared_list


async def named(interaction: discord.Interaction, services: Services, typed: str) -> SharedList:
    """The list of this server that a name, or a choice offered while typing, means."""
    if interaction.guild_id is None:
        raise UserError(ONLY_HERE)
    text = typed.strip()
    if _NUMBER.fullmatch(text):
        return await here(interaction, services, int(text[1:]))
    shared_list = await services.store.lists.named(interaction.guild_id, text)
    if shared_list is None:
        known = ", ".join(
            shown(one.name, 40) for one in (await services.store.lists.of(interaction.guild_id))[:10]
        )
        more = (
            f" The lists here: {known}." if known else " This server has no lists yet; /list add starts one."
        )
        raise UserError(f"This server has no list called “{shown(text, 60)}”.{more}")
    return shared_list


async def add(interaction: discord.Interaction, services: Services, typed: str, name: str) -> ui.LayoutView:
    """Put the paper that a text means on a list, which is started if it does not exist."""
    if interaction.guild_id is None:
        raise UserError(ONLY_HERE)
    paper = await which_paper(services, typed)
    if _NUMBER.fullmatch(name.strip()):
        shared_list = await named(interaction, services, name)
    else:
        try:
            shared_list = await services.store.lists.make(interaction.guild_id, name, interaction.user.id)
        except ListRefused as error:
            raise UserError(str(error)) from error
    return await put(services, shared_list, paper, interaction.user.id)


async def put(services: Services, shared_list: SharedList, paper: int, member: int) -> ui.LayoutView:
    """Put a paper on a list."""
    papers = await services.store.papers([paper])
    if not papers:
        raise UserError("I no longer know this paper.")
    try:
        new = await services.store.lists.put(shared_list.id, papers[0].id, member)
    except ListRefused as error:
        raise UserError(str(error)) from error
    said = "Added to" if new else "Already on"
    take_off = link("list.take_off", "Take off", number=shared_list.id, paper=papers[0].id)
    return note(f"{said} **{shown(shared_list.name, 80)}**: {shown(papers[0].title, 120)}.", [[take_off]])


async def take_off(
    interaction: discord.Interaction, services: Services, shared_list: SharedList, paper: int
) -> ui.LayoutView:
    """Take a paper off a list; see :func:`index.library.rights.may_take_off`."""
    entry = next(
        (one for one in await services.store.lists.papers(shared_list.id) if one.paper == paper), None
    )
    if entry is None:
        raise UserError("This paper is not on the list (any more).")
    if not may_take_off(shared_list, entry, interaction.user.id, manages=manages_server(interaction)):
        raise UserError(
            "Only the member who put it there, the one who started the list, or someone who manages the "
            "server can take it off."
        )
    await services.store.lists.take_off(shared_list.id, paper)
    put_back = link("list.put_back", "Put back", number=shared_list.id, paper=paper)
    return note(f"Taken off **{shown(shared_list.name, 80)}**.", [[put_back]])


async def show_all(services: Services, guild: int | None) -> ui.LayoutView:
    """A server's lists."""
    if guild is None:
        raise UserError(ONLY_HERE)
    lists = await services.store.lists.of(guild)
    if not lists:
        return note("This server has no shared lists yet. /list add starts one with a paper on it.")
    lines = [f"- **{shown(one.name, 80)}** · {plural(one.papers, 'paper')}" for one in lists]
    return note("\n".join([f"## Lists of this server ({len(lists)})", *lines]))


async def show(services: Services, shared_list: SharedList, page: int = 0) -> ui.LayoutView:
    """A page of a list."""
    entries = await services.store.lists.papers(shared_list.id)
    if not entries:
        return note(f"**{shown(shared_list.name, 80)}** is empty. /list add puts a paper on it.")
    pages = -(-len(entries) // cards.PAGE)
    page = min(page, pages - 1)
    part = entries[page * cards.PAGE : (page + 1) * cards.PAGE]
    papers = await services.store.papers_by_number(entry.paper for entry in part)
    lines: list[tuple[str, ui.Item[Any]]] = []
    for entry in part:
        if (paper := papers.get(entry.paper)) is not None:
            by = f"-# by <@{entry.member}>, {moment(entry.made)}" if entry.member else ""
            text = "\n".join(filter(None, [*cards.work_lines(paper, {}), by]))
            lines.append((text, link("paper.card", "Details", paper=paper.id)))
    rows: list[list[ui.Item[Any]]] = []
    if pages > 1:
        newer = link("list.newer", "Newer", number=shared_list.id, page=max(page - 1, 0))
        older = link("list.older", "Older", number=shared_list.id, page=min(page + 1, pages - 1))
        newer.item.disabled, older.item.disabled = page == 0, page == pages - 1
        rows.append([newer, older])
    head = f"## {shown(shared_list.name, 80)}\n{plural(len(entries), 'paper')}"
    return cards.page(head, lines, start=page * cards.PAGE, rows=rows)


def refuse_deleting(interaction: discord.Interaction, shared_list: SharedList) -> None:
    """Raise the refusal for a member who may not delete a list."""
    if not may_change_list(shared_list, interaction.user.id, manages=manages_server(interaction)):
        raise UserError(
            "Only the member who started the list, or someone who manages the server, can delete it."
        )


async def delete(
    interaction: discord.Interaction, services: Services, shared_list: SharedList
) -> ui.LayoutView:
    """Delete a list."""
    refuse_deleting(interaction, shared_list)
    await services.store.lists.end(shared_list.id)
    return note(f"Deleted: **{shown(shared_list.name, 80)}**.")
