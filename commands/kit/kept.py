"""Texts too long for a button, kept in the store under the number that the button carries."""

from __future__ import annotations

from typing import Any

from commands.kit.links import Link, link
from commands.kit.services import Services
from data.database.unavailable import DatabaseUnavailableError
from data.keys import fresh_number


async def kept_link(services: Services, name: str, label: str, text: str, **ids: Any) -> Link:
    """A button to the action ``name`` with the number of a text; raises as :func:`link` does.

    Where the database takes nothing now, the button is disabled: the reply that it stands below is right.
    """
    try:
        kept, can_be_kept = await services.store.kept_texts.keep(text), True
    except DatabaseUnavailableError:
        kept, can_be_kept = fresh_number(), False
    made = link(name, label, kept=kept, **ids)
    made.item.disabled = not can_be_kept
    return made
