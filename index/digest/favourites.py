"""The papers that members saved and liked most, and where the ranking alone would put them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from data.calendar.clock import utc_now
from data.records import Paper
from index.digest.candidates import MOST_CANDIDATES
from index.digest.chooser import Taste
from index.digest.description import read_description
from index.digest.sources import DigestSources, chooser_of
from index.search.facets import in_category

_PLACES = {"save": 0, "like": 1, "dislike": 2}
MOST_QUERY = 1_000


@dataclass(frozen=True, slots=True)
class Favourite:
    """A paper that members saved or liked; ``rank`` is None for one announced earlier."""

    paper: Paper
    saves: int
    likes: int
    rank: int | None


@dataclass(frozen=True, slots=True)
class Favourites:
    """Favourites, best first, and how many papers were ranked."""

    papers: tuple[Favourite, ...]
    ranked: int


async def favourites(
    sources: DigestSources, guild: int | None, days: int, category: str | None, most: int
) -> Favourites:
    """The papers of a server (None: of all servers) that most members saved or liked in the last days.

    A member counts once for a paper, however many servers they say it in.
    """
    store = sources.store
    since = utc_now() - timedelta(days=days)
    said = await store.digests.opinions(guild=guild, since=since)
    last = {(member, paper): kind for member, paper, kind, _ in said}
    counts: dict[int, list[int]] = {}
    for (_, paper), kind in last.items():
        if kind in _PLACES:
            counts.setdefault(paper, [0, 0, 0])[_PLACES[kind]] += 1
    papers = {paper.id: paper for paper in await store.papers(counts)}
    wanted = [
        number
        for number, (saves, likes, away) in counts.items()
        if number in papers
        and saves + likes
        and 2 * saves + likes > away
        and (not category or in_category(" ".join(papers[number].categories), category))
    ]
    wanted.sort(key=lambda one: (2 * counts[one][2] - 2 * counts[one][0] - counts[one][1], -one))
    if not wanted:
        return Favourites((), 0)
    query = ""
    if guild is not None:
        here = await store.digests.of_guild(guild)
        read = [await read_description(sources.search, digest.query) for digest in here if digest.query]
        query = " ".join(description.text for description in read).strip()
    places, ranked = await _places(sources, days, category, query)
    chosen = (
        Favourite(papers[number], counts[number][0], counts[number][1], places.get(number))
        for number in wanted[:most]
    )
    return Favourites(tuple(chosen), ranked)


async def _places(
    sources: DigestSources, days: int, category: str | None, query: str
) -> tuple[dict[int, int], int]:
    """(places of papers in the ranking that knows no opinions, how many were ranked)."""
    listings = sources.store.listings
    today = utc_now().date()
    pool: list[int] = []
    _, on, _ = await listings.around()
    while on is not None and on > today - timedelta(days=days) and len(pool) < MOST_CANDIDATES:
        for entry in await listings.entries(on):
            if entry.new and (not category or in_category(" ".join(entry.categories), category)):
                pool.append(entry.paper)
        on, _, _ = await listings.around(on)
    pool = list(dict.fromkeys(pool))[:MOST_CANDIDATES]
    if not pool:
        return {}, 0
    order = await (await chooser_of(sources)).ranked(pool, Taste(queries=(query[:MOST_QUERY],)))
    return {paper: place for place, paper in enumerate(order, 1)}, len(pool)
