"""Which days people mean by a season, a part of a year, an age or Christmas; and such words that are none."""

from datetime import date

import pytest

from index.search.dates_said import days_from, read_dates

TODAY, NEWEST = date(2026, 8, 22), date(2026, 8, 21)
DAYS = {
    # seasons
    "this spring": ("2026-03-01", "2026-05-31"),
    "in this spring": ("2026-03-01", "2026-05-31"),
    "this summer": ("2026-06-01", None),
    "during this summer": ("2026-06-01", None),
    "this winter": ("2025-12-01", "2026-02-28"),
    "last spring": ("2026-03-01", "2026-05-31"),
    "from last spring": ("2026-03-01", "2026-05-31"),
    "since last spring": ("2026-03-01", None),
    "last summer": ("2025-06-01", "2025-08-31"),
    "since this past winter": ("2025-12-01", None),
    "last autumn": ("2025-09-01", "2025-11-30"),
    "last fall": ("2025-09-01", "2025-11-30"),
    "since last fall": ("2025-09-01", None),
    "before last fall": (None, "2025-08-31"),
    "after last fall": ("2025-12-01", None),
    "until last spring": (None, "2026-05-31"),
    "since spring": ("2026-03-01", None),
    "since the summer": ("2026-06-01", None),
    "since fall": ("2025-09-01", None),
    "before summer": (None, "2026-05-31"),
    "since \u017fpring": ("2026-03-01", None),
    "in \u017feptember 2024": ("2024-09-01", "2024-09-30"),
    "published in spring": ("2026-03-01", "2026-05-31"),
    "in spring 2025": ("2025-03-01", "2025-05-31"),
    "summer 2025": ("2025-06-01", "2025-08-31"),
    "in the fall of 2024": ("2024-09-01", "2024-11-30"),
    "since summer 2024": ("2024-06-01", None),
    "in winter 2024": ("2024-12-01", "2025-02-28"),
    "in winter 2025": ("2025-12-01", "2026-02-28"),
    "in winter 2026": ("2025-12-01", "2026-02-28"),
    "in winter 2023/24": ("2023-12-01", "2024-02-29"),
    "in winter 2024-2025": ("2024-12-01", "2025-02-28"),
    "between last spring and last fall": ("2025-03-01", "2025-11-30"),
    "from spring 2024 to summer 2025": ("2024-03-01", "2025-08-31"),
    "last fall 2024": ("2024-09-01", "2024-11-30"),
    "between last spring and now": ("2026-03-01", "2026-08-22"),
    "from last spring on": ("2026-03-01", None),
    # parts of a year
    "from early 2025": ("2025-01-01", "2025-04-30"),
    "since early 2025": ("2025-01-01", None),
    "before mid-2025": (None, "2025-04-30"),
    "since mid 2024": ("2024-05-01", None),
    "in mid 2024": ("2024-05-01", "2024-08-31"),
    "late 2024": ("2024-09-01", "2024-12-31"),
    "until late 2025": (None, "2025-12-31"),
    "after early 2025": ("2025-05-01", None),
    "earlier this year": ("2026-01-01", None),
    "since late last year": ("2025-09-01", None),
    "from late 2023 to early 2025": ("2023-09-01", "2025-04-30"),
    # ages and counts
    "older than a year": (None, "2025-08-21"),
    "older than two years": (None, "2024-08-21"),
    "newer than six months": ("2026-02-22", None),
    "nothing newer than six months": (None, "2026-02-21"),
    "in the last couple of months": ("2026-06-22", None),
    "in the past couple of weeks": ("2026-08-08", None),
    "in the last couple weeks": ("2026-08-08", None),
    "over the last few months": ("2026-05-22", None),
    "since a few weeks ago": ("2026-08-01", None),
    # Christmas
    "since christmas": ("2025-12-25", None),
    "since Christmas 2024": ("2024-12-25", None),
    "before last christmas": (None, "2025-12-24"),
    "between last spring and christmas": ("2025-03-01", "2025-12-25"),
    "between christmas and last spring": ("2025-12-25", "2026-05-31"),
}
PRINTED = (
    "winter wheat",
    "fall detection",
    "spring constant",
    "spring semester",
    "in summer",
    "christmas trees",
    "finches aged",
)
NO_DAYS = (
    "mass-spring-damper systems",
    "mass spring damper",
    "forces from spring-damper models",
    "fall in love",
    "fall detection",
    "datasets since fall detection",
    "harvest of winter wheat",
    "yield in winter wheat",
    "this spring constant",
    "last spring semester",
    "ozone in summer",
    "gait after fall",
    "ozone from spring to autumn",
    "stiffness from spring to damper",
    "what explains this fall in accuracy",
    "the last spring of the chain",
    "this autumn",
    "after the fall of Rome",
    "sales before christmas trees",
    "christmas songs",
    "early exit",
    "late fusion",
    "mid 2048",
    "patients older than two years",
    "finches older than two years",
    "women older than 65 years",
    "patients not older than 65 years",
)


def _days(typed, **known):
    span, left = read_dates(typed, TODAY, NEWEST, **known)
    return span and (span.since and str(span.since), span.until and str(span.until)), left


@pytest.mark.parametrize("typed", DAYS)
@pytest.mark.parametrize("around", ["{}", "rag {}", "papers on rag, {}", "{}: rag"])
def test_days_are_read(typed, around):
    days, left = _days(around.format(typed))
    assert days == DAYS[typed]
    assert "".join(left.split(":")).strip(" ,") in around


@pytest.mark.parametrize("typed", NO_DAYS)
def test_what_papers_print_is_not_read_as_days(typed):
    assert _days(typed, is_name=lambda words: words.lower() in PRINTED) == (None, typed)


@pytest.mark.parametrize(
    ("today", "said", "days"),
    [
        (date(2027, 1, 9), "this winter", ("2026-12-01", "2027-02-28")),
        (date(2026, 12, 9), "this winter", ("2026-12-01", "2027-02-28")),
        (date(2026, 12, 9), "last winter", ("2025-12-01", "2026-02-28")),
        (date(2026, 12, 9), "winter 2026", ("2026-12-01", "2027-02-28")),
        (date(2026, 4, 9), "last spring", ("2025-03-01", "2025-05-31")),
        (date(2026, 12, 25), "christmas", ("2026-12-25", "2026-12-25")),
    ],
)
def test_a_season_is_the_last_that_has_begun_or_ended(today, said, days):
    assert tuple(map(str, days_from(said, today))) == days


def test_a_season_after_the_newest_listing_counts_from_it():
    span, _ = read_dates("rag this spring", TODAY, date(2025, 12, 20))
    assert (span.since, span.from_listing) == (date(2025, 3, 1), True)


def test_papers_from_some_days_on_a_subject_are_not_those_from_then_on():
    assert _days("papers from last spring on rag") == (("2026-03-01", "2026-05-31"), "papers on rag")
    assert _days("papers from 2024 on rag") == (("2024-01-01", "2024-12-31"), "papers on rag")
    assert _days("papers older than 15 years on rag") == ((None, "2011-08-21"), "papers on rag")


def test_a_declined_season_is_left_out_or_said():
    assert _days("rag, not since last fall") == ((None, "2025-08-31"), "rag")
    assert _days("rag, not before christmas") == (("2025-12-25", None), "rag")
    assert _days("rag except 2025 and fall detection") == ((None, None), "rag and fall detection")
