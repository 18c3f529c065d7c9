"""Checks of the simulated month: the postings in Discord against the expected ones."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date
from typing import Any

from benchmarks.month_arxiv import visible_at
from benchmarks.month_plan import Planned
from bot.local_discord.server import LocalDiscord
from data.calendar.announcements import last_listing
from data.stores.digest_record import Digest
from data.stores.store import Store
from index.search.word_filter import WordFilter

_LINK = re.compile(r"arxiv\.org/abs/([\w./-]+?)(?:v\d+)?\)")


@dataclass(frozen=True)
class Found:
    """The numbers of postings and papers, the papers in each posting, and the problems."""

    counts: Counter[str]
    outcome: dict[str, list[str]]
    problems: list[str]


def standing(discord: LocalDiscord) -> dict[tuple[str, str], list[tuple[str, list[str]]]]:
    """The postings in Discord for each digest and day: (channel, arXiv ids)."""
    postings: dict[tuple[str, str], list[tuple[str, list[str]]]] = {}
    bot = discord.state.application["bot"]["id"]
    heading = re.compile(r"## (Digest \d+) · \w+, (\d+ \w+ \d{4})\n")
    for channel, messages in discord.state.messages.items():
        if discord.state.channels[channel].get("thread_metadata", {}).get("archived"):
            continue  # a post that stood twice in a forum, and was closed
        for message in messages.values():
            text = "\n".join(_texts(message["components"]))
            if message["author"]["id"] == bot and (is_posting := heading.search(text)):
                postings.setdefault(is_posting.groups(), []).append((channel, _LINK.findall(text)))
    return postings


def _texts(components: list[dict[str, Any]]) -> list[str]:
    texts = []
    for component in components:
        texts += [component["content"]] if "content" in component else []
        texts += _texts(component.get("components", []))
    return texts


def check(discord: LocalDiscord, planned: list[Planned], days: dict[date, list[dict[str, Any]]]) -> Found:
    """Compare the postings in Discord with the expected ones."""
    stands, problems, counts = standing(discord), list[str](), Counter[str]()
    announced = {paper["id"]: day for day, papers in days.items() for paper in papers}
    told = {paper["id"]: paper for papers in days.values() for paper in papers}
    outcome: dict[str, list[str]] = {}
    for plan in planned:
        digest, upto, shown = plan.digest, plan.digest.upto, set[str]()
        for slot, due in plan.due:
            key = (plan.name, f"{slot.day} {slot:%b} {slot.year}")
            postings = stands.pop(key, [])
            counts["due"] += 1
            messages = 2 if plan.form == "thread" and any(ids for _, ids in postings) else 1
            if len(postings) != messages:
                problems.append(f"{key}: {len(postings)} postings, not {messages}")
                if not postings:
                    continue
            postings.sort(key=lambda posting: -len(posting[1]))
            if any(
                ids != postings[0][1][: len(ids)] or len(ids) < min(5, len(postings[0][1]))
                for _, ids in postings
            ):
                problems.append(f"{key}: the day's thread shows other papers than the channel")
            where = {channel for channel, _ in postings}
            if plan.form in ("message", "thread") and plan.place not in where:
                problems.append(f"{key}: not in its channel")
            ids = postings[0][1]
            outcome[" ".join(key)] = ids
            counts["postings"] += 1
            counts["papers"] += len(ids)
            counts["repeated"] += len(shown & set(ids))
            listing = last_listing(due)
            pool = [
                number
                for number, day in announced.items()
                if upto < day <= listing and _fits(digest, told[number]) and number not in shown
            ]
            counts["wrong"] += len(set(ids) - set(pool))
            if not digest.query and len(ids) != min(
                digest.most, len(pool), 5 if plan.form != "thread" else 99
            ):
                problems.append(f"{key}: {len(ids)} papers of {len(pool)} that fit")
            shown |= set(ids)
            upto = max(upto, listing)
    for key in stands:
        problems.append(f"{key}: posted, though not due")
    return Found(counts, outcome, problems)


def _fits(digest: Digest, paper: dict[str, Any]) -> bool:
    text = f"{paper['title']} {paper['abstract']}"
    wanted = digest.category_set
    words = WordFilter(digest.required, digest.excluded)
    return (not wanted or bool(wanted & set(paper["lists"]))) and words.passes(text)


async def delays(store: Store, planned: list[Planned]) -> list[float]:
    """Minutes that each posting came after its time (or after its listing's, if that was later)."""
    minutes = []
    for plan in planned:
        for entry in await store.digests.history(plan.digest.id, 40):
            if entry.posted is not None:
                ready = max(
                    entry.due.replace(tzinfo=UTC), visible_at(last_listing(entry.due.replace(tzinfo=UTC)))
                )
                minutes.append((entry.posted.replace(tzinfo=UTC) - ready).total_seconds() / 60)
    return minutes
