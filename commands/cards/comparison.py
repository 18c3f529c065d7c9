"""Two people side by side, as text. Records in, text out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commands.cards.people import span
from commands.cards.text import paper_day, plural, shown, title_link
from data.records import Paper
from data.stores.people import Person
from index.people.people import MOST_AUTHORS, Step
from index.people.scores import Score

COMMON = 6
_MENTIONS = "-# Judged by the titles and abstracts in this library."


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two people."""

    person: Person
    score: Score | None
    own_topics: tuple[str, ...]
    """What the other's titles and abstracts don't mention."""

    @property
    def line(self) -> str:
        """Name, papers, years and score."""
        facts = [plural(self.person.papers, "paper"), span(self.person.first, self.person.last)]
        facts += [f"score {self.score.value}"] if self.score else []
        return f"**{shown(self.person.name, 60)}** " + " · ".join(fact for fact in facts if fact)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that is known of two people together."""

    sides: tuple[Side, Side]
    shared_topics: tuple[str, ...] | None
    """None where topics were not found yet."""
    coauthors: tuple[str, ...]
    together: tuple[int, ...]
    """Store ids of papers by both, newest first."""
    path: tuple[Step, ...] | None
    reading: tuple[tuple[int, float], ...]
    """Papers that both would read, each with how similar it is at least."""

    @property
    def papers(self) -> list[int]:
        """The papers that :func:`comparison_text` names."""
        steps = [step.paper for step in self.path or ()]
        return [*self.together[:3], *steps, *(paper for paper, _ in self.reading)]


def comparison_text(comparison: Comparison, papers: Mapping[int, Paper]) -> str:
    """The comparison, a subject a line."""
    one, other = comparison.sides
    lines = [f"## {shown(one.person.name, 60)} and {shown(other.person.name, 60)}", one.line, other.line]
    lines += _topics(comparison)
    if comparison.coauthors:
        lines.append(
            f"**Coauthors in common** ({len(comparison.coauthors)}) " + _common(comparison.coauthors)
        )
    lines.append(_path(comparison, papers))
    if comparison.reading:
        lines.append("**Papers that both might read**")
    lines += [
        f"- {_titled(papers[paper])} · similarity to each: at least {closeness:.2f}"
        for paper, closeness in comparison.reading
        if paper in papers
    ]
    return "\n".join(lines)


def _common(coauthors: Sequence[str]) -> str:
    """The first coauthors in common, and how many more there are."""
    more = len(coauthors) - COMMON
    return _listed(coauthors[:COMMON]) + (f" and {more:,} more" if more > 0 else "")


def _topics(comparison: Comparison) -> list[str]:
    if comparison.shared_topics is None:
        return []
    both = _listed(comparison.shared_topics)
    lines = [f"**Both write on** {both}" if both else "I found no specific topic that both write on."]
    only = [
        f"**Only {shown(side.person.name, 40)} mentions** {_listed(side.own_topics)}"
        for side in comparison.sides
        if side.own_topics
    ]
    return [*lines, *only, *([_MENTIONS] if only else [])]


def _path(comparison: Comparison, papers: Mapping[int, Paper]) -> str:
    """The papers together, or the shortest path through coauthors, with the papers on it."""
    if comparison.together:
        listed = [f"- {_titled(papers[paper])}" for paper in comparison.together[:3] if paper in papers]
        return "\n".join([f"**{plural(len(comparison.together), 'paper')} together**", *listed])
    if comparison.path is None:
        return f"**No path between them** of up to six papers with at most {MOST_AUTHORS} authors each"
    lines = [
        f"**{plural(len(comparison.path), 'paper')} apart** {shown(comparison.sides[0].person.name, 60)}"
    ]
    for step in comparison.path:
        paper = papers.get(step.paper)
        through = f" through {title_link(paper, 80)}" if paper else ""
        lines.append(f"→ {shown(step.name, 60)}{through}")
    return "\n".join(lines)


def _titled(paper: Paper) -> str:
    return f"{title_link(paper, 100)} ({paper_day(paper)})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shown(name, 60) for name in names)
