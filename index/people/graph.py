"""Nodes and edges of a neighbourhood. It imports little, since the drawing process uses it."""

from __future__ import annotations

from dataclasses import dataclass

MOST_NODES = 40
Edge = tuple[str, str, float]


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node of a graph; its key is ``p12`` for a person, ``w12`` for a paper, ``t`` or ``i`` for others."""

    key: str
    label: str
    kind: str
    size: float = 1.0


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes (the first is the one asked for) and edges between their keys with weights.

    Between people, the weight is how many papers they wrote together.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]


def connected(graph: Graph) -> Graph:
    """Only the nodes with a path to the first one, and the edges between them."""
    neighbours: dict[str, set[str]] = {node.key: set() for node in graph.nodes}
    edges = [edge for edge in graph.edges if edge[0] in neighbours and edge[1] in neighbours]
    for one, other, _ in edges:
        neighbours[one].add(other)
        neighbours[other].add(one)
    reached, waiting = set(), [graph.nodes[0].key]
    while waiting:
        key = waiting.pop()
        if key not in reached:
            reached.add(key)
            waiting += neighbours[key]
    kept = tuple(node for node in graph.nodes if node.key in reached)
    return Graph(kept, tuple(edge for edge in edges if edge[0] in reached))
