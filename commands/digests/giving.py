"""`/digest learn`: papers for a digest to learn from: pasted, in a file, by ORCID iD, by a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import discord
import orjson
from discord import ButtonStyle, ui

from commands.cards import giving as cards
from commands.cards import setup_pages as setup_cards
from commands.cards.lists import note
from commands.digests.allowed import own_digest
from commands.digests.which import line_of
from commands.kit.authority import manages_server
from commands.kit.limits import IMPORT, SEARCH, Cost
from commands.kit.links import Press, button, choice, link, select
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.which_person import person_of, refuse_several, whom
from data.sources.http import SourceError
from data.stores.digest_record import Digest
from data.stores.limits import PAGES
from index.claims.orcid_records import orcid_in
from index.digest import seeds
from index.digest.seeds import SeedPapers
from index.documents.cv_file import UnreadableError, read_orcid
from index.documents.reference_file import MOST_BYTES

_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Gift:
    """What a member gives: texts as they typed them, and a file."""

    papers: str | None = None
    file: discord.Attachment | None = None
    orcid: str | None = None
    person: str | None = None

    @property
    def cost(self) -> Cost:
        """A file or a record is an import; ids, titles and names are looked up as by a search."""
        pasted = self.papers is not None and seeds.is_references(self.papers)
        has_record = bool(self.orcid and self.orcid.strip())
        return IMPORT if self.file is not None or has_record or pasted else SEARCH


@button("digest.take_back_given", "dge:u:{digest}:{moment:snowflake}", style=ButtonStyle.danger)
async def undo_pressed(press: Press, digest: int, moment: int) -> None:
    """Take away what was given at a moment, in microseconds."""
    await answer(press.interaction, _taken_back(press, digest, moment), private=True, update=True)


@button("digest.forget_given", "dge:x:{digest}", style=ButtonStyle.danger)
async def forget_pressed(press: Press, digest: int) -> None:
    """Take away everything that was given."""
    await answer(press.interaction, _taken_back(press, digest, None), private=True, update=True)


async def _taken_back(press: Press, number: int, moment: int | None) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    made = _EPOCH + timedelta(microseconds=moment) if moment is not None else None
    gone = await press.services.store.digests.uproot(digest.id, made)
    if not gone:
        raise UserError(cards.TAKEN_BACK_ALREADY)
    return note(cards.taken_back(digest, gone))


@button("digest.teach_person", "dge:p:{person}")
async def teach_pressed(press: Press, person: int) -> None:
    """From a person's card: let one of the member's digests learn from their papers."""
    await answer(press.interaction, _teach(press, person), private=True)


@select("digest.teach", "dgp:{person}", "Which digest?", value=int)
async def teach(press: Press, digest: int, person: int) -> None:
    """Let the chosen digest learn from a person's papers."""
    await answer(press.interaction, _taught(press, digest, person), private=True, update=True)


async def _teach(press: Press, person: int) -> ui.LayoutView:
    store = press.services.store.digests
    digests = await store.of_owner(press.member, drafts=True)
    if press.guild and manages_server(press.interaction):
        digests = [*await store.of_guild(press.guild, drafts=True), *digests]
    if not digests:
        raise UserError(cards.NO_DIGEST)
    if len(digests) == 1:
        return await _taught(press, digests[0].id, person)
    options = [
        discord.SelectOption(label=line_of(press.interaction, one), value=str(one.id)) for one in digests[:25]
    ]
    name = (await person_of(press.services, person)).name
    return note(cards.which_learns(name), [[choice("digest.teach", options, person=person)]])


async def _taught(press: Press, number: int, person: int) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    return await given_to(press.services, press.member, digest, Gift(person=f"~{person}"))


async def given_to(services: Services, member: int, digest: Digest, gift: Gift) -> ui.LayoutView:
    """Let a digest learn from what a member gives, and say what was understood.

    Raises
    ------
    UserError
        Where nothing was given, or none of it is a paper of this library.
    """
    parts = await understood(services, member, gift)
    if not parts:
        raise UserError(cards.NOTHING_GIVEN)
    unknown = [text for _, given in parts for text in given.unknown]
    if not any(given.papers for _, given in parts):
        raise UserError(cards.none_known(unknown))
    rows: list[ui.Item[Any]] = []
    new = 0
    for kind, given in parts:
        count, made = await services.store.digests.plant(digest.id, kind, given.papers)
        new += count
        if count and not rows:
            moment = (made - _EPOCH) // timedelta(microseconds=1)
            rows.append(link("digest.take_back_given", "Undo", digest=digest.id, moment=moment))
    if len([kind for kind, given in parts if given.papers]) > 1:
        rows = []
    return await _told(services, digest, new, unknown, rows)


async def _told(
    services: Services, digest: Digest, new: int, unknown: Sequence[str], rows: list[ui.Item[Any]]
) -> ui.LayoutView:
    planted = await services.store.digests.seeds(digest.id)
    papers = await services.store.papers([seed.paper for seed in planted[: setup_cards.TITLES_SHOWN]])
    if planted:
        rows = [*rows, link("digest.forget_given", "Forget these papers", digest=digest.id)]
    rows.append(link("digest.preview", "Preview", digest=digest.id))
    return note(cards.given(digest, new, planted, papers, unknown), [rows])


async def understood(services: Services, member: int, gift: Gift) -> list[tuple[str, SeedPapers]]:
    """What was given, by kind, and the papers it stands for.

    Raises
    ------
    UserError
        Where it can't be read.
    """
    store, parts = services.store, list[tuple[str, SeedPapers]]()
    try:
        if gift.papers and gift.papers.strip():
            parts.append(("text", await seeds.from_text(store, services.search, gift.papers)))
        if gift.file is not None:
            parts.append(("file", await _of_file(services, gift.file)))
        if gift.orcid and gift.orcid.strip():
            parts.append(("orcid", await _of_orcid(services, member, gift.orcid)))
    except (UnreadableError, SourceError) as error:
        raise UserError(cards.unreadable(str(error))) from error
    if gift.person and gift.person.strip():
        parts.append(("person", await _of_person(services, gift.person)))
    return parts


async def _of_file(services: Services, file: discord.Attachment) -> SeedPapers:
    if file.size > MOST_BYTES:
        raise UnreadableError(
            f"The file has {file.size / 1e6:.1f} MB; I read files of up to {MOST_BYTES // 1_000_000} MB."
        )
    return await seeds.from_file(services.store, await file.read(), file.filename)


async def _of_orcid(services: Services, member: int, typed: str) -> SeedPapers:
    number = orcid_in(typed)
    if number is None:
        raise UserError(cards.NOT_AN_ORCID)
    if not await services.store.limits.spend(PAGES, member):
        raise UserError(cards.PAGES_SPENT)
    body = await services.web.read(f"{services.orcid_url}/v3.0/{number}/record", accept="application/json")
    try:
        record = read_orcid(orjson.loads(body))
    except orjson.JSONDecodeError as error:
        raise SourceError("ORCID did not answer with a record. Please try again later") from error
    return await seeds.from_record(services.store, record)


async def _of_person(services: Services, typed: str) -> SeedPapers:
    match = await whom(services, typed)
    refuse_several(match)
    if match.person is None:
        raise UserError(cards.nobody(typed))
    return seeds.of_person(services.insight.people, match.person.id)
