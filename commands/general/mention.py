"""`@Labmate ...`: what is said to Labmate in a channel or a direct message is led to a command.

Discord gives the text of messages that mention Labmate and of direct messages to it, without a privileged
intent. No other message is looked at here; with LINK_CARDS, `commands/papers/link_cards.py` looks for links.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections import OrderedDict
from collections.abc import Coroutine
from typing import Any

import discord
from discord.ext import commands

from commands.cards.lists import note
from commands.general.advice import advice
from commands.general.going_on import meant, note_list, said_with
from commands.kit.limits import MENTION, MINUTE, Counters, TooMuch
from commands.kit.replies import NO_PINGS, QUICK, UserError, logged
from commands.kit.replies import interim as interim_note
from commands.kit.reply import Reply
from commands.kit.send_once import own_id
from commands.kit.services import Services
from commands.kit.spoken import SPOKEN, Spoken
from commands.kit.waiting import told
from data.database.unavailable import DatabaseUnavailableError
from index.search.routing import Route, is_thanks
from index.trust.views import Place

log = logging.getLogger("labmate")
REMEMBERED = 5_000
"""Messages that are known to be answered: after a dropped connection, Discord sends some again."""
WELCOME = "You're welcome."


class Mentions(commands.Cog):
    """Answers who speaks to Labmate."""

    def __init__(self, bot: commands.Bot, services: Services) -> None:
        self._bot, self._services = bot, services
        self._answered: OrderedDict[int, None] = OrderedDict()
        self._refused = Counters()

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        """Answer a message that speaks to Labmate; leave every other one alone."""
        said = said_to(message, own_id(self._bot), await self._goes_on(message))
        if said is None or not self._is_new(message.id) or not may_answer(message):
            return
        try:
            await self._meet(message, said)
        except discord.HTTPException as error:  # the channel was closed or deleted meanwhile
            log.info("a mention could not be answered: %s", error)

    async def _goes_on(self, message: discord.Message) -> bool:
        """Whether a reply to one of Labmate's messages is the next question of a thread."""
        answered = message.reference.resolved if message.reference else None
        ours = isinstance(answered, discord.Message) and answered.author.id == own_id(self._bot)
        if not ours or message.author.bot:
            return False
        try:
            return await self._services.store.asked_questions.last(message.channel.id) is not None
        except DatabaseUnavailableError:
            return False

    async def _meet(self, message: discord.Message, said: str) -> None:
        """Answer, unless somebody is banned; where the database is away, say so."""
        try:
            if not await self._is_banned(message):
                await self._answer(message, said)
        except DatabaseUnavailableError as error:
            with contextlib.suppress(TooMuch):
                self._services.limits.take(
                    MENTION, message.author.id, message.guild.id if message.guild else None
                )
                self._bot.dispatch("labmate_mention", "failed")
                await send(message, Reply(note(logged(error, "a mention"))))

    def _is_new(self, message: int) -> bool:
        if message in self._answered:
            return False
        self._answered[message] = None
        if len(self._answered) > REMEMBERED:
            self._answered.popitem(last=False)
        return True

    async def _is_banned(self, message: discord.Message) -> bool:
        """Whether the member or the server is banned; then nothing is said. The operator never is."""
        guild = message.guild.id if message.guild else None
        if not await self._services.store.bans.is_banned(message.author.id, guild):
            return False
        return not await self._bot.is_owner(message.author)

    async def _answer(self, message: discord.Message, said: str) -> None:
        member, guild = message.author.id, message.guild.id if message.guild else None
        limits, interim = self._services.limits, list[discord.Message]()
        try:
            await limits.admit(MENTION, member, guild)
            made = await self._waited_for(message, self._made(message, said), interim)
        except TooMuch as refused:
            if self._refused.wait((member,), 1, MINUTE) > 0:
                return
            self._refused.count((member,), MINUTE)
            made = Reply(note(str(refused)))
            self._bot.dispatch("labmate_mention", "refused")
        await send(message, made, *interim)

    async def _waited_for(
        self, message: discord.Message, work: Coroutine[Any, Any, Reply], interim: list[discord.Message]
    ) -> Reply:
        """What the work makes; where it takes long, the channel shows typing, and then an interim answer."""
        task = asyncio.ensure_future(work)
        if not (await asyncio.wait({task}, timeout=QUICK))[0]:
            async with message.channel.typing():
                if not (await asyncio.wait({task}, timeout=self._services.interim_after))[0]:
                    interim.append(await replied(message, Reply(interim_note(self._services))))
                await asyncio.wait({task})
        return await task

    async def _made(self, message: discord.Message, said: str) -> Reply:
        """The command's answer, or what to tell about its failure.

        Raises
        ------
        TooMuch
            Where the member asks too much.
        """
        guild = message.guild.id if message.guild else None
        if is_thanks(said):
            return Reply(note(WELCOME))
        if (told_instead := advice(said)) is not None:
            return Reply(note(told_instead))
        try:
            services = await self._services.seen_from(Place(guild, message.author.id))
            follows = await services.store.asked_questions.last(message.channel.id) is not None
            direct = message.channel.id if message.guild is None else None
            taken = await meant(services, said, direct, follows=follows)
            before = taken.before.asked if taken.before is not None and taken.refers else None
            asked = Spoken(services, taken.found.options, message.channel.id, follows, before)
            reply = await self._work(message, taken.found, asked)
            await note_list(services, taken, said, reply, direct)
            if taken.found.command != "help":
                reply = await said_with(services, said, taken, reply)
        except TooMuch:
            raise
        except UserError as error:
            self._bot.dispatch("labmate_mention", "refused")
            return Reply(note(str(error)))
        except Exception as error:  # whatever it was, the person gets an answer
            self._bot.dispatch("labmate_mention", "failed")
            return Reply(note(logged(error, "a mention")))
        self._bot.dispatch("labmate_mention", "answered")
        return reply

    async def _work(self, message: discord.Message, found: Route, asked: Spoken) -> Reply:
        """Do what the command does, in the member's turn."""
        command, services = SPOKEN[found.command], asked.services
        guild = message.guild.id if message.guild else None
        await services.limits.admit(command.cost, asked.member, guild)
        work = told(services, command.answer(asked), *command.needs)
        task = asyncio.ensure_future(services.limits.carry(command.cost, asked.member, work))
        services.answering.add(task)
        task.add_done_callback(services.answering.discard)
        made = await task
        return made if isinstance(made, Reply) else Reply(made)


def said_to(message: discord.Message, me: int, goes_on: bool) -> str | None:
    """What a message says to Labmate, without the mention; None where it doesn't speak to Labmate.

    Bots, webhooks and system messages never do, nor do mentions of everybody or of a role. A reply does
    only where it ``goes_on`` from a question.
    """
    if message.author.bot or message.webhook_id is not None:
        return None
    if message.type not in (discord.MessageType.default, discord.MessageType.reply):
        return None
    mention = re.compile(rf"<@!?{me}>")
    direct = isinstance(message.channel, discord.DMChannel)
    if not direct and (message.guild is None or not (mention.search(message.content) or goes_on)):
        return None
    said = mention.sub(" ", message.content).strip()
    return said if said or not direct else None


def may_answer(message: discord.Message) -> bool:
    """Whether Labmate may write where the message stands."""
    if message.guild is None:
        return True
    place = message.channel
    if isinstance(place, discord.Thread) and place.parent is None:
        return True  # its channel is unknown just now; Discord refuses what is not allowed
    allowed = place.permissions_for(message.guild.me)
    writes = allowed.send_messages_in_threads if isinstance(place, discord.Thread) else allowed.send_messages
    return allowed.view_channel and writes


async def send(message: discord.Message, reply: Reply, interim: discord.Message | None = None) -> None:
    """Answer a message, in the place of an interim answer if there is one.

    Raises
    ------
    discord.HTTPException
        Where Discord refuses it.
    """
    if interim is None:
        first = await replied(message, reply)
    else:
        first = await interim.edit(view=reply.view, attachments=list(reply.files), allowed_mentions=NO_PINGS)
    for number, part in enumerate(reply.more, 1):
        await message.channel.send(
            view=part.view,
            files=list(part.files),
            allowed_mentions=NO_PINGS,
            nonce=f"{message.id}{number}",
        )
    if reply.later is not None and (better := await reply.later()) is not None:
        await first.edit(view=better, allowed_mentions=NO_PINGS)


async def replied(message: discord.Message, reply: Reply) -> discord.Message:
    """The message that answers another; Discord drops a second answer to the same one.

    Raises
    ------
    discord.HTTPException
        Where Discord refuses it.
    """
    return await message.channel.send(
        view=reply.view,
        files=list(reply.files),
        reference=message.to_reference(fail_if_not_exists=False),
        mention_author=False,
        allowed_mentions=NO_PINGS,
        nonce=str(message.id),
    )


async def setup(bot: commands.Bot) -> None:
    """Listen."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Mentions(bot, services))
