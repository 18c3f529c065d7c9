"""The pages of `/setup`: where, which fields, when, what to learn from, and a preview with *Start*.

Each choice is saved at once in the draft of a digest, so a page needs only the draft's number: the
set-up goes on after a restart, and on another of the manager's devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards import setup_pages as cards
from commands.cards.lists import note
from commands.digests.allowed import own_digest
from commands.digests.changes import placed_now, start
from commands.digests.panel import HOURS, WEEKS, respelt
from commands.digests.preview import preview
from commands.kit.authority import member_in
from commands.kit.limits import ASK, PICTURE, Cost
from commands.kit.links import Press, button, choice, link
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.servers import server_of
from commands.kit.services import Services
from data.calendar import clock, zones
from data.calendar.announcements import next_announcement
from data.stores.digest_record import Digest
from data.stores.seeds import Seed
from index.digest.description import check_description
from index.digest.due import next_due

STEPS = ("place", "field", "time", "learn", "ready")
OPTIONS = 25
OWN = {
    "field": [("setup.describe", "In your own words")],
    "time": [("setup.other_zone", "Another time or zone")],
    "learn": [("setup.give", "Give papers, a file or people")],
}
"""The buttons of each page: actions and labels."""
_TEXT_LIMIT, _PARTS_LIMIT = 4_000, 40


@button("setup.page", "su:p:{step:[0-4]}:{digest}")
async def turn_to(press: Press, step: str, digest: int) -> None:
    """Show a page."""
    work = _page(press, digest, int(step), checked=False)
    await answer(press.interaction, work, private=True, update=True, cost=_cost(int(step)))


@button("setup.next", "su:n:{step:[0-4]}:{digest}", style=ButtonStyle.primary)
async def next_pressed(press: Press, step: str, digest: int) -> None:
    """Show a page, if the ones before it are complete."""
    work = _page(press, digest, int(step), checked=True)
    await answer(press.interaction, work, private=True, update=True, cost=_cost(int(step)))


def _cost(step: int) -> Cost:
    return PICTURE if STEPS[step] == "ready" else ASK


async def _page(press: Press, number: int, step: int, *, checked: bool) -> ui.LayoutView | Reply:
    digest = await own_digest(press.interaction, press.services, number)
    if checked and (lacking := await lacks(press.interaction, digest, step)):
        return await page(press.services, press.interaction, digest, *lacking)
    return await page(press.services, press.interaction, digest, step)


async def lacks(interaction: discord.Interaction, digest: Digest, step: int) -> tuple[int, str] | None:
    """The first incomplete page before a step, and why; None if all are complete."""
    if step > STEPS.index("place") and (problem := await place_problem(interaction.client, digest)):
        return STEPS.index("place"), problem
    if step > STEPS.index("time") and not digest.zone:
        return STEPS.index("time"), cards.NO_ZONE
    return None


async def place_problem(client: discord.Client, digest: Digest) -> str:
    """Why a digest can't be posted where it should be; "" where it can."""
    if not digest.channel:
        return cards.NO_PLACE
    guild = await server_of(client, digest.guild)
    place: Any = guild.get_channel_or_thread(digest.channel) if guild else None
    if guild is None:
        return cards.GONE
    try:
        place = place or await guild.fetch_channel(digest.channel)
        placed_now(place, digest.form)
    except (discord.NotFound, discord.Forbidden, discord.InvalidData):
        return cards.GONE
    except UserError as error:
        return str(error)
    return ""


async def page(
    services: Services, interaction: discord.Interaction, digest: Digest, step: int, problem: str = ""
) -> ui.LayoutView | Reply:
    """A page of a set-up; ``problem`` says what of a form wasn't kept, or why no other page is shown."""
    if STEPS[step] == "ready":
        return await _ready(services, interaction, digest)
    name, own = STEPS[step], OWN.get(STEPS[step], ())
    if name == "place":
        text = cards.place_page(digest, problem)
        rows = await place_rows(interaction, digest, "setup.place", "setup.place_named")
    elif name == "field":
        read = await check_description(services.search, digest.query)
        reads = services.categories if services.reads_arxiv else ()
        text = cards.field_page(digest, reads, read, problem)
        rows = _field_rows(services, digest)
        if read is not None and read.corrected:
            rows.append([link("setup.correct", respelt(read), digest=digest.id)])
    elif name == "time":
        text, rows = _time_text(services, digest, problem), _time_rows(interaction, digest)
    else:
        seeds = await services.store.digests.seeds(digest.id)
        text, rows = await _learn_text(services, digest, seeds, problem), []
        own = (*own, *([("setup.forget", "Forget these papers")] if seeds else []))
    return note(text, [*rows, _buttons(digest, step, own)])


def _buttons(digest: Digest, step: int, own: Sequence[tuple[str, str]]) -> list[ui.Item[Any]]:
    """Back, the page's own buttons, and forward."""
    buttons: list[ui.Item[Any]] = []
    if step:
        buttons.append(link("setup.page", "Back", step=str(step - 1), digest=digest.id))
    buttons += [link(*one, digest=digest.id) for one in own]
    forward = "Preview" if STEPS[step] == "learn" else "Next"
    return [*buttons, link("setup.next", forward, step=str(step + 1), digest=digest.id)]


async def place_rows(
    interaction: discord.Interaction, digest: Digest, here: str, direct: str
) -> list[list[ui.Item[Any]]]:
    """A menu of the server's channels: Discord's own, or ours in a direct message, where Discord has none.

    ``here`` and ``direct`` are the actions of the two.
    """
    if interaction.guild_id is not None:
        return [[choice(here, digest=digest.id)]]
    guild = await server_of(interaction.client, digest.guild)
    if guild is None:
        return []
    writable = [
        place
        for place in await seen_places(interaction, guild)
        if place.permissions_for(guild.me).view_channel and place.permissions_for(guild.me).send_messages
    ]
    options = [
        discord.SelectOption(
            label=f"#{place.name}"[:100], value=str(place.id), default=place.id == digest.channel
        )
        for place in writable[:OPTIONS]
    ]
    return [[choice(direct, options, digest=digest.id)]] if options else []


async def seen_places(
    interaction: discord.Interaction, guild: discord.Guild
) -> list[discord.TextChannel | discord.ForumChannel]:
    """The channels and forums of a server that who asks can see: not even the names of others are told."""
    member = await member_in(interaction, guild.id)
    places: list[discord.TextChannel | discord.ForumChannel] = [*guild.text_channels, *guild.forums]
    return [place for place in places if member is not None and place.permissions_for(member).view_channel]


def _field_rows(services: Services, digest: Digest) -> list[list[ui.Item[Any]]]:
    counts = services.corpus.facets.category_counts()
    read = services.categories if services.reads_arxiv else ()
    known = dict.fromkeys([*sorted(digest.category_set), *read])
    rest = sorted((code for code in counts if code not in known), key=lambda code: -counts[code])
    options = [
        discord.SelectOption(
            label=cards.field_label(code, counts.get(code, 0)),
            value=code,
            default=code in digest.category_set,
        )
        for code in [*known, *rest][:OPTIONS]
    ]
    return [[choice("setup.fields", options, digest=digest.id)]] if options else []


def _time_text(services: Services, digest: Digest, problem: str) -> str:
    now = clock.now()
    there = zones.clock_in(digest.zone, now) if digest.zone else ""
    listing = next_announcement(now) if services.reads_arxiv else None
    return cards.time_page(digest, there, now, next_due(digest, now), listing, problem)


def _time_rows(interaction: discord.Interaction, digest: Digest) -> list[list[ui.Item[Any]]]:
    now = clock.now()
    offered = [
        discord.SelectOption(
            label=zones.title(zone),
            value=zone,
            description=f"{zones.clock_in(zone, now)} now",
            default=zone == digest.zone,
        )
        for zone in zones.offered(str(interaction.locale), digest.zone)
    ]
    hours = [
        discord.SelectOption(label=hour, value=hour, default=hour == digest.at)
        for hour in sorted({*HOURS, digest.at})[:OPTIONS]
    ]
    days = [
        discord.SelectOption(label=name, value=value, default=value == digest.days)
        for value, name in WEEKS.items()
    ]
    return [
        [choice("setup.zone", offered, digest=digest.id)],
        [choice("setup.hour", hours, digest=digest.id)],
        [choice("setup.days", days, digest=digest.id)],
    ]


async def _learn_text(services: Services, digest: Digest, seeds: Sequence[Seed], problem: str) -> str:
    papers = await services.store.papers([seed.paper for seed in seeds[: cards.TITLES_SHOWN]])
    known = await services.store.people.find_all(digest.person_numbers) if digest.person_numbers else {}
    return cards.learn_page(digest, seeds, papers, [person.name for person in known.values()], problem)


# -- the last page -----------------------------------------------------------------------------------


@button("setup.start", "su:s:{digest}", style=ButtonStyle.success)
async def start_pressed(press: Press, digest: int) -> None:
    """Start, unless the channel has a digest already."""
    await answer(press.interaction, _start(press, digest), private=True, update=True)


@button("setup.start_too", "su:t:{digest}")
async def start_too(press: Press, digest: int) -> None:
    """Start, although the channel has a digest already."""
    await answer(press.interaction, _start(press, digest, also=True), private=True, update=True)


async def _start(press: Press, number: int, *, also: bool = False) -> ui.LayoutView | Reply:
    digest = await own_digest(press.interaction, press.services, number)
    if digest.state != "draft":
        raise UserError(cards.STARTED_ALREADY)
    if lacking := await lacks(press.interaction, digest, STEPS.index("ready")):
        return await page(press.services, press.interaction, digest, *lacking)
    other = None if also else await _other_there(press.services, digest)
    if other is not None:
        buttons = [
            link("setup.start_too", "Start a second one", digest=digest.id),
            link("digest.when", "Change the existing one", digest=other.id),
        ]
        return note(cards.same_place(other), [buttons])
    return await start(press.interaction, digest)


async def _other_there(services: Services, digest: Digest) -> Digest | None:
    """A digest that is posted in the same channel already."""
    here = await services.store.digests.of_guild(digest.guild)
    return next((one for one in here if one.channel == digest.channel and one.id != digest.id), None)


async def _ready(
    services: Services, interaction: discord.Interaction, digest: Digest
) -> ui.LayoutView | Reply:
    """The digest to start, above what it would post now."""
    seeds = len(await services.store.digests.seeds(digest.id))
    told = cards.ready(digest, next_due(digest, clock.now()), seeds)
    buttons: list[ui.Item[Any]] = [
        link("setup.page", "Back", step="3", digest=digest.id),
        link("setup.start", "Start", digest=digest.id),
    ]
    try:
        made = await preview(services, digest)
    except UserError:
        return note(f"{told}\n{cards.NO_PREVIEW}", [buttons])
    view = made.view if isinstance(made, Reply) else made
    fits = view.total_children_count + 2 + len(buttons) <= _PARTS_LIMIT
    if not fits or view.content_length() + len(told) > _TEXT_LIMIT:
        return Reply(note(told, [buttons]), more=(made if isinstance(made, Reply) else Reply(made),))
    items = list(view.children)
    view.clear_items()
    for item in (ui.TextDisplay[ui.LayoutView](told), *items, ui.ActionRow[ui.LayoutView](*buttons)):
        view.add_item(item)
    return made
