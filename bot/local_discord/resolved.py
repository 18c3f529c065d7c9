"""What an interaction names by id, in full: ``data.resolved`` of options, selects and context menus."""

from __future__ import annotations

from collections.abc import Iterator

from bot.local_discord import errors
from bot.local_discord.limits import Problems, walk
from bot.local_discord.state import DM, Json, State

_OPTION_KINDS = {6: "user", 7: "channel", 8: "role", 9: "mentionable"}
_SELECT_KINDS = {5: "user", 6: "role", 7: "mentionable", 8: "channel"}


def resolve(state: State, channel: Json, user_id: str, data: Json) -> Json:
    """The users, members, roles and channels that the options or chosen values name.

    Raises
    ------
    ApiError
        50035 if there is none with such an id, as no client of Discord's own offers one.
    """
    resolved: Json = {}
    for kind, named in _named(data):
        if not _add(state, channel, user_id, kind, named, resolved):
            problems = Problems()
            problems.add("data", "INTERACTION_UNRESOLVED", f"There is no {kind} {named[:30]} here")
            raise errors.invalid_form(problems)
    return resolved


def add_user(state: State, channel: Json, user_id: str, resolved: Json) -> None:
    """Add a user; in a guild, as the member without the user, too."""
    resolved.setdefault("users", {})[user_id] = state.users[user_id]
    if channel["type"] == DM:
        return
    guild_id = channel["guild_id"]
    if user_id in state.guilds[guild_id]["members"]:
        member = state.member_json(guild_id, user_id, permissions=True)
        unsaid = ("user", "deaf", "mute")
        slim = {key: value for key, value in member.items() if key not in unsaid}
        resolved.setdefault("members", {})[user_id] = slim


def _named(data: Json) -> Iterator[tuple[str, str]]:
    """(kind, id) of each option and of each chosen value that is an id."""
    yield from _in_options(data.get("options") or [])
    kind = _SELECT_KINDS.get(data.get("component_type") or 0)
    if kind:
        yield from ((kind, str(value)) for value in data.get("values") or [])
    for _, component in walk(data.get("components") or []):
        kind = _SELECT_KINDS.get(component.get("type") or 0)
        if kind:
            yield from ((kind, str(value)) for value in component.get("values") or [])


def _in_options(options: list[Json]) -> Iterator[tuple[str, str]]:
    for option in options:
        yield from _in_options(option.get("options") or [])
        kind = _OPTION_KINDS.get(option.get("type") or 0)
        if kind and not option.get("focused"):
            yield kind, str(option.get("value"))


def _add(state: State, channel: Json, viewer: str, kind: str, named: str, resolved: Json) -> bool:
    """Add what an id names; False if there is nothing of that kind."""
    guild_id = channel.get("guild_id")
    if kind in ("user", "mentionable") and named in state.users:
        add_user(state, channel, named, resolved)
        return True
    if guild_id and kind in ("role", "mentionable"):
        role = next((role for role in state.guilds[guild_id]["roles"] if role["id"] == named), None)
        if role is not None:
            resolved.setdefault("roles", {})[named] = role
        return role is not None
    other = state.channels.get(named) if kind == "channel" else None
    if other is None or other.get("guild_id") != guild_id or not state.sees(viewer, other):
        return False
    permissions = {"permissions": str(state.permissions(guild_id, viewer))} if guild_id else {}
    resolved.setdefault("channels", {})[named] = {**state.channel_json(other, viewer), **permissions}
    return True
