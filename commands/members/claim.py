"""`/claim`: a member says which person they are, and proves it; others can vouch for them."""

from __future__ import annotations

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.accounts import account
from commands.cards.lists import note
from commands.cards.text import shown
from commands.kit.installs import with_labmate
from commands.kit.links import Press, button, link, select
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.which_person import ask_which, complete_person, whom
from commands.members.proof import mail_code, proof_line, prove, settle_mail
from data.stores.claims import VOUCHES, ClaimRefused
from index.claims.claim_proofs import make_code

MAIL_WAY = (
    "4. **An address**: `/claim mail:…` with an address at your institution, or at a domain whose addresses "
    "are printed in one of your papers; a mail provider's does not count. An address with your given and "
    "family name is L2, any other L1. I send a one-time code and do not keep the address.\n"
)


@button("claim.ask_vouch", "cv:a:{claim}")
async def ask_vouch_pressed(press: Press, claim: int) -> None:
    """Show everybody in the channel that the claimant asks for vouchers; nobody else can ask."""
    work = ask_vouch(press.services, claim, press.interaction.user, press.guild)
    await answer(press.interaction, work)


@button("claim.vouch", "cv:v:{claim}", style=ButtonStyle.primary)
async def vouch_pressed(press: Press, claim: int) -> None:
    """Vouch for another member's claim, as a member who has claimed their own papers."""
    await answer(press.interaction, vouch(press.services, claim, press.member, press.guild), private=True)


@select("person.choose_claim", "who:m", "Choose the person", value=int)
async def person_chosen(press: Press, person: int) -> None:
    """Begin a claim of one of several people who share a name."""
    await answer(press.interaction, begin(press.services, person, press.member, press.guild), private=True)


async def begin(services: Services, person_id: int, member: int, guild: int | None) -> ui.LayoutView:
    """Open a claim and say how to prove it."""
    # A claim holds everywhere, so the person must exist without any server's corrections.
    services = services.everywhere
    person = await services.store.people.find(person_id)
    if person is None:
        raise UserError(
            "I no longer know this person, or they exist only by a correction in this server. Begin with the "
            "name: /claim person:*your name*."
        )
    held = await services.store.claims.of_member(member)
    if held is not None:
        if held.person_id == person.id:
            return note(
                f"You already hold **{shown(person.name, 80)}** ({proof_line(held)}). "
                "With /profile edit you can say more."
            )
        raise UserError("You hold another person already. /profile release ends that claim.")
    try:
        claim = await services.store.claims.begin(member, person.id, guild, make_code())
    except ClaimRefused as error:
        raise UserError(str(error)) from error
    name = shown(person.name, 80)
    holder = await services.store.claims.of_person(person.id, guild)
    contested = (
        "\nSomebody else holds this claim. With a stronger proof than theirs it becomes yours."
        if holder
        else ""
    )
    return note(
        f"## Are you {name}?\nProve it in one of these ways. "
        f"Your code, which only you see: `{claim.code}`{contested}\n"
        "1. **ORCID (L3)**: put the code into your record's biography or a website entry, then type "
        "`/claim orcid:…`. Your record must list one of these papers as added by its publisher (Crossref, "
        "DataCite), or OpenAlex must link your ORCID to them; papers that you added yourself do not count.\n"
        "2. **A page (L2)** of your institution, or at a domain printed in one of these papers: put the code "
        "on a page with your name and one of these papers, then type `/claim page:…`.\n"
        f"3. **Vouching (L1, in this server only)**: {VOUCHES} of its members who have claimed their own "
        "papers say that it is you.\n"
        + (MAIL_WAY if services.mailer else "")
        + "-# Leave the code where it is: I check it again every month, "
        "and the claim ends when the code is gone.",
        [
            [
                link("claim.ask_vouch", "Ask members to vouch", claim=claim.id),
                link("person.card", "Card", person=person.id),
            ]
        ],
    )


async def ask_vouch(
    services: Services, number: int, user: discord.User | discord.Member, guild: int | None
) -> ui.LayoutView:
    """Ask the members in the channel to vouch."""
    claim = await services.store.claims.find(number)
    if claim is None or claim.member != user.id:
        raise UserError("This button belongs to somebody else. /claim person:*your name* begins your own.")
    if claim.state != "open":
        raise UserError("This claim is no longer open.")
    if guild is None or claim.guild != guild:
        raise UserError("Members vouch in a server. Begin the claim in the one where they know you.")
    person = await services.store.people.find(claim.person_id)
    name = shown(person.name if person else "?", 80)
    return note(
        f"{account(user.id, user)}, says they are **{name}**. Members who have claimed their own papers and "
        f"know that this is true can vouch. It takes {VOUCHES}. Anybody can copy a display name, so check "
        "the account.",
        [
            [
                link("claim.vouch", "I vouch", claim=claim.id),
                link("person.card", "Card", person=claim.person_id),
            ]
        ],
    )


async def vouch(services: Services, number: int, member: int, guild: int | None) -> ui.LayoutView:
    """Count a member's word for somebody's claim."""
    try:
        count, claim = await services.store.claims.vouch(number, member, guild or 0)
    except ClaimRefused as error:
        raise UserError(str(error)) from error
    person = await services.store.people.find(claim.person_id)
    name = shown(person.name if person else "?", 80)
    if claim.state == "held":
        if guild:
            await services.store.claims.seen(claim.member, guild)
        return note(f"Thank you. **{name}** is claimed now ({proof_line(claim)}).")
    return note(f"Thank you. It takes {VOUCHES - count} more to settle that this is **{name}**.")


class ClaimCommands(commands.Cog, name="Claims"):
    """Claiming one's papers."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @with_labmate
    @app_commands.describe(
        person="Your name, as your papers have it",
        page="A page of yours that shows the code",
        orcid="Your ORCID",
        mail="Your address at your institution; I send a code there",
        code="The code that I mailed to you",
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
        if all(option is None for option in (person, page, orcid, mail, code)):
            raise UserError("Begin with your name: /claim person:*your name*.")
        if sum(option is not None for option in (person, page, orcid, mail, code)) != 1:
            raise UserError(
                "One at a time, please: your name to begin; then the page or the ORCID record that shows "
                "your code, or your address, or the code that I mailed to you."
            )
        if mail is not None:
            return await mail_code(self._services, member, mail)
        if code is not None:
            return await settle_mail(self._services, member, code)
        if person is None:
            return await prove(self._services, member, page, orcid)
        services = await seen_by(interaction)
        match = await whom(services, person)
        if match.person is None:
            return await ask_which(services, match, "person.choose_claim")
        return await begin(services, match.person.id, member, guild)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(ClaimCommands(services))
