"""Suggested collaborators as text: true reasons, each from papers that can be opened."""

from __future__ import annotations

from collections.abc import Mapping

from commands.cards.people import span
from commands.cards.text import plural, shown, title_link
from data.records import Paper
from index.people.knowing import Knows
from index.people.suggest import Suggestion

_THROUGH = 3


def papers_of(suggestion: Suggestion) -> list[int]:
    """The papers that :func:`reasons` names."""
    between = [paper for entry in suggestion.between[:_THROUGH] for paper in (entry.mine, entry.theirs)]
    return list(dict.fromkeys([suggestion.mine, suggestion.theirs, *between]))


def head(suggestion: Suggestion, papers: Mapping[int, Paper]) -> str:
    """A suggestion in a list: the name, and the strongest reasons, with their closest paper, in a line."""
    name = f"**{shown(suggestion.name, 80)}**"
    said = []
    if suggestion.between:
        names = ", ".join(shown(entry.name, 40) for entry in suggestion.between[:2])
        more = len(suggestion.between) - 2
        said.append(f"both wrote with {names}" + (f" and {more} more" if more > 0 else ""))
    if suggestion.moved_to:
        said.append(f"both took up {shown(suggestion.moved_to[0], 50)}")
    elif suggestion.shared:
        said.append(f"both write on {shown(suggestion.shared[0], 50)}")
    if suggestion.theirs in papers and suggestion.closeness > 0:  # papers that wait to be embedded have none
        title = shown(papers[suggestion.theirs].title, 80)
        is_joint = suggestion.mine == suggestion.theirs
        said.append(f"wrote “{title}” together" if is_joint else f"closest paper: “{title}”")
    line = " · ".join(said)
    return f"{name} · {plural(suggestion.papers, 'paper')}\n-# {line[:1].upper()}{line[1:]}"


def brief(suggestion: Suggestion) -> str:
    """The strongest reason, short and plain."""
    if suggestion.between:
        return f"{plural(len(suggestion.between), 'coauthor')} in common"
    return "both write on " + suggestion.shared[0] if suggestion.shared else "similar abstracts"


def reasons(name: str, suggestion: Suggestion, papers: Mapping[int, Paper]) -> str:
    """Everything that speaks for two people working together, with the papers."""

    def titled(number: int) -> str:
        paper = papers.get(number)
        return title_link(paper, 110) if paper else "a deleted paper"

    own, other = shown(name, 60), shown(suggestion.name, 60)
    lines = [f"## Why {other} for {own}"]
    if suggestion.mine == suggestion.theirs:
        lines.append(f"**A paper by both** {titled(suggestion.mine)}")
    else:
        fit = f"**Most similar papers** (similarity {suggestion.closeness:.2f})"
        lines.append(fit if suggestion.closeness > 0 else "**A paper by each**")
        lines += [f"- {own}: {titled(suggestion.mine)}", f"- {other}: {titled(suggestion.theirs)}"]
    if suggestion.between:
        lines.append(f"**Coauthors in common** {len(suggestion.between):,}")
        for entry in suggestion.between[:_THROUGH]:
            lines.append(f"- {shown(entry.name, 60)}: {titled(entry.mine)} · {titled(entry.theirs)}")
    else:
        lines.append("**Coauthors in common** none")
    if suggestion.moved_to:
        lines.append("**Both took up in the last year** " + _listed(suggestion.moved_to))
    if suggestion.shared:
        lines.append("**Both write on** " + _listed(suggestion.shared))
    if suggestion.they_add:
        lines.append(f"**{other} brings** " + _listed(suggestion.they_add))
    if suggestion.you_add:
        lines.append(f"**{own} brings** " + _listed(suggestion.you_add))
    return "\n".join(lines)


def proof(expert: Knows, papers: Mapping[int, Paper]) -> str:
    """A person who knows a topic, with the papers that show it best."""
    shown_papers = [title_link(papers[number], 90) for number in expert.papers[:2] if number in papers]
    more = len(expert.papers) - len(shown_papers)
    tail = f" · and {more} more" if more > 0 else ""
    years = span(expert.first, expert.latest)
    when = f", {years}" if years else ""
    return (
        f"**{shown(expert.name, 80)}** · {plural(len(expert.papers), 'paper')} found{when}\n-# "
        + " · ".join(shown_papers)
        + tail
    )


def _listed(topics: tuple[str, ...]) -> str:
    return ", ".join(shown(topic, 60) for topic in topics)
