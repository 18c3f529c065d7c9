"""Reactions to a message, as Discord shows them."""

from __future__ import annotations

from bot.local_discord.state import Json, State


def reactions_seen_by(state: State, viewer: str, message_id: str) -> list[Json]:
    """The reactions to a message, as a viewer is sent them."""
    return [
        {
            "emoji": {"id": None, "name": emoji},
            "count": len(users),
            "count_details": {"burst": 0, "normal": len(users)},
            "burst_colors": [],
            "me_burst": False,
            "burst_me": False,
            "burst_count": 0,
            "me": viewer in users,
        }
        for emoji, users in state.reactions.get(message_id, {}).items()
    ]
