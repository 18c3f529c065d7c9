"""What a digest's description says: its subject, and what papers shall not be about."""

from __future__ import annotations

from index.search.search import Search
from index.search.understanding import DATES, LIKENESS, PARTS, PEOPLE, TYPOS, Understood

_AS_WORDS = frozenset((DATES, PEOPLE, LIKENESS))
"""What a digest has settings of its own for, or no use."""


async def read_description(search: Search, typed: str, *, mend: bool = False) -> Understood:
    """A description as a search reads it; days and people's names stay in its subject.

    Of "I'm interested in papers on drones, but not robots", drones are the subject. A description of nothing
    but such words stays as it is.

    Parameters
    ----------
    mend
        Correct typos. Only who typed them can say whether they are any, so digests use words as they stand.
    """
    undo = _AS_WORDS if mend else _AS_WORDS | {TYPOS}
    said = await search.understand(typed, undo=undo, as_text=True)
    return said if said.text.strip() else await search.understand(typed, undo=PARTS, as_text=True)
