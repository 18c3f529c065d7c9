"""The order in which a search shows what it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from commands.cards.search import cited_line
from commands.kit.services import Services
from commands.kit.similar_papers import GUESSES
from data.records import Paper
from index.search.results import Found
from index.search.wishes import Order


async def ordered(services: Services, found: Found, order: Order, most: int) -> tuple[list[int], Order, str]:
    """The papers to show, their order as far as it is known, and what to say of their citations.

    Papers whose citations are unknown come after the others; where all are, the order stays the best.
    """
    if not found.fits:
        return list(found.near[:GUESSES]), order, ""
    ids = [hit.paper_id for hit in found.hits]
    if order != "cited":
        return ids, order, ""
    answering = frozenset(found.fitting)
    fitting = [number for number in ids if number in answering]
    facts = await services.facts.works(await services.store.papers(fitting))
    counts = {number: known.cited_by for number, (known, _) in facts.items() if known.cited_by is not None}
    first = sorted(fitting, key=lambda number: -counts.get(number, -1))[:most]
    told = cited_line(len(counts), len(fitting), newest=not found.query.text)
    return first, order if counts else "best", f"\n{told}"


async def papers_at(
    services: Services, ids: Sequence[int], shown: slice, known: Mapping[int, Paper]
) -> list[Paper]:
    """The papers of a page; where one was merged or withdrawn meanwhile, the next ones close up.

    Those that are ``known`` are not read again.
    """
    if known.keys() >= set(ids[shown]):
        return [known[paper] for paper in ids[shown]]
    papers = await services.store.papers(ids[shown])
    if len(papers) < len(ids[shown]):
        papers = (await services.store.papers(ids))[shown]
    return papers
