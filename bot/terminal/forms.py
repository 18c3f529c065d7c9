"""Discord's forms in a terminal: one field after another, each with its current value."""

from __future__ import annotations

from dataclasses import dataclass

from bot.local_discord.limits import TEXT_INPUT, walk
from bot.local_discord.state import Json

_LABEL = 18
_LONG = 2
_MOST = 4_000


@dataclass(frozen=True)
class FormField:
    """A field of a form."""

    custom_id: str
    label: str
    value: str
    long: bool
    required: bool
    least: int
    most: int

    @property
    def hint(self) -> str:
        """What the field accepts."""
        return f"{'required' if self.required else 'optional'}, up to {self.most:,} characters"

    def problem(self, value: str) -> str | None:
        """Why Discord would refuse this value, or None."""
        if self.required and not value.strip():
            return f"{self.label} is required."
        if value and not self.least <= len(value) <= self.most:
            return f"{self.label} takes {self.least} to {self.most:,} characters; this has {len(value):,}."
        return None


@dataclass(frozen=True)
class TerminalForm:
    """A form with its fields and Discord's modal."""

    title: str
    fields: list[FormField]
    modal: Json


def form_of(modal: Json) -> TerminalForm:
    """A modal as a form; a field has its label in itself or in the component around it."""
    labels = {
        component["component"]["custom_id"]: component["label"]
        for _, component in walk(modal["components"])
        if component["type"] == _LABEL
    }
    fields = [
        FormField(
            component["custom_id"],
            str(component.get("label") or labels.get(component["custom_id"]) or component["custom_id"]),
            str(component.get("value") or ""),
            component.get("style") == _LONG,
            bool(component.get("required", True)),
            int(component.get("min_length") or 0),
            int(component.get("max_length") or _MOST),
        )
        for _, component in walk(modal["components"])
        if component["type"] == TEXT_INPUT
    ]
    return TerminalForm(str(modal["title"]), fields, modal)
