"""Asking on: a thread, or a form where there can be none, whose questions keep the subject."""

from __future__ import annotations

import contextlib
from typing import Any

import discord
from discord import ui

from commands.cards.answer import question_heading
from commands.cards.lists import note
from commands.cards.text import label
from commands.kit.access import CheckedModal
from commands.kit.installs import is_present
from commands.kit.limits import SEARCH
from commands.kit.links import Press, button, link
from commands.kit.progress import Need
from commands.kit.replies import NO_PINGS, UserError, answer, open_form, take
from commands.kit.reply import Reply
from commands.kit.send_once import own_id
from commands.kit.services import seen_by
from commands.kit.shown_links import ids_in
from commands.papers.answering import replied
from commands.papers.ask_query import GONE, MAX_QUESTION, AskQuery, kept_query
from index.answers.followups import subject

NEEDS = (Need.PAPERS, Need.MEANING)
_THREAD_EXISTS = 160004
_NAME = 90
NOT_YOURS = "This form belongs to somebody else. Press the button yourself."


@button("ask.on", "aq:o:i:{code:text}")
async def ask_on(press: Press, code: str) -> None:
    """Open a thread about a question; the question is in the button."""
    await _open(press, AskQuery.from_code(code))


@button("ask.on_kept", "aq:o:k:{kept}")
async def ask_on_kept(press: Press, kept: int) -> None:
    """Open a thread about a question that is in the store."""
    await _open_kept(press, kept)


@button("ask.follow", "aq:f")
async def ask_follow(press: Press) -> None:
    """Open the form for the next question of a thread."""
    await _open_follow_up(press)


async def _open_follow_up(press: Press) -> None:
    place = press.interaction.channel_id or 0
    if await press.services.store.asked_questions.last(place) is None:
        raise UserError(GONE)
    await open_form(press.interaction, FollowUpForm(press.interaction, place=place))


async def _open_kept(press: Press, kept: int) -> None:
    await _open(press, await kept_query(press.services, kept))


async def _open(press: Press, asked: AskQuery) -> None:
    interaction, services = press.interaction, press.services
    if not asked.question.strip():
        raise UserError(GONE)
    quoted = tuple(dict.fromkeys(ids["paper"] for ids in ids_in(interaction.message, "ask.context")))
    quoted = quoted or asked.quoted
    about = asked.about or subject(asked.question, services.search.rarity)
    seed = AskQuery(asked.question, asked.paper, asked.since, asked.category, about, quoted)
    if press.private or not _can_go_on_here(interaction):
        await open_form(interaction, FollowUpForm(interaction, seed=seed))
        return
    await answer(interaction, _go_on(press, seed), private=True)


def _can_go_on_here(interaction: discord.Interaction) -> bool:
    """Whether this is a direct message or thread, or a channel where Labmate and the member may open one.

    Otherwise, members who may not open threads could do so through Labmate, and choose their names.
    """
    channel = interaction.channel
    if not is_present(interaction):  # a member brought Labmate along: it would not hear the next question
        return False
    if isinstance(channel, discord.DMChannel | discord.Thread):
        return True
    if not isinstance(channel, discord.TextChannel) or interaction.message is None:
        return False
    return all(
        allowed.create_public_threads and allowed.send_messages_in_threads
        for allowed in (interaction.app_permissions, interaction.permissions)
    )


async def _go_on(press: Press, seed: AskQuery) -> ui.LayoutView:
    interaction, channel = press.interaction, press.interaction.channel
    questions = press.services.store.asked_questions
    if isinstance(channel, discord.TextChannel):
        thread = await _thread(interaction, seed)
        if await questions.last(thread.id) is None:
            await questions.keep(thread.id, press.member, seed.kept(seed.about, seed.quoted))
            # Whoever presses at the same moment comes here, too; Discord drops the second opening.
            await thread.send(
                view=_opening(interaction, seed), allowed_mentions=NO_PINGS, nonce=f"on{thread.id}"
            )
        with contextlib.suppress(discord.HTTPException):  # they see the thread below the answer anyway
            await thread.add_user(discord.Object(press.member))
        return note(f"Go on in <#{thread.id}>{'' if thread.name.endswith(('?', '!', '.', '…')) else '.'}")
    place = interaction.channel_id or 0
    await questions.keep(place, press.member, seed.kept(seed.about, seed.quoted))
    press.services.last_asked.drop(place)  # what was asked there since is not what they go on from
    return _opening(interaction, seed)


async def _thread(interaction: discord.Interaction, seed: AskQuery) -> discord.Thread:
    """The thread on the message pressed on.

    Raises
    ------
    UserError
        Where Discord lets Labmate open none.
    """
    message = interaction.message
    assert message is not None
    try:
        return await message.create_thread(name=label(seed.question, _NAME))
    except discord.HTTPException as error:
        if error.code == _THREAD_EXISTS:
            thread = await interaction.client.fetch_channel(message.id)
            if isinstance(thread, discord.Thread):
                return thread
        if isinstance(error, discord.Forbidden):
            raise UserError("I may not open a thread here. Ask in a channel where I may.") from None
        raise


def _opening(interaction: discord.Interaction, seed: AskQuery) -> ui.LayoutView:
    """How to go on."""
    how = "Write your next question here"
    if interaction.guild_id is not None:
        how = f"Mention <@{own_id(interaction.client)}> with your next question, or press the button"
    keeps = "I keep the subject: “it”, “they”, “that paper” and “[2]” mean what was answered before."
    text = f"{question_heading(seed.question)}\n{how}. {keeps}"
    return note(text, [[link("ask.follow", "Ask a follow-up")]])


class FollowUpForm(CheckedModal):
    """The next question."""

    def __init__(
        self, opened: discord.Interaction, *, seed: AskQuery | None = None, place: int | None = None
    ) -> None:
        super().__init__(title="Ask a follow-up", custom_id=f"aqf:{opened.id}")
        message = opened.message
        self._member, self._seed, self._place = opened.user.id, seed, place
        self._private = bool(message and message.flags.ephemeral)
        self.question: ui.TextInput[Any] = ui.TextInput(
            label="Your question",
            style=discord.TextStyle.long,
            max_length=MAX_QUESTION,
            placeholder="“It”, “they”, “that paper” and “[2]” mean what was answered before",
        )
        self.add_item(self.question)

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Answer it."""
        take(interaction)
        if interaction.user.id != self._member:
            raise UserError(NOT_YOURS)
        work = self._answered(interaction)
        await answer(interaction, work, private=self._private, cost=SEARCH, needs=NEEDS)

    async def _answered(self, interaction: discord.Interaction) -> Reply:
        services = await seen_by(interaction)
        asked = AskQuery(self.question.value)
        if self._seed is not None:
            seed = self._seed
            return (await replied(services, asked.going_on(seed.kept(seed.about, seed.quoted)))).reply
        assert self._place is not None
        questions = services.store.asked_questions
        last = await questions.last(self._place)
        if last is None:
            raise UserError(GONE)
        made = await replied(services, asked.going_on(last), goes_on_here=True)
        await questions.keep(self._place, self._member, made.kept)
        services.last_asked.drop(self._place)
        return made.reply
