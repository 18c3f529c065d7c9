"""A reply of the bot as its user sees it: text, buttons and selects, and how to use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.local_discord.limits import BUTTON, walk
from bot.local_discord.state import EPHEMERAL, Json

_SELECTS = {3, 5, 6, 7, 8}
_LINK = 5


class ComponentUser(Protocol):
    """Who presses buttons and chooses options."""

    names: dict[str, str]

    async def component(self, message: Json, data: Json) -> ShownReply:
        """Use a component of a message."""


@dataclass
class ShownReply:
    """A message of the bot as its user sees it now."""

    user: ComponentUser
    message: Json

    @property
    def is_private(self) -> bool:
        """Whether only this user sees it."""
        return bool(self.message["flags"] & EPHEMERAL)

    @property
    def components(self) -> list[Json]:
        """All components, nested ones included, in order."""
        return [component for _, component in walk(self.message["components"])]

    @property
    def text(self) -> str:
        """All text shown: content, text displays, embeds."""
        parts = [self.message["content"], *(c.get("content", "") for c in self.components)]
        parts += [e.get("description", "") for e in self.message["embeds"]]
        return "\n".join(filter(None, parts))

    @property
    def buttons(self) -> list[Json]:
        """The buttons that can be pressed."""
        return [
            c
            for c in self.components
            if c["type"] == BUTTON and c.get("style") != _LINK and not c.get("disabled")
        ]

    @property
    def links(self) -> list[Json]:
        """The link buttons."""
        return [c for c in self.components if c["type"] == BUTTON and c.get("style") == _LINK]

    @property
    def selects(self) -> list[Json]:
        """The selects."""
        return [c for c in self.components if c["type"] in _SELECTS]

    def button(self, label: str) -> Json:
        """The first button whose label contains this text, upper or lower case.

        Raises
        ------
        LookupError
            If no button does.
        """
        for button in self.buttons:
            if label.lower() in (button.get("label") or "").lower():
                return button
        raise LookupError(f"no button {label!r} among {[b.get('label') for b in self.buttons]}")

    async def press(self, button: str | Json) -> ShownReply:
        """Press a button; returns the changed message or the new reply."""
        chosen = self.button(button) if isinstance(button, str) else button
        return await self.user.component(
            self.message, {"component_type": BUTTON, "custom_id": chosen["custom_id"]}
        )

    async def choose(self, value: str, select: Json | None = None) -> ShownReply:
        """Choose an option of a select by its value or the start of its label."""
        chosen = select or self.selects[0]
        options = chosen.get("options", [])
        values = [o["value"] for o in options if o["value"] == value or o["label"].startswith(value)][:1]
        return await self.choose_all(values or [value], chosen)

    async def choose_all(self, values: list[str], select: Json) -> ShownReply:
        """Choose several values of a select."""
        data = {"component_type": select["type"], "custom_id": select["custom_id"], "values": values}
        return await self.user.component(self.message, data)
