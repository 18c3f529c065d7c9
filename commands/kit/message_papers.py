"""The papers in a message: in its text, its link previews, its components, and what it forwards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import discord

from commands.kit.send_once import own_id
from commands.kit.services import Services
from commands.kit.shown_links import papers_shown
from index.search.named_papers import NamedPaper, Recognised, links_in, named_in, once, recognised

LOOKED_FOR = (
    "arXiv ids and links, DOIs, links to OpenReview and the ACL Anthology, and whole titles in quotes "
    "(four words or more)"
)
_SITE_NAME = re.compile(
    r"^\s*\[[^\[\]]{4,40}\]\s*|\s*[|–-]\s*(?:OpenReview|ACL Anthology|arXiv(?:\.org)?)\s*$"
)

_ADDRESS = re.compile(r"https?://\S+|<[@#:a-z][^<>\s]*>")
_MARKUP = re.compile(r"[\\*_~|`\[\]]|^(?:>{1,3}|#{1,3}|-#?) ", re.MULTILINE)
"""Looked for in one pass: discord.py's own pattern takes seconds where brackets never pair."""


async def papers_of(client: discord.Client, services: Services, message: discord.Message) -> Recognised:
    """The papers in a message; for Labmate's own messages, the papers of the buttons."""
    if message.author.id == own_id(client) and (shown := papers_shown(message)):
        known = await services.store.papers(shown)
        return Recognised(tuple(dict.fromkeys(paper.id for paper in known)))
    return await recognised(services.store, named_papers(message))


def named_papers(message: discord.Message) -> list[NamedPaper]:
    """The papers that a message names, each once, in its order."""
    snapshots: list[Any] = [message, *message.message_snapshots]
    named: list[NamedPaper] = []
    for part in snapshots:
        named += named_in(part.content)
        named += [one for file in part.attachments for one in links_in(file.filename)]
        named += named_in("\n".join(_written(part.components)))
        named += [one for embed in part.embeds for one in _in_embed(embed)]
    return once(named)


def text_of(message: discord.Message) -> str:
    """The text of a message, its link previews and forwarded messages, without addresses and mentions."""
    snapshots: list[Any] = [message, *message.message_snapshots]
    parts: list[str] = []
    for part in snapshots:
        parts += [part.content, *_written(part.components)]
        parts += [text for embed in part.embeds for text in (embed.title, embed.description) if text]
    plain = _ADDRESS.sub(" ", "\n".join(parts))
    return " ".join(_MARKUP.sub("", plain).split())


def _in_embed(embed: discord.Embed) -> Iterable[NamedPaper]:
    """The papers of an embed; for a link preview, the paper that it previews."""
    title, links = embed.title or "", links_in(embed.url or "")
    if links:
        return [replace(one, title=_SITE_NAME.sub("", title)) for one in links]
    texts = [title, embed.description or "", *(f"{field.name}\n{field.value}" for field in embed.fields)]
    return named_in("\n".join(texts))


def _written(components: Iterable[Any]) -> Iterator[str]:
    """The texts of components and the addresses of their link buttons."""
    for component in components:
        for name in ("content", "url"):
            if isinstance(text := getattr(component, name, None), str):
                yield text
        inside = [*(getattr(component, "children", None) or []), getattr(component, "accessory", None)]
        yield from _written(filter(None, inside))
