"""A digest's posting as it stands in Discord: its papers with their buttons, its pages, how it was chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards import digest as cards
from commands.cards.lists import note
from commands.cards.text import plural, shown
from commands.digests.choosing import lines
from commands.digests.day_map import picture_of
from commands.kit.components import Pressable
from commands.kit.limits import SEARCH
from commands.kit.painter import attached
from commands.kit.progress import Need
from commands.kit.replies import Reply, UserError, answer
from commands.kit.services import Services
from commands.kit.similar_papers import similar_papers
from data.records import Paper
from data.stores.digests import Delivery, Digest
from data.stores.shelf import ShelfFull

SAID = {"save": "Saved to your library", "like": "Liked", "dislike": "Noted: not for you here"}
KINDS = {"s": "save", "l": "like", "d": "dislike"}


class PaperOpinion(Pressable, template=r"dg:(?P<what>[sldum]):(?P<paper>\d{1,12})"):
    """Of a paper in a digest: save (s), like (l), not for us (d), take that back (u), similar ones (m)."""

    def __init__(self, text: str, *, what: str, paper: str) -> None:
        self.what, self.paper = what, int(paper)
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"dg:{what}:{self.paper}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        if self.what == "m":
            needs = (Need.PAPERS, Need.MEANING)
            await answer(
                interaction, similar_papers(services, self.paper), private=True, cost=SEARCH, needs=needs
            )
            return
        where = (interaction.guild_id or 0, interaction.user.id, interaction.channel_id or 0)
        work = think(services, self.paper, KINDS.get(self.what), *where)
        await answer(interaction, work, private=True)


class DeliveryButton(Pressable, template=r"dg:(?P<what>[hp]):(?P<delivery>\d{1,12})(?::(?P<start>\d{1,2}))?"):
    """Of a posting: how it was chosen (h), its next papers (p)."""

    def __init__(self, text: str, *, what: str, delivery: str, start: str | None = None) -> None:
        self.what, self.delivery, self.start = what, int(delivery), int(start or 0)
        end = f":{self.start}" if what == "p" else ""
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"dg:{what}:{self.delivery}{end}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, self._shown(interaction, services), private=True)

    async def _shown(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView | Reply:
        digest, delivery = await readable_here(interaction, services, self.delivery)
        if self.what == "h":
            return how(digest, delivery)
        return await page_of(services, digest, delivery, self.start)


def mark(delivery: Delivery) -> str:
    """What every message of a posting carries, by which it is found again."""
    return f"dg:h:{delivery.id}"


Below = Callable[[Delivery, int], Sequence[ui.Item[Any]]]
"""The buttons below a page that begins with a paper."""


async def post_of(
    services: Services, digest: Digest, delivery: Delivery, start: int = 0, below: Below | None = None
) -> Reply:
    """A delivery as it is posted, or one of its later pages."""
    picture = await picture_of(services, digest, delivery) if start == 0 else None
    view = cards.post(
        digest,
        delivery,
        await _papers(services, delivery),
        paper_buttons,
        start=start,
        more=(below or below_post)(delivery, start),
        picture=picture,
    )
    return Reply(view, attached(picture.png if picture else None, cards.PICTURE))


async def contents_of(services: Services, digest: Digest, delivery: Delivery) -> ui.LayoutView:
    """What the channel shows where the papers are in the day's thread."""
    return cards.contents(
        digest, delivery, await _papers(services, delivery), below_post(delivery, len(delivery.papers))
    )


async def _papers(services: Services, delivery: Delivery) -> dict[int, Paper]:
    wanted = [entry.paper for entry in delivery.papers]
    found = await services.store.papers(wanted)
    known = {paper.id: paper for paper in found}
    # A paper that became part of another one meanwhile is shown as that.
    for number in wanted:
        if number not in known and (now := await services.store.papers([number])):
            known[number] = now[0]
    return known


def paper_buttons(paper: int) -> list[ui.Item[Any]]:
    """What one can do about a paper of a digest."""
    number = str(paper)
    return [
        PaperOpinion("Save", what="s", paper=number),
        PaperOpinion("Like", what="l", paper=number),
        PaperOpinion("Not for us", what="d", paper=number),
        PaperOpinion("Similar", what="m", paper=number),
    ]


def left_after(delivery: Delivery, begun: int) -> int:
    """How many papers come after the page that begins with a paper; below zero for none."""
    return len(delivery.papers) - begun - cards.PAGE


def below_post(delivery: Delivery, begun: int) -> list[ui.Item[Any]]:
    """Below a posting: its next page, and how it was chosen, which also marks it."""
    number = str(delivery.id)
    buttons: list[ui.Item[Any]] = []
    left = left_after(delivery, begun)
    if left > 0:
        following = str(begun + cards.PAGE)
        buttons.append(DeliveryButton(f"{left} more", what="p", delivery=number, start=following))
    if begun == 0 or left <= -cards.PAGE:
        buttons.append(DeliveryButton("How these were chosen", what="h", delivery=number))
    return buttons


async def readable_here(
    interaction: discord.Interaction, services: Services, number: int
) -> tuple[Digest, Delivery]:
    """A posting with its digest, for a presser who can read where it was posted.

    Raises
    ------
    UserError
        Where it is gone, or somebody else's.
    """
    delivery = await services.store.digests.delivery(number)
    digest = await services.store.digests.find(delivery.digest_id) if delivery else None
    if delivery is None or digest is None:
        raise UserError("This digest was deleted.")
    if digest.is_own:
        allowed = digest.owner == interaction.user.id
    else:
        allowed = digest.guild == interaction.guild_id and _reads(interaction, delivery.channel)
    if not allowed:
        raise UserError("This digest belongs to somebody else.")
    return digest, delivery


def _reads(interaction: discord.Interaction, channel: int) -> bool:
    """Whether the presser can read a channel or thread of this server; of one that I don't see, its managers can."""
    if channel in (interaction.channel_id, getattr(interaction.channel, "parent_id", None)):
        return True
    place = interaction.guild.get_channel(channel) if interaction.guild else None
    if place is None:
        return interaction.permissions.manage_guild
    return (
        isinstance(interaction.user, discord.Member) and place.permissions_for(interaction.user).view_channel
    )


async def page_of(
    services: Services, digest: Digest, delivery: Delivery, start: int, below: Below | None = None
) -> Reply:
    """Further papers of a posting."""
    if start >= len(delivery.papers):
        raise UserError("There are no more papers in this digest.")
    return await post_of(services, digest, delivery, start, below)


def how(digest: Digest, delivery: Delivery) -> ui.LayoutView:
    """How a posting was chosen."""
    what = ", ".join(sorted(digest.category_set)) or "all categories that I read"
    told = [
        f"## How these were chosen\n{plural(delivery.read, 'paper')} of {what} were announced; those closest to what was "
        f"{'saved and liked by you' if digest.is_own else 'saved and liked here'}"
        + (f", and to “{shown(digest.query, 120)}”," if digest.query else "")
        + " come first, kept apart from one another. Save, Like and Not for us teach it; /digest taste shows what it "
        "has learned."
    ]
    for name, held in (("Needs one of", digest.require), ("None of", digest.exclude)):
        if held:
            told.append(f"**{name}** " + ", ".join(shown(word, 40) for word in lines(held)[:12]))
    return note("\n".join(told))


async def think(
    services: Services, paper: int, kind: str | None, guild: int, member: int, channel: int
) -> ui.LayoutView:
    """Keep what a member thinks of a paper; what is saved goes to their library, too."""
    papers = await services.store.papers([paper])
    if not papers:
        raise UserError("I no longer know this paper.")
    number = papers[0].id
    new = False
    if kind == "save":
        try:
            _, new = await services.store.shelf.keep(member, number)
        except ShelfFull as error:
            raise UserError(str(error)) from error
    before = await services.store.digests.think(guild, member, number, kind, channel)
    if kind is None and before == "save":
        kept = await services.store.shelf.of_paper(member, number)
        # Only what carries no work of the member's own goes with the save.
        if kept is not None and not kept.note and not kept.tags and kept.state == "unread":
            await services.store.shelf.drop(member, kept.id)
    title = shown(papers[0].title, 120)
    if kind is None:
        return note(f"Taken back: **{title}**.")
    said = SAID[kind] if kind != "save" or new else "It was in your library already"
    return note(f"{said}: **{title}**.", [[PaperOpinion("Undo", what="u", paper=str(number))]])
