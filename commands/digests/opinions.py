"""The buttons below a digest's paper: save, like, not for us, undo, and similar papers."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from discord import ui

from commands.cards import digest_replies as replies
from commands.cards.lists import note
from commands.kit.limits import SEARCH
from commands.kit.links import Press, button, link
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.similar_papers import similar_papers
from data.calendar.clock import utc_now
from data.records import Paper
from data.stores.library import LibraryFull
from data.stores.opinions import Opinion

UNKNOWN_PAPER = "I no longer know this paper."
_KINDS = {"s": "save", "l": "like", "d": "dislike", "k": "skip"}
_LETTERS = {kind: letter for letter, kind in _KINDS.items()}
_NOTHING = "n"
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)


@button("digest.save", "dg:s:{paper}")
async def save(press: Press, paper: int) -> None:
    """Keep a paper in the member's library."""
    await answer(press.interaction, think(press, paper, "save"), private=True)


@button("digest.like", "dg:l:{paper}")
async def like(press: Press, paper: int) -> None:
    """Want more papers like this."""
    await answer(press.interaction, think(press, paper, "like"), private=True)


@button("digest.dislike", "dg:d:{paper}")
async def dislike(press: Press, paper: int) -> None:
    """Want fewer papers like this."""
    await answer(press.interaction, think(press, paper, "dislike"), private=True)


@button("digest.take_back", "dg:u:{paper}")
async def take_back(press: Press, paper: int) -> None:
    """Forget what the member said of a paper."""
    await answer(press.interaction, think(press, paper, None), private=True)


@button("digest.undo_press", "dgz:{paper}:{said:[sld]}:{at:snowflake}:{before:before}:{kept}")
async def undo_press(press: Press, paper: int, said: str, at: int, before: str, kept: int) -> None:
    """Undo what one press did: ``at`` its instant, and ``kept`` the work it saved, or 0."""
    work = _undone(press, paper, _KINDS[said], _unpacked(before), _instant(at), kept)
    await answer(press.interaction, work, private=True)


@button("digest.undo", "dg:z:{paper}:{said:[sld]}:{before:[sldkn]}")
async def undo(press: Press, paper: int, said: str, before: str) -> None:
    """Give the member back what they thought before they pressed; old messages have this button."""
    kind = _KINDS.get(before)
    earlier = Opinion(kind, utc_now(), press.interaction.channel_id or 0) if kind else None
    work = _undone(press, paper, _KINDS[said], earlier)
    await answer(press.interaction, work, private=True)


def _packed(before: Opinion | None) -> str:
    """An opinion in a button: ``s1790000000000000.7``, from its kind, instant and channel."""
    if before is None:
        return _NOTHING
    return f"{_LETTERS[before.kind]}{_microseconds(before.made)}.{before.channel}"


def _unpacked(text: str) -> Opinion | None:
    if text == _NOTHING:
        return None
    made, _, channel = text[1:].partition(".")
    return Opinion(_KINDS[text[0]], _instant(int(made)), int(channel))


def _microseconds(instant: datetime) -> int:
    return (instant - _EPOCH) // _MICROSECOND


def _instant(microseconds: int) -> datetime:
    """An instant of the past, in UTC."""
    return _EPOCH + min(microseconds, _microseconds(utc_now())) * _MICROSECOND


@button("digest.similar", "dg:m:{paper}")
async def show_similar(press: Press, paper: int) -> None:
    """Show similar papers to the member alone."""
    needs = (Need.PAPERS, Need.MEANING)
    await answer(
        press.interaction, similar_papers(press.services, paper), private=True, cost=SEARCH, needs=needs
    )


async def think(press: Press, number: int, kind: str | None) -> ui.LayoutView:
    """Keep what a member thinks of a paper; a saved one goes to their library, too."""
    store, paper = press.services.store, await _paper(press, number)
    new, kept = False, None
    if kind == "save":
        try:
            kept, new = await store.library.keep(press.member, paper.id)
        except LibraryFull as error:
            raise UserError(str(error)) from error
    channel = press.interaction.channel_id or 0
    before, at = await store.digests.think(press.guild or 0, press.member, paper.id, kind, channel)
    if kind is None:
        if before is not None and before.kind == "save":
            await _drop(press, paper.id)
        return note(replies.opinion_kept(paper, None))
    if kept is not None and not new:  # an undo would remove what was saved earlier
        manage = link("library.manage", "Manage", kept=kept.id)
        return note(replies.opinion_kept(paper, kind, already=True), [[manage]])
    same = before is not None and before.kind == kind
    if same and kind != "save":
        back = link("digest.take_back", "Take back", paper=paper.id)
        return note(replies.opinion_kept(paper, kind, already=True), [[back]])
    ids: dict[str, Any] = {"said": _LETTERS[kind], "at": _microseconds(at), "kept": kept.id if kept else 0}
    back = link("digest.undo_press", "Undo", paper=paper.id, before=_packed(None if same else before), **ids)
    return note(replies.opinion_kept(paper, kind), [[back]])


async def _undone(
    press: Press,
    number: int,
    said: str,
    before: Opinion | None,
    at: datetime | None = None,
    kept: int | None = None,
) -> ui.LayoutView:
    store, paper = press.services.store, await _paper(press, number)
    guild = press.guild or 0
    taken_back, now = await store.digests.undo(guild, press.member, paper.id, said, before, at)
    dropped = await _drop(press, paper.id, kept) if said == "save" else None
    return note(replies.opinion_undone(paper, taken_back=taken_back, now=now, dropped=dropped))


async def _paper(press: Press, number: int) -> Paper:
    papers = await press.services.store.papers([number])
    if not papers:
        raise UserError(UNKNOWN_PAPER)
    return papers[0]


async def _drop(press: Press, paper: int, number: int | None = None) -> bool | None:
    """Take a paper off the member's library, unless they have saved it again, put it back or worked on it.

    Only as the work of a ``number``, if one is given. Returns None where the paper isn't there.
    """
    library = press.services.store.library
    kept = await library.of_paper(press.member, paper)
    if kept is None:
        return None
    if kept.was_touched or number not in (None, kept.id):
        return False
    await library.drop(press.member, kept.id)
    return True
