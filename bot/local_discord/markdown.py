"""Discord's markdown, with mentions, timestamps, emoji and links, as nodes.

Discord documents the syntax (https://docs.discord.com/developers/reference#message-formatting and its support
pages). Its clients recognise it like the simple-markdown family of parsers: rules in a fixed order, each
tried at each place. Where clients differ, this parser finds markdown, so text that it leaves plain is plain
everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class MarkdownNode:
    """A piece of text: its own characters, or its children."""

    kind: str
    text: str = ""
    children: list[MarkdownNode] = field(default_factory=list)
    mark: str = ""
    """A link's address, a list's bullet or a heading's number signs."""


def plain(nodes: list[MarkdownNode]) -> str:
    """The characters that a reader sees."""
    return "".join(node.text + plain(node.children) for node in nodes)


def kinds(nodes: list[MarkdownNode]) -> set[str]:
    """All kinds of nodes except plain text, including nested ones."""
    every_kind: set[str] = set()
    for node in nodes:
        every_kind |= {node.kind} | kinds(node.children)
    return every_kind - {"text"}


_SPACES = {"\r\n": "\n", "\r": "\n", "\f": "", "\t": "    "}
_ESCAPE = re.compile(r"\\([^0-9A-Za-z\s])")
_QUOTE = re.compile(r" *>>> ?([\s\S]*)| *> ([^\n]*(?:\n *> [^\n]*)*)\n?")
_BULLET = re.compile(r"( *(?:[-*+]|[0-9]+\.)) +([^\n]*)(?:\n|$)")
_HEADING = re.compile(r"(#{1,3}) +([^\n]+)(?:\n|$)")
_SMALL = re.compile(r"(-#) +([^\n]+)(?:\n|$)")
_BLOCK_CODE = re.compile(r"```([\s\S]+?)```")
_CODE = re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)")
_INSIDE = r"(?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*"
_LINK = re.compile(rf"\[({_INSIDE})\]\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['\"][\s\S]*?['\"])?\s*\)")
_AUTOLINK = re.compile(r"<([^: >]+:/[^ >]+)>")
_ADDRESS = re.compile(r"<(?:mailto:[^\s<>]+|[^\s<>@]+@[^\s<>@]+\.[^\s<>@]+|\+\d[\d\s-]*)>")
_URL = re.compile(r"[a-z]+://[^\s<]+[^<.,:;\"')\]\s]", re.IGNORECASE)
_MENTION = re.compile(r"<(?:@[!&]?|#)\d+>|@everyone|@here")
_COMMAND = re.compile(r"</[^<>:\n]+:\d+>")
_NAVIGATION = re.compile(r"<(?:id|\d+):[\w:-]+>")
_TIME = re.compile(r"<t:-?\d+(?::[A-Za-z])?>")
_CUSTOM_EMOJI = re.compile(r"<a?:\w+:\d+>")
_EMOJI = re.compile(r":[A-Za-z0-9_+-]+:")
_STAR = re.compile(
    r"\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)",
)
_UNDERSCORE = re.compile(r"_((?:__|\\[\s\S]|[^\\_])+?)_(?![0-9A-Za-z_])")
_STRONG = re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)")
_UNDERLINE = re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)")
_STRIKE = re.compile(r"~~([\s\S]+?)~~")
_SPOILER = re.compile(r"\|\|([\s\S]+?)\|\|")
_SHRUG = "¯\\_(ツ)_/¯"
_TEXT = re.compile(r"[\s\S]+?(?=[^0-9A-Za-z\s]|\n|\w+:\S|$)")

_EMPHASES = (("em", _STAR), ("em", _UNDERSCORE), ("strong", _STRONG), ("underline", _UNDERLINE))
_WHOLE = (
    ("mention", _MENTION),
    ("command", _COMMAND),
    ("navigation", _NAVIGATION),
    ("timestamp", _TIME),
    ("emoji", _CUSTOM_EMOJI),
    ("emoji", _EMOJI),
    ("link", _ADDRESS),
    ("link", _AUTOLINK),
    ("link", _URL),
)
_LINES = (("subtext", _SMALL), ("heading", _HEADING), ("list", _BULLET))


def parse(text: str) -> list[MarkdownNode]:
    """A message's text as nodes."""
    for before, after in _SPACES.items():
        text = text.replace(before, after)
    return _joined(_parse(text, line_start=True))


def _parse(text: str, *, line_start: bool) -> list[MarkdownNode]:
    nodes: list[MarkdownNode] = []
    place = 0
    while place < len(text):
        at_line = line_start if place == 0 else text[place - 1] == "\n"
        node, length = _next(text[place:], at_line)
        nodes.append(node)
        place += length
    return nodes


def _next(rest: str, at_line: bool) -> tuple[MarkdownNode, int]:
    """The first node of a text, and how many characters it takes."""
    if at_line and (block := _line(rest)):
        return block
    if match := _BLOCK_CODE.match(rest):
        return MarkdownNode("code", match[1]), match.end()
    if match := _ESCAPE.match(rest):
        return MarkdownNode("text", match[1]), match.end()
    for kind, pattern in _WHOLE:
        if match := pattern.match(rest):
            return MarkdownNode(kind, match[0]), match.end()
    if match := _LINK.match(rest):
        return MarkdownNode("link", children=_parse(match[1], line_start=False), mark=match[2]), match.end()
    emphases = [(kind, match) for kind, pattern in _EMPHASES if (match := pattern.match(rest))]
    if emphases:  # the longest wins
        kind, match = max(emphases, key=lambda emphasis: emphasis[1].end())
        return MarkdownNode(kind, children=_parse(match[1], line_start=False)), match.end()
    for kind, pattern in (("strike", _STRIKE), ("spoiler", _SPOILER)):
        if match := pattern.match(rest):
            return MarkdownNode(kind, children=_parse(match[1], line_start=False)), match.end()
    if match := _CODE.match(rest):
        return MarkdownNode("code", match[2]), match.end()
    if rest.startswith(_SHRUG):
        return MarkdownNode("text", _SHRUG), len(_SHRUG)
    plain_text = _TEXT.match(rest)
    assert plain_text is not None
    return MarkdownNode("text", plain_text[0]), plain_text.end()


def _line(rest: str) -> tuple[MarkdownNode, int] | None:
    """A node that can only start a line: quote, list, heading, small print."""
    if match := _QUOTE.match(rest):
        inner = re.sub(r"^ *> ", "", match[0], flags=re.MULTILINE) if match[1] is None else match[1]
        return MarkdownNode("quote", children=_parse(inner, line_start=True)), match.end()
    for kind, pattern in _LINES:
        if match := pattern.match(rest):
            return MarkdownNode(kind, children=_parse(match[2], line_start=True), mark=match[1]), match.end()
    return None


def _joined(nodes: list[MarkdownNode]) -> list[MarkdownNode]:
    """Merge neighbouring texts."""
    joined: list[MarkdownNode] = []
    for node in nodes:
        node.children = _joined(node.children)
        if node.kind == "text" and joined and joined[-1].kind == "text":
            joined[-1].text += node.text
        else:
            joined.append(node)
    return joined
