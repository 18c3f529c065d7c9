"""What may be said of a channel when it is made or changed, and how Discord keeps it."""

from __future__ import annotations

from bot.local_discord.overwrite_routes import overwrites
from bot.local_discord.state import FORUM, TEXT, Json, State

THREAD_FIELDS = ("name", "rate_limit_per_user", "flags")
THREAD_METADATA = ("archived", "locked", "auto_archive_duration", "invitable")
_ANNOUNCEMENT = 5
_ALL = ("name", "topic", "nsfw", "position", "parent_id", "rate_limit_per_user", "flags")
_OF_PARENTS = ("default_auto_archive_duration", "default_thread_rate_limit_per_user")
_OF_FORUMS = ("default_reaction_emoji", "default_sort_order", "default_forum_layout")
_MAY_BE_NONE = ("topic", "parent_id", "default_reaction_emoji", "default_sort_order")


def channel_fields(state: State, kind: int, body: Json) -> Json:
    """The fields of a channel's kind that a request sets.

    Raises
    ------
    ApiError
        50035 for overwrites that Discord would refuse.
    """
    names = [*_ALL, *(_OF_PARENTS if kind in (TEXT, FORUM, _ANNOUNCEMENT) else ())]
    names += _OF_FORUMS if kind == FORUM else ()
    said = {name: body[name] for name in names if name in body}
    fields = {name: value for name, value in said.items() if value is not None or name in _MAY_BE_NONE}
    if body.get("permission_overwrites") is not None:
        fields["permission_overwrites"] = overwrites(body["permission_overwrites"])
    if kind == FORUM and body.get("available_tags") is not None:
        fields["available_tags"] = [_tag(state, tag) for tag in body["available_tags"] if tag]
    return fields


def tag_ids(tags: list[str | int] | None) -> list[str]:
    """The tags of a post; some clients send ids as numbers, and Discord answers with texts."""
    return [str(tag) for tag in tags or []]


def _tag(state: State, tag: Json) -> Json:
    """A tag of a forum; a new one gets its id."""
    return {
        "id": str(tag.get("id") or state.snowflake()),
        "name": str(tag.get("name") or ""),
        "moderated": bool(tag.get("moderated")),
        "emoji_id": tag.get("emoji_id"),
        "emoji_name": tag.get("emoji_name"),
    }
