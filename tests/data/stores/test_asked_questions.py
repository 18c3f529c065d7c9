"""What was asked in a thread is kept for as long as the thread may need it, and forgotten with its member."""

from datetime import timedelta

import pytest

from data.calendar.clock import utc_now
from data.stores.asked_questions import KEPT_FOR, MOST_IN_PLACE, AskedQuestion
from data.stores.store import Store
from tests.helpers import databases


@pytest.fixture
async def store(tmp_path):
    opened = await Store.open(databases.url_of(tmp_path / "labmate.db"))
    yield opened
    await opened.close()


def asked(text, **more):
    return AskedQuestion(text, f"about {text}", **more)


async def test_a_place_remembers_its_newest_question_with_all_that_it_was_about(store):
    questions = store.asked_questions
    await questions.keep(1, 7, asked("first"))
    newest = asked("second", limits={"paper": 4, "since": "2026-05-01"}, papers=(9, 3))
    await questions.keep(1, 8, newest)
    await questions.keep(2, 7, asked("elsewhere"))
    assert await questions.last(1) == newest
    assert await questions.last(3) is None


async def test_a_place_keeps_only_its_newest_questions(store):
    for number in range(MOST_IN_PLACE + 5):
        await store.asked_questions.keep(1, 7, asked(str(number)))
    held = (await store.asked_questions.held(7))["questions"]
    assert [one["question"] for one in held] == [str(n) for n in range(5, MOST_IN_PLACE + 5)]


async def test_what_is_long_or_hostile_is_kept_cut(store):
    await store.asked_questions.keep(
        1, 7, AskedQuestion("'; DROP" * 2_000, "é" * 9_000, {}, tuple(range(99)))
    )
    kept = await store.asked_questions.last(1)
    assert (len(kept.question), len(kept.about), len(kept.papers)) == (1_000, 400, 8)


async def test_a_member_who_is_forgotten_leaves_nothing_and_others_stay(store):
    await store.asked_questions.keep(1, 7, asked("mine"))
    await store.asked_questions.keep(1, 8, asked("yours"))
    assert await store.asked_questions.forget(8) == 1
    assert (await store.asked_questions.last(1)).question == "mine"
    assert await store.asked_questions.held(8) == {"questions": []}


async def test_questions_are_forgotten_after_their_time(store, monkeypatch):
    await store.asked_questions.keep(1, 7, asked("old"))
    later = utc_now() + KEPT_FOR + timedelta(days=1)
    monkeypatch.setattr("data.stores.asked_questions.utc_now", lambda: later)
    assert await store.asked_questions.last(1) is None
    assert await store.asked_questions.forget_old() == 1
