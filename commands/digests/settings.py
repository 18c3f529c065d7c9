"""The settings of a digest: what its selects offer, and what each choice changes."""

from __future__ import annotations

from collections.abc import Mapping

from discord import ui

from commands.digests.allowed import own_digest
from commands.digests.changes import settled
from commands.digests.forms import zone_typed
from commands.digests.panel import FORMS, MOST, OWN_WHOSE, QUIET, STYLES, WEEKS, WHOSE, panel
from commands.kit.links import Press, select
from commands.kit.replies import UserError, answer
from data.calendar.hours import time_named
from data.stores.member_settings import LIGHT

NOT_OFFERED = "I no longer offer this choice. Please ask for the settings again."
MOST_CATEGORY = 40


@select("digest.set_time", "dgs:h:{digest}", "Time")
async def set_time(press: Press, time: str, digest: int) -> None:
    """When it posts."""
    work = _set(press, digest, at=offered_time(time))
    await answer(press.interaction, work, private=True, update=True)


@select("digest.set_zone", "dgs:z:{digest}", "Time zone")
async def set_zone(press: Press, zone: str, digest: int) -> None:
    """Which time zone the hour is in."""
    work = _set(press, digest, zone=zone_typed(zone))
    await answer(press.interaction, work, private=True, update=True)


@select("digest.set_days", "dgs:t:{digest}", "Days")
async def set_days(press: Press, days: str, digest: int) -> None:
    """On which days it posts."""
    work = _set(press, digest, days=_offered(days, WEEKS))
    await answer(press.interaction, work, private=True, update=True)


@select("digest.set_form", "dgs:f:{digest}", "Format")
async def set_form(press: Press, form: str, digest: int) -> None:
    """As a message, or as a thread."""
    await answer(press.interaction, _form(press, _offered(form, FORMS), digest), private=True, update=True)


@select("digest.set_count", "dgs:n:{digest}", "Number of papers")
async def set_count(press: Press, count: str, digest: int) -> None:
    """How many papers it shows at most."""
    work = _set(press, digest, about=True, most=int(_offered(count, MOST)))
    await answer(press.interaction, work, private=True, update=True)


@select("digest.set_categories", "dgs:c:{digest}", "Categories", several=True)
async def set_categories(press: Press, categories: list[str], digest: int) -> None:
    """The arXiv categories that it reads."""
    if any(len(name) > MOST_CATEGORY or " " in name for name in categories):
        raise UserError(NOT_OFFERED)
    work = _set(press, digest, about=True, categories=" ".join(categories))
    await answer(press.interaction, work, private=True, update=True)


@select("digest.set_quiet", "dgs:q:{digest}", "If no paper matches")
async def set_quiet(press: Press, quiet: str, digest: int) -> None:
    """Whether it posts anything on a day without a match."""
    work = _set(press, digest, about=True, quiet=_offered(quiet, QUIET) == "silent")
    await answer(press.interaction, work, private=True, update=True)


@select("digest.set_style", "dgs:s:{digest}", "Layout")
async def set_style(press: Press, style: str, digest: int) -> None:
    """How long its papers are, and whether a picture comes with them."""
    length, *picture = _offered(style, STYLES).split()
    theme = LIGHT if LIGHT in picture else ""
    work = _set(press, digest, about=True, style=length, picture=bool(picture), theme=theme)
    await answer(press.interaction, work, private=True, update=True)


@select("digest.set_authors", "dgs:p:{digest}", "Authors")
async def set_authors(press: Press, whose: str, digest: int) -> None:
    """Whether followed authors count."""
    chosen = _offered(whose, {**WHOSE, **OWN_WHOSE})
    work = _set(press, digest, about=True, followed=chosen == "yes", news=chosen == "news")
    await answer(press.interaction, work, private=True, update=True)


def _offered(value: str, offers: Mapping[str, str]) -> str:
    """A choice that a select offers.

    Raises
    ------
    UserError
        For any other.
    """
    if value not in offers:
        raise UserError(NOT_OFFERED)
    return value


def offered_time(value: str) -> str:
    """A time of day that a select offers, as ``HH:MM``; raises as above."""
    if time_named(value) != value:
        raise UserError(NOT_OFFERED)
    return value


async def _set(press: Press, number: int, *, about: bool = False, **values: object) -> ui.LayoutView:
    """Change settings, and show the page of the panel that has them."""
    digest = await own_digest(press.interaction, press.services, number)
    await press.services.store.digests.change(digest.id, **values)
    return await panel(press.services, digest.id, about=about)


async def _form(press: Press, form: str, number: int) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    if not digest.is_own:
        await settled(press.interaction, digest, form)
    return await _set(press, number, form=form)
