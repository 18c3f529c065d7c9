"""Time zones: which one a member is probably in, which to offer, and what a typed name means.

Discord tells a member's language (https://docs.discord.com/developers/reference#locales), not where they
are. Where a language is mostly spoken in one zone, that zone is a guess to ask about; where it is spoken in
several, they are offered, and none is guessed.
"""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

OF_LOCALE: dict[str, tuple[str, ...]] = {
    "bg": ("Europe/Sofia",),
    "cs": ("Europe/Prague",),
    "da": ("Europe/Copenhagen",),
    "de": ("Europe/Berlin",),
    "el": ("Europe/Athens",),
    "en-GB": ("Europe/London",),
    "fi": ("Europe/Helsinki",),
    "fr": ("Europe/Paris",),
    "hi": ("Asia/Kolkata",),
    "hr": ("Europe/Zagreb",),
    "hu": ("Europe/Budapest",),
    "id": ("Asia/Jakarta",),
    "it": ("Europe/Rome",),
    "ja": ("Asia/Tokyo",),
    "ko": ("Asia/Seoul",),
    "lt": ("Europe/Vilnius",),
    "nl": ("Europe/Amsterdam",),
    "no": ("Europe/Oslo",),
    "pl": ("Europe/Warsaw",),
    "pt-BR": ("America/Sao_Paulo",),
    "ro": ("Europe/Bucharest",),
    "es-ES": ("Europe/Madrid",),
    "sv-SE": ("Europe/Stockholm",),
    "th": ("Asia/Bangkok",),
    "tr": ("Europe/Istanbul",),
    "uk": ("Europe/Kyiv",),
    "vi": ("Asia/Ho_Chi_Minh",),
    "zh-CN": ("Asia/Shanghai",),
    "zh-TW": ("Asia/Taipei",),
    "en-US": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "es-419": ("America/Mexico_City", "America/Bogota", "America/Lima", "America/Argentina/Buenos_Aires"),
    "ru": ("Europe/Moscow", "Asia/Yekaterinburg", "Asia/Novosibirsk", "Asia/Vladivostok"),
}
"""The zones where a language of Discord is mostly spoken, most people first."""
COMMON = (
    "America/Los_Angeles",
    "America/Denver",
    "America/Chicago",
    "America/New_York",
    "America/Sao_Paulo",
    "UTC",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Paris",
    "Europe/Athens",
    "Europe/Istanbul",
    "Africa/Cairo",
    "Africa/Lagos",
    "Asia/Dubai",
    "Asia/Kolkata",
    "Asia/Singapore",
    "Asia/Shanghai",
    "Asia/Hong_Kong",
    "Asia/Tokyo",
    "Asia/Seoul",
    "Australia/Sydney",
    "Pacific/Auckland",
)
"""Zones that are offered to everybody."""
_SEPARATORS = re.compile(r"[\s_]+")


def guessed(locale: str) -> str:
    """The zone that a language suggests; "" where it is spoken in several."""
    zones = OF_LOCALE.get(locale, ())
    return zones[0] if len(zones) == 1 else ""


def offered(locale: str, chosen: str, most: int = 25) -> list[str]:
    """Zones to choose from: the chosen one, those of the language, then common ones."""
    first = [chosen] if chosen else []
    return list(dict.fromkeys([*first, *OF_LOCALE.get(locale, ()), *COMMON]))[:most]


def named(typed: str) -> str | None:
    """The IANA zone that somebody typed: ``europe/berlin``, or a city as ``Berlin`` or ``new york``."""
    wanted = _SEPARATORS.sub("_", typed.strip()).casefold()
    zones = sorted(available_timezones())
    if not wanted or len(wanted) > 60:
        return None
    whole = next((zone for zone in zones if zone.casefold() == wanted), None)
    if whole is not None:
        return whole
    cities = [zone for zone in zones if "/" in zone and zone.rpartition("/")[2].casefold() == wanted]
    return cities[0] if cities else None


def clock_in(zone: str, now: datetime) -> str:
    """The time on a zone's clocks, such as ``14:32``."""
    return f"{now.astimezone(ZoneInfo(zone)):%H:%M}"
