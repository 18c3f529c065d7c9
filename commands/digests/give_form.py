"""The last question of `/setup`: a form for papers, a file, an ORCID and people to learn from."""

from __future__ import annotations

from functools import partial
from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards import giving as cards
from commands.digests.allowed import own_digest
from commands.digests.forms import LONGEST, DigestForm, people_named, written
from commands.digests.giving import Gift, understood
from commands.digests.setup_choices import again
from commands.kit.limits import Cost
from commands.kit.links import Press, button
from commands.kit.replies import answer, open_form
from commands.kit.reply import Reply
from data.stores.digest_record import Digest


@button("setup.give", "su:l:{digest}")
async def give_pressed(press: Press, digest: int) -> None:
    """Open the form for papers, a file, an ORCID and people."""
    await open_form(press.interaction, await _open(press, digest))


@button("setup.forget", "su:x:{digest}", style=ButtonStyle.danger)
async def forget_pressed(press: Press, digest: int) -> None:
    """Take away the papers that were given, and show the page again."""
    await answer(press.interaction, _forgotten(press, digest), private=True, update=True)


async def _forgotten(press: Press, number: int) -> ui.LayoutView | Reply:
    digest = await own_digest(press.interaction, press.services, number)
    await press.services.store.digests.uproot(digest.id)
    return await again(press, digest.id, "learn")


async def _open(press: Press, number: int) -> ui.Modal:
    draft = await own_digest(press.interaction, press.services, number)
    return GiveForm(press, draft, await written(press.services, draft))


class GiveForm(DigestForm):
    """Papers, a file, an ORCID and people that a draft learns from."""

    def __init__(self, press: Press, digest: Digest, people: str) -> None:
        then = partial(again, press, digest.id, "learn")
        super().__init__(press.services, digest, "What should I learn from?", "suml", then)
        self._press, self._people = press, people
        self.fields = {
            "papers": _typed("papers", most=4_000, long=True, placeholder="One per line"),
            "orcid": _typed("orcid", most=100, placeholder="0000-0002-1825-0097"),
            "people": _typed("people", most=LONGEST, long=True, default=people),
        }
        self._file = ui.FileUpload[ui.LayoutView](custom_id="file", required=False)
        labels: tuple[tuple[str, str, ui.Item[Any]], ...] = (
            ("Papers", "Links, ids, titles or BibTeX", self.fields["papers"]),
            ("A file", "BibTeX, RIS or CSL-JSON, for example from Zotero", self._file),
            ("An ORCID iD", "I learn from the papers in its public record", self.fields["orcid"]),
            ("People to watch", "One per line; I watch for their new papers", self.fields["people"]),
        )
        for text, description, item in labels:
            self.add_item(ui.Label(text=text, description=description, component=item))

    def _gift(self, values: dict[str, str]) -> Gift:
        return Gift(values["papers"], next(iter(self._file.values), None), values["orcid"])

    def cost(self, values: dict[str, str]) -> Cost:
        return self._gift(values).cost

    async def kept(self, values: dict[str, str]) -> ui.LayoutView | Reply:
        people = await people_named(self._services, values["people"])
        parts = await understood(self._services, self._press.member, self._gift(values))
        await self._services.store.digests.change(self._digest.id, people=people.stored)
        unknown: list[str] = []
        for kind, given in parts:
            await self._services.store.digests.plant(self._digest.id, kind, given.papers)
            unknown += given.unknown
        problems = [people.problem, cards.unknown_line(unknown) if unknown else ""]
        return await self._then(problem="\n".join(filter(None, problems)))


def _typed(
    name: str, *, most: int, long: bool = False, default: str = "", placeholder: str | None = None
) -> ui.TextInput[Any]:
    """An optional field; its label is added around it."""
    return ui.TextInput(
        custom_id=name,
        max_length=most,
        default=default[:most],
        required=False,
        style=discord.TextStyle.long if long else discord.TextStyle.short,
        placeholder=placeholder,
    )
