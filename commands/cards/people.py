"""How people look: the card, the lines that tell namesakes apart, lists of people. Records in, views out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import discord
from discord import ui

from commands.cards.lists import ACCENT, framed
from commands.cards.text import label, plural, safe, shorten, shown
from data.stores.corrections import Correction
from data.stores.people import Person
from index.people.no_person import is_group
from index.people.person_match import Sharing
from index.people.scores import Score, Trust


@dataclass(frozen=True, slots=True)
class Outline:
    """What tells somebody from others of the same name."""

    person: Person
    topics: tuple[str, ...]
    closest: str | None
    affiliation: str | None

    @property
    def years(self) -> str:
        """First and last year."""
        return span(self.person.first, self.person.last)

    @property
    def line(self) -> str:
        """Everything in one plain line, for a choice while typing."""
        return label(f"{self.person.name}: {self.facts}", 100)

    @property
    def facts(self) -> str:
        """The same without the name."""
        parts = [plural(self.person.papers, "paper"), self.years, self.affiliation or ""]
        parts += [", ".join(self.topics), f"with {self.closest}" if self.closest else ""]
        return " · ".join(part for part in parts if part)


def span(first: date | None, last: date | None) -> str:
    """``2022–2026``, or one year, or nothing."""
    if first is None or last is None:
        return ""
    return str(first.year) if first.year == last.year else f"{first.year}–{last.year}"


def outline_option(outline: Outline) -> discord.SelectOption:
    """A line of a select."""
    head = " · ".join(
        part for part in (outline.person.name, plural(outline.person.papers, "paper"), outline.years) if part
    )
    said = [outline.affiliation or "", ", ".join(outline.topics)]
    said.append(f"with {outline.closest}" if outline.closest else "no coauthors")
    return discord.SelectOption(
        label=label(head, 100),
        value=str(outline.person.id),
        description=label(" · ".join(part for part in said if part), 100),
    )


def outlines(found: Sequence[Outline]) -> list[str]:
    """The lines of a message that asks which person is meant."""
    lines = []
    for outline in found:
        said = [plural(outline.person.papers, "paper"), outline.years]
        said += [shown(outline.affiliation, 60)] if outline.affiliation else []
        said += [shown(", ".join(outline.topics), 80)] if outline.topics else []
        said += [f"with {shown(outline.closest, 50)}"] if outline.closest else ["no coauthors"]
        lines.append(f"- **{shown(outline.person.name, 60)}** · " + " · ".join(part for part in said if part))
    return lines


def sharing_line(shared: Sharing, where: str) -> str:
    """A note that others publish under a person's name, and where they are: ``the menu lists them``."""
    who = plural(shared.people, "other person publishes", "other people publish")
    return f"-# {who} as {shown(shared.name, 60)} ({plural(shared.papers, 'paper')}); {where}."


@dataclass(frozen=True, slots=True)
class AuthorCard:
    """Everything that a person's card shows; what is not known is None or empty, and is left out."""

    person: Person
    trust: Trust
    topics: tuple[tuple[str, str], ...] = ()
    """Phrases with their years."""
    coauthors: tuple[tuple[str, int], ...] = ()
    score: Score | None = None
    novelty: tuple[int, int, int] | None = None
    """Lower quartile, median, upper quartile of the papers' percentiles."""
    affiliation: str | None = None
    orcid: str | None = None
    citations: int | None = None
    h_index: int | None = None
    source: str = ""
    """The source of these figures, and their day."""
    namesakes: int = 0
    waiting: int = 0
    """Papers under the name that no pass has judged yet."""
    claimed_by: str = ""
    """What the proof of whoever holds the claim has shown."""
    profile: str = ""
    """What the person says about themselves, ready to show."""
    corrected: str = ""
    """Who corrected who this is, ready to show."""
    shared: str = ""
    """Who else publishes under the name, ready to show."""
    links: tuple[tuple[str, str], ...] = field(default=())


def author_card(
    card: AuthorCard,
    actions: Sequence[ui.Item[Any]],
    more: Sequence[ui.Item[Any]] = (),
    picture: str | None = None,
    alt: str = "",
) -> ui.LayoutView:
    """The card; ``picture`` names an attached file."""
    person = card.person
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    head = [f"## {shown(person.name, 100)}"]
    if is_group(person.name):
        head.append("-# Judging by its name, this is a group, not a person")
    forms = [form for form in person.forms if form != person.name][:4]
    if forms:
        head.append("-# Also published as " + ", ".join(shown(form, 50) for form in forms))
    if card.affiliation:
        head.append(shown(card.affiliation, 120))
    head.append(" · ".join(_facts(card)))
    if card.claimed_by:
        head.append(f"-# Claimed by a member who {shown(card.claimed_by, 250)}")
        if contested := card.trust.contested:
            say = plural(contested, "member says", "members say")
            head.append(f"-# **Contested**: {say} that this claim is wrong, and that is not settled yet")
    box.add_item(ui.TextDisplay("\n".join(head)))
    body = []
    if card.topics:
        body.append("**Topics** " + " · ".join(f"{shown(t, 60)} ({years})" for t, years in card.topics))
    if card.coauthors:
        names = [f"{shown(name, 50)} ({count})" for name, count in card.coauthors]
        body.append("**Close collaborators** " + ", ".join(names))
    if card.citations is not None or card.h_index is not None:
        known = [f"{card.citations:,} citations" if card.citations is not None else ""]
        known.append(f"h-index {card.h_index}" if card.h_index is not None else "")
        body.append(
            f"**{' · '.join(part for part in known if part)}** -# {safe(card.source)}".replace(
                " -# ", "\n-# "
            )
        )
    if card.profile:
        body.append(card.profile)
    if body:
        box.add_item(ui.Separator())
        box.add_item(ui.TextDisplay("\n".join(body)[:2_500]))
    if picture:
        box.add_item(
            ui.MediaGallery(discord.MediaGalleryItem(f"attachment://{picture}", description=alt[:1_000]))
        )
    if alt:
        box.add_item(ui.TextDisplay(f"-# {shown(alt, 400)}"))
    if card.corrected:
        box.add_item(ui.TextDisplay(f"-# {card.corrected}"))
    if card.shared:
        box.add_item(ui.TextDisplay(card.shared))
    if card.waiting:
        box.add_item(
            ui.TextDisplay(f"-# {plural(card.waiting, 'newer paper')} under this name not matched yet")
        )
    return framed(box, [actions, more])


def corrected_by(corrections: Sequence[Correction]) -> str:
    """Who corrected who this is, for a card; empty where nobody did."""
    here = dict.fromkeys(shown(c.made_by_name, 40) for c in corrections if c.is_local)
    said = [f"in this server by {', '.join(list(here)[:3])}"] if here else []
    said += ["by the person themselves"] if any(c.authority == "holder" for c in corrections) else []
    said += ["by the operator"] if any(c.authority == "operator" for c in corrections) else []
    return f"Corrected {', '.join(said)}: /person history" if said else ""


def _facts(card: AuthorCard) -> list[str]:
    person = card.person
    years = span(person.first, person.last)
    facts = [f"{plural(person.papers, 'paper')} in this library{', ' + years if years else ''}"]
    facts.append(f"Trust {card.trust.value}, {card.trust.level} {_claimed(card.trust)}")
    if card.trust.sure is not None:
        facts.append(f"{card.trust.sure:.0%} sure these are one person's papers")
    if card.score is not None:
        facts.append(f"Score {card.score.value}")
    if card.novelty is not None:
        low, middle, high = card.novelty
        facts.append(f"Novelty {middle}" + (f" ({low} to {high})" if low != high else ""))
    if card.orcid:
        facts.append(f"[ORCID](https://orcid.org/{card.orcid})")
    return facts


def _claimed(trust: Trust) -> str:
    return "claimed" if trust.claimed else "unclaimed"


def why_lines(name: str, trust: Trust, score: Score | None) -> str:
    """Where the figures of a card come from."""
    lines = [
        f"## Why these figures for {shown(name, 80)}",
        f"**Trust {trust.value}, {trust.level}, {_claimed(trust)}**",
    ]
    lines += [f"- {safe(why)}" for why in trust.why]
    if score is not None:
        lines.append(
            f"**Score {score.value}**, a weighted mean; percentiles are among people with two papers or more"
        )
        for part in score.parts:
            lines.append(f"- {part.name} {part.value:.0f} (weight {part.weight:g}): {safe(part.why)}")
    lines.append(
        "-# Computed from titles, abstracts and author lists alone. They show what is visible here, not how "
        "good a researcher is; don't base hiring, funding or admission on them."
    )
    return "\n".join(lines)


def people_list(
    heading: str, lines: Sequence[tuple[str, ui.Item[Any]]], footer: str | None = None
) -> ui.LayoutView:
    """People, one a section with a button beside."""
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(heading))
    for text, button in lines:
        box.add_item(ui.Section(ui.TextDisplay(shorten(text, 600)), accessory=button))
    if footer:
        box.add_item(ui.TextDisplay(footer))
    return framed(box)
