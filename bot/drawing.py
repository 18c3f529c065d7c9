"""A message as a terminal shows it: text, numbered buttons, selects. For `ask` and the prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.panel import Panel
from rich.text import Text

from bot.local_discord.client import Reply
from bot.local_discord.limits import (
    BUTTON,
    CONTAINER,
    FILE,
    GALLERY,
    ROW,
    SECTION,
    SEPARATOR,
    STRING_SELECT,
    TEXT_DISPLAY,
)
from bot.local_discord.state import Json

_ESCAPED = re.compile(r"\\([\\`*_~|\[\]()<>#\-+>.!])")
_SMALL = re.compile(r"^-# ?", re.MULTILINE)
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\((https?://[^)\s]+)\)")
_LINK_STYLE = 5


@dataclass
class Drawing:
    """A reply drawn, and what each number on it does."""

    lines: list[RenderableType] = field(default_factory=list)
    actions: dict[int, tuple[Json, str | None]] = field(default_factory=dict)
    """Number -> (component, option value for a select)."""


def draw(reply: Reply) -> Drawing:
    """Draw a reply for a terminal."""
    drawing = Drawing()
    if reply.message["content"]:
        drawing.lines.append(markdown(reply.message["content"]))
    for component in reply.message["components"]:
        _draw(component, drawing)
    for attachment in reply.message.get("attachments", []):
        drawing.lines.append(Text(f"📎 {attachment['filename']}  {attachment['url']}", style="dim"))
    return drawing


def _draw(component: Json, drawing: Drawing) -> None:
    kind = component["type"]
    if kind == CONTAINER:
        inner = Drawing(actions=drawing.actions)
        for child in component["components"]:
            _draw(child, inner)
        drawing.lines.append(Panel(Group(*inner.lines), border_style="cyan", padding=(0, 1)))
    elif kind == TEXT_DISPLAY:
        drawing.lines.append(markdown(component["content"]))
    elif kind == SECTION:
        for child in component["components"]:
            _draw(child, drawing)
        drawing.lines.append(Text("   ") + _button(component["accessory"], drawing))
    elif kind == ROW:
        _row(component["components"], drawing)
    elif kind == SEPARATOR:
        drawing.lines.append(Text(""))
    elif kind == GALLERY:
        drawing.lines += [Text(f"🖼 {alt}", style="dim") for alt in _pictures(component)]
    elif kind == FILE:
        drawing.lines.append(
            Text("📄 " + component.get("file", {}).get("url", "").removeprefix("attachment://"))
        )


def _pictures(gallery: Json) -> list[str]:
    """What the pictures of a gallery show, in words."""
    return [item.get("description") or "a picture" for item in gallery.get("items", [])]


def _row(children: list[Json], drawing: Drawing) -> None:
    line = Text()
    for child in children:
        if child["type"] == BUTTON:
            line += _button(child, drawing) + Text("  ")
        elif child["type"] == STRING_SELECT:
            drawing.lines.append(Text(child.get("placeholder") or "Choose:", style="dim"))
            for option in child["options"]:
                number = len(drawing.actions) + 1
                drawing.actions[number] = (child, option["value"])
                text = Text(f" [{number}] ", style="bold yellow") + Text(option["label"])
                if option.get("description"):
                    text += Text(f" — {option['description']}", style="dim")
                drawing.lines.append(text)
    if line:
        drawing.lines.append(line)


def _button(button: Json, drawing: Drawing) -> Text:
    label = button.get("label") or "•"
    if button.get("style") == _LINK_STYLE:
        return Text(f"{label} ↗ ", style="blue") + Text(button["url"], style="dim")
    if button.get("disabled"):
        return Text(f"({label})", style="dim")
    number = len(drawing.actions) + 1
    drawing.actions[number] = (button, None)
    return Text(f"[{number}] ", style="bold yellow") + Text(label, style="yellow")


def markdown(text: str) -> RenderableType:
    """Discord's markdown in a terminal: small print dim, a line a line."""
    parts: list[RenderableType] = []
    for line in text.split("\n"):
        if line.startswith("-# "):
            parts.append(Text(plain(line), style="dim"))
        elif line.strip():
            parts.append(Markdown(line))
    return Group(*parts)


def plain(text: str) -> str:
    """Markdown as plain text: links as text and address, escapes resolved."""
    text = _LINK.sub(r"\1 <\2>", _SMALL.sub("", text))
    text = re.sub(r"(?<!\\)\*\*|^#{1,3} ", "", text, flags=re.MULTILINE)
    return _ESCAPED.sub(r"\1", text).replace("\u200b", "")


def print_plain(reply: Reply, console: Console) -> None:
    """A reply as text for a pipe or a log."""

    def show(components: list[Json]) -> None:
        for component in components:
            if component["type"] == TEXT_DISPLAY:
                console.print(plain(component["content"]), markup=False, highlight=False, soft_wrap=True)
            elif component["type"] == BUTTON:
                target = component.get("url")
                shown = f"[{component.get('label', '')}]" + (f" {target}" if target else "")
                console.print(shown, markup=False, highlight=False, soft_wrap=True)
            elif component["type"] == GALLERY:
                for alt in _pictures(component):
                    console.print(f"[picture: {alt}]", markup=False, highlight=False, soft_wrap=True)
            elif component["type"] == STRING_SELECT:
                for option in component["options"]:
                    about = f" — {option['description']}" if option.get("description") else ""
                    console.print(
                        f"( ) {option['label']}{about}", markup=False, highlight=False, soft_wrap=True
                    )
            show(component.get("components") or [])
            if component["type"] == SECTION and component["accessory"]["type"] != BUTTON:
                show([component["accessory"]])

    if reply.message["content"]:
        console.print(plain(reply.message["content"]), markup=False, highlight=False, soft_wrap=True)
    show(reply.message["components"])
