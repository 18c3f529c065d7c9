"""What a member follows: all at once, or a kind at a time on pages, each with a menu to unfollow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from commands.cards.follows import names_of, sharing_a_name
from commands.cards.lists import note
from commands.cards.text import label
from commands.kit.links import Press, button, choice, link
from commands.kit.options import CHOICES
from commands.kit.replies import answer
from commands.kit.services import Services
from commands.kit.which_person import outlined
from data.stores.members import Follow

KINDS = {"p": "person", "w": "paper", "t": "topic", "c": "category"}
"""Kinds of follows by their letters in buttons, in the order in which they are shown."""
PLURALS = {"person": "People", "paper": "Papers", "topic": "Topics", "category": "Categories"}
HEADING = "## What you follow"


@button("follow.page", "fl:{kind:[pwtc]}:{page:page}")
async def turn_to(press: Press, kind: str, page: int) -> None:
    """Show a page of what the presser follows."""
    work = show_following(press.services, press.member, kind, page)
    await answer(press.interaction, work, private=True, update=True)


async def show_following(services: Services, member: int, kind: str = "", page: int = 0) -> ui.LayoutView:
    """What a member follows: all of it, or a page of one kind where a menu can't hold all.

    ``kind`` is a letter of :data:`KINDS`; empty, or without follows, it means the first that has some.
    """
    follows = await services.store.members.following(member)
    if not follows:
        return note(
            "You don't follow anything yet. /follow takes a person, a paper, a topic or a category; the "
            "card of a person has a button for it, too."
        )
    names = names_of(follows, 80)
    of_kind = {letter: [f for f in follows if f.kind == name] for letter, name in KINDS.items()}
    of_kind = {letter: some for letter, some in of_kind.items() if some}
    if len(follows) <= CHOICES:
        lines = [
            f"**{_words(letter)}** ({len(some)}) {_named(some, names)}" for letter, some in of_kind.items()
        ]
        which = choice("follow.choose_end", await follow_options(services, follows, follows))
        return note("\n".join([HEADING, *lines]), [[which]])
    kind = kind if kind in of_kind else next(iter(of_kind))
    some = of_kind[kind]
    page = min(page, (len(some) - 1) // CHOICES)
    start = page * CHOICES
    here = some[start : start + CHOICES]
    place = f", {start + 1} to {start + len(here)}:" if len(some) > len(here) else ""
    line = f"**{_words(kind)}** ({len(some)}){place} {_named(here, names)}"
    which = choice("follow.choose_end", await follow_options(services, follows, here))
    return note(f"{HEADING}\n{line}", [[which], _turns(kind, page, len(some)), _other_kinds(kind, of_kind)])


def _turns(kind: str, page: int, count: int) -> list[ui.Item[Any]]:
    turns: list[ui.Item[Any]] = []
    if page:
        turns.append(link("follow.page", "Back", kind=kind, page=page - 1))
    if (page + 1) * CHOICES < count:
        turns.append(link("follow.page", "Next", kind=kind, page=page + 1))
    return turns


def _other_kinds(kind: str, of_kind: dict[str, list[Follow]]) -> list[ui.Item[Any]]:
    return [
        link("follow.page", f"{_words(other)} ({len(some)})", kind=other, page=0)
        for other, some in of_kind.items()
        if other != kind
    ]


def _words(letter: str) -> str:
    return PLURALS[KINDS[letter]]


def _named(follows: Sequence[Follow], names: dict[int, str]) -> str:
    """All of them in a row; topics and titles, which may have commas of their own, in quotes."""
    quoted = ("topic", "paper")
    return ", ".join(f"“{names[f.id]}”" if f.kind in quoted else names[f.id] for f in follows)


async def follow_options(
    services: Services, follows: Sequence[Follow], offered: Sequence[Follow]
) -> list[discord.SelectOption]:
    """A line for each follow that is offered; for people who share a name, with what tells them apart."""
    offers = {follow.id for follow in offered}
    alike = {follow: number for follow, number in sharing_a_name(follows).items() if follow in offers}
    apart = await outlined(services, [*alike.values()]) if alike else []
    facts = {outline.person.id: label(outline.facts, 100) for outline in apart}
    lines = []
    for follow in offered:
        number = alike.get(follow.id, 0)
        lines.append(
            discord.SelectOption(
                label=label(follow.shown, 85) + (f" ~{number}" if number else ""),
                value=str(follow.id),
                description=facts.get(number, f"{follow.kind}, since {follow.made:%d %b %Y}"),
            )
        )
    return lines
