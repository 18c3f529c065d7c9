"""Days, categories and hashes of all papers in a file, so that a start needn't read them from the store."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from data.stores.store import Store
from index.models import arrays
from index.models.mapped import Draft, MappedArrays
from index.search.facets import Facets

FILE, FORMAT = "facets.map", "facets-1"
CHECKED = 200
"""How many papers, spread evenly, are compared with the store before the file is believed."""


def save(folder: Path, facets: Facets, hashes: np.ndarray, seen: int) -> None:
    """Write what is known up to a batch of the store."""
    size = min(len(facets.codes), len(hashes))
    with Draft(folder / FILE, FORMAT) as draft:
        draft.add("days", facets.days[:size])
        draft.add("codes", facets.codes[:size])
        draft.add("bare", facets.bare[:size])
        draft.add("hashes", hashes[:size])
        draft.add("names", arrays.lines(facets.names))
        draft.publish(seen=seen)


async def load(folder: Path, store: Store) -> tuple[Facets, np.ndarray, int] | None:
    """Facets, hashes, and the batch they are known up to; None where the store is not the one they are of."""
    held = MappedArrays.open(folder / FILE, FORMAT, ("days", "codes", "bare", "hashes", "names"))
    if held is None or "seen" not in held.stamp:
        return None
    seen = held.stamp["seen"]
    try:
        facets = Facets.of(held["days"], held["codes"], held["bare"], arrays.texts_of(held["names"]))
    except ValueError:  # parts that don't fit each other
        return None
    hashes = np.array(held["hashes"], np.int64)
    if len(hashes) != len(facets.codes):
        return None
    if await store.last_change() < seen or await store.listings.newest_paper() < facets.top():
        return None
    ids = facets.held()
    some = ids[np.linspace(0, len(ids) - 1, min(CHECKED, len(ids))).astype(np.int64)] if len(ids) else ids
    known = {fact.paper_id: (changed, fact) for changed, fact in await store.index_facts_of(some.tolist())}
    merged = await store.merged(paper for paper in some.tolist() if paper not in known)
    for paper in some.tolist():
        changed, fact = known.get(paper, (seen + 1, None))
        if fact is None and paper not in merged:  # another store's
            return None
        if fact is None or changed > seen:  # merged or changed since; the store tells of that
            continue
        if fact.text_hash != hashes[paper] or not facets.agrees(fact):
            return None
    return facets, hashes, seen
