"""`/profile import`: a CV or an ORCID record, read; what is taken over, and what not, the member decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
import orjson
from discord import ButtonStyle, ui

from commands.cards.lists import note
from commands.cards.text import label, plural, shown, title_link
from commands.kit.components import Choosable, Pressable
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from data.records import Paper
from data.sources.http import SourceError
from data.stores.limits import PAGES
from data.stores.own_works import KINDS, OwnEntry
from index.claims.orcid_records import orcid_in
from index.documents.cv import CV
from index.documents.cv_file import MOST_BYTES, UnreadableError, read_cv, read_orcid
from index.documents.cv_match import match_cv

SHOWN = {"known": 10, "work": 10, "other": 6}
CLAIM_FIRST = "Claim your papers first: /claim person:*your name*."


class ImportButton(Pressable, template=r"cvi:(?P<what>[kpd])"):
    """Of what was read from the presser's own CV: keep all (k), the publications alone (p), or nothing (d)."""

    def __init__(self, text: str, *, what: str) -> None:
        self.what = what
        style = ButtonStyle.primary if what == "k" else ButtonStyle.secondary
        super().__init__(ui.Button(label=text, style=style, custom_id=f"cvi:{what}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, settle(services, interaction.user.id, self.what), private=True, update=True)


class LeaveOutSelect(Choosable, template=r"cvo:(?P<state>[rk])"):
    """Which entry of the chooser's own to leave out of what was read (r), or to remove from what is kept (k)."""

    def __init__(self, choices: list[discord.SelectOption], *, state: str) -> None:
        self.state = state
        super().__init__(
            ui.Select(
                custom_id=f"cvo:{state}",
                placeholder="Leave out …" if state == "r" else "Remove …",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        number = int(value) if value.isdigit() and len(value) < 13 else 0
        work = self._without(services, interaction.user.id, number)
        await answer(interaction, work, private=True, update=True)

    async def _without(self, services: Services, member: int, number: int) -> ui.LayoutView:
        if not await services.store.own_works.remove(member, number):
            raise UserError("This entry is gone already.")
        return await (show_read if self.state == "r" else show_kept)(services, member)


async def import_cv(
    services: Services, member: int, file: discord.Attachment | None, orcid: str | None
) -> ui.LayoutView:
    """Read a file or an ORCID record, keep what was understood for confirmation, and show it."""
    claim = await services.store.claims.of_member(member)
    if claim is None:
        raise UserError(CLAIM_FIRST)
    if (file is None) == (orcid is None):
        raise UserError("Give a file (PDF, Markdown, text, LaTeX or BibTeX), or your ORCID; one of the two.")
    try:
        cv = await (_from_file(file) if file is not None else _from_orcid(services, member, orcid or ""))
    except (UnreadableError, SourceError) as error:
        raise UserError(shown(str(error), 300)) from error
    person = await services.store.people.find(claim.person_id)
    matched = await match_cv(services.store, cv, person.id if person else claim.person_id)
    entries = [
        OwnEntry(0, "work", "read", m.publication.title, m.publication.venue, m.publication.year, m.publication.status,
                 m.paper.id if m.paper else None)
        for m in matched
    ]  # fmt: skip
    for kind, texts in (("education", cv.education), ("position", cv.positions), ("interest", cv.interests)):
        entries += [OwnEntry(0, kind, "read", text) for text in texts]
    await services.store.own_works.put(member, entries)
    own = frozenset(m.paper.id for m in matched if m.paper and m.own)
    understood = {m.publication.text for m in matched}
    return await show_read(services, member, own, [line for line in cv.unread if line not in understood])


async def _from_file(file: discord.Attachment) -> CV:
    if file.size > MOST_BYTES:
        raise UnreadableError(
            f"The file has {file.size / 1e6:.1f} MB; up to {MOST_BYTES // 1_000_000} are read."
        )
    return await read_cv(await file.read(), file.filename)


async def _from_orcid(services: Services, member: int, typed: str) -> CV:
    number = orcid_in(typed)
    if number is None:
        raise UserError("This is no ORCID; it looks like 0000-0002-1825-0097.")
    if not await services.store.limits.spend(PAGES, member):
        raise UserError("I've opened as many pages for you today as I may; try again tomorrow.")
    body = await services.web.read(f"{services.orcid_url}/v3.0/{number}/record", accept="application/json")
    try:
        return read_orcid(orjson.loads(body))
    except orjson.JSONDecodeError as error:
        raise SourceError("ORCID's answer is not a record; try again later") from error


async def show_read(
    services: Services, member: int, own: frozenset[int] | None = None, unread: Sequence[str] = ()
) -> ui.LayoutView:
    """What was read and waits for the member's word."""
    entries = await services.store.own_works.of(member, "read")
    if not entries and not unread:
        return note(
            "I found no publications, positions or interests in it. Headings such as “Publications” and “Education” help."
        )
    papers = await _papers(services, entries)
    if own is None:
        claim = await services.store.claims.of_member(member)
        rows = await services.store.people.memberships(claim.person_id) if claim else []
        own = frozenset(row.paper_id for row in rows)
    works = [entry for entry in entries if entry.kind == "work"]
    known = [entry for entry in works if entry.paper_id in papers]
    others = [entry for entry in works if entry.paper_id not in papers]
    lines = [f"## Read: {plural(len(works), 'publication')}", "Nothing is kept until you say so."]
    lines += _block(f"Known papers ({len(known)})", [_known(entry, papers, own) for entry in known], "known")
    lines += _block(
        f"Not known to me ({len(others)}); kept as your own word, and marked so",
        [_work(e) for e in others],
        "work",
    )
    lines += _rest(entries)
    if unread:
        lines += _block(
            f"Not understood ({len(unread)})", [f"- {shown(line, 160)}" for line in unread], "other"
        )
    options = [
        discord.SelectOption(label=label(entry.text, 100), value=str(entry.id), description=entry.kind)
        for entry in entries[:25]
    ]
    buttons: list[ui.Item[Any]] = [ImportButton("Keep all of it", what="k")]
    if works and len(works) < len(entries):
        buttons.append(ImportButton("Publications only", what="p"))
    buttons.append(ImportButton("Keep nothing", what="d"))
    rows_: list[list[ui.Item[Any]]] = [[LeaveOutSelect(options, state="r")], buttons] if entries else []
    return note("\n".join(lines), rows_)


async def settle(services: Services, member: int, what: str) -> ui.LayoutView:
    """Keep what was read, or a part, or nothing."""
    own_works = services.store.own_works
    if what == "d":
        gone = await own_works.discard(member)
        return note("Nothing of it is kept." if gone else "There was nothing to keep (any more).")
    count = await own_works.keep(member, KINDS if what == "k" else ("work",))
    if not count:
        return note("There was nothing to keep (any more). /profile import reads a CV anew.")
    return note(
        f"Kept: {plural(count, 'entry', 'entries')}. They stand on your card as your own word, shown to whom your profile "
        "is shown (/profile edit). /profile works lists them, and removes any."
    )


async def show_kept(services: Services, member: int) -> ui.LayoutView:
    """What a member took over from a CV."""
    entries = await services.store.own_works.of(member)
    if not entries:
        return note(
            "You have taken over nothing from a CV. /profile import reads one: a file, or your ORCID."
        )
    papers = await _papers(services, entries)
    works = [entry for entry in entries if entry.kind == "work"]
    lines = [f"## Your own word: {plural(len(works), 'publication')}"]
    lines += [_known(e, papers, frozenset(papers)) if e.paper_id in papers else _work(e) for e in works[:20]]
    if len(works) > 20:
        lines.append(f"-# and {len(works) - 20} more")
    lines += _rest(entries)
    options = [
        discord.SelectOption(label=label(entry.text, 100), value=str(entry.id), description=entry.kind)
        for entry in entries[:25]
    ]
    return note("\n".join(lines), [[LeaveOutSelect(options, state="k")]])


async def _papers(services: Services, entries: Sequence[OwnEntry]) -> dict[int, Paper]:
    wanted = [entry.paper_id for entry in entries if entry.paper_id is not None]
    return {paper.id: paper for paper in await services.store.papers(wanted)}


def _block(heading: str, lines: Sequence[str], kind: str) -> list[str]:
    if not lines:
        return []
    most = SHOWN[kind]
    more = [f"-# and {len(lines) - most} more"] if len(lines) > most else []
    return [f"**{heading}**", *lines[:most], *more]


def _known(entry: OwnEntry, papers: dict[int, Paper], own: frozenset[int]) -> str:
    paper = papers[entry.paper_id or 0]
    mine = "" if paper.id in own else " · not among yours yet; those who manage the server can correct that"
    return f"- {title_link(paper, 100)}{mine}{_marks(entry, '')}"


def _work(entry: OwnEntry) -> str:
    where = (
        entry.venue if str(entry.year or "") in entry.venue else f"{entry.venue} {entry.year or ''}".strip()
    )
    return f"- {shown(entry.text, 110)}{_marks(entry, where or str(entry.year or ''))}"


def _marks(entry: OwnEntry, where: str) -> str:
    marks = [shown(where, 60)] if where else []
    marks += [f"*{shown(entry.status, 20)}*"] if entry.status else []
    return " · " + " · ".join(marks) if marks else ""


def _rest(entries: Sequence[OwnEntry]) -> list[str]:
    lines = []
    for kind, heading in (("education", "Education"), ("position", "Positions")):
        lines += _block(heading, [f"- {shown(e.text, 120)}" for e in entries if e.kind == kind], "other")
    interests = [shown(entry.text, 50) for entry in entries if entry.kind == "interest"]
    return lines + ([f"**Interests** {', '.join(interests)}"] if interests else [])
