"""Links: buttons and selects made from an action's name and ids; the file that registers it handles it.

A file that shows a button does not import what it leads to, just as a web page only links to another::

    @button("paper.card", "d:{paper}")
    async def open_card(press: Press, paper: int) -> None:
        await answer(press.interaction, show(press.services, paper), private=press.private)

    link("paper.card", "Details", paper=17)  # anywhere else

All that a button needs is in its ``custom_id``, so that it works after a restart.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import discord
from discord import ButtonStyle, ui

from commands.kit.access import may_use
from commands.kit.replies import UserError, handling
from commands.kit.services import Services, seen_by

MAX_CUSTOM_ID = 100
LARGEST = 2**63 - 1
"""What a database takes for a number."""
FIELD = re.compile(r"\{(?P<name>\w+)(?::(?P<kind>[^{}]+?))?(?P<optional>\?)?\}")
"""A field of a pattern: ``{paper}``, ``{page:page}``, ``{order:[no]}``; optional: ``{start:page?}``."""
NUMBERS = {"id": r"\d{1,12}", "snowflake": r"\d{1,20}", "page": r"\d{1,5}"}
TEXTS = {
    "author": r"~?\d{1,12}",
    "before": r"n|[sldk]\d{1,16}\.\d{1,20}",
    "category": r"[A-Za-z.-]{0,30}",
    "day": r"\d{8}",
    "day_or_none": r"\d{0,8}",
    "text": r".{0,90}",
}

Link = ui.DynamicItem[Any]
Handler = Callable[..., Awaitable[None]]


@dataclass(frozen=True)
class Press:
    """Somebody pressed a button or chose from a select."""

    interaction: discord.Interaction
    services: Services
    """As the server where it happened sees people."""

    @property
    def member(self) -> int:
        """The Discord id of who pressed."""
        return self.interaction.user.id

    @property
    def guild(self) -> int | None:
        """The server where it happened."""
        return self.interaction.guild_id

    @property
    def private(self) -> bool:
        """Whether the message pressed on is one that only its reader sees."""
        message = self.interaction.message
        return bool(message and message.flags.ephemeral)


class Pattern:
    """How an action's ids stand in a ``custom_id``: ``"p:{how:[eu]}:{author:author}:{page:page}"``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: dict[str, str] = {}
        self.optional: set[str] = set()
        parts, end = [], 0
        for field in FIELD.finditer(text):
            parts += [re.escape(text[end : field.start()]), self._regex(field)]
            end = field.end()
        self.regex = re.compile("".join(parts) + re.escape(text[end:]))

    def _regex(self, field: re.Match[str]) -> str:
        name, kind = field["name"], field["kind"] or "id"
        self.kinds[name] = kind
        regex = f"(?P<{name}>{NUMBERS.get(kind) or TEXTS.get(kind) or kind})"
        if not field["optional"]:
            return regex
        self.optional.add(name)
        return f"(?::{regex})?"

    def build(self, ids: dict[str, Any]) -> str:
        """The ``custom_id`` of these ids.

        Raises
        ------
        ValueError
            Where ids are missing, unknown, or don't fit the pattern.
        """
        custom_id = FIELD.sub(lambda field: self._part(field, ids), self.text)
        match = self.regex.fullmatch(custom_id)
        if ids.keys() - self.kinds.keys() or match is None or len(custom_id) > MAX_CUSTOM_ID:
            raise ValueError(f"{ids} do not fit {self.text}")
        return custom_id

    @staticmethod
    def _part(field: re.Match[str], ids: dict[str, Any]) -> str:
        value = ids.get(field["name"])
        if field["optional"]:
            return "" if value is None else f":{value}"
        return "" if value is None else str(value)

    def read(self, match: re.Match[str]) -> dict[str, Any]:
        """The ids of a ``custom_id``: numbers as int, all else as str; None for a missing optional id."""
        return {
            name: int(value) if value is not None and self.kinds[name] in NUMBERS else value
            for name, value in match.groupdict().items()
        }


class Action:
    """What a button or select does, under a name."""

    def __init__(self, name: str, pattern: str, handler: Handler) -> None:
        self.name, self.pattern, self.handler = name, Pattern(pattern), handler
        taken = set(inspect.signature(handler).parameters)
        if missing := self.pattern.kinds.keys() - taken:
            raise TypeError(f"{name}: {handler.__qualname__} takes no {', '.join(sorted(missing))}")
        if name in ACTIONS:
            raise ValueError(f"the action {name} is registered twice")
        ACTIONS[name] = self
        self.item: type[_Dynamic] = _Button
        self.make: Callable[..., ui.Item[Any]]


ACTIONS: dict[str, Action] = {}
"""Every action by its name, once the file that handles it is imported."""


def action(name: str) -> Action:
    """The action of a name.

    Raises
    ------
    LookupError
        Where no imported file handles it.
    """
    try:
        return ACTIONS[name]
    except KeyError:
        raise LookupError(f"no file that is imported handles the action {name!r}") from None


def is_ours(custom_id: str) -> bool:
    """Whether some button or select of this Labmate has such a ``custom_id``."""
    return any(one.pattern.regex.fullmatch(custom_id) for one in ACTIONS.values())


def items() -> list[type[_Dynamic]]:
    """The classes that discord.py dispatches by ``custom_id``; pass them to ``bot.add_dynamic_items``."""
    return [one.item for one in ACTIONS.values()]


class _Dynamic(ui.DynamicItem[Any], template=r"labmate-none"):
    """What discord.py finds by its ``custom_id``; one subclass an action."""

    action: ClassVar[Action]

    def __init__(self, item: ui.Item[Any], ids: dict[str, Any]) -> None:
        self.ids = ids
        super().__init__(item)

    async def interaction_check(self, interaction: discord.Interaction, /) -> bool:
        """Refuse the banned."""
        return await may_use(interaction)

    async def callback(self, interaction: discord.Interaction) -> Any:
        """Hand it to the file that registered the action."""
        async with handling(interaction):
            press = Press(interaction, await seen_by(interaction))
            await self.action.handler(press, *self._chosen(interaction), **self.ids)

    def _chosen(self, interaction: discord.Interaction) -> list[Any]:
        return []


class _Button(_Dynamic, template=r"labmate-no-button"):
    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        return cls(item, cls.action.pattern.read(match))


class _Select(_Dynamic, template=r"labmate-no-select"):
    value: ClassVar[type[int] | type[str]] = str
    several: ClassVar[bool] = False

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        return cls(item, cls.action.pattern.read(match))

    def _chosen(self, interaction: discord.Interaction) -> list[Any]:
        data: Any = interaction.data or {}
        values = [self._read(str(one)) for one in data.get("values", [])]
        if self.several:
            return [values]
        if not values:
            raise UserError("Nothing was chosen. Please choose again.")
        return values[:1]

    def _read(self, value: str) -> int | str:
        if self.value is str:
            return value[:MAX_CUSTOM_ID]
        if not re.fullmatch(r"[0-9]{1,20}", value) or int(value) > LARGEST:
            raise UserError("I can't read this choice. Please ask for the list again.")
        return int(value)


def button(
    name: str, pattern: str, *, style: ButtonStyle = ButtonStyle.secondary
) -> Callable[[Handler], Handler]:
    """Register what a button does: ``handler(press, **ids)``.

    Parameters
    ----------
    name
        The action's name, such as ``paper.card``; :func:`link` makes its buttons.
    pattern
        Its ``custom_id``; what stands there must not change, since messages keep it for years.
    """

    def register(handler: Handler) -> Handler:
        one = Action(name, pattern, handler)
        one.item = _dynamic(one, _Button, {})
        one.make = lambda label, custom_id, **more: ui.Button(
            label=label, custom_id=custom_id, **({"style": style} | more)
        )
        return handler

    return register


def select(
    name: str,
    pattern: str,
    placeholder: str,
    *,
    value: type[int] | type[str] = str,
    several: bool = False,
    channels: Sequence[discord.ChannelType] | None = None,
) -> Callable[[Handler], Handler]:
    """Register what a choice does: ``handler(press, value, **ids)``; a list of values for a multiple choice.

    With ``channels`` members choose among the server's channels of these types, whose ids are the values.
    """

    def register(handler: Handler) -> Handler:
        one = Action(name, pattern, handler)
        one.item = _dynamic(one, _Select, {"value": value, "several": several})

        def make(options: Sequence[discord.SelectOption], custom_id: str, **more: Any) -> ui.Item[Any]:
            common: dict[str, Any] = {"custom_id": custom_id, "placeholder": placeholder} | more
            if channels is not None:
                return ui.ChannelSelect(channel_types=list(channels), **common)
            if several:
                common |= {"min_values": 0, "max_values": max(len(options), 1)}
            return ui.Select(options=list(options), **common)

        one.make = make
        return handler

    return register


def _dynamic(one: Action, kind: type[_Dynamic], more: dict[str, Any]) -> type[_Dynamic]:
    body = {"action": one, "__module__": __name__} | more
    return types.new_class(
        f"{kind.__name__}[{one.name}]",
        (kind,),
        {"template": one.pattern.regex},
        lambda namespace: namespace.update(body),
    )


def link(name: str, label: str, *, style: ButtonStyle | None = None, **ids: Any) -> Link:
    """A button that does an action.

    Raises
    ------
    LookupError
        Where no imported file handles the action.
    ValueError
        Where the ids do not fit it.
    """
    one = action(name)
    custom_id = one.pattern.build(ids)
    return one.item(one.make(label, custom_id, **({"style": style} if style else {})), ids)


def choice(
    name: str, options: Sequence[discord.SelectOption] = (), *, placeholder: str | None = None, **ids: Any
) -> Link:
    """A select that does an action; raises as :func:`link` does."""
    one = action(name)
    custom_id = one.pattern.build(ids)
    return one.item(
        one.make(options, custom_id, **({"placeholder": placeholder} if placeholder else {})), ids
    )
