"""Texts too long for a button, kept in the store under the number that the button carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from commands.kit.links import Link, link
from commands.kit.services import Services
from data.database.unavailable import DatabaseUnavailableError
from data.keys import fresh_number


async def kept_numbers(services: Services, texts: Sequence[str]) -> dict[str, int]:
    """The numbers under which texts are kept; while the database takes no writes, of those kept before."""
    if not texts:
        return {}
    with suppress(DatabaseUnavailableError):
        return await services.store.kept_texts.keep_all(texts)
    with suppress(DatabaseUnavailableError):
        return await services.store.kept_texts.numbers(texts)
    return {}


def kept_link(numbers: Mapping[str, int], name: str, label: str, text: str, **ids: Any) -> Link:
    """A button to the action ``name`` with the number of a text; raises as :func:`link` does.

    Where the text isn't kept, the button is disabled: the reply that it stands below is right.
    """
    made = link(name, label, kept=numbers[text] if text in numbers else fresh_number(), **ids)
    made.item.disabled = text not in numbers
    return made
