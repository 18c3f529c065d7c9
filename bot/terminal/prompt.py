"""Labmate in the terminal: type slash commands as in Discord, over the local Discord."""

from __future__ import annotations

import asyncio
import re
import sys
import webbrowser
from collections.abc import Awaitable, Callable
from dataclasses import replace

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout
from rich.console import Console
from rich.text import Text

from bot.local_discord.client import CommandRefusedError, NoReplyError, UserClient
from bot.local_discord.interactions import IN_BOT_DM, IN_GUILD
from bot.local_discord.shown_reply import ShownReply
from bot.local_discord.state import EPHEMERAL, LOADING, Json
from bot.local_discord.typed import Typed, TypingError, parse
from bot.only_one import LOCALLY
from bot.run import local_discord, running_bot
from bot.scheduler import Scheduler
from bot.settings import Settings
from bot.terminal.completion import DiscordCompleter
from bot.terminal.drawing import Drawing, draw
from bot.terminal.forms import FormField, TerminalForm, form_of
from bot.terminal.interim import until_answered
from bot.terminal.mention import mention_in

LEAVING = ("exit", "quit", ":q")
BACK = "back"
_THREADS = (11, 12)
"""Types of channels that are public and private threads."""
HOW = (
    "Type a command such as /papers ChonLam Lao, @Labmate and a question, the number of a button or option, "
    "or exit. Tab completes."
)

Ask = Callable[[FormField], Awaitable[str | None]]
"""Asks for a form's field; None if the user closes the form."""


class Terminal:
    """Reads a line, asks the bot, draws the reply; after an interim reply, waits for the answer."""

    def __init__(self, user: UserClient, console: Console, ask: Ask) -> None:
        self._user = user
        self._console = console
        self._ask = ask
        self._shown: dict[int, tuple[ShownReply, Json, str | None]] = {}
        """Number -> (message, component, option) of the last drawn reply."""
        self._channels: list[str] = []
        """The channels that threads and direct messages were entered from."""
        self._direct = ""
        """The channel of the direct messages, once they were entered."""
        self._last: str | None = None
        self._answered: set[str] = set()
        """Interactions whose reply was drawn; further messages of theirs are shown, too."""
        self._drawn: set[str] = set()
        """Messages that were drawn."""
        self._busy = False
        self._later: list[Json] = []
        user.listeners.append(self._heard)

    async def handle(self, line: str) -> None:
        """Handle a command, or the numbers of a button or of options."""
        self._busy = True
        try:
            if line.lower() == BACK and self._channels:
                self._user.channel_id = self._channels.pop()
            elif re.fullmatch(r"\d{1,4}([ ,]+\d{1,4})*", line):
                await self._press([int(number) for number in re.findall(r"\d+", line)])
            elif line.startswith("/"):
                await self._command(parse(line, await self._user.commands()))
            elif (said := mention_in(line)) is not None:
                await self._show(await self._user.mention(said))
            else:
                self._hint(HOW)
        except TypingError as error:
            self._hint(str(error))
        except (NoReplyError, CommandRefusedError, TimeoutError) as error:
            self._hint(f"No answer: {error}")
        finally:
            self._busy = False
            for message in self._later:
                if message["id"] not in self._drawn:
                    self._show_later(message)
            self._later.clear()

    async def _command(self, typed: Typed) -> None:
        """Run a command where it is offered, which may be in direct messages only."""
        if self._user.channel_id != self._direct:
            if not typed.is_offered(IN_GUILD):
                self._direct = await self._user.direct_messages()
                self._channels.append(self._user.channel_id)
                self._user.channel_id = self._direct
                self._hint(
                    f"{typed.name} works only in direct messages. You are now there; type back to leave."
                )
        elif not typed.is_offered(IN_BOT_DM):
            self._hint(f"{typed.name} works only in a server. Type back to leave your direct messages.")
            return
        await self._show(await self._user.run(typed))

    async def _press(self, numbers: list[int]) -> None:
        unknown = [number for number in numbers if number not in self._shown]
        if unknown:
            self._hint(f"The last reply has no button {unknown[0]}.")
            return
        reply, component, value = self._shown[numbers[0]]
        if value is None:
            pressed = await reply.press(component)
            await self._show(pressed)
            await self._follow(pressed)
            return
        chosen = [self._shown[number] for number in numbers]
        if any(other["custom_id"] != component["custom_id"] for _, other, _ in chosen):
            self._hint("These numbers belong to different questions; answer one at a time.")
            return
        if len(chosen) > int(component.get("max_values") or 1):
            self._hint("You can choose only one of these.")
            return
        await self._show(await reply.choose_all([str(option) for _, _, option in chosen], component))

    @property
    def place(self) -> str:
        """What stands before the line that is typed: the thread or direct messages it goes to."""
        here = self._user.channel_id
        name = "direct messages" if here == self._direct else self._user.names.get(f"#{here}", "thread")
        return f"{name} › " if self._channels else "› "

    async def _follow(self, reply: ShownReply) -> None:
        """Go to the thread that a reply leads to, as a person would."""
        led = re.search(r"<#(\d+)>", reply.text) if reply.is_private else None
        if led is None or led[1] == self._user.channel_id:
            return
        channel = await self._user.request("GET", f"/channels/{led[1]}")
        if channel["type"] in _THREADS:
            self._channels.append(self._user.channel_id)
            self._user.channel_id = led[1]
            self._hint(f"You are now in {channel['name']}. Type back to leave it.")

    async def _show(self, reply: ShownReply) -> None:
        if "modal" in reply.message:
            await self._fill(form_of(reply.message["modal"]))
            return
        async for shown in until_answered(self._user, reply):
            self._shown = {}
            self._draw(shown)

    def _draw(self, reply: ShownReply) -> None:
        drawing: Drawing = draw(reply, max(self._shown, default=0) + 1)
        self._last = reply.message["id"]
        self._drawn.add(reply.message["id"])
        self._answered.add(_interaction(reply.message))
        self._shown |= {number: (reply, *action) for number, action in drawing.actions.items()}
        if reply.is_private:
            self._console.print(Text("Only you can see this", style="dim italic"))
        for line in drawing.lines:
            self._console.print(line)

    async def _fill(self, form: TerminalForm) -> None:
        """Ask for each field of a form, offering its current value, and send the form."""
        self._console.print(Text(form.title, style="bold"))
        values = {}
        for field in form.fields:
            while True:
                value = await self._ask(field)
                if value is None:
                    self._hint("The form was closed; nothing was sent.")
                    return
                problem = field.problem(value)
                if problem is None:
                    break
                self._hint(problem)
                field = replace(field, value=value)
            values[field.custom_id] = value
        await self._show(await self._user.submit(form.modal, values))

    # -- messages that nobody asked for -------------------------------------------------------------

    def _heard(self, event: str, message: Json) -> None:
        """Show an update of the last reply, and what the bot posts by itself."""
        if event not in ("MESSAGE_CREATE", "MESSAGE_UPDATE") or int(message["flags"]) & LOADING:
            return
        asked = message.get("interaction_metadata") or message.get("message_reference")
        more = _interaction(message) in self._answered - {""} and message["id"] not in self._drawn
        by_itself = event == "MESSAGE_CREATE" and (not asked or more)
        if message["author"].get("bot") and (by_itself or message["id"] == self._last):
            if self._busy:
                self._later += [message] if by_itself else []
            else:
                self._show_later(message)

    def _show_later(self, message: Json) -> None:
        if not int(message["flags"]) & EPHEMERAL and message["id"] != self._last:
            place = self._user.names.get(f"#{message['channel_id']}", "a direct message")
            self._console.print(Text(f"Labmate in {place}:", style="dim italic"))
        if message["id"] == self._last:
            self._shown = {}
        self._draw(ShownReply(self._user, message))

    def _hint(self, text: str) -> None:
        self._console.print(Text(text, style="yellow"))


def _interaction(message: Json) -> str:
    """The interaction that a message answers; "" for none."""
    return str((message.get("interaction_metadata") or {}).get("id", ""))


async def run_locally(
    settings: Settings, *, port: int = 0, browser: bool = False, stays: bool = False
) -> bool:
    """Run the local Discord, the bot and a prompt until ``exit``, Ctrl-D or Ctrl-C.

    Returns whether anything was asked, or could have been.

    Parameters
    ----------
    port
        The port of the local Discord and its page; 0 for the one of the last time.
    browser
        Whether to open the page in a browser.
    stays
        Whether the page stays when there is nothing more to read and no terminal.
    """
    console = Console()

    def say(text: str) -> None:
        console.print(Text(text, style="dim"))

    console.print(Text("Starting a local Discord and Labmate…", style="dim"))
    settings.labmate_data.mkdir(parents=True, exist_ok=True)
    ids = settings.labmate_data / "local-discord.json"
    async with (
        local_discord(settings, ids, port=port, furnished=True) as (discord_, local_settings),
        running_bot(local_settings, say, only=LOCALLY) as (bot, scheduler),
    ):
        async with UserClient(discord_.url, discord_.user_token) as user:
            papers = len(bot.services.corpus.facets)
            console.print(
                f"[bold cyan]Labmate[/] knows {papers:,} papers. "
                "DISCORD_TOKEN is not set, so this is a local Discord."
            )
            console.print(
                "Try [bold]/papers ChonLam Lao[/], [bold]/similar PrismLLM[/], "
                "[bold]@Labmate how are GPU clusters emulated?[/] or [bold]/help[/]. "
                "Tab completes; type exit to leave."
            )
            console.print(f"In a browser, as it will look in Discord: [bold]{discord_.url}/[/]")
            scheduler.start()
            if browser:
                await asyncio.to_thread(webbrowser.open, discord_.url)
            asked = True
            if sys.stdin is not None and sys.stdin.isatty():
                await _interactive(console, user, settings, scheduler)
            else:
                asked = await _piped(console, user)
                if stays and not asked:
                    await asyncio.Event().wait()
        if not asked:
            return False
        console.print(Text("Goodbye.", style="dim"))
        return True


async def _interactive(console: Console, user: UserClient, settings: Settings, scheduler: Scheduler) -> None:
    def progress() -> str | None:
        return scheduler.progress or None

    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(settings.labmate_data / "history")),
        completer=DiscordCompleter(user, await user.commands()),
        complete_while_typing=True,
        bottom_toolbar=progress,
        refresh_interval=1.0,
    )
    fields: PromptSession[str] = PromptSession()

    async def ask(field: FormField) -> str | None:
        how = "Esc, then Enter, finishes; Ctrl-C closes the form" if field.long else "Ctrl-C closes the form"
        label = FormattedText([("bold", f"  {field.label}"), ("", ": " if not field.long else "\n  ")])
        try:
            return await fields.prompt_async(
                label,
                default=field.value,
                multiline=field.long,
                bottom_toolbar=f"{field.hint} · {how}",
                prompt_continuation="  ",
            )
        except (EOFError, KeyboardInterrupt):
            return None

    terminal = Terminal(user, console, ask)
    with patch_stdout(raw=True):
        while True:
            try:
                line = (await session.prompt_async(terminal.place)).strip()
            except (EOFError, KeyboardInterrupt):
                return
            if line.lower() in LEAVING:
                return
            if line:
                await terminal.handle(line)


async def _piped(console: Console, user: UserClient) -> bool:
    """Read one command per line from a pipe, until the input ends; returns whether there was one.

    A form takes one line per field; an empty line keeps the field's current value.
    """

    async def ask(field: FormField) -> str | None:
        console.print(Text(f"  {field.label} ({field.hint}): {field.value}"))
        line = await asyncio.to_thread(sys.stdin.readline)
        return line.rstrip("\n") or field.value if line else None

    terminal = Terminal(user, console, ask)
    asked = False
    while sys.stdin is not None and (line := await asyncio.to_thread(sys.stdin.readline)):
        asked |= bool(line.strip())
        if line.strip().lower() in LEAVING:
            break
        if line.strip():
            await terminal.handle(line.strip())
    return asked
