"""A digest's posting as it stands in Discord: its papers with their buttons, its pages, how it was chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from discord import ui

from commands.cards import digest as cards
from commands.cards import digest_why as why
from commands.cards.lists import note
from commands.digests.allowed import readable_here
from commands.digests.picture import picture_of
from commands.kit.dated_by import dated_by
from commands.kit.links import Press, action, button, link
from commands.kit.painter import attached
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services
from data.calendar.partial_days import DatedBy
from data.records import Paper
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest
from index.digest.choosing import taste_of
from index.digest.writers import Writers

Below = Callable[[Delivery, int], Sequence[ui.Item[Any]]]
"""The buttons below a page that begins with a paper."""


@button("digest.how", "dg:h:{delivery}{start:page?}")
async def how_pressed(press: Press, delivery: int, start: int | None) -> None:
    """Say how a posting was chosen."""
    await answer(press.interaction, _how(press, delivery), private=True)


async def _how(press: Press, number: int) -> ui.LayoutView:
    digest, delivery = await readable_here(press.interaction, press.services, number)
    taste = await taste_of(press.services, digest, Writers())
    beside = await press.services.store.digests.beside(digest, delivery)
    return note(why.how_chosen(digest, delivery, taste, beside))


@button("digest.page", "dg:p:{delivery}{start:page?}")
async def page_pressed(press: Press, delivery: int, start: int | None) -> None:
    """Show further papers of a posting."""
    await answer(press.interaction, _page(press, delivery, start or 0), private=True)


async def _page(press: Press, number: int, start: int) -> Reply:
    digest, delivery = await readable_here(press.interaction, press.services, number)
    return await page_of(press.services, digest, delivery, start)


def mark(delivery: Delivery) -> str:
    """The ``custom_id`` that every message of a posting carries, by which it is found again."""
    return action("digest.how").pattern.build({"delivery": delivery.id})


def saves(delivery: Delivery) -> set[str]:
    """The ``custom_id`` of each paper's *Save*: a message that shows a posting's papers has some of them."""
    pattern = action("digest.save").pattern
    return {pattern.build({"paper": entry.paper}) for entry in delivery.papers}


async def post_of(
    services: Services,
    digest: Digest,
    delivery: Delivery,
    start: int = 0,
    below: Below | None = None,
    *,
    files: bool = True,
) -> Reply:
    """A delivery as it is posted, or one of its later pages; without ``files`` it has no picture."""
    picture = await picture_of(services, digest, delivery) if files and start == 0 else None
    view = cards.post(
        digest,
        delivery,
        await _papers(services, delivery),
        paper_buttons,
        start=start,
        more=(below or below_post)(delivery, start),
        picture=picture,
        upto_by=await _upto_by(services, delivery),
    )
    return Reply(view, attached(picture.png if picture else None, cards.PICTURE))


async def contents_of(services: Services, digest: Digest, delivery: Delivery) -> ui.LayoutView:
    """What the channel shows if the papers are in the day's thread."""
    papers, below = await _papers(services, delivery), below_post(delivery, len(delivery.papers))
    return cards.contents(digest, delivery, papers, below, await _upto_by(services, delivery))


async def _upto_by(services: Services, delivery: Delivery) -> DatedBy:
    """How much is known of the newest day that a delivery covers."""
    return await dated_by(services, delivery.upto)


async def page_of(
    services: Services, digest: Digest, delivery: Delivery, start: int, below: Below | None = None
) -> Reply:
    """Further papers of a posting."""
    if start >= len(delivery.papers):
        raise UserError("This digest has no more papers.")
    return await post_of(services, digest, delivery, start, below)


async def _papers(services: Services, delivery: Delivery) -> dict[int, Paper]:
    return await services.store.papers_by_number(entry.paper for entry in delivery.papers)


def paper_buttons(paper: int) -> list[ui.Item[Any]]:
    """The buttons of a paper in a digest."""
    return [
        link("digest.save", "Save", paper=paper),
        link("digest.like", "Like", paper=paper),
        link("digest.dislike", "Not for us", paper=paper),
        link("digest.similar", "Similar", paper=paper),
    ]


def left_after(delivery: Delivery, begun: int) -> int:
    """How many papers come after the page that begins with a paper; below zero for none."""
    return len(delivery.papers) - begun - cards.PAGE


def below_post(delivery: Delivery, begun: int) -> list[ui.Item[Any]]:
    """Below a posting: its next page, and how it was chosen, which also marks it."""
    buttons: list[ui.Item[Any]] = []
    left = left_after(delivery, begun)
    if left > 0:
        following: dict[str, Any] = {"delivery": delivery.id, "start": begun + cards.PAGE}
        buttons.append(link("digest.page", f"{left} more", **following))
    if begun == 0 or left <= -cards.PAGE:
        buttons.append(link("digest.how", why.how_label(delivery), delivery=delivery.id))
    return buttons
