"""The questions of /digest taste, and what a digest has learned; the lines of /top."""

from __future__ import annotations

import discord

from commands.cards.text import author_line, gist, label, plural, shown, title_link
from data.records import Paper
from data.stores.digest_record import Digest
from index.digest.favourites import Favourite
from index.digest.learning import Learned

ANSWERS = {"like": "wanted", "save": "saved", "dislike": "not wanted"}


def question(digest: Digest, paper: Paper, count: int, total: int) -> str:
    """Asks whether a paper is wanted."""
    wants = "Do you want" if digest.is_own else "Does this channel want"
    lines = [
        f"## {wants} papers like this? ({count} of {total})",
        title_link(paper, 200),
        author_line(paper, most=4),
        gist(paper, 400),
        "-# Your answer here teaches me the most.",
    ]
    return "\n".join(filter(None, lines))


def learned(digest: Digest, lessons: Learned, total: int, given: int = 0) -> str:
    """What a digest has learned, and how many papers it was given."""
    name = shown(digest.name, 80)
    if not lessons.wanted[0] and not lessons.unwanted[0]:
        seeds = f"It was given {plural(given, 'paper')} to learn from. " if given else ""
        nothing = "has learned nothing from buttons yet" if given else "has learned nothing yet"
        return (
            f"**{name}** {nothing}. {seeds}I can ask you about the {total} papers that teach me the "
            "most; Save, Like and Not for us on its papers teach me, too."
        )
    lines = [f"## {name} has learned"]
    for (count, phrases), text in ((lessons.wanted, "Wanted"), (lessons.unwanted, "Not wanted")):
        if count:
            about = f": {', '.join(shown(phrase, 40) for phrase in phrases)}" if phrases else ""
            lines.append(f"**{text}** {plural(count, 'paper')}{about}")
    if given:
        lines.append(f"**Given** {plural(given, 'paper')} (/digest learn)")
    return "\n".join(lines)


def answer_options(lessons: Learned) -> list[discord.SelectOption]:
    """A member's own answers, to take one back."""
    return [
        discord.SelectOption(label=label(paper.title, 100), value=str(paper.id), description=ANSWERS[kind])
        for paper, kind in lessons.answers
    ]


def favourite_line(one: Favourite, ranked: int) -> str:
    """How often a paper was saved and liked, and its place in the ranking alone."""
    counts = [(one.saves, "save"), (one.likes, "like")]
    said = " · ".join(plural(count, word) for count, word in counts if count)
    rank = "announced earlier" if one.rank is None else f"ranking alone: {one.rank:,} of {ranked:,}"
    return f"**{said}** · {rank}"


def favourites_heading(place: str, days: int, category: str | None) -> str:
    """Above the favourites of a server (``here``), or of all."""
    of = f" in {category}" if category else ""
    return (
        f"## Most saved and liked {place}{of}\n-# the last {plural(days, 'day')}; "
        "the ranking alone knows the digests' settings here, but not who saved a paper"
    )


def no_favourites(place: str, days: int, category: str | None) -> str:
    """Nobody saved or liked anything."""
    of = f" in {category}" if category else ""
    return (
        f"Nobody {place} saved or liked a paper{of} in the last {plural(days, 'day')}. "
        "Papers in digests have Save and Like buttons; /digest create sets one up, "
        "and /new shows the newest papers."
    )
