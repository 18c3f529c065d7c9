"""The pages of `/setup`, and the greeting that leads to it. Records in, text out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from commands.cards.digest import place, summary, week
from commands.cards.digest_replies import description_lines, with_problem
from commands.cards.fields import fields_line
from commands.cards.text import label, listed, moment, plural, shown
from data.calendar.zones import title
from data.records import Paper
from data.sources.arxiv_fields import field_name
from data.stores.digest_record import Digest
from data.stores.seeds import Seed
from index.digest.description import CheckedDescription

TITLES_SHOWN = 5
PROBLEMS_TOLD = 3
MOST_CHOSEN = 25
ALL_FIELDS = "all its fields"
KINDS = {"text": "pasted", "file": "from a file", "orcid": "from an ORCID record", "person": "by one person"}
NO_PAPERS_YET = "No papers yet."
NO_PLACE = "First choose a channel where I may post."
NO_ZONE = "First choose your time zone. Without it, I don't know when to post."
GONE = "The channel that you chose is gone, or I can't see it any more. Choose another one."
NO_PREVIEW = (
    "There is no preview yet, because I haven't read a listing. You can press *Start* all the "
    "same; the first post comes when there are papers."
)
STARTED_ALREADY = "Somebody has started this digest already; /digest list shows it."


def greeting(server: str, fields: Sequence[str], *, direct: bool, reads_arxiv: bool = True) -> str:
    """What Labmate says to a server's managers when it joins."""
    reads = (
        f"I read arXiv every day ({fields_line(fields) or ALL_FIELDS})" if reads_arxiv else "I read papers"
    )
    where = f"**{shown(server, 100)}**" if direct else "this server"
    who = "You can" if direct else "People who manage this server can"
    return (
        f"## Hello, I'm Labmate\n"
        f"{reads} and can post the few new ones that people in {where} will want to read.\n"
        f"{who} set this up with the button below: the channel, the fields, the time, and papers or people "
        "to learn from. It takes a minute, and I post nothing before you press *Start*. /setup opens the "
        "same steps at any time.\n"
        "-# Anybody can ask me about papers and people right away; /help shows how."
    )


def place_page(digest: Digest, problem: str = "") -> str:
    """Where a digest posts."""
    now = f"Now: {place(digest)}" if digest.channel else "No channel is chosen yet."
    return _page(1, "Where should I post?", f"{now}\nA text channel, a thread or a forum will do.", problem)


def field_page(
    digest: Digest, reads: Sequence[str], read: CheckedDescription | None = None, problem: str = ""
) -> str:
    """Which fields a digest reads, and how its description was read."""
    chosen = fields_line(sorted(digest.category_set), MOST_CHOSEN)
    all_read = fields_line(reads) or ALL_FIELDS
    everything = f"everything that I read ({all_read})" if reads else "all papers that come in"
    lines = [f"Now: {chosen or everything}."]
    if digest.query:
        lines.append(f"In your words: “{shown(digest.query, 200)}”")
        lines += description_lines(read)
    archives = {code.partition(".")[0] for code in reads if "." not in code}
    unread = [
        code
        for code in sorted(digest.category_set)
        if reads and code not in reads and code.partition(".")[0] not in archives
    ]
    if unread:
        lines.append(
            f"-# I don't read {fields_line(unread)}, so I only see papers that are cross-listed in a field "
            "that I read. The person who runs this Labmate can add fields (LABMATE_CATEGORIES)."
        )
    lines.append("Choose one or more. If you like, also describe in your own words what you are looking for.")
    return _page(2, "Which fields?", "\n".join(lines), problem)


def time_page(
    digest: Digest,
    there: str,
    now: datetime,
    following: datetime | None,
    listing: datetime | None,
    problem: str = "",
) -> str:
    """When a digest posts.

    Parameters
    ----------
    there
        The time in the digest's zone; "" before one is chosen.
    now, following, listing
        Now, its next posting, and arXiv's next announcement; None where arXiv is not read.
    """
    if digest.zone:
        zone = shown(title(digest.zone), 60)
        lines = [
            f"Now: {week(digest.days)} at **{digest.at}**, time zone **{zone}**. It is {there} there "
            f"now ({moment(now, 't')} on your clock). Is that right?"
        ]
        if following is not None:
            lines.append(f"The next post would come {moment(following, 'F')}.")
    else:
        lines = [f"Now: {week(digest.days)} at **{digest.at}**. In which time zone?"]
    if listing is not None:
        lines.append(f"-# arXiv announces new papers at {moment(listing, 't')} on your clock.")
    return _page(3, "When?", "\n".join(lines), problem)


def learn_page(
    digest: Digest, seeds: Sequence[Seed], papers: Sequence[Paper], people: Sequence[str], problem: str = ""
) -> str:
    """What a digest learns from, and what decides until then."""
    lines = [learned_from(seeds, papers)] if seeds else [NO_PAPERS_YET]
    if digest.query:
        lines.append(f"I {'also ' if seeds else ''}go by your description: “{shown(digest.query, 200)}”.")
    if people:
        lines.append(f"I watch for papers by {listed([shown(name, 40) for name in people])}.")
    if not (seeds or digest.query or people):
        lines[0] += " Until people press *Like* or *Save*, I choose papers typical of the day."
    lines.append(
        "Give me papers (links, ids, titles or BibTeX), a file exported from Zotero, an ORCID iD, or "
        "people. You can skip this. Later, `/digest learn` and *Teach my digest* on somebody's card add more."
    )
    return _page(4, "What should I learn from?", "\n".join(lines), problem)


def learned_from(seeds: Sequence[Seed], papers: Sequence[Paper]) -> str:
    """The papers that a digest was given, counted by origin, and some titles."""
    counts = Counter(seed.kind for seed in seeds)
    told = ", ".join(f"{count} {KINDS[kind]}" for kind, count in counts.items())
    titles = "\n".join(f"- {shown(paper.title, 90)}" for paper in papers[:TITLES_SHOWN])
    more = f"\n-# and {len(seeds) - TITLES_SHOWN} more" if len(seeds) > TITLES_SHOWN else ""
    return f"I learn from {plural(len(seeds), 'paper')} ({told}):\n{titles}{more}"


def ready(digest: Digest, following: datetime | None, seeds: int, problem: str = "") -> str:
    """What would start, shown above the preview."""
    lines = ["## Ready to start", summary(digest)]
    if seeds:
        lines.append(f"-# learns from {plural(seeds, 'paper')} that you gave me")
    if following is not None:
        lines.append(f"The first post comes {moment(following, 'F')}.")
    return with_problem("\n".join(lines), problem)


def others_here(digests: Sequence[Digest]) -> str:
    """The digests that a server has already."""
    return (
        f"## Set-up\nThis server has {plural(len(digests), 'digest')} already. Change one, or set up another."
    )


def same_place(other: Digest) -> str:
    """Asks whether a channel should have a second digest."""
    return (
        f"{place(other)} has a digest already, set up by <@{other.owner}>:\n{summary(other)}\n"
        "Do you want to start a second one there, or change the existing one?"
    )


def field_label(code: str, papers: int) -> str:
    """A category in a menu: its name, its code, and how many papers are known."""
    count = f", {plural(papers, 'paper')}" if papers else ""
    name = field_name(code)
    return label(f"{name} ({code}{count})" if name != code else f"{code}{count}", 100)


def _page(number: int, question: str, text: str, problem: str) -> str:
    head = f"-# Set-up, step {number} of 4\n## {question}\n{text}"
    return with_problem(head, problem)


def no_such_field(typed: str, others: str = "") -> str:
    """A typed field that arXiv doesn't have."""
    if others:
        return f"No paper is in the field “{shown(typed, 60)}”. The largest: {others}."
    return (
        f"arXiv has no field called “{shown(typed, 60)}”. Write a name such as Robotics, or a code such as "
        "cs.RO."
    )


def too_many_fields(most: int) -> str:
    """More fields than a digest takes."""
    return f"A digest takes up to {most} fields, so I left them as they were."


def few(problems: Sequence[str]) -> list[str]:
    """What to say of typed fields that mean none, or several: at most three by name."""
    more = len(problems) - PROBLEMS_TOLD
    return [*problems[:PROBLEMS_TOLD], *([f"{more} more were unclear."] if more > 0 else [])]


def several_fields(typed: str, codes: Sequence[str]) -> str:
    """A typed field that could be several."""
    names = ", ".join(f"{field_name(code)} ({code})" for code in codes[:5])
    return f"“{shown(typed, 60)}” could be several fields: {names}. Write one of these."
