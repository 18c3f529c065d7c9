"""Labmate in the terminal: slash commands typed as in Discord, over the local Discord."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console
from rich.text import Text

from bot.drawing import Drawing, draw
from bot.local_discord.client import NoReplyError, RefusedError, Reply, UserClient
from bot.local_discord.state import Json
from bot.local_discord.typed import TypingError, find_command, split_values
from bot.run import local_discord, running_bot
from bot.scheduler import Scheduler
from bot.settings import Settings

LEAVING = ("exit", "quit", ":q")


class DiscordCompleter(Completer):
    """Commands, options and values, as Discord offers them: values come from the bot itself."""

    def __init__(self, user: UserClient, commands: list[Json]) -> None:
        self._user = user
        self._commands = commands

    def get_completions(self, document: Document, complete_event: CompleteEvent):  # type: ignore[no-untyped-def]
        """Only the asynchronous form is used."""
        return iter(())

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncIterator[Completion]:
        """What can stand at the cursor."""
        text = document.text_before_cursor
        if not text.startswith("/"):
            return
        name, space, _ = text[1:].partition(" ")
        if not space:
            for command in sorted(self._commands, key=lambda c: c["name"]):
                if command["name"].startswith(name):
                    yield Completion(
                        command["name"] + " ",
                        -len(name),
                        display=f"/{command['name']}",
                        display_meta=command["description"],
                    )
            return
        try:
            typed, rest = find_command(text, self._commands)
        except TypingError:
            return
        async for completion in self._option(text, rest, typed.options):
            yield completion

    async def _option(self, text: str, rest: str, options: list[Json]) -> AsyncIterator[Completion]:
        values = split_values(rest, [option["name"] for option in options])
        word = rest.rpartition(" ")[2]
        for option in options:
            if option["name"] not in values and option["name"].startswith(word) and ":" not in word:
                yield Completion(f"{option['name']}:", -len(word), display_meta=option["description"])
        if not options:
            return
        current = list(values)[-1] if values else ""
        typed = values.get(current, "")
        option = next((o for o in options if o["name"] == (current or options[0]["name"])), None)
        if option is None or (rest.endswith(" ") and typed):
            return
        for name, value in await self._values(text, option):
            yield Completion(value, -len(typed), display=name)

    async def _values(self, text: str, option: Json) -> list[tuple[str, str]]:
        if option["type"] == 5:
            return [("true", "true"), ("false", "false")]
        try:
            choices = await self._user.complete(text)
        except (NoReplyError, RefusedError, TypingError, TimeoutError):
            return []
        return [(str(choice["name"]), str(choice["value"])) for choice in choices]


class Terminal:
    """The loop of reading a line, asking, drawing."""

    def __init__(self, user: UserClient, console: Console) -> None:
        self._user = user
        self._console = console
        self._reply: Reply | None = None
        self._drawing = Drawing()

    async def handle(self, line: str) -> None:
        """A command, or the number of a button."""
        try:
            if line.isdigit():
                await self._press(int(line))
            elif line.startswith("/"):
                await self._show(await self._user.slash(line))
            else:
                self._hint(
                    "Type a command such as /papers ChonLam Lao, a button's number, or exit. Tab completes."
                )
        except TypingError as error:
            self._hint(str(error))
        except (NoReplyError, RefusedError, TimeoutError) as error:
            self._hint(f"No answer: {error}")

    async def _press(self, number: int) -> None:
        if self._reply is None or number not in self._drawing.actions:
            self._hint(f"There is no button {number} on the last reply.")
            return
        component, value = self._drawing.actions[number]
        if value is None:
            await self._show(await self._reply.press(component))
        else:
            await self._show(await self._reply.choose(value, component))

    async def _show(self, reply: Reply) -> None:
        self._reply, self._drawing = reply, draw(reply)
        if reply.is_private:
            self._console.print(Text("Only you can see this", style="dim italic"))
        for line in self._drawing.lines:
            self._console.print(line)

    def _hint(self, text: str) -> None:
        self._console.print(Text(text, style="yellow"))


async def run_locally(settings: Settings) -> None:
    """The local Discord, the bot and a prompt; until ``exit``, Ctrl-D or Ctrl-C."""
    console = Console()

    def say(text: str) -> None:
        console.print(Text(text, style="dim"))

    console.print(Text("Starting a local Discord and Labmate…", style="dim"))
    settings.labmate_data.mkdir(parents=True, exist_ok=True)
    ids = settings.labmate_data / "local-discord.json"
    async with local_discord(settings, ids) as (discord_, led), running_bot(led, say) as (bot, scheduler):
        async with UserClient(discord_.url, discord_.user_token) as user:
            known = len(bot.services.library.facets)
            console.print(
                f"[bold cyan]Labmate[/] knows {known:,} papers. No DISCORD_TOKEN is set, so this is a local Discord."
            )
            console.print(
                "Try [bold]/papers ChonLam Lao[/], [bold]/similar PrismLLM[/] or [bold]/help[/]. Tab completes; exit leaves."
            )
            scheduler.start()
            terminal = Terminal(user, console)
            if sys.stdin.isatty():
                await _interactive(terminal, user, settings, scheduler)
            else:
                await _piped(terminal, scheduler)
        console.print(Text("Goodbye.", style="dim"))


async def _interactive(
    terminal: Terminal, user: UserClient, settings: Settings, scheduler: Scheduler
) -> None:
    def progress() -> str:
        return scheduler.progress

    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(settings.labmate_data / "history")),
        completer=DiscordCompleter(user, await user.commands()),
        complete_while_typing=True,
        bottom_toolbar=lambda: progress() or None,
        refresh_interval=1.0,
    )
    with patch_stdout(raw=True):
        while True:
            try:
                line = (await session.prompt_async("› ")).strip()
            except (EOFError, KeyboardInterrupt):
                return
            if line.lower() in LEAVING:
                return
            if line:
                await terminal.handle(line)


async def _piped(terminal: Terminal, scheduler: Scheduler) -> None:
    """Without a terminal: a command a line, until the input ends."""
    while True:
        line = await asyncio.to_thread(sys.stdin.readline)
        if not line or line.strip().lower() in LEAVING:
            return
        if line.strip():
            await terminal.handle(line.strip())
