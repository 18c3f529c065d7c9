"""The buttons below a digest's paper: save, like, not for us, undo, and similar papers."""

from __future__ import annotations

from discord import ui

from commands.cards import digest_replies as replies
from commands.cards.lists import note
from commands.kit.limits import SEARCH
from commands.kit.links import Press, button, link
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.similar_papers import similar_papers
from data.stores.library import LibraryFull

UNKNOWN_PAPER = "I no longer know this paper."


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


@button("digest.similar", "dg:m:{paper}")
async def show_similar(press: Press, paper: int) -> None:
    """Show similar papers to the member alone."""
    needs = (Need.PAPERS, Need.MEANING)
    await answer(
        press.interaction, similar_papers(press.services, paper), private=True, cost=SEARCH, needs=needs
    )


async def think(press: Press, number: int, kind: str | None) -> ui.LayoutView:
    """Keep what a member thinks of a paper; a saved one goes to their library, too."""
    store = press.services.store
    papers = await store.papers([number])
    if not papers:
        raise UserError(UNKNOWN_PAPER)
    paper, new, kept = papers[0], False, None
    if kind == "save":
        try:
            kept, new = await store.library.keep(press.member, paper.id)
        except LibraryFull as error:
            raise UserError(str(error)) from error
    channel = press.interaction.channel_id or 0
    before = await store.digests.think(press.guild or 0, press.member, paper.id, kind, channel)
    if kind is None:
        if before == "save":
            await _drop(press, paper.id)
        return note(replies.opinion_kept(paper, None))
    if kept is not None and not new:  # an undo would remove what was saved earlier
        manage = link("library.manage", "Manage", kept=kept.id)
        return note(replies.opinion_kept(paper, kind, already=True), [[manage]])
    already = before == kind and kind != "save"
    undo = link("digest.take_back", "Take back" if already else "Undo", paper=paper.id)
    return note(replies.opinion_kept(paper, kind, already=already), [[undo]])


async def _drop(press: Press, paper: int) -> None:
    """Take a paper off the member's library, unless they have worked on it there."""
    library = press.services.store.library
    kept = await library.of_paper(press.member, paper)
    if kept is not None and not kept.note and not kept.tags and kept.state == "unread":
        await library.drop(press.member, kept.id)
