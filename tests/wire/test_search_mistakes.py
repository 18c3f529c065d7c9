"""Mistakes in a search: an author whom nobody knows, a field that can't be read."""

import pytest

from commands.cards.search import unread_line
from index.search.queries import parse_query


@pytest.mark.parametrize("author", ["Chonlam Loa", "chonlam lo"])
async def test_an_author_whom_nobody_knows_is_corrected_by_a_button(lab, author):
    reply = await lab.user.slash(f"/search query:training author:{author}")
    assert "fits. Did you mean ChonLam Lao?" in reply.text
    better = await reply.press("By ChonLam Lao")
    assert "-# by ChonLam Lao" in better.text
    assert "TrainMover" in better.text


async def test_an_author_field_that_nobody_knows_is_corrected_in_words(lab):
    reply = await lab.user.slash('/search training author:"Chonlam Loa"')
    assert "fits. Did you mean ChonLam Lao?" in reply.text


async def test_an_author_who_has_no_such_paper_is_not_taken_for_a_typo(lab):
    reply = await lab.user.slash("/search query:quolls author:Minlan Yu")
    assert "Did you mean" not in reply.text


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("year:abcd", "-# I could not read year:abcd; write it like year:2024."),
        ("gpu year:abcd", "-# I could not read year:abcd; write it like year:2024."),
    ],
)
async def test_a_field_that_can_t_be_read_is_named_also_where_nothing_fits(lab, query, told):
    assert told in (await lab.user.slash(f"/search {query}")).text


@pytest.mark.parametrize(("part", "how"), [("since:soon", "since:2024-05"), ("category:?", "category:cs.CL")])
def test_each_field_that_can_t_be_read_is_told_how_to_write_it(part, how):
    [read] = parse_query(f"gpu {part}").ignored
    assert unread_line(read).endswith(f"; write it like {how}.")
