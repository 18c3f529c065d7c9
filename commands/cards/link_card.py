"""The small card below a posted link, and replies to managers about such cards. Records in, text out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discord import ui

from commands.cards.lists import ACCENT
from commands.cards.text import author_line, facts_line, gist, title_link
from data.records import Paper

INTENT = (
    "Discord's Developer Portal (the application, Bot, Privileged Gateway Intents, Message Content Intent)"
)
WHAT = (
    "When somebody posts a link to a paper that I know (arXiv, ACL Anthology, DOI), I reply with a small "
    "card, once a day for each paper in a channel, and ping nobody. The person who posted the link can "
    "remove the card. A link in angle brackets, `<link>`, gets no card."
)
UNSET = (
    "Link cards are not enabled in this Labmate. The person who runs it can enable them: set LINK_CARDS=true "
    f"and switch on the intent in {INTENT}."
)
REFUSED = (
    "Discord doesn't let me read messages, so there are no link cards now. The person who runs this Labmate "
    f"has to switch on the intent in {INTENT} and restart Labmate."
)
_GIST = 140


def small_card(papers: Sequence[tuple[Paper, ui.Item[Any]]], remove: ui.Item[Any]) -> ui.LayoutView:
    """Papers in a few lines each, each with a button, and a button that removes the card."""
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    for paper, details in papers:
        lines = [title_link(paper, 150), f"{author_line(paper, most=3)}", facts_line(paper)]
        if about := gist(paper, _GIST):
            lines.append(about)
        box.add_item(ui.Section(ui.TextDisplay("\n".join(lines)[:1_000]), accessory=details))
    box.add_item(ui.ActionRow(remove))
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return view


def state_text(*, on: bool, changed: bool, may_hide: bool, lacks: str = "") -> str:
    """Whether a server has link cards, and what they are; ``lacks`` says why none can be had now."""
    now = "are now" if changed else "are"
    if not on:
        how = lacks or "-# To switch them on: /link-cards switch:on"
        return f"Link cards {now} off here. {WHAT}\n{how}"
    hidden = (
        "Discord's own preview of the link is hidden."
        if may_hide
        else "With the permission Manage Messages I would hide Discord's own preview of the link."
    )
    return (
        f"Link cards {now} on here. {WHAT} {hidden}\nI don't keep messages or who wrote them, only which "
        "paper had a card in which channel, until the end of the day (UTC).\n"
        "-# To switch them off: /link-cards switch:off" + (f"\n{lacks}" if lacks else "")
    )
