"""New users, guilds, roles and members: every field that Discord sends, most of them the same for all."""

from __future__ import annotations

import secrets
from typing import Any

Json = dict[str, Any]


def user(user_id: str, name: str, *, bot: bool) -> Json:
    """A user as Discord sends it."""
    return {
        "id": user_id,
        "username": name,
        "global_name": None if bot else name,
        "discriminator": "0",
        "avatar": None,
        "bot": bot,
        "system": False,
        "banner": None,
        "accent_color": None,
        "avatar_decoration_data": None,
        "collectibles": None,
        "primary_guild": None,
        "public_flags": 0,
        "flags": 0,
    }


def application(application_id: str, name: str, owner: Json, bot: Json) -> Json:
    """An application as Discord sends it to its own bot."""
    return {
        "id": application_id,
        "name": name,
        "icon": None,
        "description": "",
        "type": None,
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": secrets.token_hex(32),
        "owner": owner,
        "team": None,
        "flags": 0,
        "flags_new": "0",
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "summary": "",
        "bot": bot,
        "approximate_guild_count": 1,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "integration_types_config": {"0": {}, "1": {}},
        "explicit_content_filter": 0,
        "eligible_oauth2_scopes": [],
    }


def role(role_id: str, name: str, permissions: int, position: int) -> Json:
    """A role as Discord sends it."""
    return {
        "id": role_id,
        "name": name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": position,
        "permissions": str(permissions),
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }


def member(joined: str) -> Json:
    """A member of a guild, without the user."""
    return {
        "nick": None,
        "avatar": None,
        "banner": None,
        "roles": [],
        "joined_at": joined,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "pending": False,
        "communication_disabled_until": None,
    }


def guild_fields() -> Json:
    """The fields of ``GUILD_CREATE`` that are the same for every guild here."""
    return {
        "large": False,
        "unavailable": False,
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
        "emojis": [],
        "stickers": [],
        "features": [],
        "home_header": None,
        "splash": None,
        "discovery_splash": None,
        "banner": None,
        "description": None,
        "afk_channel_id": None,
        "afk_timeout": 300,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "safety_alerts_channel_id": None,
        "application_id": None,
        "vanity_url_code": None,
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "nsfw": False,
        "region": "deprecated",
        "widget_enabled": False,
        "widget_channel_id": None,
        "max_presences": None,
        "max_members": 500_000,
        "max_stage_video_channel_users": 50,
        "max_video_channel_users": 25,
        "incidents_data": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "premium_progress_bar_enabled": False,
        "preferred_locale": "en-US",
    }
