"""A preview of a digest: what it would post now. Nothing is kept, so each press makes it again."""

from __future__ import annotations

from typing import Any

from discord import ui

from commands.cards import digest_why as why
from commands.cards.digest import PAGE
from commands.cards.lists import note
from commands.digests.allowed import own_digest
from commands.digests.post import left_after, page_of, post_of
from commands.kit.limits import PICTURE
from commands.kit.links import Press, button, link
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.services import Services
from data.calendar import clock
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest
from index.digest import due
from index.digest.choosing import taste_of
from index.digest.writers import Writers


@button("digest.preview", "dgb:v:{digest}")
async def preview_pressed(press: Press, digest: int) -> None:
    """Show the preview."""
    await answer(press.interaction, _preview(press, digest), private=True, cost=PICTURE)


async def _preview(press: Press, number: int) -> ui.LayoutView | Reply:
    return await preview(press.services, await own_digest(press.interaction, press.services, number))


@button("digest.preview_how", "dgv:h:{digest}{start:page?}")
async def how_pressed(press: Press, digest: int, start: int | None) -> None:
    """Say how the preview was chosen."""
    await answer(press.interaction, _how(press, digest), private=True)


async def _how(press: Press, number: int) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    taste = await taste_of(press.services, digest, Writers())
    delivery = await _previewed(press.services, digest)
    beside = await press.services.store.digests.beside(digest, delivery)
    return note(why.how_chosen(digest, delivery, taste, beside))


@button("digest.preview_page", "dgv:p:{digest}{start:page?}")
async def page_pressed(press: Press, digest: int, start: int | None) -> None:
    """Show further papers of the preview."""
    await answer(press.interaction, _page(press, digest, start or 0), private=True)


async def _page(press: Press, number: int, start: int) -> Reply:
    digest = await own_digest(press.interaction, press.services, number)
    delivery = await _previewed(press.services, digest)
    return await page_of(press.services, digest, delivery, start, _below)


async def preview(services: Services, digest: Digest) -> ui.LayoutView | Reply:
    """Exactly what would be posted now."""
    delivery = await _previewed(services, digest)
    if delivery.state == "empty":
        beside = await services.store.digests.beside(digest, delivery)
        taste = await taste_of(services, digest, Writers())
        return note(why.nothing_to_post(digest, delivery, taste, beside))
    return await post_of(services, digest, delivery, below=_below)


async def _previewed(services: Services, digest: Digest) -> Delivery:
    delivery = await due.previewed(services, digest, clock.now())
    if delivery is None:
        raise UserError(
            "I haven't read a listing yet, so there is nothing to show. /new shows whether one has come in."
        )
    return delivery


def _below(delivery: Delivery, begun: int) -> list[ui.Item[Any]]:
    buttons: list[ui.Item[Any]] = []
    if (left := left_after(delivery, begun)) > 0:
        following: dict[str, Any] = {"digest": delivery.digest_id, "start": begun + PAGE}
        buttons.append(link("digest.preview_page", f"{left} more", **following))
    buttons.append(link("digest.preview_how", why.how_label(delivery), digest=delivery.digest_id))
    return buttons
