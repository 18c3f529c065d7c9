"""The person that a member has claimed to be, if the member lets the asker see it."""

from __future__ import annotations

import discord

from commands.cards.text import safe, shorten
from commands.kit.replies import UserError
from commands.kit.services import Services
from data.stores.claims import Claim

NOT_CLAIMED = "You haven't claimed your papers yet. Run /claim person:*your name*, then try again."


async def person_behind(services: Services, asker: int, target: discord.Member | discord.User) -> int:
    """The number of the person that a member has claimed to be, for a reply that only the asker sees.

    Raises
    ------
    UserError
        If there is none, or the member doesn't show it; the words are the same.
    """
    store = services.store
    claim = await store.claims.of_member(target.id)
    if asker == target.id:
        if claim is None:
            raise UserError(NOT_CLAIMED)
        return claim.person_id
    if claim is None or not isinstance(target, discord.Member) or not await _shows(services, asker, claim):
        name = safe(shorten(target.display_name, 60))
        raise UserError(
            f"**{name}** doesn't show which papers are theirs here. Members who have claimed their papers "
            "can change that with /profile edit account:"
        )
    return claim.person_id


async def _shows(services: Services, asker: int, claim: Claim) -> bool:
    """Whether a holder lets an asker see the claim in this server, and nobody contests it."""
    store, guild = services.store, services.place.guild
    profile = await store.claims.profile(claim.member)
    if profile is None or not claim.holds_in(guild) or await store.bans.is_banned(claim.member, guild):
        return False
    if await store.contests.open_of(claim.id):
        return False
    if profile.account == "claimed":
        theirs = await store.claims.of_member(asker)
        return theirs is not None and theirs.holds_in(guild)
    return profile.account == "all"
