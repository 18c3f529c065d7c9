"""Messages in a terminal: text, numbered buttons and options. For `ask` and the prompt."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from bot.local_discord.completion import files_of
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
from bot.local_discord.shown_reply import ShownReply
from bot.local_discord.state import Json
from bot.terminal.markup import Names, plain, styled

_LINK_STYLE = 5
_CHANNEL_SELECT = 8
_MOST_CHANNELS = 15
_SHORT = 12
"""The longest label for options that share a line."""


@dataclass
class Drawing:
    """A drawn reply, and what each of its numbers does."""

    lines: list[RenderableType] = field(default_factory=list)
    actions: dict[int, tuple[Json, str | None]] = field(default_factory=dict)
    """Number -> (component, option value for a select)."""
    first: int = 1
    """The first number."""

    def number(self, component: Json, value: str | None) -> Text:
        """The next number, for a button or an option."""
        number = self.first + len(self.actions)
        self.actions[number] = (component, value)
        return Text(f"[{number}] ", style="bold yellow")


def draw(reply: ShownReply, first: int = 1) -> Drawing:
    """Draw a reply for a terminal; its numbers start at ``first``."""
    drawing, names = Drawing(first=first), reply.user.names
    if reply.message["content"]:
        drawing.lines.append(styled(reply.message["content"], names))
    for component in reply.message["components"]:
        _draw(component, drawing, names)
    for attachment in files_of(reply.message):
        drawing.lines.append(Text(f"📎 {attachment['filename']}  {attachment['url']}", style="dim"))
    return drawing


def _draw(component: Json, drawing: Drawing, names: Names) -> None:
    kind = component["type"]
    if kind == CONTAINER:
        inner = Drawing(actions=drawing.actions, first=drawing.first)
        for child in component["components"]:
            _draw(child, inner, names)
        drawing.lines.append(Panel(Group(*inner.lines), border_style="cyan", padding=(0, 1)))
    elif kind == TEXT_DISPLAY:
        drawing.lines.append(styled(component["content"], names))
    elif kind == SECTION:
        for child in component["components"]:
            _draw(child, drawing, names)
        drawing.lines.append(Text("   ") + _button(component["accessory"], drawing))
    elif kind == ROW:
        _row(component["components"], drawing, names)
    elif kind == SEPARATOR:
        drawing.lines.append(Text(""))
    elif kind == GALLERY:
        drawing.lines += [Text(f"🖼 {alt}", style="dim") for alt in _pictures(component)]
    elif kind == FILE:
        drawing.lines.append(Text(f"📄 {component.get('name') or ''}"))


def _pictures(gallery: Json) -> list[str]:
    """The descriptions of a gallery's pictures."""
    return [item.get("description") or "a picture" for item in gallery.get("items", [])]


def _row(children: list[Json], drawing: Drawing, names: Names) -> None:
    line = Text()
    for child in children:
        if child["type"] == BUTTON:
            line += _button(child, drawing) + Text("  ")
        elif child["type"] in (STRING_SELECT, _CHANNEL_SELECT):
            _select(child, drawing, names)
    if line:
        drawing.lines.append(line)


def _select(select: Json, drawing: Drawing, names: Names) -> None:
    several = int(select.get("max_values") or 1) > 1
    head = select.get("placeholder") or "Choose"
    more = " (you can type several numbers)" if several else ""
    drawing.lines.append(Text(f"{head}{more}:", style="dim"))
    options = options_of(select, names)
    short = all(len(option["label"]) <= _SHORT and not option.get("description") for option in options)
    texts = [Text(" ") + _option(option, select, drawing) for option in options]
    drawing.lines += [Text(" ").join(texts)] if short else texts


def _option(option: Json, select: Json, drawing: Drawing) -> Text:
    text = drawing.number(select, option["value"]) + Text(option["label"])
    if option.get("default"):
        text += Text(" ✓", style="green")
    if option.get("description"):
        text += Text(f" — {option['description']}", style="dim")
    return text


def options_of(select: Json, names: Names) -> list[Json]:
    """The options of a select; for a channel select, the channels."""
    if select["type"] == _CHANNEL_SELECT:
        channels = [{"label": name, "value": key[1:]} for key, name in names.items() if key.startswith("#")]
        return channels[:_MOST_CHANNELS]
    return list(select["options"])


def _button(button: Json, drawing: Drawing) -> Text:
    label = button.get("label") or "•"
    if button.get("style") == _LINK_STYLE:
        return Text(f"{label} ↗ ", style="blue") + Text(button["url"], style="dim")
    if button.get("disabled"):
        return Text(f"({label})", style="dim")
    return drawing.number(button, None) + Text(label, style="yellow")


def print_plain(reply: ShownReply, console: Console) -> None:
    """A reply as text for a pipe or a log."""
    names = reply.user.names

    def say(text: str) -> None:
        console.print(text, markup=False, emoji=False, highlight=False, soft_wrap=True)

    def show(components: list[Json]) -> None:
        for component in components:
            if component["type"] == TEXT_DISPLAY:
                say(plain(component["content"], names))
            elif component["type"] == BUTTON:
                target = component.get("url")
                say(f"[{component.get('label', '')}]" + (f" {target}" if target else ""))
            elif component["type"] == GALLERY:
                for alt in _pictures(component):
                    say(f"[picture: {alt}]")
            elif component["type"] in (STRING_SELECT, _CHANNEL_SELECT):
                for option in options_of(component, names):
                    about = f" — {option['description']}" if option.get("description") else ""
                    say(f"( ) {option['label']}{about}")
            show(component.get("components") or [])
            if component["type"] == SECTION and component["accessory"]["type"] != BUTTON:
                show([component["accessory"]])

    if reply.message["content"]:
        say(plain(reply.message["content"], names))
    show(reply.message["components"])
