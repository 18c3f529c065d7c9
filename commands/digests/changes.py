"""What happens to a digest: created, started, paused, resumed, deleted, posted at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

import discord
from discord import ButtonStyle, ui

from commands.cards import digest_replies as replies
from commands.cards import digest_why as why
from commands.cards.lists import note
from commands.digests.allowed import DELETED, IN_SERVER, NOT_HERE, WHO_MAY, own_digest
from commands.digests.first_zone import first_zone
from commands.digests.places import NotAllowed, TimedOut, check, permissions_at
from commands.kit.authority import manages_server
from commands.kit.direct import open_direct
from commands.kit.installs import is_present
from commands.kit.links import Press, button, link
from commands.kit.refusals import DIRECT_CLOSED, FINAL, GONE, is_final, reason
from commands.kit.replies import UserError, answer
from commands.kit.servers import place_of
from commands.kit.services import Services, services_of
from data.calendar import clock
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest, DigestRefused
from index.digest import due
from index.digest.choosing import taste_of
from index.digest.writers import Writers


class PostsNow(Protocol):
    """What posts a digest at once; the client carries it."""

    async def now(self, digest: Digest) -> int: ...


@button("digest.start", "dgb:a:{digest}", style=ButtonStyle.success)
async def start_pressed(press: Press, digest: int) -> None:
    """Start a draft."""
    await answer(press.interaction, _start(press, digest), private=True, update=True)


async def _start(press: Press, number: int) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    return await start(press.interaction, digest)


@button("digest.delete", "dgb:x:{digest}", style=ButtonStyle.danger)
async def delete_pressed(press: Press, digest: int) -> None:
    """Delete a digest."""
    await answer(press.interaction, _changed(press, digest, "deleted"), private=True)


@button("digest.ask_delete", "dgb:d:{digest}", style=ButtonStyle.danger)
async def ask_delete_pressed(press: Press, digest: int) -> None:
    """Ask whether to delete a digest that was started."""
    await answer(press.interaction, _ask_delete(press, digest), private=True)


async def _ask_delete(press: Press, number: int) -> ui.LayoutView:
    return delete_question(await own_digest(press.interaction, press.services, number))


def delete_question(digest: Digest) -> ui.LayoutView:
    """Asks whether to delete a digest."""
    return note(replies.delete_question(digest), [[link("digest.delete", "Delete", digest=digest.id)]])


@button("digest.pause", "dgb:p:{digest}")
async def pause_pressed(press: Press, digest: int) -> None:
    """Stop posting for now."""
    await answer(press.interaction, _changed(press, digest, "paused"), private=True)


@button("digest.resume", "dgb:r:{digest}")
async def resume_pressed(press: Press, digest: int) -> None:
    """Post again."""
    await answer(press.interaction, _changed(press, digest, "active"), private=True)


async def _changed(press: Press, number: int, state: str) -> ui.LayoutView:
    digest = await own_digest(press.interaction, press.services, number)
    return await change(press.interaction, digest, state)


@button("digest.post_now", "dgb:n:{digest}")
async def post_now_pressed(press: Press, digest: int) -> None:
    """Post at once."""
    await answer(press.interaction, _post_now(press, digest), private=True)


async def _post_now(press: Press, number: int) -> ui.LayoutView:
    return await post_now(press.interaction, await own_digest(press.interaction, press.services, number))


def placed(place: Any, may: discord.Permissions, form: str = "message") -> dict[str, Any]:
    """What a place changes in a digest.

    Raises
    ------
    UserError
        Where Labmate can't post there; it says which permission is missing.
    """
    if not isinstance(place, discord.TextChannel | discord.Thread | discord.ForumChannel):
        raise UserError(replies.NOT_A_PLACE)
    keeps = form == "thread" and isinstance(place, discord.TextChannel)
    form = "forum" if isinstance(place, discord.ForumChannel) else form if keeps else "message"
    try:
        check(place, may, form)
    except NotAllowed as error:
        told = replies.may_not_post(place.id, error.permissions) if error.permissions else replies.NO_TAG
        raise UserError(told) from error
    return {"channel": place.id, "form": form}


def placed_now(place: Any, form: str = "message") -> dict[str, Any]:
    """As :func:`placed`, with what Labmate may do there now; if that isn't known, each post is checked.

    Raises
    ------
    UserError
        Where Labmate can't post there; it says which permission is missing.
    """
    try:
        may = permissions_at(place)
    except TimedOut as error:
        raise UserError(f"{error}, so I can't post.") from error
    return placed(place, discord.Permissions.all() if may is None else may, form)


async def settled(interaction: discord.Interaction, digest: Digest, form: str | None = None) -> str:
    """Check that a digest can be posted where it is to be; returns what will be missing there.

    Raises
    ------
    UserError
        Where it can't.
    """
    if digest.is_own:
        return await _reachable(interaction, digest.owner)
    client = interaction.client
    try:
        place = await place_of(client, digest.guild, digest.channel)
        may = permissions_at(place)
    except discord.HTTPException as error:
        if is_final(error):
            raise UserError(replies.PLACE_GONE if error.code in GONE else replies.NOT_SEEN) from error
        return ""
    except TimedOut as error:
        raise UserError(f"{error}, so I can't post.") from error
    if may is None:
        return ""
    placed(place, may, form or digest.form)
    return replies.NO_PICTURE if digest.picture and not may.attach_files else ""


async def _reachable(interaction: discord.Interaction, member: int) -> str:
    """Open the direct messages while the member is there: Discord wants that a member's doing opens them."""
    channels = services_of(interaction).store.direct_channels
    try:
        if await channels.of(member) is None:
            await open_direct(interaction.client, channels, member)
    except discord.HTTPException as error:
        if is_final(error):
            raise UserError(f"I can't write to you: {reason(error)}.") from error
    return ""


async def create(services: Services, interaction: discord.Interaction, *, own: bool = False) -> Digest:
    """A draft for the channel, or with ``own`` for the member."""
    guild = interaction.guild_id
    if not own and guild is None:
        raise UserError(IN_SERVER)
    if not own and not is_present(interaction):
        raise UserError(NOT_HERE)
    if not own and not manages_server(interaction):
        raise UserError(WHO_MAY)
    form = "message" if own else placed(interaction.channel, interaction.app_permissions)["form"]
    draft = Digest(
        0 if own else guild or 0,
        interaction.user.id if own else interaction.channel_id or 0,
        interaction.user.id,
        name="Your new papers" if own else "New papers",
        zone=await first_zone(services, interaction, 0 if own else guild or 0),
        form=form,
    )
    try:
        return await services.store.digests.make(draft)
    except DigestRefused as error:
        raise UserError(str(error)) from error


async def begun_here(services: Services, interaction: discord.Interaction) -> Digest | None:
    """The member's draft for this channel, if there is one."""
    if interaction.guild_id is None or not manages_server(interaction):
        return None
    digests = await services.store.digests.of_guild(interaction.guild_id, drafts=True)
    who, where = interaction.user.id, interaction.channel_id
    mine = [one for one in digests if (one.state, one.owner, one.channel) == ("draft", who, where)]
    return mine[-1] if mine else None


async def same_name_here(services: Services, draft: Digest) -> Digest | None:
    """Another digest of this name in the same channel of a server, if there is one that was started."""
    if draft.is_own:
        return None
    others = await services.store.digests.of_guild(draft.guild)
    alike = [one for one in others if one.channel == draft.channel and one.id != draft.id]
    return next((one for one in alike if one.name.casefold() == draft.name.casefold()), None)


async def start(interaction: discord.Interaction, digest: Digest) -> ui.LayoutView:
    """Turn a draft on, from the newest listing.

    Raises
    ------
    UserError
        If it has no time zone yet, or was deleted.
    """
    if not digest.zone:
        raise UserError(replies.NO_ZONE)
    services, now = services_of(interaction), clock.now()
    lacks = await settled(interaction, digest)
    made = await due.start(services, digest, now)
    if made is None:
        raise UserError(DELETED)
    buttons: list[ui.Item[Any]] = [
        link("digest.preview", "Preview", digest=made.id),
        link("digest.when", "Settings", digest=made.id),
        link("digest.pause", "Pause", digest=made.id),
    ]
    ahead = replies.when_next(await due.next_posting(services.store, made, now), now)
    return note(with_note(replies.started(made, ahead), lacks), [buttons])


def _elsewhere(digest: Digest, error: UserError) -> ui.LayoutView:
    """Why a digest can't be posted where it is to be, with a button to choose another place.

    Raises
    ------
    UserError
        For a member's own digest, which has no other place.
    """
    if digest.is_own:
        raise error
    return note(str(error), [[link("digest.move", "Choose another channel", digest=digest.id)]])


def with_note(text: str, *notes: str) -> str:
    """A reply, and below it in small print what else there is to know."""
    return "\n".join([text, *(f"-# {told}" for told in notes if told)])


async def after_stop(services: Services, digest: Digest) -> list[str]:
    """What to know where a digest goes on that had stopped or paused, or nothing; asked before it goes on."""
    if digest.state not in ("broken", "paused"):
        return []
    waiting = [one for one in await services.store.digests.unposted() if one.digest_id == digest.id]
    comes = any(not due.is_too_late(one, clock.now()) for one in waiting)
    told = [replies.MISSED_COMES] if comes else []
    return [*told, replies.STILL_CLOSED] if digest.why == FINAL[DIRECT_CLOSED] else told


async def change(interaction: discord.Interaction, digest: Digest, state: str) -> ui.LayoutView:
    """Pause, resume or delete."""
    services = services_of(interaction)
    try:
        lacks = await settled(interaction, digest) if state == "active" else ""
    except UserError as error:
        return _elsewhere(digest, error)
    told = replies.runs_already if digest.state == "active" else replies.resumed
    notes = await after_stop(services, digest)
    made = await services.store.digests.change(digest.id, state=state, why="")
    if state == "deleted" or made is None:
        await services.store.feeds.end("digest", digest.id)
        return note(replies.deleted(digest))
    if state == "paused":
        return note(replies.paused(made), [[link("digest.resume", "Resume", digest=made.id)]])
    now = clock.now()
    ahead = replies.when_next(await due.next_posting(services.store, made, now), now)
    return note(
        with_note(told(made, ahead), lacks, *notes), [[link("digest.pause", "Pause", digest=made.id)]]
    )


async def post_now(interaction: discord.Interaction, digest: Digest) -> ui.LayoutView:
    """Post what was announced since the last posting."""
    if digest.state == "draft":
        raise UserError(
            "This digest is not started yet. /digest edit shows its settings, with Preview and Start."
        )
    if digest.state != "active":
        how = "paused" if digest.state == "paused" else "stopped"
        raise UserError(f"This digest is {how}, so nothing is posted. /digest resume starts it again.")
    poster = cast(PostsNow, interaction.client.poster)  # type: ignore[attr-defined]
    store = services_of(interaction).store
    before = await store.digests.history(digest.id, 1)
    if await poster.now(digest):
        return note("Posted.")
    return await _not_posted(services_of(interaction), digest, before)


async def _not_posted(services: Services, digest: Digest, before: Sequence[Delivery]) -> ui.LayoutView:
    """Why `/digest now` posted nothing; ``before`` is the last posting before it."""
    store = services.store
    now = await store.digests.find(digest.id)
    if now is None:
        raise UserError(DELETED)
    if now.state == "broken":
        return _elsewhere(now, UserError(replies.not_posted(now)))
    last = await store.digests.history(digest.id, 1)
    if not last and (await store.listings.around())[1] is None:
        return note(replies.NO_LISTING)
    if last and last[0].state == "written":
        return note(replies.not_yet_posted(last[0]))
    if last and last[0].state == "missed":
        return note(replies.missed(last[0]))
    if last and last[0].state == "empty" and last != before:
        beside = await store.digests.beside(now, last[0])
        taste = await taste_of(services, now, Writers())
        return note(why.nothing_posted(now, last[0], taste, beside))
    return note(replies.NOTHING_NEW)
