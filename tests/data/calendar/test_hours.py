"""A time of day is understood as people write it, and guessed at by nobody."""

import pytest

from data.calendar.hours import time_named


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        ("8:30", "08:30"), ("08:30", "08:30"), ("8.30", "08:30"), ("00:00", "00:00"), ("23:59", "23:59"),
        ("9", "09:00"), ("21", "21:00"), ("0830", "08:30"), ("8 30", "08:30"), ("08:30:00", "08:30"),
        ("9am", "09:00"), ("9 AM", "09:00"), ("9 a.m.", "09:00"), ("9:30 pm", "21:30"), ("9.30pm", "21:30"),
        ("930pm", "21:30"), ("12am", "00:00"), ("12:30 am", "00:30"), ("12 pm", "12:00"), ("9p", "21:00"),
        ("21:30 pm", "21:30"), ("noon", "12:00"), ("12 noon", "12:00"), ("Midnight", "00:00"),
        ("at 9am", "09:00"), ("21h", "21:00"), ("21h30", "21:30"), ("21 h", "21:00"), ("8:30h", "08:30"),
        ("9 o'clock", "09:00"), ("9 o’clock", "09:00"), ("9 Uhr", "09:00"), ("9 Uhr 30", "09:30"),
        ("9a.m.", "09:00"), ("9:30 Uhr", "09:30"), ("２１：３０", "21:30"), (" 7:05 ", "07:05"),
    ],
)  # fmt: skip
def test_a_time_as_people_write_it(typed, means):
    assert time_named(typed) == means


@pytest.mark.parametrize(
    "typed",
    [
        "", " ", "nine", "24:00", "25:00", "9:60", "8:3", "8:", "8h3", "13am", "0 pm", "24 pm", "-9", "9-10",
        "9am 10am", "12 noon pm", "99999", "1:2:3", "9:30 xm", "٩", "08:30 UTC", "@everyone",
    ],
)  # fmt: skip
def test_what_could_mean_anything_means_nothing(typed):
    assert time_named(typed) is None
