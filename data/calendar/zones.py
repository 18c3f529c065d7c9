"""Time zones: which one a member is probably in, which to offer, and what a typed name means.

Discord tells a member's language (https://docs.discord.com/developers/reference#locales), not where they
are. Where a language is mostly spoken in one zone, that zone is a guess to ask about; where it is spoken in
several, they are offered, and none is guessed.
"""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones

from data.keys import fold

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
CITY_FOR = {
    abbreviation: city
    for city, abbreviations in {
        "America/Los_Angeles": "pst pdt pt",
        "America/Denver": "mst mdt mt",
        "America/Chicago": "cst cdt ct",
        "America/New_York": "est edt et",
        "America/Anchorage": "akst akdt",
        "America/Halifax": "ast adt",
        "America/Sao_Paulo": "brt",
        "Pacific/Honolulu": "hst",
        "Europe/London": "bst",
        "Europe/Lisbon": "wet west",
        "Europe/Berlin": "cet cest met mez mesz",
        "Europe/Athens": "eet eest",
        "Europe/Moscow": "msk",
        "Africa/Johannesburg": "sast",
        "Africa/Lagos": "wat",
        "Africa/Nairobi": "eat",
        "Asia/Kolkata": "ist",
        "Asia/Karachi": "pkt",
        "Asia/Singapore": "sgt",
        "Asia/Hong_Kong": "hkt",
        "Asia/Tokyo": "jst",
        "Asia/Seoul": "kst",
        "Australia/Perth": "awst",
        "Australia/Adelaide": "acst acdt",
        "Australia/Sydney": "aest aedt",
        "Pacific/Auckland": "nzst nzdt",
    }.items()
    for abbreviation in abbreviations.split()
}
"""A zone that an abbreviation may mean. Some mean several, and `EST` all year is no city's time."""
_SEPARATORS = re.compile(r"[\s_]+")
_OFFSET = re.compile(r"(?:utc|gmt)?_?([+\-\u2212\u2013])_?(\d{1,2})((?:[:.]?\d{1,2})?)")
_OFFSET_ZONE = re.compile(r"Etc/GMT([+-])(\d{1,2})")
_MOST_EAST, _MOST_WEST = 14, 12


def guessed(locale: str) -> str:
    """The zone that a language suggests; "" where it is spoken in several."""
    zones = OF_LOCALE.get(locale, ())
    return zones[0] if len(zones) == 1 else ""


def offered(locale: str, chosen: str, most: int = 25) -> list[str]:
    """Zones to choose from: the chosen one, those of the language, then common ones."""
    first = [chosen] if chosen else []
    return list(dict.fromkeys([*first, *OF_LOCALE.get(locale, ()), *COMMON]))[:most]


def named(typed: str) -> str | None:
    """The IANA zone that somebody typed: ``europe/berlin``, a city as ``Zürich``, or ``UTC+8``.

    Offsets are read as people mean them, which is not how zones are named: ``Etc/GMT-8`` is eight hours ahead
    of UTC. Abbreviations (``EST``) are no zone, see :data:`CITY_FOR`.
    """
    wanted = _folded(typed)
    if not wanted or len(wanted) > 60 or wanted in CITY_FOR:
        return None
    if (offset := _OFFSET.fullmatch(wanted)) is not None:
        return _at_offset(*offset.groups())
    zones = sorted(available_timezones())
    whole = next((zone for zone in zones if zone.casefold() == wanted), None)
    if whole is not None:
        return whole
    cities = [zone for zone in zones if "/" in zone and zone.rpartition("/")[2].casefold() == wanted]
    return cities[0] if cities else None


def completed(typed: str, most: int = 25) -> list[str]:
    """The zones that what was typed so far may mean; hours from UTC only where they are typed as such."""
    wanted = _folded(typed)
    if is_offset(typed) or wanted in CITY_FOR:
        zone = city_for(typed) or named(typed)
        return [zone] if zone else []
    return [
        zone
        for zone in sorted(available_timezones())
        if wanted in zone.casefold() and not _OFFSET_ZONE.fullmatch(zone)
    ][:most]


def _folded(typed: str) -> str:
    return _SEPARATORS.sub("_", fold(typed.strip()))


def _at_offset(sign: str, hours: str, minutes: str) -> str | None:
    """The zone so many whole hours from UTC, if there is one."""
    count, is_east = int(hours), sign == "+"
    if minutes.strip(":.0") or count > (_MOST_EAST if is_east else _MOST_WEST):
        return None
    return f"Etc/GMT{'-' if is_east else '+'}{count}" if count else "UTC"


def is_offset(typed: str) -> bool:
    """Whether somebody typed hours from UTC, if only such as no zone has."""
    return _OFFSET.fullmatch(_folded(typed)) is not None


def city_for(typed: str) -> str:
    """The zone that a typed abbreviation may mean; "" for none."""
    return CITY_FOR.get(_folded(typed), "")


def title(zone: str) -> str:
    """A zone as it is shown: its name, or for hours from UTC ``UTC+8``."""
    offset = _OFFSET_ZONE.fullmatch(zone)
    if offset is None:
        return zone
    return f"UTC{'+' if offset[1] == '-' else '-'}{offset[2]}" if int(offset[2]) else "UTC"


def clock_in(zone: str, now: datetime) -> str:
    """The time on a zone's clocks, such as ``14:32``."""
    return f"{now.astimezone(ZoneInfo(zone)):%H:%M}"
