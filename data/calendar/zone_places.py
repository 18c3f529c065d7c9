"""Names of cities and countries, as the time zone database has them."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from zoneinfo import available_timezones

from data.keys import fold

_CONTINENTS = frozenset("Africa America Asia Australia Europe".split())
_REGIONS = _CONTINENTS | {"Atlantic", "Indian", "Pacific"}
_PARTS = frozenset(
    "american center dutch east easter french keeling north south us virgin west western".split()
)
"""Parts of names that are no places by themselves."""
_COUNTRY = re.compile(r"(?P<name>[^(]+?)(?:\s+\((?P<more>.+)\))?")


@cache
def known_cities() -> frozenset[str]:
    """Cities that zones are named after, folded: "zurich", "sao paulo"."""
    zones = (zone for zone in available_timezones() if zone.split("/")[0] in _REGIONS)
    return frozenset(fold(zone.rpartition("/")[2].replace("_", " ")) for zone in zones) - _PARTS


@cache
def known_places() -> frozenset[str]:
    """Continents, countries and the cities that zones are named after; folded: "africa", "uk", "zurich"."""
    text = resources.files("tzdata").joinpath("zoneinfo", "iso3166.tab").read_text("utf-8")
    countries = set()
    for line in text.splitlines():
        _, _, printed = line.partition("\t")
        if not line.startswith("#") and (match := _COUNTRY.fullmatch(printed)):
            name, more = fold(match["name"]), fold(match["more"] or "")
            countries |= {name, more, f"{more} {name}".strip()} if more else {name}
    return frozenset((countries | set(map(fold, _CONTINENTS))) - _PARTS) | known_cities()
