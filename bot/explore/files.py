"""The open part of the graph as files: GraphML for network programs, CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, get_args

from multidict import MultiMapping

from bot.explore.keys import Key, Kind
from bot.explore.pages import text
from bot.explore.part import GraphPart, Node, Tie
from bot.explore.walk import Walk

MOST_STEPS, MOST_NODES = 40, 2_000
_LABEL = 500
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that begin a formula in a spreadsheet; no cell here begins with one."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A page's filters: kinds, years, a category."""

    kinds: frozenset[str]
    since: int | None = None
    until: int | None = None
    category: str = ""

    @classmethod
    def read(cls, query: MultiMapping[str]) -> Self:
        """The filters as the page's own address has them; what makes no sense filters nothing."""
        kinds = frozenset(query.getall("kind", [])) & frozenset(get_args(Kind))

        def year(name: str) -> int | None:
            typed = query.get(name, "")
            return int(typed) if re.fullmatch(r"[0-9]{4}", typed) else None

        return cls(
            kinds or frozenset(get_args(Kind)), year("since"), year("until"), query.get("category", "")
        )

    def of(self, part: GraphPart) -> GraphPart:
        """The nodes and lines that are left."""
        left = GraphPart(part.centre)
        left.add(*(node for node in part.nodes.values() if self._has(node)))
        for line in part.lines.values():
            if line.one in left.nodes and line.other in left.nodes and self._during(line):
                left.join(line)
        return left

    def _has(self, node: Node) -> bool:
        other = self.category and node.category and node.category != self.category
        return node.kind in self.kinds and not other and self._during(node)

    def _during(self, one: Node | Tie) -> bool:
        if one.first is None or one.last is None:
            return True
        return (self.since is None or one.last >= self.since) and (
            self.until is None or one.first <= self.until
        )


async def opened_by(walk: Walk, steps: Sequence[str]) -> GraphPart:
    """The part of the graph that some steps open: keys, each once or more often, or ``p1~p2`` for a path.

    Raises
    ------
    LookupError
        Where a step leads nowhere.
    """
    if not steps:
        raise LookupError("no step")
    opened = GraphPart("")
    pages: Counter[str] = Counter()
    for step in steps[:MOST_STEPS]:
        one, between, other = step.partition("~")
        if between:
            found = await walk.between(await walk.who(Key.read(one)), await walk.who(Key.read(other)))
            if found is None:
                raise LookupError(step)
            part = found[0]
        else:
            part = await walk.around(Key.read(step), pages[step])
            pages[step] += 1
        opened.centre = opened.centre or part.centre
        opened.merge(part)
        if len(opened.nodes) >= MOST_NODES:
            break
    return opened


def graphml(part: GraphPart) -> bytes:
    """The part as GraphML (http://graphml.graphdrawing.org)."""
    import networkx as nx  # lazy: start-up

    graph: nx.Graph = nx.Graph()
    for node in part.nodes.values():
        values = {"kind": node.kind, "label": text(node.label, _LABEL), "papers": node.papers}
        values |= _known(first=node.first, last=node.last, category=node.category or None)
        graph.add_node(node.key, **values)
    for line in part.lines.values():
        if line.one in graph and line.other in graph:
            values = {"kind": line.kind, "weight": line.weight} | _known(first=line.first, last=line.last)
            graph.add_edge(line.one, line.other, **values)
    return "\n".join(nx.generate_graphml(graph)).encode()


def _known(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def nodes_csv(part: GraphPart, url: str) -> bytes:
    """The nodes, one a row, each with the address of its page."""
    rows = (
        (
            *(node.key, node.kind, text(node.label, _LABEL), node.first, node.last, node.category),
            *(node.papers, url + Key.read(node.key).path),
        )
        for node in part.nodes.values()
    )
    return _table(("key", "kind", "label", "first", "last", "category", "papers", "page"), rows)


def links_csv(part: GraphPart) -> bytes:
    """The lines between nodes, one a row."""
    rows = (
        (line.one, line.other, line.kind, line.weight, line.first, line.last)
        for line in part.lines.values()
        if line.one in part.nodes and line.other in part.nodes
    )
    return _table(("one", "other", "kind", "weight", "first", "last"), rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue().encode()


def _cell(value: object) -> object:
    """A cell that no program takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
