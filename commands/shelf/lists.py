"""`/list`: a server's shared lists of papers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards import shelf as cards
from commands.cards.exports import FORMATS, ExportedWork
from commands.cards.lists import note
from commands.cards.text import label, plural, shown
from commands.kit.authority import manages_server
from commands.kit.components import Pressable
from commands.kit.limits import EXPORT, FEED
from commands.kit.links import link
from commands.kit.options import complete_paper
from commands.kit.replies import Reply, UserError, answer
from commands.kit.services import Services
from commands.kit.which_paper import which_paper
from commands.shelf.feeds import feed_view
from commands.shelf.library import FORMAT_CHOICES, file_of
from data.keys import fold
from data.stores.lists import ListRefused, SharedList

ONLY_HERE = "Shared lists belong to a server; ask there. Your own: /save and /library."


class ListPage(Pressable, template=r"ls:p:(?P<list>\d{1,12}):(?P<page>\d{1,4}):(?P<key>[pn])"):
    """Leads to a page of a list."""

    def __init__(self, text: str, *, list: str, page: str, key: str) -> None:
        self.list, self.page = int(list), int(page)
        super().__init__(ui.Button(label=text, custom_id=f"ls:p:{self.list}:{self.page}:{key}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, self._turned(interaction, services), update=True)

    async def _turned(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        return await show(services, await here(interaction, services, self.list), self.page)


class ListButton(Pressable, template=r"ls:(?P<what>[xub]):(?P<list>\d{1,12})(?::(?P<paper>\d{1,12}))?"):
    """Of a list: delete it (x); of a paper on it: take it off again (u), put it back (b)."""

    def __init__(self, text: str, *, what: str, list: str, paper: str | None = None) -> None:
        self.what, self.list, self.paper = what, int(list), int(paper or 0)
        style = ButtonStyle.danger if what == "x" else ButtonStyle.secondary
        end = f":{self.paper}" if what != "x" else ""
        super().__init__(ui.Button(label=text, style=style, custom_id=f"ls:{what}:{self.list}{end}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, self._done(interaction, services), private=True, update=self.what == "x")

    async def _done(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        found = await here(interaction, services, self.list)
        if self.what == "x":
            return await delete(interaction, services, found)
        if self.what == "u":
            return await take_off(interaction, services, found, self.paper)
        return await put(services, found, self.paper, interaction.user.id)


async def here(interaction: discord.Interaction, services: Services, number: int) -> SharedList:
    """A list of the server that somebody is in."""
    found = await services.store.lists.find(number)
    if found is None or found.guild != interaction.guild_id:
        raise UserError("This list is gone. /list show shows those of this server.")
    return found


async def named(interaction: discord.Interaction, services: Services, typed: str) -> SharedList:
    """The list of this server that a name, or a choice offered while typing, means."""
    if interaction.guild_id is None:
        raise UserError(ONLY_HERE)
    text = typed.strip()
    if text.startswith("#") and text[1:].isdigit() and len(text) < 14:
        return await here(interaction, services, int(text[1:]))
    found = await services.store.lists.named(interaction.guild_id, text)
    if found is None:
        known = ", ".join(
            shown(one.name, 40) for one in (await services.store.lists.of(interaction.guild_id))[:10]
        )
        more = f" There are: {known}." if known else " There is none yet: /list add begins one."
        raise UserError(f"There is no list “{shown(text, 60)}” here.{more}")
    return found


async def add(interaction: discord.Interaction, services: Services, typed: str, name: str) -> ui.LayoutView:
    """Put the paper that a text means on a list, which is begun where there is none."""
    if interaction.guild_id is None:
        raise UserError(ONLY_HERE)
    paper = await which_paper(services, typed)
    if name.startswith("#") and name[1:].isdigit():
        found = await named(interaction, services, name)
    else:
        try:
            found = await services.store.lists.make(interaction.guild_id, name, interaction.user.id)
        except ListRefused as error:
            raise UserError(str(error)) from error
    return await put(services, found, paper, interaction.user.id)


async def put(services: Services, found: SharedList, paper: int, member: int) -> ui.LayoutView:
    """Put a paper on a list."""
    papers = await services.store.papers([paper])
    if not papers:
        raise UserError("I no longer know this paper.")
    try:
        new = await services.store.lists.put(found.id, papers[0].id, member)
    except ListRefused as error:
        raise UserError(str(error)) from error
    said = "Put on" if new else "It stands already on"
    button = ListButton("Take off", what="u", list=str(found.id), paper=str(papers[0].id))
    return note(f"{said} **{shown(found.name, 80)}**: {shown(papers[0].title, 120)}.", [[button]])


async def take_off(
    interaction: discord.Interaction, services: Services, found: SharedList, paper: int
) -> ui.LayoutView:
    """Take a paper off: whoever put it there may, whoever began the list, and who manages the server."""
    entry = next((one for one in await services.store.lists.papers(found.id) if one.paper == paper), None)
    if entry is None:
        raise UserError("This paper is not on the list (any more).")
    if interaction.user.id not in (entry.member, found.owner) and not manages_server(interaction):
        raise UserError(
            "Only who put it there, who began the list, and who manages the server can take it off."
        )
    await services.store.lists.take_off(found.id, paper)
    button = ListButton("Put back", what="b", list=str(found.id), paper=str(paper))
    return note(f"Taken off **{shown(found.name, 80)}**.", [[button]])


async def show_all(services: Services, guild: int | None) -> ui.LayoutView:
    """A server's lists."""
    if guild is None:
        raise UserError(ONLY_HERE)
    found = await services.store.lists.of(guild)
    if not found:
        return note("There is no shared list here yet. /list add puts a paper on one, and begins it.")
    lines = [f"- **{shown(one.name, 80)}** · {plural(one.papers, 'paper')}" for one in found]
    return note("\n".join([f"## Lists of this server ({len(found)})", *lines]))


async def show(services: Services, found: SharedList, page: int = 0) -> ui.LayoutView:
    """A page of a list."""
    entries = await services.store.lists.papers(found.id)
    if not entries:
        return note(f"**{shown(found.name, 80)}** is empty. /list add puts a paper on it.")
    pages = -(-len(entries) // cards.PAGE)
    page = min(page, pages - 1)
    part = entries[page * cards.PAGE : (page + 1) * cards.PAGE]
    papers = {paper.id: paper for paper in await services.store.papers([entry.paper for entry in part])}
    lines: list[tuple[str, ui.Item[Any]]] = []
    for entry in part:
        paper = papers.get(entry.paper) or next(iter(await services.store.papers([entry.paper])), None)
        if paper is not None:
            by = f"-# by <@{entry.member}>, <t:{_unix(entry.made)}:d>" if entry.member else ""
            text = "\n".join(filter(None, [*cards.work_lines(paper, {}), by]))
            lines.append((text, link("paper.card", "Details", paper=paper.id)))
    rows: list[list[ui.Item[Any]]] = []
    if pages > 1:
        back = ListPage("Newer", list=str(found.id), page=str(max(page - 1, 0)), key="p")
        on = ListPage("Older", list=str(found.id), page=str(min(page + 1, pages - 1)), key="n")
        back.item.disabled, on.item.disabled = page == 0, page == pages - 1
        rows.append([back, on])
    head = f"## {shown(found.name, 80)}\n{plural(len(entries), 'paper')}"
    return cards.page(head, lines, start=page * cards.PAGE, rows=rows)


def _unix(instant: datetime) -> int:
    return int(instant.replace(tzinfo=UTC).timestamp())


async def delete(interaction: discord.Interaction, services: Services, found: SharedList) -> ui.LayoutView:
    """End a list."""
    if interaction.user.id != found.owner and not manages_server(interaction):
        raise UserError("Only who began the list, and who manages the server, can delete it.")
    await services.store.lists.end(found.id)
    return note(f"Deleted: **{shown(found.name, 80)}**.")


class ListCommands(
    commands.GroupCog, group_name="list", group_description="Shared lists of papers of this server"
):
    """A server's shared lists."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    async def _complete(
        self, interaction: discord.Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        wanted = fold(current)
        found = await self._services.store.lists.of(interaction.guild_id) if interaction.guild_id else []
        return [
            app_commands.Choice(
                name=label(f"{one.name} ({plural(one.papers, 'paper')})", 100), value=f"#{one.id}"
            )
            for one in found
            if wanted in fold(one.name)
        ][:25]

    @app_commands.command()
    @app_commands.describe(paper="A title, an arXiv id or a link", list="Its name; a new one begins a list")
    @app_commands.autocomplete(paper=complete_paper, list=_complete)
    async def add(
        self,
        interaction: discord.Interaction,
        paper: app_commands.Range[str, 1, 500],
        list: app_commands.Range[str, 1, 80],
    ) -> None:
        """Put a paper on a shared list"""
        await answer(interaction, add(interaction, self._services, paper, list))

    @app_commands.command()
    @app_commands.describe(list="Which; all are named without it")
    @app_commands.autocomplete(list=_complete)
    async def show(
        self, interaction: discord.Interaction, list: app_commands.Range[str, 1, 80] | None = None
    ) -> None:
        """Show a shared list, or which there are"""
        await answer(interaction, self._show(interaction, list))

    async def _show(self, interaction: discord.Interaction, typed: str | None) -> ui.LayoutView:
        if typed is None:
            return await show_all(self._services, interaction.guild_id)
        return await show(self._services, await named(interaction, self._services, typed))

    @app_commands.command()
    @app_commands.describe(paper="A title, an arXiv id or a link", list="Which")
    @app_commands.autocomplete(paper=complete_paper, list=_complete)
    async def remove(
        self,
        interaction: discord.Interaction,
        paper: app_commands.Range[str, 1, 500],
        list: app_commands.Range[str, 1, 80],
    ) -> None:
        """Take a paper off a shared list"""
        await answer(interaction, self._remove(interaction, paper, list), private=True)

    async def _remove(self, interaction: discord.Interaction, typed: str, name: str) -> ui.LayoutView:
        found = await named(interaction, self._services, name)
        ids = (await self._services.search.meant(typed)).papers
        on = {entry.paper for entry in await self._services.store.lists.papers(found.id)}
        meant = [number for number in ids if number in on]
        if len(meant) != 1:
            raise UserError(
                "This paper is not on the list." if not meant else "Several could be meant; give the title."
            )
        return await take_off(interaction, self._services, found, meant[0])

    @app_commands.command()
    @app_commands.describe(list="Which")
    @app_commands.autocomplete(list=_complete)
    async def delete(self, interaction: discord.Interaction, list: app_commands.Range[str, 1, 80]) -> None:
        """End a shared list"""
        await answer(interaction, self._ask(interaction, list), private=True)

    async def _ask(self, interaction: discord.Interaction, typed: str) -> ui.LayoutView:
        found = await named(interaction, self._services, typed)
        text = f"Delete **{shown(found.name, 80)}** with {plural(found.papers, 'paper')}? /list export keeps it in a file."
        return note(text, [[ListButton("Delete", what="x", list=str(found.id))]])

    @app_commands.command(name="export")
    @app_commands.describe(list="Which", format="For which program")
    @app_commands.autocomplete(list=_complete)
    @app_commands.choices(format=FORMAT_CHOICES)
    async def export_(
        self, interaction: discord.Interaction, list: app_commands.Range[str, 1, 80], format: str = "bibtex"
    ) -> None:
        """Get a shared list as BibTeX, RIS or CSL-JSON"""
        await answer(interaction, self._export(interaction, list, format), private=True, cost=EXPORT)

    async def _export(self, interaction: discord.Interaction, typed: str, format_: str) -> Reply:
        found = await named(interaction, self._services, typed)
        entries = await self._services.store.lists.papers(found.id)
        papers = await self._services.store.papers([entry.paper for entry in entries])
        if not papers:
            raise UserError(f"**{shown(found.name, 80)}** is empty.")
        name, limit = f"list.{FORMATS[format_]}", interaction.filesize_limit
        return await file_of([ExportedWork(paper) for paper in papers], format_, name, limit)

    @app_commands.command()
    @app_commands.describe(list="Which")
    @app_commands.autocomplete(list=_complete)
    async def feed(self, interaction: discord.Interaction, list: app_commands.Range[str, 1, 80]) -> None:
        """Read a shared list in a feed reader"""
        await answer(interaction, self._feed(interaction, list), private=True, cost=FEED)

    async def _feed(self, interaction: discord.Interaction, typed: str) -> ui.LayoutView:
        found = await named(interaction, self._services, typed)
        if found.owner != interaction.user.id and not manages_server(interaction):
            raise UserError("Only who began the list, and who manages the server, can make its feed.")
        return await feed_view(self._services, "list", found.id, interaction.user.id)


async def setup(bot: commands.Bot) -> None:
    """Add the commands and buttons."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(ListPage, ListButton)
    await bot.add_cog(ListCommands(services))
