"""The card of a graph: the picture, the same in words, and a select to move on. A graph in, a view out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import discord
from discord import ui

from commands.cards.lists import ACCENT, framed
from commands.cards.text import label, plural, readable, shown
from data.records import Paper
from index.people.graph import Graph, GraphNode

CHOICES, MOST_PEOPLE = 25, 15
KINDS = {"person": "people", "paper": "papers", "topic": "topics", "institution": "institutions"}


def paper_name(paper: Paper) -> str:
    """A paper's name in a picture: what stands before the colon of its title, where that is short."""
    title = readable(paper.title)
    head = title.partition(":")[0]
    return head if 2 < len(head) <= 24 else title


def graph_card(
    graph: Graph, select: Callable[[Sequence[discord.SelectOption]], ui.Item[Any]], *, drawn: bool
) -> ui.LayoutView:
    """The card. ``select`` makes the select of neighbours; ``drawn`` tells if ``graph.png`` is attached."""
    centre, *others = graph.nodes
    kinds = {kind: [node for node in others if node.kind == kind] for kind in KINDS}
    counts = [plural(len(nodes), kind, KINDS[kind]) for kind, nodes in kinds.items() if nodes]
    alt = f"Graph of {centre.label}: " + "; ".join(
        f"{KINDS[kind]} {', '.join(node.label for node in nodes[:10])}"
        for kind, nodes in kinds.items()
        if nodes
    )
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(_heading(centre, counts)))
    if drawn:
        item = discord.MediaGalleryItem("attachment://graph.png", description=alt[:1_000])
        box.add_item(ui.MediaGallery(item))
    else:
        box.add_item(ui.TextDisplay("-# I couldn't draw the picture this time. " + shown(alt, 1_500)))
    if options := _options(kinds["person"], kinds["paper"]):
        box.add_item(ui.ActionRow(select(options)))
    return framed(box)


def _heading(centre: GraphNode, counts: Sequence[str]) -> str:
    name = shown(centre.label, 100)
    return f"## {name} among {', '.join(counts)}" if counts else f"## {name}\nI know nothing around it yet."


def _options(people: Sequence[GraphNode], papers: Sequence[GraphNode]) -> list[discord.SelectOption]:
    few = people[:MOST_PEOPLE]
    return [
        discord.SelectOption(label=label(node.label, 100), value=node.key, description=node.kind)
        for node in [*few, *papers[: CHOICES - len(few)]]
    ]
