"""`/digest taste`: a dozen well-chosen papers to say yes or no to, and what was learned from all that was said."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import discord
from discord import ButtonStyle, ui

from commands.cards.lists import note
from commands.cards.text import author_line, gist, label, plural, shown, title_link
from commands.digests.changes import own_digest
from commands.digests.choosing import candidates, daily
from commands.kit.components import Choosable, Pressable
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from data.records import Paper
from data.stores.digests import Digest
from index.digest.questions import next_question

QUESTIONS = 12
POOL, DAYS = 800, 10
"""Papers, and listings, that questions are chosen from."""
ANSWERS = {"y": "like", "n": "dislike", "s": "skip"}
WEIGHTS = {"like": 1.0, "save": 1.0, "dislike": -1.0}


class TasteButton(
    Pressable, template=r"dt:(?P<what>[ynsbef]):(?P<digest>\d{1,12}):(?P<count>\d{1,3}):(?P<paper>\d{1,12})"
):
    """Of a question: yes (y), no (n), no matter (s), enough (e); begin anew (b), what was learned (f)."""

    def __init__(self, text: str, *, what: str, digest: str, count: str = "0", paper: str = "0") -> None:
        self.what, self.digest, self.count, self.paper = what, int(digest), int(count), int(paper)
        style = {"y": ButtonStyle.success, "n": ButtonStyle.danger}.get(what, ButtonStyle.secondary)
        custom = f"dt:{what}:{self.digest}:{self.count}:{self.paper}"
        super().__init__(ui.Button(label=text, style=style, custom_id=custom))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, self._next(interaction, services), private=True, update=True)

    async def _next(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        digest = await own_digest(interaction, services, self.digest)
        member = interaction.user.id
        if self.what in ANSWERS:
            place = (digest.guild, member, self.paper, ANSWERS[self.what], digest.channel)
            if not await services.store.papers([self.paper]):
                raise UserError("I no longer know this paper.")
            await services.store.digests.think(*place)
        if self.what in "ef" or self.count >= QUESTIONS:
            return await learned(services, digest, member)
        return await ask(services, digest, member, self.count + 1)


class UnlearnSelect(Choosable, template=r"du:(?P<digest>\d{1,12})"):
    """Which answer of the chooser's own to take back."""

    def __init__(self, choices: list[discord.SelectOption], *, digest: str) -> None:
        self.digest = int(digest)
        super().__init__(
            ui.Select(
                custom_id=f"du:{self.digest}",
                placeholder="Take back …",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        number = int(value) if value.isdigit() and len(value) < 13 else 0
        await answer(interaction, self._without(interaction, services, number), private=True, update=True)

    async def _without(
        self, interaction: discord.Interaction, services: Services, number: int
    ) -> ui.LayoutView:
        digest = await own_digest(interaction, services, self.digest)
        await services.store.digests.think(digest.guild, interaction.user.id, number, None)
        return await learned(services, digest, interaction.user.id)


async def opinions(services: Services, digest: Digest) -> list[tuple[int, int, str]]:
    """(member, paper, kind): what a digest learns from, oldest first."""
    mine: dict[str, int] = {"member": digest.owner} if digest.is_own else {"guild": digest.guild}
    return [(member, paper, kind) for member, paper, kind, _ in await services.store.digests.opinions(**mine)]


async def ask(services: Services, digest: Digest, member: int, count: int) -> ui.LayoutView:
    """The next question: the paper whose answer would tell most."""
    _, newest, _ = await services.store.listings.around()
    if newest is None:
        raise UserError("I have read no listing yet, so there is nothing to ask about.")
    recent = replace(digest, upto=await _days_ago(services, newest), seen=0)
    pool = list(await candidates(services, recent, newest))[:POOL]
    said = await opinions(services, digest)
    known = {paper: WEIGHTS[kind] for _, paper, kind in said if kind in WEIGHTS}
    mine = {paper for who, paper, _ in said if who == member}
    extra = [paper for paper in known if paper not in set(pool)]
    papers = [*pool, *extra]
    chooser = await daily(services)
    row = None
    if pool:
        items = await chooser.items(papers)
        prior = await chooser.closeness(items, digest.query)
        answers = {place: known[paper] for place, paper in enumerate(papers) if paper in known}
        asked = frozenset(place for place, paper in enumerate(papers) if paper in mine or place >= len(pool))
        row = await asyncio.to_thread(next_question, items.joint, answers, asked, prior)
    if row is None:
        return await learned(services, digest, member)
    [paper] = await services.store.papers([papers[row]])
    return _question(digest, paper, count)


async def _days_ago(services: Services, newest: date) -> date:
    on: date | None = newest
    last = newest
    for _ in range(DAYS):
        if on is None:
            break
        last = on
        on, _, _ = await services.store.listings.around(on)
    return (on or last) - timedelta(days=0 if on else 1)


def _question(digest: Digest, paper: Paper, count: int) -> ui.LayoutView:
    whose = "you" if digest.is_own else "this channel"
    lines = [
        f"## Is this for {whose}? ({count} of {QUESTIONS})",
        title_link(paper, 200),
        author_line(paper, most=4),
        gist(paper, 400),
        "-# Chosen since its answer tells most about the other new papers.",
    ]
    more = {"digest": str(digest.id), "count": str(count), "paper": str(paper.id)}
    buttons: list[ui.Item[Any]] = [
        TasteButton("Yes", what="y", **more),
        TasteButton("No", what="n", **more),
        TasteButton("Can't say", what="s", **more),
        TasteButton("Enough", what="e", **more),
    ]
    return note("\n".join(filter(None, lines)), [buttons])


async def learned(services: Services, digest: Digest, member: int) -> ui.LayoutView:
    """What a digest has learned, and from what; the member's own answers can be taken back."""
    said = await opinions(services, digest)
    liked = list(dict.fromkeys(paper for _, paper, kind in reversed(said) if kind in ("like", "save")))
    away = list(dict.fromkeys(paper for _, paper, kind in reversed(said) if kind == "dislike"))
    number = str(digest.id)
    begin: ui.Item[Any] = TasteButton("Ask me" if not said else "Ask me more", what="b", digest=number)
    if not liked and not away:
        return note(
            f"**{shown(digest.name, 80)}** has learned nothing yet. I can ask about {QUESTIONS} papers, chosen so that the "
            "answers tell most; Save, Like and Not for us on its papers teach it, too.",
            [[begin]],
        )
    topics = services.insight.topics
    lines = [f"## What {shown(digest.name, 80)} has learned"]
    for papers, text in ((liked, "Wants"), (away, "Does not want")):
        if papers:
            phrases = [topic.phrase for topic in topics.of(papers, 6)] if topics is not None else []
            about = ": " + ", ".join(shown(phrase, 40) for phrase in phrases) if phrases else ""
            lines.append(f"**{text}** {plural(len(papers), 'paper')}{about}")
    mine = [(paper, kind) for who, paper, kind in reversed(said) if who == member and kind != "skip"]
    known = {paper.id: paper for paper in await services.store.papers([paper for paper, _ in mine[:25]])}
    options = [
        discord.SelectOption(
            label=label(known[paper].title, 100),
            value=str(paper),
            description={"like": "wanted", "save": "saved", "dislike": "not wanted"}[kind],
        )
        for paper, kind in mine[:25]
        if paper in known
    ]
    rows: list[list[ui.Item[Any]]] = [[UnlearnSelect(options, digest=number)]] if options else []
    return note("\n".join(lines), [*rows, [begin]])
