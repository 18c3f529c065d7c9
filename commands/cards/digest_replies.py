"""Replies about digests: their list, settings and history, and the members' own view of a posting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from commands.cards.digest import summary
from commands.cards.fields import fields_line
from commands.cards.people import Outline
from commands.cards.search import foreign_line
from commands.cards.text import day, moment, plural, shown
from data.records import Paper
from data.stores.deliveries import Delivery
from data.stores.digest_record import Digest
from index.search.understanding import Understood

NO_DIGESTS = "There are no digests here yet. /digest create sets one up; /digest mine sets up your own."
NONE_TO_CHANGE = (
    "I found no such digest that you can change. /digest list shows this server's digests; "
    "/digest mine shows yours."
)
NOTHING_NEW = (
    "Nothing was announced since the last posting, or today's was posted already. /digest history shows it."
)
NOT_A_PLACE = "Set up the digest in the text channel or thread that it should post to."
NOT_SEEN = "I can't see this channel. Let me see it, or choose another one."
NO_TAG = (
    "This forum requires a tag, and only moderators may set those that it has. Add a tag that anybody may "
)
NO_TAG += "set, allow me Manage Threads, or choose another place."
NO_PICTURE = "Pictures are left out: I'm not allowed Attach Files there."
NO_LISTING = "I haven't read a listing yet, so there is nothing to post."
NO_ZONE = (
    "Choose a time zone first: it is in the digest's settings (/digest edit, *When and where*). "
    "Without one, I don't know when to post."
)
STATES = {
    "posted": "posted",
    "empty": "no match",
    "missed": "missed",
    "failed": "failed",
    "written": "on its way",
}
OPINIONS = {"save": "Saved to your library", "like": "Liked", "dislike": "Noted as not for you here"}
WORDS_SHOWN = 12
FORMS_COUNT = "-# Other forms of these words count, too, but for words in quotes."


def may_not_post(place: int, permissions: Sequence[str]) -> str:
    """What has to be allowed in a channel before a digest can be posted there."""
    names = " and ".join(filter(None, [", ".join(permissions[:-1]), permissions[-1]]))
    return f"I'm not allowed to post in <#{place}>. Allow me {names} there, or choose another channel."


def name_of(digest: Digest, most: int = 80) -> str:
    """A digest's name in bold."""
    return f"**{shown(digest.name, most)}**"


def several_meant(digests: Sequence[Digest], command: str) -> str:
    """Which digests a name could mean, and how to name one; numbers tell those of one name apart."""
    alike = len({digest.name.casefold() for digest in digests}) < len(digests)
    names = [shown(digest.name, 40) + (f" (#{digest.id})" if alike else "") for digest in digests[:10]]
    add, typed = ("number", f"#{digests[0].id}") if alike else ("name", shown(digests[0].name, 40))
    return (
        f"Which digest do you mean: {', '.join(names[:-1])} or {names[-1]}? "
        f"Add its {add}: /{command} digest:{typed}."
    )


def when_next(due: datetime | None) -> str:
    """When a digest is due next, in each reader's own time zone."""
    return f"next {moment(due, 'F')}" if due else "no posting is scheduled"


def history(digest: Digest, deliveries: Sequence[Delivery], due: datetime | None) -> str:
    """The last postings of a digest."""
    if digest.state == "draft":
        return f"{name_of(digest)} is not started yet. /digest edit shows its settings."
    if not deliveries:
        return f"{name_of(digest)} has posted nothing yet. {_first(digest, due)}"
    return "\n".join([f"## {shown(digest.name, 80)}", *map(_posting, deliveries)])


def _first(digest: Digest, due: datetime | None) -> str:
    """When a digest that has posted nothing begins."""
    if digest.state != "active":
        return "It is stopped; /digest resume starts it again."
    return f"The first post is due {moment(due, 'F')}." if due else "No post is scheduled."


def _posting(delivery: Delivery) -> str:
    late = ", late" if delivery.late else ""
    why = f"\n-# {shown(delivery.why, 160)}" if delivery.why and delivery.state != "posted" else ""
    state = STATES.get(delivery.state, delivery.state)
    shares = f"{len(delivery.papers)} of {plural(delivery.read, 'paper')}"
    at = f" {moment(delivery.posted, 'f')}" if delivery.posted is not None else ""
    return f"- {day(delivery.slot)}: {state}{at}{late}, {shares}{why}"


def delete_question(digest: Digest) -> str:
    """Asks whether to delete a digest."""
    return f"Delete {name_of(digest)} and its history? To stop it for a while, use /digest pause."


def settings(digest: Digest, people: Iterable[str], read: Understood | None = None) -> str:
    """A digest's settings, above the selects that change them, and how its description was read."""
    lines = [summary(digest), *description_lines(read)]
    if names := ", ".join(shown(name, 40) for name in people):
        lines.append(f"**Papers by** {names}")
    lines += _words(digest)
    if digest.state == "draft":
        first = "" if digest.zone else "choose a time zone. "
        lines.append(f"Not started yet: {first}*Preview* shows the post, *Start* turns it on.")
    return "\n".join(lines)


def _words(digest: Digest) -> list[str]:
    """The words that papers need or may not have."""
    told = [
        f"**{name}** {', '.join(shown(word, 40) for word in words[:WORDS_SHOWN])}{_more(len(words))}"
        for name, words in (("Needs one of", digest.required), ("None of", digest.excluded))
        if words
    ]
    return [*told, FORMS_COUNT] if told else []


def _more(words: int) -> str:
    return f" and {words - WORDS_SHOWN} more" if words > WORDS_SHOWN else ""


def description_lines(read: Understood | None) -> list[str]:
    """How a description was read, in small print: what it leaves out, and what may be wrong with it."""
    if read is None:
        return []
    if read.foreign:
        return [foreign_line(read.foreign, fits=False)]
    lines = []
    if read.without:
        unwanted = " or ".join(f"“{shown(what, 60)}”" for what in read.without)
        lines.append(f"-# I look for “{shown(read.text, 120)}”, and leave out papers with {unwanted}.")
    if read.fixed:
        meant = ", ".join(f"“{shown(right, 60)}” by “{shown(typed, 60)}”" for typed, right in read.fixed)
        lines.append(f"-# Do you mean {meant}? I take the words as you typed them.")
    return lines


def with_problem(text: str, problem: str) -> str:
    """A page or reply, and below it what was not kept, its first line in bold."""
    first, _, rest = problem.partition("\n")
    return "\n".join(filter(None, (text, f"**{first}**" if first else "", rest)))


def started(digest: Digest, due: datetime | None) -> str:
    """A digest has begun."""
    return f"Started.\n{summary(digest, when_next(due))}"


def paused(digest: Digest) -> str:
    """A digest stops for now."""
    return f"Paused: {name_of(digest)}. Once resumed, it covers at most the last week."


def resumed(digest: Digest, due: datetime | None) -> str:
    """A digest posts again."""
    return f"Resumed: {summary(digest, when_next(due))}"


def deleted(digest: Digest) -> str:
    """A digest is gone."""
    return f"Deleted: {name_of(digest)}."


def nothing_to_post(digest: Digest, delivery: Delivery) -> str:
    """A preview without papers, and why."""
    return f"Nothing would be posted. {_none(digest, delivery)}"


def how_label(delivery: Delivery) -> str:
    """What the button says that tells how a posting was chosen."""
    return "How these were chosen" if delivery.papers else "Why nothing was chosen"


def how_chosen(digest: Digest, delivery: Delivery) -> str:
    """How a posting was chosen."""
    if not delivery.papers:
        return f"## Why nothing was chosen\n{_none(digest, delivery)}"
    why = [chosen.why for chosen in delivery.papers]
    typical = not any(reason.near or reason.query or reason.text for reason in why)
    lines = [f"## How these were chosen\n{_read(digest, delivery)}"]
    if any(reason.by for reason in why):
        lines.append("- Papers by people whom you watch or follow, or who are members here, rank higher.")
    if typical and not all(reason.by for reason in why):
        lines.append(
            "- I don't know yet what is wanted here, so I chose papers typical of the day. Save and Like "
            "teach me. So do a description (/digest edit) and papers to learn from (/digest learn)."
        )
    elif not typical:
        lines.append(
            f"- The papers that are most similar to {_wanted(digest)} come first, with variety among them."
        )
        lines.append("- Papers that are probably on other subjects are left out, even if few remain.")
        lines.append("- Save, Like and Not for us teach me your taste; /digest taste shows the result.")
    return "\n".join([*lines, *_words(digest)])


def _read(digest: Digest, delivery: Delivery) -> str:
    fields = fields_line(sorted(digest.category_set)) or "all my fields"
    return f"I read {plural(delivery.read, 'new paper')} in {fields}."


def _wanted(digest: Digest) -> str:
    """What papers are compared with."""
    liked = "you saved and liked" if digest.is_own else "saved and liked here"
    papers = f"the papers {liked}, or given with /digest learn"
    return f"“{shown(digest.query, 120)}” and to {papers}" if digest.query else papers


def _none(digest: Digest, delivery: Delivery) -> str:
    """Why a digest found nothing, and what to do about it."""
    if not delivery.read:
        return _read(digest, delivery)
    said = [_read(digest, delivery)]
    if digest.person_numbers:
        said.append("None is by the people that this digest watches.")
    said.append(f"None is similar enough to {_wanted(digest)}.")
    if words := _words(digest):
        said.append("Or those that are have the wrong words:")
    advice = (
        "For more papers, describe in other words what you look for, choose more fields or change the words "
        "(/digest edit), or give me papers to learn from (/digest learn)."
    )
    return "\n".join([" ".join(said), *words, advice])


def opinion_kept(paper: Paper, kind: str | None, *, already: bool = False) -> str:
    """What a member said of a paper is kept, or taken back."""
    title = f"**{shown(paper.title, 120)}**"
    if kind is None:
        return f"Taken back: {title}."
    return f"{'Already in your library' if already else OPINIONS[kind]}: {title}."


def several_people(line: str, people: Sequence[Outline]) -> str:
    """A name in a form is several people's."""
    listed = "\n".join(f"- {shown(line, 60)} ~{who.person.id}: {shown(who.line, 120)}" for who in people)
    head = f"Several people publish as {shown(line, 60)}, so I left this name out."
    return f"{head}\nWrite the name with its number:\n{listed}"


def nobody(line: str) -> str:
    """A name in a form is nobody's."""
    return f"I know nobody called “{shown(line, 60)}”, so I left this name out."


def too_many_people(most: int) -> str:
    """A form has more names than a digest can watch."""
    return f"A digest can watch up to {most} people, so I left out the names after the first {most}."


def owner_told(digest: Digest, why: str) -> str:
    """Tells a digest's owner about a problem."""
    where = "" if digest.is_own else f" in <#{digest.channel}>"
    return f"{name_of(digest, 100)}{where}: {shown(why, 400)}"
