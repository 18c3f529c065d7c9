"""Time zones as people type them: offsets, cities with accents, and abbreviations that mean several."""

from datetime import UTC, datetime

import pytest

from data.calendar import zones

WINTER = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "clock", "title"),
    [
        ("GMT+8", "20:00", "UTC+8"),
        ("UTC+8", "20:00", "UTC+8"),
        ("utc + 2", "14:00", "UTC+2"),
        ("UTC+02:00", "14:00", "UTC+2"),
        ("GMT-5", "07:00", "UTC-5"),
        ("UTC−5", "07:00", "UTC-5"),
        ("+1", "13:00", "UTC+1"),
        ("Etc/GMT-8", "20:00", "UTC+8"),
        ("UTC+0", "12:00", "UTC"),
        ("UTC", "12:00", "UTC"),
        ("GMT", "12:00", "GMT"),
    ],
)
def test_an_offset_is_read_and_shown_as_people_mean_it(typed, clock, title):
    zone = zones.named(typed)
    assert zones.clock_in(zone, WINTER) == clock
    assert zones.title(zone) == title


@pytest.mark.parametrize("typed", ["UTC+5:30", "GMT+5.5", "UTC+15", "UTC-13", "+99"])
def test_other_offsets_are_no_zone(typed):
    assert zones.named(typed) is None
    assert zones.is_offset(typed)


@pytest.mark.parametrize(
    ("typed", "zone"),
    [
        ("Zürich", "Europe/Zurich"),
        ("Zurich", "Europe/Zurich"),
        ("São Paulo", "America/Sao_Paulo"),
        ("america/são_paulo", "America/Sao_Paulo"),
        ("Bogotá", "America/Bogota"),
        ("new york", "America/New_York"),
    ],
)
def test_cities_are_found_with_and_without_accents(typed, zone):
    assert zones.named(typed) == zone


@pytest.mark.parametrize(
    ("typed", "city"),
    [("PST", "America/Los_Angeles"), ("est", "America/New_York"), ("CET", "Europe/Berlin"), ("Foo", "")],
)
def test_an_abbreviation_is_no_zone_and_suggests_a_city(typed, city):
    assert zones.named(typed) is None
    assert zones.city_for(typed) == city


def test_the_suggested_cities_are_zones():
    assert all(zones.named(city) == city for city in zones.CITY_FOR.values())


def test_zones_are_offered_as_they_are_typed():
    assert zones.completed("GMT+8") == ["Etc/GMT-8"]
    assert zones.completed("são p") == ["America/Sao_Paulo"]
    assert zones.completed("PST") == ["America/Los_Angeles"]
    assert zones.completed("UTC+5:30") == []
    assert not any("Etc/GMT-" in zone for zone in zones.completed("gmt"))
