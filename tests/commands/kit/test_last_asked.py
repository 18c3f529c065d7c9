"""What was asked last in a direct message is remembered for an hour, of so many, until it is forgotten."""

from datetime import timedelta

import pytest

from commands.kit import last_asked
from commands.kit.last_asked import KEPT_FOR, LastAsked
from data.calendar import clock
from data.stores.asked_questions import AskedQuestion
from index.answers.asked_before import Before


def asked(text):
    return Before("ask", text, AskedQuestion(text, text))


def test_the_last_question_of_each_place_is_remembered():
    kept = LastAsked()
    for place, text in ((1, "one"), (2, "two"), (1, "three"), (None, "in a channel")):
        kept.note(place, 7, asked(text))
    assert [kept.last(1).said, kept.last(2).said, kept.last(3)] == ["three", "two", None]
    assert kept.held(7) == {"last_asked": ["two", "three"]}
    assert kept.held(8) == {"last_asked": []}


@pytest.mark.parametrize("by", [KEPT_FOR, -KEPT_FOR])
def test_it_is_forgotten_after_an_hour_wherever_the_clock_went(monkeypatch, by):
    kept, now = LastAsked(), clock.now()
    kept.note(1, 7, asked("one"))
    monkeypatch.setattr(clock, "now", lambda: now + by * 0.9)
    assert kept.last(1) is not None
    monkeypatch.setattr(
        clock,
        "now",
        lambda: now + by + (timedelta(minutes=1) if by > timedelta(0) else -timedelta(minutes=1)),
    )
    assert kept.last(1) is None
    assert kept.held(7) == {"last_asked": []}


def test_only_the_newest_places_are_remembered(monkeypatch):
    monkeypatch.setattr(last_asked, "MOST_KEPT", 2)
    kept = LastAsked()
    for place in (1, 2, 3):
        kept.note(place, 7, asked(str(place)))
    assert [kept.last(place) is not None for place in (1, 2, 3)] == [False, True, True]


def test_a_member_can_have_it_forgotten_and_nobody_elses():
    kept = LastAsked()
    kept.note(1, 7, asked("mine"))
    kept.note(2, 8, asked("yours"))
    assert kept.forget(7) == 1
    assert kept.last(1) is None
    assert kept.last(2).said == "yours"
