"""Whether the library's papers are arXiv's, and which categories it has, so that hints name what there is."""

from __future__ import annotations

from commands.kit.services import Services
from data.sources.arxiv_fields import NAMES
from index.search.facets import in_category

_FEW = 0.05
"""The sample brings a few papers of arXiv into every library; a smaller share than this says nothing."""
_NAMED = 5


def has_arxiv(services: Services) -> bool:
    """Whether arXiv is read, or a good part of the papers is from there."""
    if services.reads_arxiv:
        return True
    counts = services.corpus.facets.category_counts()
    return sum(count for name, count in counts.items() if name in NAMES) > _FEW * len(services.corpus.facets)


def lacking_category(services: Services, category: str | None) -> str:
    """What to say of a category that no paper here has; empty if one has it."""
    known = services.corpus.facets.category_counts() if category else {}
    if not category or not known or any(in_category(name, category) for name in known):
        return ""
    most = sorted(known, key=lambda one: (-known[one], one))[:_NAMED]
    return f"No paper here is in {category}. Categories with the most papers: {', '.join(most)}."
