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
    """Nodes (the first is the one asked for) and edges between their keys with weights."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[Edge, ...]
