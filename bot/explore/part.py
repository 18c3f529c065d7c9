"""A part of the research graph: people, papers and topics, and the lines between them."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.explore.keys import Kind


@dataclass(frozen=True, slots=True)
class Node:
    """A person, a paper or a topic, with what filters need: its years and its category."""

    key: str
    kind: Kind
    label: str
    first: int | None = None
    last: int | None = None
    category: str = ""
    papers: int = 1
    """How many papers a person or a topic has."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A line between two nodes: who wrote what, together, on what, or how alike two are.

    ``weight`` counts papers written together or on a topic, and is a similarity from 0 to 1 for ``similar``.
    """

    one: str
    other: str
    kind: str
    weight: float = 1.0
    first: int | None = None
    last: int | None = None


@dataclass(slots=True)
class GraphPart:
    """A part of the graph. Lines may lead to nodes that are not in it."""

    centre: str
    nodes: dict[str, Node] = field(default_factory=dict)
    lines: dict[tuple[str, str], Tie] = field(default_factory=dict)
    more: bool = False
    """Whether another step on the same node adds something."""

    def add(self, *nodes: Node) -> None:
        """Add nodes, unless they are there."""
        for node in nodes:
            self.nodes.setdefault(node.key, node)

    def join(self, line: Tie) -> None:
        """Add a line, unless its ends are joined."""
        ends = (line.one, line.other) if line.one < line.other else (line.other, line.one)
        if line.one != line.other:
            self.lines.setdefault(ends, line)

    def merge(self, other: GraphPart) -> None:
        """Add another part."""
        self.add(*other.nodes.values())
        for line in other.lines.values():
            self.join(line)
