"""The panel of a digest: two pages of selects, and buttons that open forms, preview, start and delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import discord
from discord import ui

from commands.cards import digest as cards
from commands.cards import digest_replies as replies
from commands.cards.follows import names_of_people
from commands.cards.lists import note
from commands.cards.text import label, plural
from commands.digests.allowed import DELETED, own_digest
from commands.digests.forms import NameAndTime, Words, written
from commands.kit.links import Press, button, choice, link
from commands.kit.replies import UserError, answer, open_form
from commands.kit.services import Services
from data.calendar.zones import offered, title
from data.stores.digest_record import Digest
from index.digest.description import CheckedDescription, check_description

HOURS = tuple(f"{hour:02d}:00" for hour in range(24))
WEEKS = {
    "1111100": "Monday to Friday",
    "1111111": "Every day",
    "1000000": "Weekly, on Mondays",
    "0010000": "Weekly, on Wednesdays",
    "0000100": "Weekly, on Fridays",
}
MOST = {str(count): plural(count, "paper") for count in (3, 5, 8, 10, 15, 20)}
STYLES = {
    "compact picture": "Compact, with a map of the day",
    "compact light picture": "Compact, with a light map of the day",
    "compact": "Compact",
    "full picture": "Full abstracts, with a map of the day",
    "full light picture": "Full abstracts, with a light map of the day",
    "full": "Full abstracts",
}
FORMS = {"message": "One message with the papers", "thread": "A new thread each day, with the papers in it"}
WHOSE = {"no": "Any match", "yes": "Any match; authors that members follow are marked and rank higher"}
OWN_WHOSE = {"no": "Any match", "news": "Only news: authors I follow, close follow-ups of papers I keep"}
QUIET = {"say": "Post one line that says so", "silent": "Post nothing"}
OPTIONS = 25


@button("digest.words", "dgb:w:{digest}")
async def words_pressed(press: Press, digest: int) -> None:
    """Open the form with words and people."""
    await open_form(press.interaction, await words_form(press, digest))


async def words_form(press: Press, number: int) -> ui.Modal:
    digest = await own_digest(press.interaction, press.services, number)
    then = partial(panel, press.services, digest.id, about=True)
    return Words(press.services, digest, await written(press.services, digest), then)


@button("digest.correct", "dgb:c:{digest}")
async def correct_pressed(press: Press, digest: int) -> None:
    """Correct the typos of a description."""
    await answer(press.interaction, _corrected(press, digest), private=True, update=on_panel(press))


async def _corrected(press: Press, number: int) -> ui.LayoutView:
    await correct_description(press, number)
    return await panel(press.services, number, about=True)


async def correct_description(press: Press, number: int) -> None:
    """Keep a digest's description with its typos corrected."""
    digest = await own_digest(press.interaction, press.services, number)
    read = await check_description(press.services.search, digest.query)
    if read is not None and read.corrected:
        await press.services.store.digests.change(digest.id, query=read.corrected)


def respelt(read: CheckedDescription) -> str:
    """The label of a button that corrects a description."""
    if len(read.typos) > 1:
        return "Correct the spelling"
    return label(f"Change to “{read.typos[0][1]}”", 80)


@button("digest.name", "dgb:o:{digest}")
async def name_pressed(press: Press, digest: int) -> None:
    """Open the form with name and time."""
    await open_form(press.interaction, await name_form(press, digest))


async def name_form(press: Press, number: int) -> ui.Modal:
    digest = await own_digest(press.interaction, press.services, number)
    return NameAndTime(press.services, digest, partial(panel, press.services, digest.id))


@button("digest.when", "dgb:z:{digest}")
async def when_pressed(press: Press, digest: int) -> None:
    """Show when and where it posts."""
    await answer(press.interaction, _page(press, digest), private=True, update=on_panel(press))


@button("digest.about", "dgb:t:{digest}")
async def about_pressed(press: Press, digest: int) -> None:
    """Show which papers it posts."""
    await answer(press.interaction, _page(press, digest, about=True), private=True, update=on_panel(press))


async def _page(press: Press, number: int, *, about: bool = False) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    return await panel(press.services, digest.id, about=about)


def on_panel(press: Press) -> bool:
    """Whether the message pressed on is a panel already, so that its other page takes its place."""
    message = press.interaction.message
    return message is not None and any(
        "dgs:" in (getattr(item, "custom_id", None) or "") for item in _items(message.components)
    )


def _items(components: Sequence[Any]) -> list[Any]:
    nested: list[Any] = []
    for component in components:
        nested += [component, *_items(getattr(component, "children", []))]
    return nested


async def panel(
    services: Services, number: int, *, about: bool = False, lacks: str = "", problem: str = ""
) -> ui.LayoutView:
    """A digest's settings: when and where it posts, or with ``about`` which papers.

    Parameters
    ----------
    lacks
        What will be missing in its place.
    problem
        What of a form was not kept.

    Raises
    ------
    UserError
        Where it was deleted.
    """
    digest = await services.store.digests.find(number)
    if digest is None:
        raise UserError(DELETED)
    rows = _about_rows(services, digest) if about else _when_rows(digest)
    known = await services.store.people.find_all(digest.person_numbers) if digest.person_numbers else {}
    read = await check_description(services.search, digest.query) if about else None
    follows = await services.store.members.following(digest.owner) if digest.is_own and about else []
    text = replies.settings(digest, names_of_people(known, 40), read, follows)
    if lacks:
        text += f"\n-# {lacks}"
    if read is not None and read.corrected:
        rows.append([link("digest.correct", respelt(read), digest=digest.id)])
    return note(replies.with_problem(text, problem), [*rows, _buttons(digest, about=about)])


def _buttons(digest: Digest, *, about: bool) -> list[ui.Item[Any]]:
    buttons: list[ui.Item[Any]] = (
        [
            link("digest.words", "Words and people", digest=digest.id),
            link("digest.when", "When and where", digest=digest.id),
        ]
        if about
        else [
            link("digest.name", "Name, time, zone", digest=digest.id),
            link("digest.about", "Papers", digest=digest.id),
        ]
    )
    buttons.append(link("digest.preview", "Preview", digest=digest.id))
    if digest.state == "draft":
        buttons.append(link("digest.start", "Start", digest=digest.id))
    elif digest.state == "active":
        buttons.append(link("digest.pause", "Pause", digest=digest.id))
    else:
        buttons.append(link("digest.resume", "Resume", digest=digest.id))
    delete = "digest.delete" if digest.state == "draft" else "digest.ask_delete"
    return [*buttons, link(delete, "Delete", digest=digest.id)]


def _when_rows(digest: Digest) -> list[list[ui.Item[Any]]]:
    hours = {hour: hour for hour in sorted({*HOURS, digest.at})[:OPTIONS]}
    zones = {zone: title(zone) for zone in offered("", digest.zone)}
    rows: list[list[ui.Item[Any]]] = [
        [choice("digest.set_time", _options(hours, digest.at), digest=digest.id)],
        [choice("digest.set_days", _options(WEEKS, digest.days), digest=digest.id)],
    ]
    if not digest.is_own and digest.form in FORMS:
        rows.append([choice("digest.set_form", _options(FORMS, digest.form), digest=digest.id)])
    rows.append([choice("digest.set_zone", _options(zones, digest.zone), digest=digest.id)])
    if not digest.is_own:
        rows.append([choice("digest.set_place", digest=digest.id)])
    return rows


def _about_rows(services: Services, digest: Digest) -> list[list[ui.Item[Any]]]:
    counts = services.corpus.facets.category_counts()
    names = sorted(counts, key=lambda name: (name not in digest.category_set, -counts[name]))[:OPTIONS]
    style = " ".join(filter(None, (digest.style, *((digest.theme, "picture") if digest.picture else ()))))
    whose = "news" if digest.news else "yes" if digest.followed else "no"
    authors = OWN_WHOSE if digest.is_own else WHOSE
    quiet = "silent" if digest.quiet else "say"
    rows: list[list[ui.Item[Any]]] = [
        [choice("digest.set_count", _options(MOST, str(digest.most)), digest=digest.id)],
        [choice("digest.set_authors", _options(authors, whose), digest=digest.id)],
        [choice("digest.set_quiet", _options(QUIET, quiet), digest=digest.id)],
        [choice("digest.set_style", _options(STYLES, style), digest=digest.id)],
    ]
    if names:
        options = cards.select_options(names, digest.category_set)
        rows.insert(0, [choice("digest.set_categories", options, digest=digest.id)])
    return rows


def _options(texts: Mapping[str, str], chosen: str) -> list[discord.SelectOption]:
    return [
        discord.SelectOption(label=text[:100], value=value, default=value == chosen)
        for value, text in texts.items()
    ]
