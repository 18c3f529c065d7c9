"""Why a digest's posting shows these papers, or none."""

from __future__ import annotations

from commands.cards import digest as cards
from commands.cards.digest_replies import WORDS_SHOWN, words_lines
from commands.cards.fields import fields_line
from commands.cards.text import listed, plural, shown
from data.stores.delivery_record import Delivery
from data.stores.digest_record import Digest
from index.digest.chooser import Taste

QUERIES_SHOWN = 3


def nothing_to_post(digest: Digest, delivery: Delivery, taste: Taste, beside: int = 0) -> str:
    """A preview without papers, and why."""
    return f"Nothing would be posted. {_none(digest, delivery, taste, beside)}"


def nothing_posted(digest: Digest, delivery: Delivery, taste: Taste, beside: int = 0) -> str:
    """`/digest now` posted nothing, as no paper matched, and why."""
    return f"I posted nothing. {_none(digest, delivery, taste, beside)}"


def how_label(delivery: Delivery) -> str:
    """What the button says that tells how a posting was chosen."""
    if delivery.papers:
        return "How these were chosen"
    return (
        "Why nothing is shown"
        if not delivery.read and (delivery.known or delivery.passed)
        else "Why nothing matched"
    )


def how_chosen(digest: Digest, delivery: Delivery, taste: Taste, beside: int = 0) -> str:
    """How a posting was chosen, by what its readers want now.

    Parameters
    ----------
    beside
        How many papers other digests posted there on that day.
    """
    if not delivery.papers:
        return f"## {how_label(delivery)}\n{_none(digest, delivery, taste, beside)}"
    why = [chosen.why for chosen in delivery.papers]
    by = [reason for reason in why if reason.by]
    in_category = [
        reason for reason in why if reason.category and not (reason.by or reason.near or reason.query)
    ]
    lines = [f"## How these were chosen\n{_read(digest, delivery)}"]
    if taste.people_only:
        lines.append(f"- I show only papers by {_whose(digest)}.")
        return "\n".join([*lines, *words_lines(digest), *_unwanted(digest, taste)])
    if by:
        lines.append(f"- {_ranked_people(digest)}")
    if any(reason.near or reason.text or (reason.query and not reason.printed) for reason in why):
        also = ["those that mention it"] if any(reason.printed for reason in why) else []
        also += [f"those by {_whose(digest, 'or')}"] if by else []
        unless = f", except {listed(also)}" if also else ""
        lines += [
            f"- First come the papers most similar to {_wanted(digest, taste)}. I keep some variety.",
            "- I leave out papers that are probably on other subjects, even if that leaves only a few"
            f"{unless}.",
        ]
    elif any(reason.printed for reason in why):
        lines.append("- I found no paper that is mainly about this, so I show those that mention it.")
    elif len(by) < len(why) and not in_category:
        who = "you" if digest.is_own else "people here"
        lines.append(
            f"- I don't know yet what {who} want, so I chose papers typical of the day. Press *Save* or "
            "*Like* to teach me, describe what you want (/digest edit), or give me papers (/digest learn)."
        )
    if in_category:
        lines.append("- Papers in the categories that you follow fill what is left.")
    lines.append("- Save, Like and Not for us teach me your taste; /digest taste shows what I've learned.")
    return "\n".join([*lines, *words_lines(digest), *_unwanted(digest, taste)])


def _read(digest: Digest, delivery: Delivery) -> str:
    """How many papers a posting was chosen from, and which it left out."""
    fields = fields_line(sorted(digest.category_set))
    left_out = cards.left_out(digest, delivery)
    known = f" {left_out}." if left_out else ""
    if not delivery.read:
        other = "else " if known else ""
        return f"{known} There was nothing {other}new in {fields or 'any of my fields'}.".strip()
    return f"I read {plural(delivery.read, 'new paper')} in {fields or 'all my fields'}.{known}"


def _ranked_people(digest: Digest) -> str:
    """What papers by the people who count gain."""
    if digest.is_own:
        return "Papers by people you follow or watch come first."
    others = listed([*(["people followed here"] if digest.followed else []), "members of this server"])
    if not digest.person_numbers:
        return f"Papers by {others} rank higher."
    return f"Papers by people this digest watches come first, and those by {others} rank higher."


def _whose(digest: Digest, last: str = "and") -> str:
    """The people whose papers count."""
    if digest.is_own:
        return "people you follow or watch"
    named = ["people this digest watches"] if digest.person_numbers else []
    followed = ["people followed here"] if digest.followed else []
    return listed([*named, *followed, "members of this server"], last)


def _wanted(digest: Digest, taste: Taste) -> str:
    """What papers are compared with."""
    parts = [f"“{shown(query, 120)}”" for query in taste.queries[:QUERIES_SHOWN]]
    if (more := len(taste.queries) - QUERIES_SHOWN) > 0:
        parts.append(f"{plural(more, 'more topic')} that you follow")
    if taste.liked or not parts:
        own = "papers you saved, liked, follow, wrote or gave me"
        parts.append(own if digest.is_own else "papers saved or liked here, or given to this digest")
    return listed(parts, "or")


def _unwanted(digest: Digest, taste: Taste) -> list[str]:
    """What the description leaves out."""
    said = [shown(word, 40) for word in taste.exclude if word not in digest.excluded]
    return [f"**Left out** {', '.join(said[:WORDS_SHOWN])}"] if said else []


def _none(digest: Digest, delivery: Delivery, taste: Taste, beside: int) -> str:
    """Why a digest found nothing, and what to do about it."""
    said = _read(digest, delivery)
    if not delivery.read:
        return said
    words = [*words_lines(digest), *_unwanted(digest, taste)]
    none, no_paper = "None is", "No paper"
    if beside:
        them = "it" if beside == 1 else "them"
        said += f" Another digest posted {plural(beside, 'paper')} here that day, and I don't repeat {them}."
        none, no_paper = "None of the others is", "No other paper"
    if taste.people_only:
        whose = _whose(digest, "or")
        said += f" {no_paper} by {whose} passed its words:" if words else f" {none} by {whose}."
    elif digest.news:
        news = "by people you follow, or a close follow-up of papers you keep"
        said += f" {no_paper} is {news}, and passes these words:" if words else f" {none} {news}."
    elif taste.queries or taste.liked:
        also = f", or by {_whose(digest, 'or')}" if digest.person_numbers else ""
        close = f"close enough to {_wanted(digest, taste)}{also}"
        said += f" {no_paper} is {close}, and passes these words:" if words else f" {none} {close}."
    elif words:
        said += " Your words ruled all others out:" if beside else " Your words ruled all of them out:"
    options = ["reword the description" if digest.query else "describe what you want"]
    options += ["add fields"] if digest.categories else []
    options += ["watch more people"] if digest.person_numbers else []
    options += ["loosen the words"] if words else []
    told = ", ".join(options)
    advice = f"For more papers, {told} (/digest edit), or give me papers to learn from (/digest learn)."
    return "\n".join([said, *words, advice])
