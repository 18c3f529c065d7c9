"""The menus and forms on the pages of `/setup`: each choice is kept at once, and the page shown again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import discord
from discord import ui

from commands.cards import setup_pages as cards
from commands.digests.allowed import own_digest
from commands.digests.forms import DigestForm, time_and_zone, time_field, zone_typed
from commands.digests.moving import PLACES, place_chosen
from commands.digests.panel import WEEKS, correct_description
from commands.digests.settings import MOST_CATEGORY, NOT_OFFERED, offered_time
from commands.digests.setup_pages import STEPS, page
from commands.kit.library_kind import has_arxiv
from commands.kit.links import Press, button, select
from commands.kit.replies import UserError, answer, open_form
from commands.kit.reply import Reply
from commands.kit.services import Services
from data.calendar import zones
from data.sources.arxiv_fields import field_name, fields_named
from data.stores.digest_record import Digest
from index.digest.description import LONGEST_DESCRIPTION

MOST_CHOSEN = 25


@select("setup.place", "suc:{digest}", "Channel, thread or forum", value=int, channels=PLACES)
@select("setup.place_named", "sun:{digest}", "Channel or forum", value=int)
async def choose_place(press: Press, channel: int, digest: int) -> None:
    """Where it posts."""
    await answer(press.interaction, _moved(press, channel, digest), private=True, update=True)


async def _moved(press: Press, channel: int, number: int) -> ui.LayoutView | Reply:
    digest = await own_digest(press.interaction, press.services, number)
    problem = ""
    try:
        _, changed = await place_chosen(press, digest, channel)
        await press.services.store.digests.change(digest.id, **changed)
    except UserError as error:
        problem = str(error)
    return await again(press, digest.id, "place", problem)


@select("setup.fields", "suf:{digest}", "Fields (none: everything that I read)", several=True)
async def choose_fields(press: Press, codes: list[str], digest: int) -> None:
    """Which categories it reads."""
    if len(codes) > MOST_CHOSEN or any(len(code) > MOST_CATEGORY or " " in code for code in codes):
        raise UserError(NOT_OFFERED)
    work = _kept(press, digest, "field", categories=" ".join(codes))
    await answer(press.interaction, work, private=True, update=True)


@select("setup.zone", "suz:{digest}", "Time zone")
async def choose_zone(press: Press, zone: str, digest: int) -> None:
    """Which time zone the hour is in."""
    work = _kept(press, digest, "time", zone=zone_typed(zone))
    await answer(press.interaction, work, private=True, update=True)


@select("setup.hour", "suh:{digest}", "Hour")
async def choose_hour(press: Press, hour: str, digest: int) -> None:
    """When it posts."""
    work = _kept(press, digest, "time", at=offered_time(hour))
    await answer(press.interaction, work, private=True, update=True)


@select("setup.days", "sud:{digest}", "Days")
async def choose_days(press: Press, days: str, digest: int) -> None:
    """On which days it posts."""
    if days not in WEEKS:
        raise UserError(NOT_OFFERED)
    await answer(press.interaction, _kept(press, digest, "time", days=days), private=True, update=True)


async def _kept(press: Press, number: int, step: str, **values: object) -> ui.LayoutView | Reply:
    digest = await own_digest(press.interaction, press.services, number)
    await press.services.store.digests.change(digest.id, **values)
    return await again(press, digest.id, step)


async def again(press: Press, number: int, step: str, problem: str = "") -> ui.LayoutView | Reply:
    """A page with what the store has now."""
    digest = await own_digest(press.interaction, press.services, number)
    return await page(press.services, press.interaction, digest, STEPS.index(step), problem)


# -- forms -------------------------------------------------------------------------------------------


@button("setup.describe", "su:w:{digest}")
async def describe_pressed(press: Press, digest: int) -> None:
    """Open the form for a description, and for fields that are not in the menu."""
    await open_form(press.interaction, await _open(press, digest, Describe))


@button("setup.correct", "su:r:{digest}")
async def correct_pressed(press: Press, digest: int) -> None:
    """Correct the typos of a description."""
    await answer(press.interaction, _corrected(press, digest), private=True, update=True)


async def _corrected(press: Press, number: int) -> ui.LayoutView | Reply:
    await correct_description(press, number)
    return await again(press, number, "field")


@button("setup.other_zone", "su:z:{digest}")
async def other_zone_pressed(press: Press, digest: int) -> None:
    """Open the form for any minute and any zone."""
    await open_form(press.interaction, await _open(press, digest, OtherTime))


async def _open(press: Press, number: int, form: Callable[[Press, Digest], ui.Modal]) -> ui.Modal:
    return form(press, await own_digest(press.interaction, press.services, number))


class SetupForm(DigestForm):
    """A form of a page, which then shows the page."""

    def __init__(self, press: Press, digest: Digest, title: str, kind: str, step: str) -> None:
        super().__init__(press.services, digest, title, kind, partial(again, press, digest.id, step))


class Describe(SetupForm):
    """What to look for, in words."""

    def __init__(self, press: Press, digest: Digest) -> None:
        super().__init__(press, digest, "What are you looking for?", "sumw", "field")
        self.ask(
            query=ui.TextInput(
                label="In your own words",
                default=digest.query[:LONGEST_DESCRIPTION],
                max_length=LONGEST_DESCRIPTION,
                required=False,
                style=discord.TextStyle.long,
                placeholder="Such as: fault tolerance of large training jobs",
            ),
            fields=ui.TextInput(
                label="More fields, separated by commas",
                max_length=300,
                required=False,
                placeholder=_such_fields(press.services),
            ),
        )

    async def kept(self, values: dict[str, str]) -> ui.LayoutView | Reply:
        codes = set(self._digest.category_set)
        problems: list[str] = []
        for typed in dict.fromkeys(filter(None, map(str.strip, values["fields"].split(",")))):
            try:
                codes |= set(_field(self._services, typed))
            except UserError as error:
                problems.append(str(error))
        if len(codes) > max(MOST_CHOSEN, len(self._digest.category_set)):
            codes = set(self._digest.category_set)
            problems = [cards.too_many_fields(MOST_CHOSEN), *problems]
        await self._services.store.digests.change(
            self._digest.id, query=values["query"], categories=" ".join(sorted(codes))
        )
        return await self._then(problem="\n".join(cards.few(problems)))


def _of_library(services: Services) -> list[str]:
    """The library's categories if they aren't arXiv's, those with most papers first."""
    if has_arxiv(services):
        return []
    known = services.corpus.facets.category_counts()
    return sorted(known, key=lambda one: -known[one])


def _such_fields(services: Services) -> str:
    known = _of_library(services)
    return f"Such as: {', '.join(known[:3])}"[:100] if known else "Names or codes, such as: Robotics, cs.CR"


def _field(services: Services, typed: str) -> Sequence[str]:
    """The category that a typed name or code means; both where arXiv has two of the same name.

    Raises
    ------
    UserError
        Where it means none, or several.
    """
    others = _of_library(services)
    codes = [one for one in others if one.casefold() == typed.casefold()] or fields_named(typed)
    if len({field_name(code) for code in codes}) == 1:
        return codes
    if not codes:
        raise UserError(cards.no_such_field(typed, ", ".join(others[:5])))
    raise UserError(cards.several_fields(typed, codes))


class OtherTime(SetupForm):
    """Any minute, and any time zone."""

    def __init__(self, press: Press, digest: Digest) -> None:
        super().__init__(press, digest, "When?", "sumz", "time")
        self.ask(
            at=time_field(digest),
            zone=ui.TextInput(
                label="Time zone, or a large city",
                default=zones.title(digest.zone)[:60],
                max_length=60,
                placeholder="Europe/Berlin, or New York",
            ),
        )

    async def kept(self, values: dict[str, str]) -> ui.LayoutView | Reply:
        read, problem = time_and_zone(self._digest, values)
        if read:
            await self._services.store.digests.change(self._digest.id, **read)
        return await self._then(problem=problem)
