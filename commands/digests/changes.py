"""What happens to a digest: begun, started, looked at, paused, ended, posted at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards.digest import PAGE
from commands.cards.lists import note
from commands.cards.text import plural
from commands.digests.choosing import MOST_DAYS, candidates
from commands.digests.post import how, left_after, page_of, post_of
from commands.digests.posting import Poster
from commands.kit.authority import manages_server
from commands.kit.components import Pressable
from commands.kit.replies import Reply, UserError, answer
from commands.kit.services import Services
from data.calendar import clock
from data.calendar.slots import slots
from data.stores.digests import Delivery, Digest, DigestRefused

WHO_MAY = "Only those who manage this server set up what is posted here. Your own: /digest mine."


async def own_digest(interaction: discord.Interaction, services: Services, number: int) -> Digest:
    """A digest that the presser may change: of the server that they manage, or their own."""
    digest = await services.store.digests.find(number)
    if digest is None:
        raise UserError("This digest was deleted.")
    if digest.is_own:
        if digest.owner != interaction.user.id:
            raise UserError("This digest belongs to somebody else.")
    elif digest.guild != interaction.guild_id or not manages_server(interaction):
        raise UserError(WHO_MAY)
    return digest


def placed(place: Any, me: discord.Member | None, form: str = "message") -> dict[str, Any]:
    """What a place changes in a digest.

    Raises
    ------
    UserError
        Where nothing can be posted there.
    """
    if not isinstance(place, discord.TextChannel | discord.Thread | discord.ForumChannel):
        raise UserError("Set it up in the text channel (or thread) that it should be posted to.")
    may = place.permissions_for(me) if me is not None else discord.Permissions.all()
    name = "send_messages_in_threads" if isinstance(place, discord.Thread) else "send_messages"
    if not (may.view_channel and getattr(may, name)):
        raise UserError("I may not write in this channel; allow me that, or choose another one.")
    if isinstance(place, discord.ForumChannel):
        return {"channel": place.id, "form": "forum"}
    keeps = form == "thread" and isinstance(place, discord.TextChannel)
    return {"channel": place.id, "form": form if keeps else "message"}


async def create(services: Services, interaction: discord.Interaction, *, own: bool = False) -> Digest:
    """A draft."""
    guild = interaction.guild_id
    if not own and (guild is None or not manages_server(interaction)):
        raise UserError(WHO_MAY)
    form = "message"
    if not own:
        channel = interaction.channel
        form = placed(channel, None)["form"]
        if not interaction.app_permissions.send_messages:
            raise UserError("I may not write in this channel; allow me that, or set it up in another one.")
    profile = await services.store.claims.profile(interaction.user.id)
    draft = Digest(
        0 if own else guild or 0,
        interaction.user.id if own else interaction.channel_id or 0,
        interaction.user.id,
        name="Your new papers" if own else "New papers",
        zone=profile.time_zone if profile and profile.time_zone else "UTC",
        form=form,
    )
    try:
        return await services.store.digests.make(draft)
    except DigestRefused as error:
        raise UserError(str(error)) from error


def next_time(digest: Digest) -> str:
    """When it is due next, as everybody's own clock shows it."""
    now = clock.now()
    found = next(iter(slots(digest.days, digest.at, digest.zone, now, now + timedelta(days=8))), None)
    return f"next <t:{int(found[1].timestamp())}:F>" if found else "never due"


class PreviewButton(Pressable, template=r"dgv:(?P<what>[hp]):(?P<digest>\d{1,12})(?::(?P<start>\d{1,2}))?"):
    """Of a preview, which is kept nowhere and so made again: how it was chosen (h), its next papers (p)."""

    def __init__(self, text: str, *, what: str, digest: str, start: str | None = None) -> None:
        self.what, self.digest, self.start = what, int(digest), int(start or 0)
        end = f":{self.start}" if what == "p" else ""
        custom_id = f"dgv:{what}:{self.digest}{end}"
        super().__init__(ui.Button(label=text, style=ButtonStyle.secondary, custom_id=custom_id))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, self._shown(interaction, services), private=True)

    async def _shown(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView | Reply:
        digest = await own_digest(interaction, services, self.digest)
        delivery = await _previewed(interaction.client, services, digest)
        if self.what == "h":
            return how(digest, delivery)
        return await page_of(services, digest, delivery, self.start, _below_preview)


def _below_preview(delivery: Delivery, begun: int) -> list[ui.Item[Any]]:
    number, left = str(delivery.digest_id), left_after(delivery, begun)
    buttons: list[ui.Item[Any]] = [PreviewButton("How these were chosen", what="h", digest=number)]
    if left > 0:
        following = str(begun + PAGE)
        buttons.insert(0, PreviewButton(f"{left} more", what="p", digest=number, start=following))
    return buttons


async def preview(client: discord.Client, services: Services, digest: Digest) -> ui.LayoutView | Reply:
    """Exactly what would be posted now; nothing is kept."""
    delivery = await _previewed(client, services, digest)
    if delivery.state == "empty":
        return note(
            f"Nothing fits in {plural(delivery.read, 'paper')}; with these settings, nothing would be posted."
        )
    return await post_of(services, digest, delivery, below=_below_preview)


async def _previewed(client: discord.Client, services: Services, digest: Digest) -> Delivery:
    poster = Poster(client, services)
    now = clock.now()
    _, newest, _ = await services.store.listings.around()
    if newest is None:
        raise UserError("I have read no listing yet, so there is nothing to show. /new says when there is.")
    looked = (
        digest if digest.upto > date.min else replace(digest, upto=await _first_day(services, digest, newest))
    )
    delivery = await poster.prepare(looked, now.date(), now, newest, kept=False)
    assert delivery is not None
    return delivery


async def _first_day(services: Services, digest: Digest, newest: date) -> date:
    """The day before the newest listing that has papers in a draft's categories."""
    on: date | None = newest
    for _ in range(MOST_DAYS):
        if on is None:
            break
        before, _, _ = await services.store.listings.around(on)
        if await candidates(services, replace(digest, upto=before or on - timedelta(days=1)), on):
            return before or on - timedelta(days=1)
        on = before
    return newest - timedelta(days=1)


async def post_now(client: discord.Client, services: Services, digest: Digest) -> ui.LayoutView:
    """Post at once what has not been looked through."""
    if digest.state == "draft":
        raise UserError(
            "This digest is not started yet: /digest edit shows its settings, with Preview and Start."
        )
    if digest.state != "active":
        raise UserError("This digest is stopped, so nothing is posted. /digest resume lets it go on.")
    poster: Poster = client.poster  # type: ignore[attr-defined]
    count = await poster.now(digest)
    if count:
        return note("Posted.")
    return note(
        "There is nothing new since the last posting, or today's was posted already. /digest history shows it."
    )
