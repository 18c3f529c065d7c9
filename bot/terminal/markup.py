"""Discord's markdown in a terminal: styles, mentions by name, times in this machine's time zone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from rich.style import Style
from rich.text import Text

from bot.local_discord.markdown import MarkdownNode, parse

Names = Mapping[str, str]
"""Names of people, roles and channels: ``@<id>``, ``&<id>`` and ``#<id>`` -> the name with its sign."""

_STYLES = {
    "strong": "bold",
    "em": "italic",
    "underline": "underline",
    "strike": "strike",
    "code": "bold cyan",
    "heading": "bold",
    "subtext": "dim",
    "mention": "bold blue",
    "command": "bold blue",
}
_BLOCKS = ("heading", "subtext", "list", "quote")
_TIMES = {
    "t": "%H:%M",
    "T": "%H:%M:%S",
    "d": "%d/%m/%Y",
    "D": "%-d %B %Y",
    "f": "%-d %B %Y %H:%M",
    "F": "%A, %-d %B %Y %H:%M",
}
_UNITS = ((31_536_000, "year"), (2_592_000, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))


def styled(text: str, names: Names) -> Text:
    """A text with markdown as styles; links can be clicked if the terminal supports it."""
    line = Text()
    _write(line, parse(text), names, Style())
    line.rstrip()
    return line


def plain(text: str, names: Names) -> str:
    """A text without markdown; each link is followed by its address."""
    line = Text()
    _write(line, parse(text), names, Style(), addresses=True)
    return line.plain.rstrip("\n")


def _write(
    line: Text, nodes: list[MarkdownNode], names: Names, style: Style, *, addresses: bool = False
) -> None:
    for node in nodes:
        own = style + Style.parse(_STYLES.get(node.kind, ""))
        if node.kind == "list":
            bullet = node.mark.strip()
            line.append(
                " " * (len(node.mark) - len(bullet)) + ("•" if bullet in "-*+" else bullet) + " ", own
            )
        elif node.kind == "quote":
            line.append("▏ ", own + Style(dim=True))
        elif node.kind == "link" and not addresses:
            own += Style(link=node.mark or node.text.strip("<>"))
        line.append(_shown(node, names), own)
        _write(line, node.children, names, own, addresses=addresses)
        if node.kind == "link" and node.mark and addresses:
            line.append(f" <{node.mark}>", own)
        if node.kind in _BLOCKS:
            line.append("\n")


def _shown(node: MarkdownNode, names: Names) -> str:
    """How a node's own characters are shown."""
    if node.kind == "text":
        return node.text.replace("\u200b", "")
    if node.kind == "mention" and (mention := re.fullmatch(r"<(@|@!|@&|#)(\d+)>", node.text)):
        sign = {"@&": "&", "#": "#"}.get(mention[1], "@")
        return names.get(sign + mention[2], "#unknown" if sign == "#" else "@unknown")
    if node.kind == "command":
        return node.text[1:].rpartition(":")[0]
    if node.kind == "timestamp":
        seconds, _, form = node.text[3:-1].partition(":")
        return moment(int(seconds), form)
    if node.kind == "link":
        return node.text.strip("<>")
    return node.text


def moment(seconds: int, form: str = "f", now: datetime | None = None) -> str:
    """A moment in one of Discord's styles (t, T, d, D, f, F, R), in this machine's time zone."""
    now = now or datetime.now().astimezone()
    try:
        then = datetime.fromtimestamp(seconds).astimezone(now.tzinfo)
    except (ValueError, OverflowError, OSError):
        return "some time"
    if form == "R":
        return _relative((then - now).total_seconds())
    return then.strftime(_TIMES.get(form, _TIMES["f"]))


def _relative(seconds: float) -> str:
    size, unit = next(((size, unit) for size, unit in _UNITS if abs(seconds) >= size), (1, "second"))
    count = round(abs(seconds) / size)
    words = f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return f"in {words}" if seconds > 0 else f"{words} ago"
