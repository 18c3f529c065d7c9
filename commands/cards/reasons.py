"""Why a paper stands in a digest, in words: in Discord's markdown for posts, as plain text for feeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from commands.cards.text import listed, readable, shorten, shown
from data.keys import visible
from data.reasons import KnownWriter, Reason

MOST_WRITERS = 2
_WATCHED = "watched by this digest"
Show = Callable[[str, int], str]
"""Shows outside text with at most so many characters."""


def markdown(reason: Reason) -> str:
    """A reason for Discord."""
    return _sentence(reason, shown)


def plain(reason: Reason) -> str:
    """A reason for anything that shows text as it is."""
    return _sentence(reason, _as_it_is)


def _as_it_is(text: str, most: int) -> str:
    return shorten(readable(visible(text)), most)


def _sentence(reason: Reason, show: Show) -> str:
    if reason.text:
        return show(reason.text, 300)
    parts = []
    if reason.by:
        parts.append(_by(reason.by[:MOST_WRITERS], show))
    if reason.near:
        parts.append(_near(reason, show))
    if reason.query:
        parts.append(f"{'mentions' if reason.printed else 'matches'} “{show(reason.query, 60)}”")
    if reason.words:
        parts.append(
            f"{'both on' if reason.near else 'on'} {listed([show(word, 60) for word in reason.words])}"
        )
    if reason.category and not parts:
        parts.append(f"in {show(reason.category, 40)}, which you follow")
    return " · ".join(parts) or "typical of the day's papers; Save and Like teach me what you want"


def _by(writers: Sequence[KnownWriter], show: Show) -> str:
    """``by Ann, watched by this digest, and Cy, a member here``; "followed" is for other people."""
    names = [show(writer.name, 40) for writer in writers]
    if all(writer.is_watched for writer in writers):
        return f"by {listed(names)}, {_WATCHED}"
    joined = f"{',' if writers[0].is_watched else ''} and "
    return "by " + joined.join(f"{name}, {_tie(one)}" for name, one in zip(names, writers, strict=True))


def _tie(writer: KnownWriter) -> str:
    if writer.is_watched:
        return _WATCHED
    return "a member here" if writer.is_member else "followed"


def _near(reason: Reason, show: Show) -> str:
    title = f"“{show(reason.near, 70)}”"
    own = "that you saved or liked" if reason.own else "saved or liked here"
    if reason.followed or reason.wrote:
        own = "that you follow" if reason.followed else "that you wrote"
    if reason.given:
        own = "that you gave me" if reason.own else "given to this digest"
    if reason.near_count > 1:
        return f"similar to {reason.near_count} papers {own}, such as {title}"
    return f"similar to {title}, {own}"
