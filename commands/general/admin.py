"""`/admin`: what only the person who runs this Labmate decides, in a direct message to it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.admin import audit_card, bans_card, lines_card, servers_card, troubles_card
from commands.cards.lists import note
from commands.cards.text import shown
from commands.kit.authority import is_operator
from commands.kit.installs import in_direct_messages
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.supervise import ended, lasting
from index.trust.operator import SUBJECTS, Operator, OperatorError

log = logging.getLogger("labmate")
SWEEP_EVERY = 20.0
"""Seconds between checks whether a server was banned, here or from the command line."""
NOT_YOU = "Only the person who runs this Labmate can use /admin."
MOST = (1 << 53) - 1
"""The largest whole number that a Discord option takes."""
_SUBJECTS = [app_commands.Choice(name=name, value=name) for name in SUBJECTS]
_KINDS = [app_commands.Choice(name=name, value=name) for name in ("member", "server")]


def snowflake(typed: str) -> int:
    """A Discord id as people paste it: digits, or a mention.

    Raises
    ------
    UserError
        Where it is neither.
    """
    digits = typed.strip().removeprefix("<@").removeprefix("!").removesuffix(">")
    if not (digits.isascii() and digits.isdigit() and 15 <= len(digits) <= 20 and int(digits) < 1 << 63):
        raise UserError(
            "That is not a Discord id. Turn on Developer Mode, then right-click and choose Copy ID."
        )
    return int(digits)


@in_direct_messages
class Admin(commands.GroupCog, group_name="admin", group_description="For the person who runs this Labmate"):
    """The operator's console in Discord; ``python -m bot admin`` is the same on the command line."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot = bot
        self._services = services
        self._sweeping: asyncio.Task[None] | None = None
        super().__init__()

    async def cog_load(self) -> None:
        """Begin to check for banned servers."""
        self._sweeping = asyncio.create_task(lasting(self._sweep_for_ever))

    async def cog_unload(self) -> None:
        """Stop checking."""
        if self._sweeping is not None:
            await ended(self._sweeping)

    # -- servers that may not have Labmate -------------------------------------------------------

    async def _sweep_for_ever(self) -> None:
        await self._bot.wait_until_ready()
        while True:
            await self.leave_banned()
            await asyncio.sleep(SWEEP_EVERY)

    async def leave_banned(self) -> None:
        """Leave every banned server. Those not on the list are only refused: they can still be added."""
        for guild in list(self._bot.guilds):
            if await self._services.store.bans.is_server_banned(guild.id):
                await self._leave(guild)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Leave a server that may not use this Labmate as soon as it is added there."""
        if await self._services.store.bans.is_refused(guild.id):
            await self._leave(guild)

    async def _leave(self, guild: discord.Guild) -> None:
        try:
            await guild.leave()
        except discord.HTTPException as error:  # the next check tries again
            log.warning("I could not leave the server %d: %s", guild.id, error)
            return
        log.info("left the server %d, which may not use this Labmate", guild.id)
        await self._services.store.audit.record(0, "server.leave", f"server {guild.id}", guild.name)

    # -- the door --------------------------------------------------------------------------------

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Only the application's owner, or the team that owns it."""
        if await is_operator(interaction):
            return True
        raise app_commands.CheckFailure(NOT_YOU)

    async def _answer(
        self, interaction: discord.Interaction, work: Callable[[Operator], Awaitable[ui.LayoutView]]
    ) -> None:
        operator = Operator(self._services.store, interaction.user.id, interaction.user.display_name)

        async def decided() -> ui.LayoutView:
            try:
                return await work(operator)
            except OperatorError as error:
                raise UserError(str(error)) from error

        await answer(interaction, decided(), private=True)

    async def _decide(
        self, interaction: discord.Interaction, work: Callable[[Operator], Awaitable[str]]
    ) -> None:
        async def said(operator: Operator) -> ui.LayoutView:
            text = await work(operator)
            await self._services.insight.refresh()
            return note(shown(text, 500))

        await self._answer(interaction, said)

    # -- commands --------------------------------------------------------------------------------

    @app_commands.command()
    async def status(self, interaction: discord.Interaction) -> None:
        """Show what needs your attention"""

        async def work(_: Operator) -> ui.LayoutView:
            return troubles_card(list(self._services.troubles.values()))

        await self._answer(interaction, work)

    @app_commands.command()
    @app_commands.describe(what="What to look at")
    @app_commands.choices(what=_SUBJECTS)
    async def look(self, interaction: discord.Interaction, what: str) -> None:
        """Show the newest corrections, claims or contests of all servers"""

        async def work(operator: Operator) -> ui.LayoutView:
            return lines_card(what, await operator.look(what))

        await self._answer(interaction, work)

    @app_commands.command()
    @app_commands.describe(what="What to undo", number="Its number, from /admin look")
    @app_commands.choices(what=_SUBJECTS)
    async def undo(
        self, interaction: discord.Interaction, what: str, number: app_commands.Range[int, 1, MOST]
    ) -> None:
        """Take back a correction, end a claim or restore it, reopen a contest"""
        await self._decide(interaction, lambda operator: operator.undo(what, number))

    @app_commands.command()
    @app_commands.describe(number="The correction's number, from /admin look")
    async def promote(
        self, interaction: discord.Interaction, number: app_commands.Range[int, 1, MOST]
    ) -> None:
        """Make a server's correction hold for everybody"""
        await self._decide(interaction, lambda operator: operator.promote(number))

    @app_commands.command()
    @app_commands.describe(
        number="The contest's number, from /admin look", end_claim="True ends the claim; False lets it stay"
    )
    async def settle(
        self,
        interaction: discord.Interaction,
        number: app_commands.Range[int, 1, MOST],
        end_claim: bool,
    ) -> None:
        """Settle a contested claim"""
        await self._decide(interaction, lambda operator: operator.settle(number, upheld=end_claim))

    @app_commands.command()
    @app_commands.describe(what="A member or a server", id="The Discord id", reason="Why, for the log")
    @app_commands.choices(what=_KINDS)
    async def ban(
        self,
        interaction: discord.Interaction,
        what: str,
        id: str,
        reason: app_commands.Range[str, 1, 300],
    ) -> None:
        """Ban a member or a server"""

        async def work(operator: Operator) -> str:
            target = snowflake(id)
            if what == "member" and target == interaction.user.id:
                raise UserError("You can't ban yourself.")
            said = await operator.ban(what, target, reason)
            if what == "server":
                await self.leave_banned()
            return said

        await self._decide(interaction, work)

    @app_commands.command()
    @app_commands.describe(what="A member or a server", id="The Discord id")
    @app_commands.choices(what=_KINDS)
    async def unban(self, interaction: discord.Interaction, what: str, id: str) -> None:
        """Lift the ban of a member or a server"""
        await self._decide(interaction, lambda operator: operator.unban(what, snowflake(id)))

    @app_commands.command()
    async def bans(self, interaction: discord.Interaction) -> None:
        """Show who is banned"""

        async def work(_: Operator) -> ui.LayoutView:
            return bans_card(await self._services.store.bans.all())

        await self._answer(interaction, work)

    @app_commands.command()
    async def servers(self, interaction: discord.Interaction) -> None:
        """Show the servers that I am in, and which of them may use me"""

        async def work(_: Operator) -> ui.LayoutView:
            # Asked of Discord, since another process may be connected for some of them.
            here = [(guild.id, guild.name) async for guild in self._bot.fetch_guilds(limit=None)]
            return servers_card(here, await self._services.store.bans.allowed())

        await self._answer(interaction, work)

    @app_commands.command()
    @app_commands.describe(server="The server's Discord id")
    async def allow(self, interaction: discord.Interaction, server: str) -> None:
        """Put a server on the list; once there is a list, only servers on it may use me"""
        await self._decide(interaction, lambda operator: operator.allow(snowflake(server)))

    @app_commands.command()
    @app_commands.describe(server="The server's Discord id")
    async def disallow(self, interaction: discord.Interaction, server: str) -> None:
        """Take a server off the list"""
        await self._decide(interaction, lambda operator: operator.disallow(snowflake(server)))

    @app_commands.command()
    async def log(self, interaction: discord.Interaction) -> None:
        """Show who decided what, newest first"""

        async def work(operator: Operator) -> ui.LayoutView:
            return audit_card(await operator.log())

        await self._answer(interaction, work)


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Admin(bot, services))
