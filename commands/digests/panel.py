"""Setting up a digest: a panel of two pages with selects, two forms for words, and its start."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar

import discord
from discord import ButtonStyle, ui

from commands.cards import digest as cards
from commands.cards.lists import note
from commands.cards.text import plural, shown
from commands.digests.changes import next_time, own_digest, placed, post_now, preview
from commands.digests.choosing import lines
from commands.digests.forms import TIME, NameAndTime, Words, written
from commands.kit.access import may_use
from commands.kit.components import TEMPLATES, Choosable, Pressable, services_of
from commands.kit.limits import ASK, PICTURE
from commands.kit.replies import Reply, UserError, answer, handling, open_form
from commands.kit.services import Services
from data.calendar import clock
from data.calendar.announcements import last_listing
from data.stores.digests import Digest

HOURS = tuple(f"{hour:02d}:00" for hour in range(24))
WEEKS = {
    "1111100": "Monday to Friday",
    "1111111": "every day",
    "1000000": "weekly, on Mondays",
    "0010000": "weekly, on Wednesdays",
    "0000100": "weekly, on Fridays",
}
MOST = (3, 5, 8, 10, 15, 20)
STYLES = {
    "compact picture": "Compact, with the day's picture",
    "compact": "Compact",
    "full picture": "Whole abstracts, with the day's picture",
    "full": "Whole abstracts",
}
FORMS = {"message": "A message with the papers", "thread": "A thread a day, with the papers in it"}
WHOSE = {
    "no": "Whatever fits",
    "yes": "Those whom members here follow, and members themselves, marked and raised",
}
OWN_WHOSE = {"no": "Whatever fits", "news": "Only news: whom I follow, close follow-ups of what I keep"}
PLACES = (
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.forum,
    discord.ChannelType.public_thread,
    discord.ChannelType.private_thread,
)


class DigestButton(Pressable, template=r"dgb:(?P<what>[wovatzxprn]):(?P<digest>\d{1,12})"):
    """Of a digest: its words (w), name and time (o), preview (v), start (a), both pages of its settings (z: when and
    where, t: what), delete (x), pause (p), resume (r), now (n)."""

    def __init__(self, text: str, *, what: str, digest: str) -> None:
        self.what, self.digest = what, int(digest)
        style = {"a": ButtonStyle.success, "x": ButtonStyle.danger}.get(what, ButtonStyle.secondary)
        super().__init__(ui.Button(label=text, style=style, custom_id=f"dgb:{what}:{self.digest}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        if self.what in "wo":
            await open_form(interaction, await self._form(interaction, services))
            return
        turns = self.what in "zt" and bool(interaction.message and _is_panel(interaction.message))
        await answer(
            interaction,
            self._done(interaction, services),
            private=True,
            update=self.what == "a" or turns,
            cost=PICTURE if self.what == "v" else ASK,
        )

    async def _form(self, interaction: discord.Interaction, services: Services) -> ui.Modal:
        digest = await own_digest(interaction, services, self.digest)
        if self.what == "o":
            return NameAndTime(services, digest, partial(panel, services, digest.id))
        then = partial(panel, services, digest.id, what=True)
        return Words(services, digest, await written(services, digest), then)

    async def _done(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView | Reply:
        digest = await own_digest(interaction, services, self.digest)
        work: dict[str, Callable[[], Awaitable[ui.LayoutView | Reply]]] = {
            "v": lambda: preview(interaction.client, services, digest),
            "a": lambda: start(services, digest),
            "z": lambda: panel(services, digest.id),
            "t": lambda: panel(services, digest.id, what=True),
            "x": lambda: change(services, digest, "deleted"),
            "p": lambda: change(services, digest, "paused"),
            "r": lambda: change(services, digest, "active"),
            "n": lambda: post_now(interaction.client, services, digest),
        }
        return await work[self.what]()


def _is_panel(message: discord.Message) -> bool:
    """Whether a message is a panel already, so that its other page takes its place."""
    return any("dgs:" in (getattr(item, "custom_id", None) or "") for item in _items(message.components))


def _items(components: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for component in components:
        found += [component, *_items(getattr(component, "children", []))]
    return found


class SettingSelect(Choosable, template=r"dgs:(?P<what>[htfncqsp]):(?P<digest>\d{1,12})"):
    """A setting of a digest: the hour (h), the days (t), the form (f), how many (n), categories (c), quiet days (q),
    style (s), whose papers (p)."""

    NAMES: ClassVar[dict[str, str]] = {
        "h": "At what hour",
        "t": "On which days",
        "f": "As what",
        "n": "How many papers",
        "c": "Which categories",
        "q": "On a day without papers that fit",
        "s": "How a paper looks",
        "p": "Whose papers",
    }

    def __init__(
        self, choices: list[discord.SelectOption], *, what: str, digest: str, several: bool = False
    ) -> None:
        self.what, self.digest = what, int(digest)
        super().__init__(
            ui.Select(
                custom_id=f"dgs:{what}:{self.digest}",
                placeholder=self.NAMES[what],
                options=choices or [discord.SelectOption(label="?", value="0")],
                min_values=0 if several else 1,
                max_values=max(len(choices), 1) if several else 1,
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        await answer(interaction, self._changed(interaction, services), private=True, update=True)

    async def _changed(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        digest = await own_digest(interaction, services, self.digest)
        values = [str(entry) for entry in (interaction.data or {}).get("values", [])]
        await services.store.digests.change(digest.id, **setting(self.what, values))
        return await panel(services, digest.id, what=self.what in "ncqsp")


PLACE = r"dgc:(?P<digest>\d{1,12})"
TEMPLATES.append(re.compile(PLACE))


class PlaceSelect(ui.DynamicItem[ui.ChannelSelect[ui.LayoutView]], template=PLACE):
    """The channel, thread or forum that a digest is posted to."""

    def __init__(self, digest: str) -> None:
        self.digest = int(digest)
        super().__init__(
            ui.ChannelSelect(
                custom_id=f"dgc:{self.digest}",
                placeholder="To another channel, thread or forum",
                channel_types=list(PLACES),
            )
        )

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> PlaceSelect:
        return cls(match["digest"])

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Refuse the banned."""
        return await may_use(interaction)

    async def callback(self, interaction: discord.Interaction) -> None:
        async with handling(interaction):
            work = self._moved(interaction, services_of(interaction))
            await answer(interaction, work, private=True, update=True)

    async def _moved(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        digest = await own_digest(interaction, services, self.digest)
        values = (interaction.data or {}).get("values", [])
        number = int(values[0]) if values and str(values[0]).isdigit() else 0
        guild = interaction.guild
        place = guild.get_channel_or_thread(number) if guild else None
        if digest.is_own or place is None:
            raise UserError("I can't see this channel; let me see it, or choose another one.")
        await services.store.digests.change(digest.id, **placed(place, guild and guild.me, digest.form))
        return await panel(services, digest.id)


def setting(what: str, values: Sequence[str]) -> dict[str, Any]:
    """What a choice in the panel changes.

    Raises
    ------
    UserError
        For a value that the panel does not offer.
    """
    first = values[0] if values else ""
    if what == "h" and TIME.fullmatch(first):
        return {"at": first}
    if what == "t" and first in WEEKS:
        return {"days": first}
    if what == "f" and first in FORMS:
        return {"form": first}
    if what == "n" and first in {str(count) for count in MOST}:
        return {"most": int(first)}
    if what == "q" and first in ("say", "silent"):
        return {"quiet": first == "silent"}
    if what == "s" and first in STYLES:
        return {"style": first.split()[0], "picture": "picture" in first}
    if what == "p" and first in WHOSE | OWN_WHOSE:
        return {"followed": first == "yes", "news": first == "news"}
    if what == "c" and all(len(value) <= 40 and " " not in value for value in values):
        return {"categories": " ".join(values)}
    raise UserError("This can't be chosen (any more).")


async def panel(services: Services, number: int, *, what: bool = False) -> ui.LayoutView:
    """A digest's settings: when and where it comes, or what it is about."""
    digest = await services.store.digests.find(number)
    if digest is None:
        raise UserError("This digest was deleted.")
    own = str(digest.id)
    rows = _what(services, digest) if what else _when(digest)
    buttons: list[ui.Item[Any]] = [
        DigestButton("Words and people", what="w", digest=own)
        if what
        else DigestButton("Name, time, zone", what="o", digest=own),
        DigestButton("When and where", what="z", digest=own)
        if what
        else DigestButton("What it is about", what="t", digest=own),
        DigestButton("Preview", what="v", digest=own),
    ]
    if digest.state == "draft":
        buttons.append(DigestButton("Start", what="a", digest=own))
    buttons.append(DigestButton("Delete", what="x", digest=own))
    text = [cards.summary(digest)]
    if digest.person_numbers:
        known = await services.store.people.find_all(digest.person_numbers)
        text.append("**Papers by** " + ", ".join(shown(person.name, 40) for person in known.values()))
    for name, held in (("Needs one of", digest.require), ("None of", digest.exclude)):
        if held:
            text.append(f"**{name}** " + ", ".join(shown(word, 40) for word in lines(held)[:12]))
    if digest.state == "draft":
        text.append("Not started yet: *Preview* shows what would be posted, *Start* begins.")
    return note("\n".join(text), [*rows, buttons])


def _when(digest: Digest) -> list[list[ui.Item[Any]]]:
    own = str(digest.id)
    hours = sorted({*HOURS, digest.at} if digest.at not in HOURS else HOURS)[:25]
    rows: list[list[ui.Item[Any]]] = [
        [SettingSelect(_options({hour: hour for hour in hours}, digest.at), what="h", digest=own)],
        [SettingSelect(_options(WEEKS, digest.days), what="t", digest=own)],
    ]
    if not digest.is_own:
        if digest.form in FORMS:
            rows.append([SettingSelect(_options(FORMS, digest.form), what="f", digest=own)])
        rows.append([PlaceSelect(own)])
    return rows


def _what(services: Services, digest: Digest) -> list[list[ui.Item[Any]]]:
    own = str(digest.id)
    counts = services.corpus.facets.category_counts()
    names = sorted(counts, key=lambda name: (name not in digest.category_set, -counts[name]))[:25]
    many = {str(count): plural(count, "paper") for count in MOST}
    quiet = {"say": "Say so in a line", "silent": "Stay silent"}
    style = f"{digest.style} picture" if digest.picture else digest.style
    whose = "news" if digest.news else "yes" if digest.followed else "no"
    rows: list[list[ui.Item[Any]]] = [
        [SettingSelect(_options(many, str(digest.most)), what="n", digest=own)],
        [SettingSelect(_options(OWN_WHOSE if digest.is_own else WHOSE, whose), what="p", digest=own)],
        [SettingSelect(_options(quiet, "silent" if digest.quiet else "say"), what="q", digest=own)],
        [SettingSelect(_options(STYLES, style), what="s", digest=own)],
    ]
    if names:
        options = cards.select_options(names, digest.category_set)
        rows.insert(0, [SettingSelect(options, what="c", digest=own, several=True)])
    return rows


def _options(texts: dict[str, str], chosen: str) -> list[discord.SelectOption]:
    return [
        discord.SelectOption(label=text[:100], value=value, default=value == chosen)
        for value, text in texts.items()
    ]


async def start(services: Services, digest: Digest) -> ui.LayoutView:
    """Begin with what is announced from now on, and the newest listing that there is."""
    newest = last_listing(clock.now())
    before, _, _ = await services.store.listings.around(newest)
    upto = max(before or newest - timedelta(days=1), digest.upto)
    seen = await services.store.listings.newest_paper()
    made = await services.store.digests.change(digest.id, state="active", why="", upto=upto, seen=seen)
    if made is None:
        raise UserError("This digest was deleted.")
    number = str(made.id)
    return note(
        f"Started.\n{cards.summary(made, next_time(made))}",
        [
            [
                DigestButton("Preview", what="v", digest=number),
                DigestButton("Settings", what="z", digest=number),
                DigestButton("Pause", what="p", digest=number),
            ]
        ],
    )


async def change(services: Services, digest: Digest, state: str) -> ui.LayoutView:
    """Pause, resume or delete."""
    made = await services.store.digests.change(digest.id, state=state, why="")
    name = shown(digest.name, 80)
    if state == "deleted" or made is None:
        await services.store.feeds.end("digest", digest.id)
        return note(f"Deleted: **{name}**.")
    number = str(digest.id)
    if state == "paused":
        return note(
            f"Paused: **{name}**. What is announced meanwhile is not posted later, but for the last week's.",
            [[DigestButton("Resume", what="r", digest=number)]],
        )
    return note(
        f"Goes on: {cards.summary(made, next_time(made))}", [[DigestButton("Pause", what="p", digest=number)]]
    )
