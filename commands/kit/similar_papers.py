"""The papers most similar to one, as commands and digests show them."""

from commands.papers.similar import show as similar_papers

__all__ = ["similar_papers"]
