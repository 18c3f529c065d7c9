"""What a reply in a direct message leaves for the next message there: the list that it shows."""

from __future__ import annotations

import discord
from discord import ui

from commands.kit.last_asked import direct_place
from commands.kit.services import Services
from commands.kit.shown_links import listed_on, offered_in
from index.answers.asked_before import Among, listed, only_listed


async def noted_list(
    services: Services,
    interaction: discord.Interaction,
    view: ui.LayoutView,
    said: str,
    command: str = "list",
    *,
    person: str = "",
) -> ui.LayoutView:
    """A page of a list; in a direct message, the next message may go on from it.

    Parameters
    ----------
    said
        The words that ask for the list.
    command
        Which command they ask: ``search``, ``papers``; or ``list``, of which only papers can be meant.
    person
        The name by which /author finds the person whose papers they are.
    """
    direct = direct_place(interaction)
    if direct is not None:
        among = listed_on(view) or Among(people=offered_in(view.children, "person.choose_papers"))
        before = (
            only_listed(said, among)
            if command == "list"
            else await listed(command, said, services.search, among, person)
        )
        services.last_asked.note(direct, interaction.user.id, before)
    return view


def note_choice(services: Services, direct: int | None, member: int, said: str, among: Among) -> None:
    """Remember those of whom a direct message asks which is meant; where there are none, nothing."""
    if direct is None:
        return
    if among.ids:
        services.last_asked.note(direct, member, only_listed(said, among))
    else:
        services.last_asked.drop(direct)
