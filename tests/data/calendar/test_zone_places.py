"""Cities and countries by name."""

from data.calendar.zone_places import known_places


def test_cities_and_countries_are_known():
    assert {"zurich", "new york", "sao paulo", "tokyo", "uk", "south korea", "switzerland", "africa"} <= (
        known_places()
    )


def test_fields_and_directions_are_no_places():
    assert known_places().isdisjoint({"", "nlp", "robotics", "vision", "north", "us", "center", "statistics"})
