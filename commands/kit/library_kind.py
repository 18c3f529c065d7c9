"""Whether the library's papers are arXiv's, so that examples and hints name what it has."""

from __future__ import annotations

from commands.kit.services import Services
from data.sources.arxiv_fields import NAMES

_FEW = 0.05
"""The sample brings a few papers of arXiv into every library; a smaller share than this says nothing."""


def has_arxiv(services: Services) -> bool:
    """Whether arXiv is read, or a good part of the papers is from there."""
    if services.reads_arxiv:
        return True
    counts = services.corpus.facets.category_counts()
    return sum(count for name, count in counts.items() if name in NAMES) > _FEW * len(services.corpus.facets)
