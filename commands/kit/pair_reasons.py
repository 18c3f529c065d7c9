"""Why two people could work together, as suggestions and invitations show it."""

from __future__ import annotations

import asyncio

from discord import ui

from commands.cards.collaborators import papers_of, reasons
from commands.cards.lists import note
from commands.cards.text import shown
from commands.kit.links import link
from commands.kit.replies import UserError
from commands.kit.services import Services
from commands.kit.waiting import not_yet
from commands.kit.which_person import person_of
from index.people.suggest import Experts


async def experts_of(services: Services) -> Experts:
    """What suggests collaborators.

    Raises
    ------
    UserError
        Where authors were not matched to people yet.
    """
    await services.wait_for_people()
    experts = await services.insight.experts()
    if experts is None:
        raise UserError(not_yet(services))
    return experts


async def pair_reasons(services: Services, number: int, other: int) -> ui.LayoutView:
    """Everything that speaks for two people working together."""
    experts = await experts_of(services)
    person, them = await person_of(services, number), await person_of(services, other)
    if person.id == them.id:
        raise UserError("They are the same person.")
    try:
        facts = await asyncio.to_thread(lambda: experts.reasons(experts.of(person.id), them.id))
    except LookupError:
        names = shown(person.name, 80), shown(them.name, 80)
        raise UserError(
            f"I can't compare {names[0]} and {names[1]} right now: I have no papers by one of them."
        ) from None
    papers = {paper.id: paper for paper in await services.store.papers(papers_of(facts))}
    row = [
        link("person.card", "Card", person=them.id),
        link("invite.preview", "Invite", number=them.id),
        link("follow.person", "Follow", person=them.id),
        link("pair.dismiss", "Not for me", person=person.id, other=them.id),
    ]
    return note(reasons(person.name, facts, papers), [row])
