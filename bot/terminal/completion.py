"""Tab completion in the terminal: commands, options and values, as Discord offers them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from bot.local_discord.client import CommandRefusedError, NoReplyError, UserClient
from bot.local_discord.state import Json
from bot.local_discord.typed import SUB_COMMAND, SUB_COMMAND_GROUP, TypingError, find_command, split_values

_BOOLEAN = 5


class DiscordCompleter(Completer):
    """Completes commands, options and values; the bot itself suggests the values."""

    def __init__(self, user: UserClient, commands: list[Json]) -> None:
        self._user = user
        self._commands = [command for command in commands if command.get("type", 1) == 1]

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Nothing: the prompt uses the asynchronous form."""
        return iter(())

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """Completions at the cursor."""
        text = document.text_before_cursor
        if not text.startswith("/"):
            return
        for completion in self._names(text[1:]):
            yield completion
        try:
            typed, rest = find_command(text, self._commands)
        except TypingError:
            return
        if " " in text:
            async for completion in self._option(text, rest, typed.options):
                yield completion

    def _names(self, text: str) -> Iterable[Completion]:
        """Commands, and subcommands of a typed command."""
        *before, word = text.split(" ")
        offered, sign = self._commands, "/"
        for name in filter(None, before):
            command = next((one for one in offered if one["name"] == name), None)
            options = (command or {}).get("options") or []
            offered = [one for one in options if one["type"] in (SUB_COMMAND, SUB_COMMAND_GROUP)]
            sign = ""
        for one in sorted(offered, key=lambda one: str(one["name"])):
            if one["name"].startswith(word):
                label = f"{sign}{one['name']}"
                yield Completion(
                    f"{one['name']} ", -len(word), display=label, display_meta=str(one["description"])
                )

    async def _option(self, text: str, rest: str, options: list[Json]) -> AsyncGenerator[Completion, None]:
        values = split_values(rest, [option["name"] for option in options])
        word = rest.rpartition(" ")[2]
        for option in options:
            if option["name"] not in values and option["name"].startswith(word) and ":" not in word:
                yield Completion(f"{option['name']}:", -len(word), display_meta=option["description"])
        if not options:
            return
        current = list(values)[-1] if values else ""
        typed = values.get(current, "")
        current_option = next((o for o in options if o["name"] == (current or options[0]["name"])), None)
        if current_option is None or (rest.endswith(" ") and typed):
            return
        for name, value in await self._values(text, current_option, typed):
            yield Completion(value, -len(typed), display=name)

    async def _values(self, text: str, option: Json, typed: str) -> list[tuple[str, str]]:
        if option["type"] == _BOOLEAN:
            return [(value, value) for value in ("true", "false") if value.startswith(typed.lower())]
        if option.get("choices"):
            names = [str(choice["name"]) for choice in option["choices"]]
            return [(name, name) for name in names if typed.lower() in name.lower()]
        try:
            choices = await self._user.complete(text)
        except (NoReplyError, CommandRefusedError, TypingError, TimeoutError):
            return []
        return [(str(choice["name"]), str(choice["value"])) for choice in choices]
