"""`/profile import`: reads a CV or an ORCID record; the member decides what to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
import orjson
from discord import ButtonStyle, ui

from commands.cards.lists import note
from commands.cards.text import label, plural, shown, title_link
from commands.kit.links import Press, button, choice, link, select
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.members.proof import NOT_AN_ORCID, PAGES_SPENT
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
NOTHING_LEFT = "There was nothing to keep (any more)."


@button("cv.keep_all", "cvi:k", style=ButtonStyle.primary)
async def keep_all(press: Press) -> None:
    """Keep all that was read."""
    await answer(press.interaction, keep(press.services, press.member, KINDS), private=True, update=True)


@button("cv.keep_publications", "cvi:p")
async def keep_publications(press: Press) -> None:
    """Keep the publications that were read, and nothing else."""
    await answer(press.interaction, keep(press.services, press.member, ("work",)), private=True, update=True)


@button("cv.keep_nothing", "cvi:d")
async def keep_nothing(press: Press) -> None:
    """Keep nothing of what was read."""
    await answer(press.interaction, discard(press.services, press.member), private=True, update=True)


@select("cv.leave_out", "cvo:r", "Leave out …", value=int)
async def leave_out(press: Press, entry: int) -> None:
    """Leave an entry out of what was read."""
    await answer(press.interaction, _left_out(press, entry), private=True, update=True)


@select("cv.remove", "cvo:k", "Remove …", value=int)
async def remove(press: Press, entry: int) -> None:
    """Remove an entry that was kept."""
    await answer(press.interaction, _removed(press, entry), private=True, update=True)


async def _left_out(press: Press, entry: int) -> ui.LayoutView:
    await _drop(press, entry)
    return await show_read(press.services, press.member)


async def _removed(press: Press, entry: int) -> ui.LayoutView:
    await _drop(press, entry)
    return await show_kept(press.services, press.member)


async def _drop(press: Press, entry: int) -> None:
    if not await press.services.store.own_works.remove(press.member, entry):
        raise UserError("This entry is gone already.")


async def import_cv(
    services: Services, member: int, file: discord.Attachment | None, orcid: str | None
) -> ui.LayoutView:
    """Read a file or an ORCID record, and show what was understood for the member to confirm."""
    claim = await services.store.claims.of_member(member)
    if claim is None:
        raise UserError(CLAIM_FIRST)
    if (file is None) == (orcid is None):
        raise UserError("Give either a file (PDF, Markdown, text, LaTeX or BibTeX) or your ORCID.")
    try:
        cv = await (_from_file(file) if file is not None else _from_orcid(services, member, orcid or ""))
    except (UnreadableError, SourceError) as error:
        raise UserError(shown(str(error), 300)) from error
    person = await services.store.people.find(claim.person_id)
    matched = await match_cv(services.store, cv, person.id if person else claim.person_id)
    entries = [
        OwnEntry(0, "work", "read", m.publication.title, m.publication.venue,
                 m.publication.year, m.publication.status,
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
            f"The file has {file.size / 1e6:.1f} MB; I read files of up to {MOST_BYTES // 1_000_000} MB."
        )
    return await read_cv(await file.read(), file.filename)


async def _from_orcid(services: Services, member: int, typed: str) -> CV:
    number = orcid_in(typed)
    if number is None:
        raise UserError(NOT_AN_ORCID)
    if not await services.store.limits.spend(PAGES, member):
        raise UserError(PAGES_SPENT)
    body = await services.web.read(f"{services.orcid_url}/v3.0/{number}/record", accept="application/json")
    try:
        return read_orcid(orjson.loads(body))
    except orjson.JSONDecodeError as error:
        raise SourceError("ORCID did not answer with a record; try again later") from error


async def show_read(
    services: Services, member: int, own: frozenset[int] | None = None, unread: Sequence[str] = ()
) -> ui.LayoutView:
    """What was read and waits for the member to confirm it."""
    entries = await services.store.own_works.of(member, "read")
    if not entries and not unread:
        return note(
            "I found no publications, positions or interests in it. Headings such as “Publications” and "
            "“Education” help me to read a CV."
        )
    papers = await _papers(services, entries)
    if own is None:
        claim = await services.store.claims.of_member(member)
        rows = await services.store.people.memberships(claim.person_id) if claim else []
        own = frozenset(row.paper_id for row in rows)
    works = [entry for entry in entries if entry.kind == "work"]
    known = [entry for entry in works if entry.paper_id in papers]
    others = [entry for entry in works if entry.paper_id not in papers]
    lines = [f"## Read: {plural(len(works), 'publication')}", "I keep nothing until you say so."]
    lines += _block(
        f"Papers that I know ({len(known)})", [_known(entry, papers, own) for entry in known], "known"
    )
    lines += _block(
        f"Works that I don't know ({len(others)}); I keep them as self-reported",
        [_work(e) for e in others],
        "work",
    )
    lines += _rest(entries)
    if unread:
        lines += _block(
            f"Lines that I could not read ({len(unread)})",
            [f"- {shown(line, 160)}" for line in unread],
            "other",
        )
    options = [
        discord.SelectOption(label=label(entry.text, 100), value=str(entry.id), description=entry.kind)
        for entry in entries[:25]
    ]
    buttons: list[ui.Item[Any]] = [link("cv.keep_all", "Keep all of it")]
    if works and len(works) < len(entries):
        buttons.append(link("cv.keep_publications", "Publications only"))
    buttons.append(link("cv.keep_nothing", "Keep nothing"))
    rows_: list[list[ui.Item[Any]]] = [[choice("cv.leave_out", options)], buttons] if entries else []
    return note("\n".join(lines), rows_)


async def discard(services: Services, member: int) -> ui.LayoutView:
    """Keep nothing of what was read."""
    gone = await services.store.own_works.discard(member)
    return note("I have kept none of it." if gone else NOTHING_LEFT)


async def keep(services: Services, member: int, kinds: Sequence[str]) -> ui.LayoutView:
    """Keep the entries of these kinds of what was read."""
    count = await services.store.own_works.keep(member, kinds)
    if not count:
        return note(f"{NOTHING_LEFT} /profile import reads a CV again.")
    return note(
        f"Kept: {plural(count, 'entry', 'entries')}. They stand on your card as self-reported, for those who "
        "may see your profile (/profile edit). /profile works lists them and can remove any."
    )


async def show_kept(services: Services, member: int) -> ui.LayoutView:
    """What a member has kept from a CV."""
    entries = await services.store.own_works.of(member)
    if not entries:
        return note("You have kept nothing from a CV yet. /profile import reads a file or your ORCID record.")
    papers = await _papers(services, entries)
    works = [entry for entry in entries if entry.kind == "work"]
    lines = [f"## Self-reported: {plural(len(works), 'publication')}"]
    own = frozenset(paper.id for paper in papers.values())
    lines += [_known(e, papers, own) if e.paper_id in papers else _work(e) for e in works[:20]]
    if len(works) > 20:
        lines.append(f"-# and {len(works) - 20} more")
    lines += _rest(entries)
    options = [
        discord.SelectOption(label=label(entry.text, 100), value=str(entry.id), description=entry.kind)
        for entry in entries[:25]
    ]
    return note("\n".join(lines), [[choice("cv.remove", options)]])


async def _papers(services: Services, entries: Sequence[OwnEntry]) -> dict[int, Paper]:
    wanted = [entry.paper_id for entry in entries if entry.paper_id is not None]
    return await services.store.papers_by_number(wanted)


def _block(heading: str, lines: Sequence[str], kind: str) -> list[str]:
    if not lines:
        return []
    most = SHOWN[kind]
    more = [f"-# and {len(lines) - most} more"] if len(lines) > most else []
    return [f"**{heading}**", *lines[:most], *more]


def _known(entry: OwnEntry, papers: dict[int, Paper], own: frozenset[int]) -> str:
    paper = papers[entry.paper_id or 0]
    mine = (
        ""
        if paper.id in own
        else " · not among your papers yet; those who manage the server can correct that"
    )
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
