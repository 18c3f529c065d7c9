"""The card of a graph: the picture, the same in words, and a select to move on. A graph in, a view out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import discord
from discord import ui

from commands.cards.lists import ACCENT, framed
from commands.cards.text import label, plural, readable, shown
from data.keys import name_key
from data.records import Paper
from index.people.graph import Graph, GraphNode
from index.search.system_name import system_name

CHOICES, MOST_PEOPLE = 25, 15
TOLD = 8
"""The most names of each kind in the text beside the picture."""
KINDS = {"person": "people", "paper": "papers", "topic": "topics", "institution": "institutions"}


def paper_name(paper: Paper) -> str:
    """A paper's label in a picture: the name of its system, else its title."""
    title = readable(paper.title)
    return system_name(title, readable(paper.abstract)) or title


def graph_card(
    graph: Graph,
    select: Callable[[Sequence[discord.SelectOption]], ui.Item[Any]],
    *,
    drawn: bool,
    links: Sequence[ui.Item[Any]] = (),
    apart: Mapping[str, str] | None = None,
) -> ui.LayoutView:
    """The card.

    ``select`` makes the select of neighbours; ``drawn`` tells if ``graph.png`` is attached; ``apart`` has,
    by their keys, what tells people of one name apart.
    """
    centre, *others = graph.nodes
    kinds = {kind: [node for node in others if node.kind == kind] for kind in KINDS}
    counts = [plural(len(nodes), kind, KINDS[kind]) for kind, nodes in kinds.items() if nodes]
    around = _around(graph, kinds)
    alt = f"Network of {centre.label}: {', '.join(counts)}. {around}"
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    told = f"\n-# {shown(around, 900)}" if around else ""
    box.add_item(ui.TextDisplay(_heading(centre, counts) + told))
    if drawn:
        item = discord.MediaGalleryItem("attachment://graph.png", description=alt[:1_000])
        box.add_item(ui.MediaGallery(item))
    else:
        box.add_item(ui.TextDisplay("-# I couldn't draw the picture this time."))
    if options := _options(kinds["person"], kinds["paper"], apart or {}):
        box.add_item(ui.ActionRow(select(options)))
    return framed(box, [links])


def _around(graph: Graph, kinds: Mapping[str, Sequence[GraphNode]]) -> str:
    """The picture in words: the neighbours of the centre, the closest first."""
    centre = graph.nodes[0].key
    near: dict[str, float] = defaultdict(float)
    for one, other, weight in graph.edges:
        if centre in (one, other):
            near[other if one == centre else one] += weight
    parts = []
    for kind, nodes in kinds.items():
        if nodes:
            closest = sorted(nodes, key=lambda node: -near[node.key])[:TOLD]
            more = f" and {len(nodes) - TOLD} more" if len(nodes) > TOLD else ""
            parts.append(f"{KINDS[kind].capitalize()}: {' · '.join(node.label for node in closest)}{more}.")
    return " ".join(parts)


def _heading(centre: GraphNode, counts: Sequence[str]) -> str:
    name = shown(centre.label, 100)
    return f"## {name} among {', '.join(counts)}" if counts else f"## {name}\nI know nothing around it yet."


def sharing_a_name(graph: Graph) -> list[GraphNode]:
    """The people of a graph whose name another one in it has, too."""
    people = [node for node in graph.nodes if node.kind == "person"]
    counts = Counter(name_key(node.label) for node in people)
    return [node for node in people if counts[name_key(node.label)] > 1]


def _options(
    people: Sequence[GraphNode], papers: Sequence[GraphNode], apart: Mapping[str, str]
) -> list[discord.SelectOption]:
    few = people[:MOST_PEOPLE]
    return [
        discord.SelectOption(
            label=label(node.label, 100),
            value=node.key,
            description=label(apart.get(node.key, node.kind), 100),
        )
        for node in [*few, *papers[: CHOICES - len(few)]]
    ]
