"""Discord's forms in a terminal: one field after another, each with its current value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.local_discord.limits import FILE_UPLOAD, LABEL, TEXT_INPUT, walk
from bot.local_discord.state import Json

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
    file: bool = False
    """Whether it takes the path of a file."""

    @property
    def hint(self) -> str:
        """What the field accepts."""
        what = "the path of a file" if self.file else f"up to {self.most:,} characters"
        return f"{'required' if self.required else 'optional'}, {what}"

    def problem(self, value: str) -> str | None:
        """Why Discord would refuse this value, or None."""
        if self.required and not value.strip():
            return f"{self.label} is required."
        if self.file:
            missing = bool(value) and not Path(value).expanduser().is_file()
            return f"I can't find the file {value}." if missing else None
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
        if component["type"] == LABEL
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
            component["type"] == FILE_UPLOAD,
        )
        for _, component in walk(modal["components"])
        if component["type"] in (TEXT_INPUT, FILE_UPLOAD)
    ]
    return TerminalForm(str(modal["title"]), fields, modal)
