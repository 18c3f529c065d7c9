"""Buttons that lead from a card to the research graph in a browser, where that is on."""

from __future__ import annotations

from discord import ButtonStyle, ui

from commands.kit.services import Services

LABEL = "Explore"


async def explore_person(services: Services, number: int) -> list[ui.Button[ui.LayoutView]]:
    """A button to a person's page; none where the person only exists in this server, by a correction."""
    if services.explore_url is None or await services.everywhere.store.people.find(number) is None:
        return []
    return [_button(f"{services.explore_url}/person/{number}")]


def explore_paper(services: Services, number: int) -> list[ui.Button[ui.LayoutView]]:
    """A button to a paper's page."""
    return [_button(f"{services.explore_url}/paper/{number}")] if services.explore_url else []


def _button(url: str) -> ui.Button[ui.LayoutView]:
    return ui.Button(style=ButtonStyle.link, label=LABEL, url=url)
