"""`python -m bot ask`: one slash command or mention over the local Discord, as a user would."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

from rich.console import Console

from bot.local_discord.client import NoReplyError, UserClient
from bot.local_discord.interactions import IN_GUILD
from bot.local_discord.typed import TypingError, parse
from bot.run import local_discord, running_bot
from bot.settings import Settings
from bot.terminal.drawing import print_plain
from bot.terminal.interim import is_interim, until_answered
from bot.terminal.mention import mention_in

BY_MEANING = ("similar", "search", "ask")
"""Commands that need the model, so it is loaded first."""


async def ask(settings: Settings, text: str, *, as_json: bool) -> int:
    """Run a command, or say ``@Labmate ...``, and print the reply.

    Returns the exit status (1: an error reply, 2: not a command).
    """
    failures: list[object] = []
    async with (
        local_discord(settings) as (discord_, local_settings),
        running_bot(local_settings) as (bot, scheduler),
    ):
        bot.services.welcomed.add(int(discord_.owner["id"]))  # examples would come when nobody looks any more
        bot.add_listener(_remember(failures), "on_labmate_failure")
        bot.add_listener(_remember_mention(failures), "on_labmate_mention")
        said = mention_in(text)
        async with UserClient(discord_.url, discord_.user_token) as user:
            try:
                typed = parse(text, await user.commands()) if said is None else None
                if typed is not None:
                    typed.uploads()  # before the model is loaded for a command without its file
            except TypingError as error:
                print(error, file=sys.stderr)
                return 2
            if typed is None or typed.command["name"] in BY_MEANING:
                await scheduler.load_model()
            if typed is not None and not typed.is_offered(IN_GUILD):
                user.channel_id = await user.direct_messages()
            try:
                first = await (user.run(typed) if typed is not None else user.mention(said or ""))
                async for reply in until_answered(user, first):
                    if is_interim(reply):  # what is printed as the reply is the answer alone
                        print_plain(reply, Console(stderr=True, soft_wrap=True))
            except NoReplyError as error:
                print(error, file=sys.stderr)
                return 1
            if as_json:
                print(json.dumps([reply.message], ensure_ascii=False, indent=1))
            else:
                print_plain(reply, Console(soft_wrap=True))
    return 1 if failures else 0


def _remember_mention(failures: list[object]) -> Callable[[str], Coroutine[Any, Any, None]]:
    async def on_labmate_mention(outcome: str) -> None:
        if outcome != "answered":
            failures.append(outcome)

    return on_labmate_mention


def _remember(failures: list[object]) -> Callable[[object], Coroutine[Any, Any, None]]:
    async def on_labmate_failure(interaction: object) -> None:
        failures.append(interaction)

    return on_labmate_failure
