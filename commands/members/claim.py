"""`/claim`: a member who is a person, proven."""

from __future__ import annotations

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.text import shown
from commands.kit.components import Pressable, seen_by
from commands.kit.links import Press, link, select
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.which_person import ask_which, complete_person, whom
from data.sources.http import SourceError
from data.stores.claims import VOUCHES, Claim, ClaimRefused
from data.stores.limits import PAGES
from index.claims.claim_proofs import (
    Claimed,
    NotProven,
    mailbox_of,
    make_code,
    make_mail_code,
    prove_by_orcid,
    prove_by_page,
)
from index.claims.orcid_records import orcid_in
from index.claims.proof_words import proof_words
from index.trust.corrections import retract

MAIL_WAY = (
    "4. **An address**: `/claim mail:…` at your institution, or at a domain whose addresses are printed in "
    "one of your papers; no mail provider's. Named after you, given and family name, it is L2, else L1. I send a one-time "
    "code and keep no address.\n"
)


def held_words(claim: Claim) -> str:
    """The level of a held claim, and what was shown."""
    return f"L{claim.level}: {shown(proof_words(claim), 300)}"


class AskVouchButton(Pressable, template=r"cv:a:(?P<claim>\d{1,12})"):
    """Shows everybody in the channel that a member asks to be vouched for; only that member can ask."""

    def __init__(self, text: str, *, claim: str) -> None:
        self.claim = int(claim)
        super().__init__(ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"cv:a:{self.claim}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, ask_vouch(services, self.claim, interaction.user, interaction.guild_id))


class VouchButton(Pressable, template=r"cv:v:(?P<claim>\d{1,12})"):
    """A claimed member's word for another's claim."""

    def __init__(self, text: str, *, claim: str) -> None:
        self.claim = int(claim)
        super().__init__(ui.Button(label=text, style=ButtonStyle.primary, custom_id=f"cv:v:{self.claim}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        work = vouch(services, self.claim, interaction.user.id, interaction.guild_id)
        await answer(interaction, work, private=True)


@select("person.choose_claim", "who:m", "Choose the person", value=int)
async def choose_claim(press: Press, person: int) -> None:
    """Claim the person that was meant."""
    await answer(press.interaction, begin(press.services, person, press.member, press.guild), private=True)


async def begin(services: Services, person_id: int, member: int, guild: int | None) -> ui.LayoutView:
    """Open a claim and say how it can be proven."""
    # A claim holds for all, so it is of somebody who is one person for all.
    services = services.everywhere
    person = await services.store.people.find(person_id)
    if person is None:
        raise UserError(
            "I no longer know this person, or they are a person of their own only by a correction in this server. "
            "Begin with the name: /claim person:*your name*."
        )
    held = await services.store.claims.of_member(member)
    if held is not None:
        if held.person_id == person.id:
            return note(
                f"You hold **{shown(person.name, 80)}** ({held_words(held)}). /profile edit lets you say more."
            )
        raise UserError("You hold another person already; /profile release ends that.")
    try:
        claim = await services.store.claims.begin(member, person.id, guild, make_code())
    except ClaimRefused as error:
        raise UserError(str(error)) from error
    name = shown(person.name, 80)
    holder = await services.store.claims.of_person(person.id, guild)
    contested = (
        "\nSomebody holds this claim already; a stronger proof than theirs makes it yours." if holder else ""
    )
    return note(
        f"## Are you {name}?\nProve it in one of these ways. Your code, for you alone: `{claim.code}`{contested}\n"
        "1. **ORCID (L3)**: put the code into your record's biography or a website entry, then "
        "`/claim orcid:…`. One of these papers has to be in it from its publisher (Crossref, DataCite), or "
        "OpenAlex has to tie your ORCID to them; what you added yourself shows nothing.\n"
        "2. **A page (L2)** of your institution, or at a domain printed in one of these papers: put the code where your "
        "name and one of these papers stand, then `/claim page:…`.\n"
        f"3. **Vouching (L1, in this server alone)**: {VOUCHES} members of it who have claimed their own papers say that it "
        "is you.\n"
        + (MAIL_WAY if services.mailer else "")
        + "-# Leave the code where it is: the proof is looked at again every month, and the claim ends with it.",
        [
            [
                AskVouchButton("Ask to be vouched for", claim=str(claim.id)),
                link("person.card", "Card", person=person.id),
            ]
        ],
    )


async def _open_claim(services: Services, member: int) -> tuple[Claim, Claimed]:
    """The claim that a member can prove now, and whom it is about, as they are for all."""
    services = services.everywhere
    claim = await services.store.claims.open_of(member)
    if claim is None:
        raise UserError("You have no open claim. Begin with /claim person:*your name*.")
    person = await services.store.people.find(claim.person_id)
    if person is None:
        raise UserError("I no longer know this person. Start again with /claim person:*your name*.")
    rows = await services.store.people.memberships(person.id)
    return claim, Claimed.of(person, await services.store.papers([row.paper_id for row in rows]))


async def prove(services: Services, member: int, page: str | None, orcid: str | None) -> ui.LayoutView:
    """Check the code of the member's newest open claim (or renew the one held)."""
    claim, claimed = await _open_claim(services, member)
    who = services.witnesses
    if not await services.store.limits.spend(PAGES, member):
        raise UserError("I've opened as many pages for you today as I may; try again tomorrow.")
    try:
        if orcid is not None:
            number = orcid_in(orcid)
            if number is None:
                raise UserError("This is no ORCID; it looks like 0000-0002-1825-0097.")
            where = await prove_by_orcid(who, number, claim.code, claimed)
            claim = await _prove(services, claim, "orcid", where)
        else:
            where = await prove_by_page(who, (page or "").strip(), claim.code, claimed)
            claim = await _prove(services, claim, "page", where)
    except (NotProven, SourceError, ClaimRefused) as error:
        raise UserError(f"Not proven: {shown(str(error), 500)}") from error
    if claim.guild is not None:
        await services.store.claims.seen(member, claim.guild)
    return _held(claim, claimed.names[0])


async def _prove(services: Services, claim: Claim, proof: str, where: str) -> Claim:
    """Let a claim hold; what somebody said as the same person by a weaker proof is taken back."""
    store = services.everywhere.store
    before = await store.claims.of_person(claim.person_id)
    held = await store.claims.prove(claim.id, proof, where)
    then = await store.claims.find(before.id) if before and before.id != held.id else None
    if (
        before
        and then
        and then.state == "ended"
        and await retract(store, before.id, by=(0, "a better proof"))
    ):
        await services.everywhere.insight.refresh()
    return held


async def mail_code(services: Services, member: int, typed: str) -> ui.LayoutView:
    """Send a one-time code to an address that belongs to the claimed person."""
    if services.mailer is None:
        raise UserError(
            "No mail server is set up here. Prove it by an ORCID record, a page, or two members' word."
        )
    claim, claimed = await _open_claim(services, member)
    try:
        address, proof, where = await mailbox_of(services.witnesses, typed, claimed)
        code = make_mail_code()
        await services.store.mail_codes.keep(claim.id, member, address, code, f"{proof} {where}")
        await services.mailer.send(
            address,
            "Your code for Labmate",
            f"Somebody in Discord says that they are {' '.join(claimed.names[0].split())[:100]} and read mail at this "
            f"address.\n\nIf that is you, type this in Discord within half an hour:\n\n    /claim code:{code}\n\n"
            "If not, do nothing: without the code nothing happens, and this address is not kept.\n",
        )
    except (NotProven, SourceError, ClaimRefused) as error:
        raise UserError(f"Not sent: {shown(str(error), 500)}") from error
    return note(
        f"A code is on its way to an address at **{shown(where.partition(' ')[0], 100)}**. Type it within half an hour: "
        "`/claim code:<the code>`."
    )


async def settle_mail(services: Services, member: int, code: str) -> ui.LayoutView:
    """Take a mailed code."""
    claim, claimed = await _open_claim(services, member)
    try:
        proof, _, where = (await services.store.mail_codes.settle(claim.id, member, code)).partition(" ")
        claim = await _prove(services, claim, proof, where)
    except ClaimRefused as error:
        raise UserError(f"Not proven: {shown(str(error), 300)}") from error
    if claim.guild is not None:
        await services.store.claims.seen(member, claim.guild)
    return _held(claim, claimed.names[0])


def _held(claim: Claim, name: str) -> ui.LayoutView:
    return note(
        f"You are **{shown(name, 80)}** now ({held_words(claim)}). /collaborators without a name is about you; "
        "/profile edit says what you seek and offer.",
        [[link("person.card", "Card", person=claim.person_id)]],
    )


async def ask_vouch(
    services: Services, number: int, user: discord.User | discord.Member, guild: int | None
) -> ui.LayoutView:
    """Ask the channel."""
    claim = await services.store.claims.find(number)
    if claim is None or claim.member != user.id:
        raise UserError("This button belongs to somebody else. /claim person:*your name* begins your own.")
    if claim.state != "open":
        raise UserError("This claim is not open any more.")
    if guild is None or claim.guild != guild:
        raise UserError("Members vouch in a server: begin the claim in the one where they know you.")
    person = await services.store.people.find(claim.person_id)
    name = shown(person.name if person else "?", 80)
    return note(
        f"**{shown(user.display_name, 60)}** says to be **{name}**. Members who have claimed their own papers and "
        f"know that this is so can vouch; {VOUCHES} settle it.",
        [
            [
                VouchButton("I vouch", claim=str(claim.id)),
                link("person.card", "Card", person=claim.person_id),
            ]
        ],
    )


async def vouch(services: Services, number: int, member: int, guild: int | None) -> ui.LayoutView:
    """Take a word for somebody's claim."""
    try:
        count, claim = await services.store.claims.vouch(number, member, guild or 0)
    except ClaimRefused as error:
        raise UserError(str(error)) from error
    person = await services.store.people.find(claim.person_id)
    name = shown(person.name if person else "?", 80)
    if claim.state == "held":
        if guild:
            await services.store.claims.seen(claim.member, guild)
        return note(f"Thank you. **{name}** is claimed now ({held_words(claim)}).")
    return note(f"Thank you; {VOUCHES - count} more settles that this is **{name}**.")


class ClaimCommands(commands.Cog, name="Claims"):
    """A member who is a person."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        person="Your name, as your papers have it",
        page="A page of yours that has the code",
        orcid="Your ORCID",
        mail="Your address at your institution; a code is sent there",
        code="The code that was mailed to you",
    )
    @app_commands.autocomplete(person=complete_person)
    async def claim(
        self,
        interaction: discord.Interaction,
        person: app_commands.Range[str, 1, 200] | None = None,
        page: app_commands.Range[str, 1, 2_000] | None = None,
        orcid: app_commands.Range[str, 1, 100] | None = None,
        mail: app_commands.Range[str, 3, 254] | None = None,
        code: app_commands.Range[str, 1, 40] | None = None,
    ) -> None:
        """Say which papers are yours, and prove it"""
        work = self._claim(interaction, person, page, orcid, mail, code)
        await answer(interaction, work, private=True)

    async def _claim(
        self,
        interaction: discord.Interaction,
        person: str | None,
        page: str | None,
        orcid: str | None,
        mail: str | None,
        code: str | None,
    ) -> ui.LayoutView:
        member, guild = interaction.user.id, interaction.guild_id
        if sum(option is not None for option in (person, page, orcid, mail, code)) != 1:
            raise UserError(
                "Give your name to begin, then the page or the ORCID that has your code, or your address, or the code "
                "that was mailed to you; one at a time."
            )
        if mail is not None:
            return await mail_code(self._services, member, mail)
        if code is not None:
            return await settle_mail(self._services, member, code)
        if person is None:
            return await prove(self._services, member, page, orcid)
        services = await seen_by(interaction)
        found = await whom(services, person)
        if found.person is None:
            return await ask_which(services, found, "person.choose_claim")
        return await begin(services, found.person.id, member, guild)


async def setup(bot: commands.Bot) -> None:
    """Add the commands and buttons."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(AskVouchButton, VouchButton)
    await bot.add_cog(ClaimCommands(services))
