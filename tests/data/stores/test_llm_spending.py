"""What the language model costs counts by day and member, outlives forgetting, and names nobody."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import text

from data.stores.llm_spending import Spent

DAY = date(2026, 11, 22)
ONE = Spent(100, 2_000, 50)
MUCH = Spent(10_000, 10**6, 10**6)


async def test_what_is_reserved_counts_until_it_is_settled(store):
    spending = store.llm_spending
    assert await spending.reserve(7, DAY, ONE, MUCH, MUCH) is None
    assert await spending.of_member(7, DAY) == await spending.of_all(DAY) == ONE
    await spending.settle(7, DAY, ONE, Spent(30, 400, 5))
    await spending.reserve(8, DAY, ONE, MUCH, MUCH)
    assert await spending.of_member(7, DAY) == Spent(30, 400, 5)
    assert await spending.of_all(DAY) == Spent(130, 2_400, 55)


@pytest.mark.parametrize(
    "most", [Spent(199, 10**6, 10**6), Spent(10**6, 3_999, 10**6), Spent(10**6, 10**6, 99)]
)
async def test_each_unit_is_a_limit_and_a_refusal_counts_nothing(store, most):
    spending = store.llm_spending
    assert await spending.reserve(7, DAY, ONE, most, MUCH) is None
    assert await spending.reserve(7, DAY, ONE, most, MUCH) == "member"
    assert await spending.reserve(8, DAY, ONE, most, most) == "all"
    assert await spending.of_all(DAY) == ONE
    assert await spending.of_member(8, DAY) == Spent()


async def test_a_new_day_begins_at_nothing_and_the_old_one_is_deleted(store):
    spending = store.llm_spending
    await spending.reserve(7, DAY, ONE, ONE, ONE)
    assert await spending.reserve(7, DAY + timedelta(days=1), ONE, ONE, ONE) is None
    assert await spending.of_all(DAY) == Spent()


async def test_the_rows_name_nobody_and_outlive_forgetting(store):
    member = 123456789012345678
    spending = store.llm_spending
    await spending.reserve(member, DAY, ONE, ONE, MUCH)
    for part in store.about_members:
        await part.forget(member)
    assert await spending.reserve(member, DAY, ONE, ONE, MUCH) == "member"
    async with store._engine.connect() as connection:
        rows = (await connection.execute(text("SELECT * FROM llm_spending"))).all()
    assert len(rows) == 2
    assert str(member) not in repr(rows)
