"""The first contents of a local Discord: a user, the bot and a channel; for people, also more of each."""

from __future__ import annotations

import json
from pathlib import Path

from bot.local_discord import blanks
from bot.local_discord.state import DM, FORUM, Json, State

LONG_AGO = "2020-01-01T00:00:00+00:00"
"""When the bot joined its first guild, so that it doesn't look new there."""
_FIRST = ("bot", "owner", "guild", "channel")
_MORE = ("other", "papers", "forum", "dm", "other_dm")


class Furniture:
    """The first guild with its people and channels.

    Parameters
    ----------
    ids
        A file that keeps ids, so that these stay the same after a restart; None for new ones.
    furnished
        Whether there are also a second channel and user, a forum, and direct messages with the bot.
    """

    def __init__(self, state: State, ids: Path | None, *, furnished: bool) -> None:
        self._state = state
        self._ids = kept_ids(ids, state, _FIRST + (_MORE if furnished else ()))
        bot = state.add_user("labmate", bot=True, id=self._ids["bot"])
        self.owner = state.add_user("you", id=self._ids["owner"])
        state.application = blanks.application(bot["id"], "Labmate", self.owner, bot)
        state.application["_privileged_intents"] = 0
        state.reset_bot_token()
        self.guild = state.add_guild("Local lab", self.owner["id"], id=self._ids["guild"])
        state.add_member(self.guild["id"], bot["id"])["joined_at"] = LONG_AGO
        self.channel = state.add_channel(self.guild["id"], "general", id=self._ids["channel"])
        self.people = [self.owner]
        """The users that a visitor of the page can switch between."""
        if furnished:
            self._furnish(bot)

    def _furnish(self, bot: Json) -> None:
        state, guild, ids = self._state, self.guild["id"], self._ids
        other = state.add_user("colleague", id=ids["other"])
        state.add_member(guild, other["id"])
        self.people.append(other)
        self.channel["topic"] = "Anything. Type / for Labmate's commands."
        state.add_channel(guild, "new-papers", id=ids["papers"])["topic"] = "A place for a digest"
        state.add_channel(guild, "reading-group", FORUM, id=ids["forum"])["topic"] = "A post for each paper"
        state.add_channel(None, "", DM, id=ids["dm"], _users=[self.owner["id"], bot["id"]])
        state.add_channel(None, "", DM, id=ids["other_dm"], _users=[other["id"], bot["id"]])


def kept_ids(file: Path | None, state: State, names: tuple[str, ...]) -> dict[str, str]:
    """The ids of these names: from the file, or new ones that it then keeps."""
    fresh = {name: state.snowflake() for name in names}
    if file is None:
        return fresh
    kept = _read(file)
    try:
        ids = fresh | {name: str(int(kept[name])) for name in names if name in kept}
    except (ValueError, TypeError):
        ids = fresh
    if any(kept.get(name) != ids[name] for name in names):
        file.write_text(json.dumps(kept | ids))
    return ids


def kept_port(file: Path | None) -> int:
    """The port of the last time, so that a page keeps its address; 0 for any."""
    port = _read(file).get("port") if file is not None else None
    return port if isinstance(port, int) and 0 < port < 65_536 else 0


def keep_port(file: Path | None, port: int) -> None:
    """Write the port down for the next time."""
    if file is not None and kept_port(file) != port:
        file.write_text(json.dumps(_read(file) | {"port": port}))


def _read(file: Path) -> Json:
    try:
        kept = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
