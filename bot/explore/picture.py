"""The picture of a node among others, as /graph draws it, for a link's preview."""

from __future__ import annotations

from bot.explore.keys import Key
from bot.explore.part import GraphPart
from bot.explore.walk import Walk
from commands.cards.pictures import graph_png
from commands.kit.replies import UserError
from commands.kit.services import Services
from commands.kit.theme import in_theme
from commands.people.graph import around_paper, around_person
from data.stores.member_settings import DARK
from index.people.graph import Graph, GraphNode, connected


async def picture_of(services: Services, walk: Walk, key: Key) -> bytes | None:
    """The PNG; None where no pictures are drawn.

    Raises
    ------
    LookupError
        Where there is no such node (any more).
    """
    await walk.people()
    try:
        if key.kind == "person":
            graph = await around_person(services, key.number)
        elif key.kind == "paper":
            graph = await around_paper(services, key.number)
        else:
            graph = _drawn(await walk.around(key))
    except UserError as error:
        raise LookupError(str(key)) from error
    return await in_theme(services, DARK, graph_png, graph, graph)


def _drawn(part: GraphPart) -> Graph:
    """A part of the graph as pictures have it."""
    centre = part.nodes[part.centre]
    nodes = [centre, *(node for node in part.nodes.values() if node is not centre)]
    lines = tuple((line.one, line.other, line.weight) for line in part.lines.values())
    return connected(Graph(tuple(GraphNode(node.key, node.label, node.kind) for node in nodes), lines))
