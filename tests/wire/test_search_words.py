"""Searches in people's own words, over real sockets: what was understood is shown, and can be changed."""

from datetime import date

import pytest

from tests.helpers.lab import fill
from tests.helpers.records import record

OLD, NEW = date(2025, 3, 3), date(2026, 8, 21)


def _paper(number, title, day=NEW, *, author="Ada Lovelace", abstract=None):
    text = abstract or (
        f"Much is written about {title.lower()}. In this paper we study {title.lower()} in depth. It works."
    )
    return record(
        800 + number,
        title=title,
        abstract=text,
        authors=[author],
        announced=day,
        listings=[("cs.CL", day)],
    )


@pytest.fixture
async def user(lab):
    papers = [
        _paper(1, "Speculative Decoding of Quokka Songs", OLD),
        _paper(2, "Speculative Decoding of Wombat Songs", author="Grace Hopper"),
        _paper(3, "Speculative Decoding for Numbats"),
        *[_paper(10 + n, f"Speculative Decoding, Part {n}") for n in range(9)],
    ]
    await fill(lab.bot, papers)
    return lab.user


def _labels(reply):
    return [button["label"] for button in reply.buttons]


async def test_days_are_said_and_can_be_undone(user):
    reply = await user.slash("/search speculative decoding since 2026")
    assert "Since 1 Jan 2026" in reply.text
    assert "Quokka" not in reply.text
    anytime = await reply.press("Any time")
    assert "Since" not in anytime.text
    assert "Quokka" in (await user.slash("/search quokka songs before 2026")).text


async def test_a_typo_is_corrected_with_a_way_back(user):
    reply = await user.slash("/search speculaitve decodng of wombat songs")
    assert "Showing results for **speculative decoding of wombat songs**" in reply.text
    assert "1. **[Speculative Decoding of Wombat Songs" in reply.text
    back = await reply.press("Search for “speculaitve")
    assert "Showing results" not in back.text


async def test_a_person_comes_first_until_undone(user):
    reply = await user.slash("/search Grace Hopper decoding")
    assert "Papers by Grace Hopper first" in reply.text
    assert "1. **[Speculative Decoding of Wombat Songs" in reply.text
    assert "By anyone" in _labels(reply)
    alone = await user.slash("/search papers by Grace Hopper on decoding")
    assert "Papers by Grace Hopper" in alone.text
    assert "2. " not in alone.text
    assert "2. " in (await alone.press("By anyone")).text


async def test_order_and_length_of_a_page_can_be_chosen(user):
    reply = await user.slash("/search speculative decoding")
    assert "5. " in reply.text
    assert "6. " not in reply.text
    ten = await reply.press("Ten a page")
    assert "10. " in ten.text
    assert [option["label"] for option in ten.selects[0]["options"]]
    card = await ten.choose("Speculative Decoding for")
    assert "Speculative Decoding for Numbats" in card.text.split("\n")[0]
    newest = await ten.press("Newest first")
    assert "Newest first" in newest.text
    assert _labels(newest)[-1] == "Five a page"
    oldest = await user.slash("/search speculative decoding sort:oldest page:10")
    assert "1. **[Speculative Decoding of Quokka" in oldest.text
    assert "10. " in oldest.text


async def test_the_sentence_says_what_was_done_with_matched_words_in_bold(user):
    reply = await user.slash("/search decoding of wombat songs")
    assert "In this paper we study speculative **decoding** of **wombat songs** in depth." in reply.text
    listed = await user.slash("/new day:2026-08-21")
    assert "In this paper we study" in listed.text
    assert "Much is written" not in listed.text


async def test_most_cited_says_what_it_knows(user):
    reply = await user.slash("/search most cited papers on speculative decoding")
    assert "I don't know how often these papers are cited" in reply.text


async def test_likeness_and_what_to_leave_out(user):
    reply = await user.slash("/search papers like PrismLLM")
    assert "Like PrismLLM" in reply.text
    assert "1. **[A few GPUs" not in reply.text
    without = await user.slash("/search speculative decoding but not about wombat")
    assert "Without wombat" in without.text
    assert "Wombat" not in without.text.split("\n", 2)[2]
    assert "Wombat" in (await without.press("Also with wombat")).text


async def test_another_language_is_named(user):
    reply = await user.slash("/search 大模型幻觉检测")
    assert "This looks like Chinese" in reply.text


async def test_a_long_query_keeps_its_changes(user):
    reply = await user.slash("/search " + "speculative decoding of songs " * 5)
    newest = await reply.press("Newest first")
    assert "Newest first" in newest.text
    assert "6. " in (await newest.press("Next")).text


async def test_a_description_is_compared_not_taken_for_a_title(user):
    text = "we decode songs of wombats by guessing several notes at once with a small model and checking them"
    reply = await user.slash(f"/similar {text}")
    assert reply.text.startswith("## Similar to your text")


async def test_a_listing_can_be_grouped_or_ranked(user, lab):
    few = await user.slash("/new day:2026-08-21 order:topic")
    assert "too few papers to group" in few.text
    await fill(lab.bot, [_paper(100 + n, f"Parsing of kind {n}") for n in range(30)])
    grouped = await user.slash("/new day:2026-08-21 order:topic")
    assert "### " in grouped.text
    assert "6. " in (await grouped.press("Next")).text
    channel = await grouped.press("For this channel")
    assert "no digest to rank for" in channel.text
