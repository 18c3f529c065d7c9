"""Everything that speaks for two people working together, as /collaborators and the thread of an invitation show it."""

from __future__ import annotations

import asyncio

from discord import ui

from commands.cards.collaborators import papers_of, reasons
from commands.cards.lists import note
from commands.kit.links import link
from commands.kit.progress import not_yet
from commands.kit.replies import UserError
from commands.kit.services import Services
from data.stores.people import Person
from index.people.suggest import Experts


async def experts_of(services: Services) -> Experts:
    """What suggests collaborators.

    Raises
    ------
    UserError
        Where authors have not been matched to papers yet.
    """
    await services.wait_for_people()
    experts = await services.insight.experts()
    if experts is None:
        raise UserError(not_yet(services))
    return experts


async def person_of(services: Services, number: int) -> Person:
    """The person with a store id.

    Raises
    ------
    UserError
        Where they do not exist (any more).
    """
    person = await services.store.people.find(number)
    if person is None:
        raise UserError("I no longer know this person. Try again with the name.")
    return person


async def show_why(services: Services, number: int, other: int) -> ui.LayoutView:
    """Why two people could work together, with what the first can do about the second."""
    experts = await experts_of(services)
    person, them = await person_of(services, number), await person_of(services, other)
    if person.id == them.id:
        raise UserError("These two are the same person.")
    found = await asyncio.to_thread(experts.reasons, person.id, them.id)
    papers = {paper.id: paper for paper in await services.store.papers(papers_of(found))}
    buttons = [
        link("person.card", "Card", person=them.id),
        link("invite.preview", "Invite", number=them.id),
        link("follow.person", "Follow", person=them.id),
        link("pair.dismiss", "Not for me", person=person.id, other=them.id),
    ]
    return note(reasons(person.name, found, papers), [buttons])
