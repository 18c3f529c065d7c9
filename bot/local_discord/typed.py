"""Parse slash commands as people type them: ``/papers author:ChonLam Lao sort:oldest``."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from bot.local_discord.state import Json

SUB_COMMAND, SUB_COMMAND_GROUP, STRING, INTEGER, BOOLEAN = 1, 2, 3, 4, 5
USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, ATTACHMENT = 6, 7, 8, 9, 10, 11
QUERY = "query"
"""An option of this name takes filters such as ``category:cs.NI`` within its text."""
NAMES = ("author",)
"""Filters whose values are people's names, often of several words."""


class TypingError(ValueError):
    """The text is not a valid command; the message says what to type."""


@dataclass
class Typed:
    """A command with the options typed so far."""

    command: Json
    path: list[str] = field(default_factory=list)
    options: list[Json] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Json:
        """The ``data`` of the interaction."""
        options: list[Json] = [_value(self._option(name), text) for name, text in self.values.items()]
        for level, name in reversed(list(enumerate(self.path))):
            kind = SUB_COMMAND_GROUP if level < len(self.path) - 1 else SUB_COMMAND
            options = [{"name": name, "type": kind, "options": options}]
        return {"id": self.command["id"], "name": self.command["name"], "type": 1, "options": options}

    def uploads(self) -> list[Json]:
        """The files behind the typed paths, as the client sends them.

        Raises
        ------
        TypingError
            If one is no file, or can't be read.
        """
        return [
            upload(name, text)
            for name, text in self.values.items()
            if self._option(name)["type"] == ATTACHMENT
        ]

    def _option(self, name: str) -> Json:
        return next(option for option in self.options if option["name"] == name)

    def is_offered(self, context: int) -> bool:
        """Whether it is for such a place: 0, a server; 1, direct messages with the bot."""
        contexts = self.command.get("contexts")
        return contexts is None or context in contexts

    @property
    def usage(self) -> str:
        """How to type the command."""
        options = [f"{o['name']}:…" if o.get("required") else f"[{o['name']}:…]" for o in self.options]
        return " ".join([self.name, *options])

    @property
    def name(self) -> str:
        """The command with its subcommands, as it is typed."""
        return " ".join(["/" + self.command["name"], *self.path])


def upload(name: str, text: str) -> Json:
    """The file behind a typed path, as the client sends it.

    Raises
    ------
    TypingError
        If it is no file, or can't be read.
    """
    try:
        path = Path(text).expanduser()
        if path.is_dir():
            raise TypingError(f"{name}: {text} is a folder. Name a file in it.")
        if not path.exists():
            raise TypingError(f"{name}: the file {text} does not exist")
        if not path.is_file():
            raise TypingError(f"{name}: {text} is not a file")
        content = base64.b64encode(path.read_bytes()).decode()
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TypingError(f"{name}: {text[:200]} can't be read ({reason})") from error
    return {"id": text, "filename": path.name, "content": content}


def find_command(text: str, commands: list[Json]) -> tuple[Typed, str]:
    """The command at the start of a text, and the text of its options.

    Raises
    ------
    TypingError
        If there is no such command.
    """
    words = text.strip().removeprefix("/").split(None, 1)
    slash = [command for command in commands if command.get("type", 1) == 1]
    name, rest = (words[0], words[1] if len(words) > 1 else "") if words else ("", "")
    command = next((c for c in slash if c["name"] == name), None)
    if command is None:
        names = ", ".join(f"/{c['name']}" for c in sorted(slash, key=lambda c: c["name"]))
        raise TypingError(f"There is no command /{name}. Commands: {names}")
    typed, options = Typed(command), command.get("options") or []
    while options and options[0]["type"] in (SUB_COMMAND, SUB_COMMAND_GROUP):
        words = rest.split(None, 1)
        chosen = next((o for o in options if words and o["name"] == words[0]), None)
        if chosen is None:
            subs = ", ".join(option["name"] for option in options)
            raise TypingError(f"{typed.usage} needs one of: {subs}")
        typed.path.append(chosen["name"])
        rest, options = (words[1] if len(words) > 1 else ""), chosen.get("options") or []
    typed.options = options
    return typed, rest


def parse(text: str, commands: list[Json]) -> Typed:
    """Parse a complete command.

    A value without ``name:`` goes to the first option; so do filters where a query is nothing else.

    Raises
    ------
    TypingError
        For an unknown command or option, a missing option, or a value of the wrong kind.
    """
    typed, rest = find_command(text, commands)
    typed.values = split_values(rest, [option["name"] for option in typed.options])
    if _query_is_only_filters(typed):
        typed.values = _filters_in_query(typed)
    loose = typed.values.pop("", "")
    if loose:
        typed.values = {_place_of(loose, typed): loose, **typed.values}
    missing = [
        o["name"] for o in typed.options if o.get("required") and not typed.values.get(o["name"], "").strip()
    ]
    if missing:
        raise TypingError(_what_is_missing(typed, missing, loose))
    for name, value in typed.values.items():
        _value(typed._option(name), value)
    return typed


def _query_is_only_filters(typed: Typed) -> bool:
    """Whether what was typed is the query's own filters: ``/search category:cs.NI``.

    Discord's client would take these for options and ask for the query; a line typed whole is all there is.
    """
    return (
        any(option["name"] == QUERY and option.get("required") for option in typed.options[:1])
        and not {"", QUERY} & typed.values.keys()
        and any(typed._option(name)["type"] == STRING for name in typed.values)
    )


def _filters_in_query(typed: Typed) -> dict[str, str]:
    """The values with all filters in the query; a name of several words is quoted, so that it stays whole."""
    filters, others = [], {}
    for name, value in typed.values.items():
        if typed._option(name)["type"] != STRING:
            others[name] = value
        elif name in NAMES and " " in value and '"' not in value:
            filters.append(f'{name}:"{value}"')
        else:
            filters.append(f"{name}:{value}")
    return {QUERY: " ".join(filters), **others}


def _place_of(loose: str, typed: Typed) -> str:
    """The option that takes a text without ``name:``."""
    if all(option["type"] == BOOLEAN for option in typed.options):
        raise TypingError(f"{typed.name} takes no text. Type: {typed.usage}")
    first = str(typed.options[0]["name"])
    if not typed.options[0].get("required") and (unknown := re.match(r"([a-z][a-z_-]*):(?!//)", loose)):
        names = ", ".join(str(option["name"]) for option in typed.options)
        raise TypingError(f"{typed.name} has no option “{unknown[1]}”; it has {names}.")
    if first in typed.values or typed.options[0]["type"] == BOOLEAN:
        raise TypingError(f"“{loose}” does not belong to an option. Type: {typed.usage}")
    return first


def _what_is_missing(typed: Typed, missing: list[str], loose: str) -> str:
    """What is missing, and how a text without ``name:`` was understood."""
    lacking = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    if not loose:
        return f"{lacking}. Type: {typed.usage}"
    first, words = typed.options[0]["name"], loose.split()
    # Four words or more may be two names; the first half is then the likelier example.
    example = " ".join(words[: (len(words) + 1) // 2]) if len(words) >= 4 else loose
    still = "" if len(missing) == 1 else f", but {lacking}"
    rest = " ".join(f"{name}:…" for name in missing)
    return f"I took all of “{loose}” as {first}{still}. Type: {typed.name} {first}:{example} {rest}"


def split_values(text: str, names: list[str]) -> dict[str, str]:
    """``"a b sort:oldest"`` -> ``{"": "a b", "sort": "oldest"}`` for the options' names."""
    if not names:
        return {"": text.strip()} if text.strip() else {}
    pattern = re.compile(rf"(?:^|(?<=\s))({'|'.join(map(re.escape, names))}):\s?")
    values: dict[str, str] = {}
    name, start = "", 0
    for label in pattern.finditer(text):
        if label[1] in values or label[1] == name:
            continue
        values[name] = text[start : label.start()].strip()
        name, start = label[1], label.end()
    values[name] = text[start:].strip()
    return {key: value for key, value in values.items() if key or value}


def _value(option: Json, text: str) -> Json:
    """An option, with its value in the type that Discord sends."""
    kind, name = option["type"], option["name"]
    value: str | int | float | bool = text
    choices = option.get("choices") or []
    if choices:
        chosen = next(
            (c for c in choices if text.lower() in (str(c["name"]).lower(), str(c["value"]).lower())), None
        )
        if chosen is None:
            raise TypingError(f"{name} must be one of: {', '.join(str(c['name']) for c in choices)}")
        value = chosen["value"]
    elif kind == BOOLEAN:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise TypingError(f"{name} must be true or false")
        value = text.lower() in ("true", "yes")
    elif kind in (INTEGER, NUMBER):
        value = _number(option, text)
    elif kind in (USER, CHANNEL, ROLE, MENTIONABLE):
        value = re.sub(r"\D", "", text)
    if isinstance(value, str):
        least, most = option.get("min_length") or 0, option.get("max_length") or 6_000
        if not least <= len(value) <= most:
            raise TypingError(f"{name} must have {least:,} to {most:,} characters")
    return {"name": name, "type": kind, "value": value}


def _number(option: Json, text: str) -> int | float:
    """A number within the option's range."""
    name, least, most = option["name"], option.get("min_value"), option.get("max_value")
    try:
        value = int(text) if option["type"] == INTEGER else float(text)
    except ValueError as error:
        raise TypingError(f"{name} must be a number") from error
    if not isfinite(value):
        raise TypingError(f"{name} must be a number")
    if (least is None or value >= least) and (most is None or value <= most):
        return value
    if least is not None and most is not None:
        raise TypingError(f"{name} must be from {least:,} to {most:,}")
    bound = f"at least {least:,}" if least is not None else f"at most {most:,}"
    raise TypingError(f"{name} must be {bound}")
