"""What a digest shows: papers announced since it last looked, ranked for its readers, with reasons."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from types import MappingProxyType

from data.calendar.clock import utc_now
from data.keys import name_key
from data.reasons import Reason
from data.records import Paper
from data.stores.delivery_record import Chosen
from data.stores.digest_record import Digest
from data.stores.listings import Listed
from data.stores.people import Person
from data.stores.slices import slices
from data.stores.store import Store
from index.digest.candidates import LATE_FOR, candidates, left_out_before
from index.digest.chooser import Taste
from index.digest.description import read_description
from index.digest.picks import Pick
from index.digest.sources import DigestSources, chooser_of
from index.digest.writers import Writers, writers_of
from index.search.facets import in_category
from index.search.kept_phrases import KeptPhrases
from index.search.phrase_shared import shared_phrases
from index.search.understood import Understood
from index.search.word_filter import WordFilter
from index.trust.views import Place

LIKED_FOR = timedelta(days=180)
MOST_LIKED = 60
MOST_FOLLOWED = 20
"""All papers by people whom a digest's owner follows are shown, up to so many."""
MOST_QUERIES = 8
"""Texts that papers are compared with, each of which is embedded."""
WORDS = 2
"""Phrases that a reason names."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a digest chose.

    Attributes
    ----------
    read
        How many new papers it chose from.
    known
        How many more there were that it learns from, which are not shown again.
    passed
        How many more, by people who count where it watches or follows some, were shown before or not wanted.
    papers
        Those to show.
    seen
        The newest paper's number.
    left_out
        What another digest of the place has chosen and not posted yet; if it never does, it is still new.
    """

    read: int
    known: int
    passed: int
    papers: tuple[Chosen, ...]
    seen: int
    left_out: tuple[Listed, ...]

    def state(self, digest: Digest) -> str:
        """Its delivery's state: ``written``, or ``empty`` where the digest stays silent without papers."""
        return "empty" if not self.papers and (digest.quiet or digest.news) else "written"


async def choose(sources: DigestSources, digest: Digest, upto: date) -> Choice:
    """Choose from the listings after those looked through already, up to a day.

    People are who they are where it is posted.
    """
    place = Place(None, digest.owner) if digest.is_own else Place(digest.guild)
    sources = await sources.everywhere.seen_from(place)
    store = sources.store
    seen = await store.listings.newest_paper()
    listed = await candidates(store, digest, upto)
    left = await left_out_before(store, digest, upto)
    shown = await store.digests.shown(digest.channel, {**left, **listed})
    coming = await store.digests.coming(digest.channel, digest.id)
    left_out = {**left, **listed}
    left_out = {number: entry for number, entry in left_out.items() if number in coming - shown.keys()}
    # What was refused in another digest for what it says goes from one to the next, but not to and fro.
    own = await store.digests.chosen_by(digest.id, utc_now() - 2 * LATE_FOR) if left else set()
    listed |= {number: left[number] for number in left.keys() - shown.keys() - coming - own - listed.keys()}
    known = {seed.paper for seed in await store.digests.seeds(digest.id)}
    fresh = [number for number in listed if number not in shown and number not in coming | known]
    writers = await writers_of(sources, digest, list(listed))
    taste = await taste_of(sources, digest, writers, listed)
    if digest.is_own:
        known |= set(taste.liked)
        fresh = [number for number in fresh if number not in known]
    known &= set(listed)
    names_people = digest.is_own or digest.person_numbers
    theirs = writers.by.keys() & listed.keys() - known if names_people else set()
    passed = theirs & {*shown, *coming, *taste.disliked}
    chooser = await chooser_of(sources)
    most_first = MOST_FOLLOWED if digest.is_own else 0
    picks = await chooser.choose(fresh, taste, digest.most, known_only=digest.news, most_first=most_first)
    papers = await _explained(sources, digest, picks, listed, writers)
    read = len(listed) - len(known) - len(passed)
    return Choice(read, len(known), len(passed), papers, seen, tuple(left_out.values()))


async def _explained(
    sources: DigestSources,
    digest: Digest,
    picks: Sequence[Pick],
    listed: Mapping[int, Listed],
    writers: Writers,
) -> tuple[Chosen, ...]:
    store = sources.store
    near = {
        paper.id: paper for paper in await store.papers({number for pick in picks for number in pick.near})
    }
    texts = await store.texts([pick.paper for pick in picks])
    papers = {paper.id: paper for paper in await store.papers([pick.paper for pick in picks])}
    given = {seed.paper for seed in await store.digests.seeds(digest.id)}
    kept = sources.insight.phrases
    own = await _own(sources, digest.owner, {}) if digest.is_own else {}
    ties = {paper: tie for paper, (_, tie) in own.items()} | dict.fromkeys(given, "given")
    reasons = await asyncio.to_thread(_reasons, digest, picks, papers, near, ties, kept)
    return tuple(
        Chosen(
            pick.paper,
            reason,
            round(pick.closeness, 2) if pick.near or (pick.query and not pick.printed) else None,
            texts[pick.paper][2],
            _printed(papers[pick.paper], writers.people.get(pick.paper, ())),
            cross_listed=not listed[pick.paper].new,
            first=None if listed[pick.paper].new else papers[pick.paper].announced,
        )
        for pick, reason in zip(picks, reasons, strict=True)
    )


def _reasons(
    digest: Digest,
    picks: Sequence[Pick],
    papers: Mapping[int, Paper],
    near: Mapping[int, Paper],
    ties: Mapping[int, str] = MappingProxyType({}),
    kept: KeptPhrases | None = None,
) -> list[Reason]:
    """Why each was picked; papers and words that an earlier reason names come last.

    Parameters
    ----------
    ties
        What ties readers to the papers that they did not save or like: ``given``, ``followed`` or ``wrote``.
    """
    reasons: list[Reason] = []
    told: set[int] = set()
    said: set[str] = set()
    for pick in picks:
        close = [number for number in pick.near if number in near]
        shown = next((number for number in close if number not in told), close[0] if close else None)
        beside = ("", pick.query) if pick.query and not pick.printed else None
        if shown is not None:
            told.add(shown)
            beside = (near[shown].title, near[shown].abstract)
        paper = papers[pick.paper]
        words = []
        if beside is not None:
            [words] = shared_phrases(beside, [(paper.title, paper.abstract)], WORDS, said, kept)
        said.update(words)
        reasons.append(
            Reason(
                by=pick.by,
                near=near[shown].title if shown is not None else "",
                near_count=len(close),
                own=digest.is_own,
                query=pick.query,
                printed=pick.printed,
                words=tuple(words),
                given=ties.get(shown or 0) == "given",
                followed=ties.get(shown or 0) == "followed",
                wrote=ties.get(shown or 0) == "wrote",
                category=pick.category,
            )
        )
    return reasons


def _printed(paper: Paper, people: Sequence[Person]) -> tuple[str, ...]:
    known = {name_key(form) for person in people for form in (person.name, *person.forms)}
    return tuple(author.key for author in paper.authors if author.key in known)


async def taste_of(
    sources: DigestSources,
    digest: Digest,
    writers: Writers,
    listed: Mapping[int, Listed] = MappingProxyType({}),
) -> Taste:
    """What a channel's people, or a member, saved, liked and wrote, beside what the digest says."""
    now = utc_now()
    store = sources.store
    since = now - LIKED_FOR
    opinions = await (
        store.digests.opinions(member=digest.owner, since=since)
        if digest.is_own
        else store.digests.opinions(guild=digest.guild, since=since)
    )
    liked: dict[int, float] = {}
    disliked: set[int] = set()
    for _, paper, kind, when in opinions:
        if kind == "dislike":
            disliked.add(paper)
        elif kind != "skip":
            liked[paper] = max((now - when).total_seconds() / 86_400, 0.0)
    topics: list[Understood] = []
    categories: list[str] = []
    names_people = bool(digest.person_numbers)
    if digest.is_own:
        liked |= {paper: days for paper, (days, _) in (await _own(sources, digest.owner, liked)).items()}
        follows = await store.members.following(digest.owner)
        topics = [
            await read_description(sources.search, follow.shown)
            for follow in follows
            if follow.kind == "topic"
        ]
        names_people |= any(follow.kind == "person" for follow in follows)
        categories = [
            follow.target
            for follow in follows
            if follow.kind == "category" and _may_have(digest.category_set, follow.target)
        ]
    liked |= await _given(store, digest, {*liked, *disliked})
    newest = sorted(liked, key=lambda paper: liked[paper])[:MOST_LIKED]
    said = await read_description(sources.search, digest.query) if digest.query.strip() else None
    description = said.text if said else ""
    seeds = await store.digests.seeds(digest.id)
    queries, declining = _queries(description, topics)
    wishes_more = bool(queries or seeds or categories or (digest.is_own and liked))
    return Taste(
        {paper: liked[paper] for paper in newest},
        frozenset(disliked - set(newest)),
        queries,
        tuple(filter(_says_something, (description, *(topic.text for topic in topics)))),
        writers.by,
        writers.first,
        _in_categories(listed, categories) if categories else None,
        names_people and not wishes_more,
        digest.required,
        (*digest.excluded, *(said.without if said else ())),
        declining,
    )


def _may_have(read: Collection[str], category: str) -> bool:
    """Whether the categories that a digest reads, or all, may have papers of a category."""
    return not read or any(in_category(category, one) or in_category(one, category) for one in read)


def _in_categories(listed: Mapping[int, Listed], categories: Sequence[str]) -> dict[int, str]:
    """For each paper that is new in one of the categories, the first such."""
    found: dict[int, str] = {}
    for category in reversed(categories):
        for paper, entry in listed.items():
            if in_category(" ".join(entry.categories), category):
                found[paper] = category
    return found


def _queries(
    description: str, topics: Sequence[Understood]
) -> tuple[tuple[str, ...], dict[str, tuple[WordFilter, ...]]]:
    """A description and followed topics, each by itself, and for those that leave something out, filters.

    A paper may match what has filters if it passes one of them: of several topics on one subject, each leaves
    out its own, and nothing is left out where one of them, or the description, is without a limit. If there
    are very many topics, some share a text; those that leave something out share it with one another, and
    with it what they leave out.
    """
    subjects: dict[str, list[tuple[str, ...]]] = {}
    for topic in topics:
        if _says_something(topic.text) and topic.text != description:
            subjects.setdefault(topic.text, []).append(topic.without)
    limited = [text for text, without in subjects.items() if all(without)]
    plain = [text for text in subjects if text not in limited]
    together = 1
    while math.ceil(len(limited) / together) + math.ceil(len(plain) / together) > MOST_QUERIES - 1:
        together += 1
    declining = {text: tuple(WordFilter((), words) for words in subjects[text]) for text in limited}
    for part in slices(limited, together):
        if len(part) > 1:
            words = [word for text in part for without in subjects[text] for word in without]
            declining["; ".join(part)] = (WordFilter((), words),)
    shared = ["; ".join(part) for part in slices(limited, together)]
    shared += [", ".join(part) for part in slices(plain, together)]
    return tuple(filter(_says_something, (description, *shared))), declining


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))


async def _given(store: Store, digest: Digest, but: Collection[int]) -> dict[int, float]:
    """What a digest was given to learn from, with the days since; for equal times, newest papers first."""
    seeds = {seed.paper: seed.made for seed in await store.digests.seeds(digest.id)}
    papers = [paper for paper in await store.papers(seeds) if paper.id in seeds and paper.id not in but]
    papers.sort(key=lambda paper: paper.day or date.min, reverse=True)
    now = utc_now()
    return {paper.id: max((now - seeds[paper.id]).total_seconds() / 86_400, 0.0) for paper in papers}


async def _own(sources: DigestSources, member: int, but: Mapping[int, float]) -> dict[int, tuple[float, str]]:
    """What a member keeps, follows and wrote, with the days since and which of these it is."""
    store = sources.store
    now, today = utc_now(), utc_now().date()
    ages: dict[int, tuple[float, str]] = {}
    claim = await store.claims.of_member(member)
    if claim is not None and sources.insight.people is not None:
        numbers = sources.insight.people.papers(claim.person_id).tolist()
        for paper in await store.papers(numbers[:MOST_LIKED]):
            ages[paper.id] = (float(max((today - paper.day).days, 0)) if paper.day else 365.0, "wrote")
    for kept in await store.library.of(member):
        if kept.paper_id is not None:
            ages[kept.paper_id] = ((now - kept.made).total_seconds() / 86_400, "kept")
    followed = [int(one.target) for one in await store.members.following(member) if one.kind == "paper"]
    for paper in await store.papers(followed):  # a merged one under its present number
        ages[paper.id] = (0.0, "followed")
    return {paper: tie for paper, tie in ages.items() if paper not in but}
