"""Searches in people's own words, over real sockets: what was understood is shown, and can be changed."""

import re
from datetime import date

import pytest
import pytest_asyncio
from sqlalchemy import event

from bot.local_discord.server import LocalDiscord
from index.search import search
from tests.helpers.lab import fill, started
from tests.helpers.records import record

OLD, NEW = date(2025, 3, 3), date(2026, 8, 21)


def _paper(number, title, day=NEW, *, author="Ada Lovelace", authors=None, abstract=None):
    text = abstract or (
        f"Much is written about {title.lower()}. In this paper we study {title.lower()} in depth. It works."
    )
    return record(
        800 + number,
        title=title,
        abstract=text,
        authors=authors or [author],
        announced=day,
        listings=[("cs.CL", day)],
    )


@pytest_asyncio.fixture(scope="module")
async def lab(tmp_path_factory):
    """One of its own, since these tests add papers."""
    folder = tmp_path_factory.mktemp("words")
    async with LocalDiscord() as discord, started(discord, folder) as running:
        yield running


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


@pytest.mark.parametrize(
    "typed",
    ["not by Grace Hopper", "without Grace Hopper", "but nothing by Hopper", "(no papers by Grace Hopper)"],
)
async def test_a_person_s_papers_are_left_out_until_undone(user, typed):
    reply = await user.slash(f"/search decoding of wombat songs {typed}")
    assert "Not by Grace Hopper" in reply.text
    assert "Wombat" not in reply.text
    back = await reply.press("Also with Grace Hopper")
    assert "1. **[Speculative Decoding of Wombat Songs" in back.text
    assert "Grace Hopper first" not in back.text, "nor does it turn into its opposite"


async def test_no_form_of_an_unwanted_word_is_shown(user, lab, monkeypatch):
    monkeypatch.setattr(search, "UNWANTED", 1)  # as where very many papers have it
    songs = "Numbat songs are long. We study numbat songs at night with a large language model (LLM)."
    models = [_paper(40 + n, f"Numbat Songs at Night, Part {n}", abstract=songs) for n in range(6)]
    await fill(lab.bot, [*models, _paper(46, "Numbat Songs at Night by Ear")])
    assert "Part 3" in (await user.slash("/search numbat songs at night")).text
    reply = await user.slash("/search numbat songs at night but no LLMs")
    assert "Without LLMs" in reply.text
    assert "1. **[Numbat Songs at Night by Ear" in reply.text
    assert "Part" not in reply.text


async def test_papers_of_a_venue_are_those_whose_records_name_it(user, lab):
    appeared = [
        _paper(50, "Wombat Songs by Day").model_copy(update={"comment": "Accepted at ICLR 2025"}),
        _paper(51, "Wombat Songs by Rain").model_copy(update={"comment": "Submitted to ICLR 2025"}),
        _paper(52, "Wombat Songs by Ear").model_copy(update={"journal_ref": "Proc. ICLR 2024"}),
    ]
    await fill(lab.bot, appeared)
    reply = await user.slash("/search wombat songs published in ICLR 2025")
    assert "Papers whose records name ICLR 2025" in reply.text
    assert "by Day" in reply.text
    assert "Rain" not in reply.text
    assert "by Ear" not in reply.text
    everywhere = await reply.press("From anywhere")
    assert "by Ear" in everywhere.text
    assert "records name" not in everywhere.text


async def test_where_no_record_names_the_venue_it_is_said(user):
    reply = await user.slash("/search SIGCOMM 2023 papers on wombat songs")
    assert "From anywhere, because no record of a paper near this names SIGCOMM 2023" in reply.text
    assert "Wombat" in reply.text
    assert "From anywhere" not in _labels(reply)


@pytest.mark.parametrize(
    "asked", ["anything but speeches on {}", "I don't want speeches, {}", "{}, no speeches"]
)
async def test_what_is_not_wanted_may_be_said_first(user, asked):
    reply = await user.mention(asked.format("quokka songs").replace("speeches on", "surveys on"))
    assert re.search("Without (?:speeches|surveys)", reply.text)
    assert "1. **[Speculative Decoding of Quokka Songs" in reply.text


@pytest.mark.parametrize(
    "asked", ["/search anything but wombat songs", "@everything except wombat songs please"]
)
async def test_who_only_says_what_to_leave_out_is_asked_what_to_look_for(user, asked):
    reply = await (user.mention(asked[1:]) if asked[0] == "@" else user.slash(asked))
    assert "I know what to leave out (wombat songs), but not what to look for." in reply.text
    assert "such as: time series, but not wombat songs." in reply.text
    assert "**[" not in reply.text
    in_a_category = await user.slash("/search query:anything but wombat songs category:cs.CL")
    assert "I know what to leave out" not in in_a_category.text


async def test_where_authors_work_is_not_known_and_the_reply_says_so(user):
    reply = await user.mention("papers from Stanford on speculative decoding of quokka songs")
    assert "I don't know where authors work, so I left out “from Stanford”" in reply.text
    assert "1. **[Speculative Decoding of Quokka Songs" in reply.text
    as_words = await reply.press("Search for “from Stanford”, too")
    assert "I left out" not in as_words.text
    alone = await user.slash("/search papers by OpenAI")
    assert "I don't know where authors work, so I searched for “OpenAI”" in alone.text
    no_subject = await user.slash("/search papers from Stanford since 2024")
    assert "so I left out “from Stanford”" in no_subject.text
    asked = await user.mention("what has OpenAI published on quokka songs?")
    assert "I don't know where authors work, so I left out “OpenAI”" in asked.text


async def test_days_said_by_a_conference_are_not_read_and_the_reply_says_so(user):
    reply = await user.mention("speculative decoding of quokka songs before ICLR")
    assert "I don't know when conferences take place, so I left out “before ICLR”" in reply.text
    assert "Say it with a month, such as “before May 2025”" in reply.text
    assert "1. **[Speculative Decoding of Quokka Songs" in reply.text
    as_words = await reply.press("Search for “before ICLR”, too")
    assert "I left out" not in as_words.text


async def test_days_that_are_not_wanted_are_left_out(user):
    reply = await user.slash("/search speculative decoding, but please nothing from before 2026")
    assert "Since 1 Jan 2026" in reply.text
    assert "Quokka" not in reply.text
    reply = await user.slash("/search songs of quokkas, no papers after 2025")
    assert "Until 31 Dec 2025" in reply.text


async def test_two_people_who_wrote_together(user, lab):
    two = ["Barbara Liskov", "Edsger Dijkstra"]
    await fill(
        lab.bot, [_paper(30, "Guards and Clusters", authors=two), _paper(31, "Clusters", authors=two[:1])]
    )
    reply = await user.slash("/search papers by Barbara Liskov with Edsger Dijkstra")
    assert "Papers by Barbara Liskov and Edsger Dijkstra" in reply.text
    assert "1. **[Guards and Clusters" in reply.text
    assert "2. " not in reply.text
    either = await user.slash("/search Barbara Liskov and Edsger Dijkstra")
    assert "Papers by Barbara Liskov or Edsger Dijkstra" in either.text
    assert "2. " in either.text


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


async def test_most_cited_says_above_the_list_that_it_is_not_ranked_so(user):
    reply = await user.slash("/search most cited papers on speculative decoding")
    not_ranked = "-# **Not ranked by citations**: I don't know how often these papers are cited. "
    assert not_ranked + "Best matches first." in reply.text.split("1. **")[0]
    of_days = await user.mention("most cited paper of 2025")
    assert not_ranked + "Newest first." in of_days.text.split("1. **")[0]


async def test_likeness_and_what_to_leave_out(user):
    reply = await user.slash("/search papers like PrismLLM")
    assert "Like PrismLLM" in reply.text
    assert "1. **[A few GPUs" not in reply.text
    without = await user.slash("/search speculative decoding but not about wombat")
    assert "Without wombat" in without.text
    assert "Wombat" not in without.text.split("\n", 2)[2]
    assert "Wombat" in (await without.press("Also with wombat")).text


@pytest.mark.parametrize("asked", ["/search who cites PrismLLM?", "/search papers that cite PrismLLM"])
async def test_who_cites_a_paper_is_not_known_and_its_follow_ups_are_shown(user, asked):
    reply = await user.slash(asked)
    assert "Follow-ups of PrismLLM" in reply.text
    assert "I don't know which papers cite it" in reply.text
    assert "I don't know which papers" not in (await user.slash("/search follow-ups of PrismLLM")).text


async def test_another_language_is_named(user):
    reply = await user.slash("/search 大模型幻觉检测")
    assert "This looks like Chinese" in reply.text


async def test_a_long_query_keeps_its_changes(user):
    reply = await user.slash("/search " + "speculative decoding of songs " * 5)
    newest = await reply.press("Newest first")
    assert "Newest first" in newest.text
    assert "6. " in (await newest.press("Next")).text


@pytest.mark.sqlite("about a file that takes no changes")
async def test_a_long_query_is_answered_where_nothing_can_be_kept(user, lab):
    def refuse(connection, _record, _proxy):
        connection.cursor().execute("PRAGMA query_only=ON")

    known = await user.slash("/search " + "speculative decoding of songs " * 5)
    engine = lab.bot.services.store._writer._engine.sync_engine
    event.listen(engine, "checkout", refuse)
    try:
        reply = await user.slash("/search " + "speculative decoding of songs " * 6)
        assert "Speculative Decoding of" in reply.text
        assert "Newest first" not in _labels(reply), "it could not be answered"
        assert "Newest first" in _labels(await user.slash("/search speculative decoding"))
        again = await known.press("Next")
        assert "Newest first" in _labels(again), "it was kept before"
    finally:
        event.remove(engine, "checkout", refuse)
        await lab.bot.services.store._writer.dispose()
    assert "Newest first" in _labels(await user.slash("/search " + "speculative decoding of songs " * 6))


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
    assert "### " in (await user.mention("/new day:2026-08-21 order:topic")).text
    assert "6. " in (await grouped.press("Next")).text
    channel = await grouped.press("For this channel")
    assert "no digest to rank for" in channel.text


async def test_days_counted_from_the_newest_listing_say_so(user, time):
    time.write_text("2026-11-22T08:00:00+00:00")
    week = await user.slash("/search last week's papers on decoding")
    assert "Since 14 Aug 2026, the week up to the newest listing" in week.text
    day = await user.slash("/search yesterday's papers on decoding")
    assert "On 21 Aug 2026, the newest listing" in day.text
    assert "newest listing" not in (await user.slash("/search decoding since May 2026")).text


async def test_where_no_paper_of_the_days_fits_the_reply_says_which_button_helps(user):
    reply = await user.slash("/search articles published on 3 March 2025 about text-to-SQL")
    assert "No paper on 3 Mar 2025 fits." in reply.text
    assert "Try other words, or press **Any time**." in reply.text
    assert "Any time" in _labels(reply)


@pytest.mark.parametrize("noise", ["🤷", "…", "¿?"])
async def test_what_has_no_words_gets_no_guesses(user, noise):
    reply = await user.slash(f"/search {noise}")
    assert "I find no words in that." in reply.text
    assert not reply.buttons


@pytest.mark.parametrize("noise", ["如何制作巧克力蛋糕", "x" * 600, "how do I make my phd supervisor happy"])
async def test_noise_gets_no_guesses(user, noise):
    reply = await user.slash(f"/search {noise}")
    assert "papers fits." in reply.text
    assert "1. " not in reply.text


async def test_a_missing_middle_initial_is_no_typo(user, lab):
    await fill(lab.bot, [_paper(60, "Masking of Numbats", author="Martin J. Wainwright")])
    reply = await user.slash("/search Martin Wainwright masking")
    assert "Papers by Martin J. Wainwright first" in reply.text
    assert "1. **[Masking of Numbats" in reply.text


async def test_what_is_like_something_without_something(lab):
    reply = await lab.user.slash("/search PrismLLM without GPUs")
    assert "Like PrismLLM · without GPUs" in reply.text
    assert "1. **[" in reply.text
    assert "PrismLLM:" not in reply.text


async def test_of_several_papers_of_a_name_the_one_taken_is_named_and_the_subject_counts(user, lab):
    namesakes = [
        _paper(70, "QUAX: Ducks that Share", abstract="QUAX lets ducks share ponds."),
        _paper(71, "QUAX: Queues of Axes", abstract="QUAX puts axes into queues."),
        _paper(72, "Federated Ponds", abstract="We study federated learning of ponds, which ducks share."),
    ]
    await fill(lab.bot, namesakes)
    reply = await user.slash("/search papers like QUAX but for federated learning")
    assert "Like QUAX · about federated learning" in reply.text
    assert "1. **[Federated Ponds" in reply.text
    assert "I took “QUAX” for QUAX: " in reply.text
    assert "Another paper is called so, too: QUAX: " in reply.text


async def test_citations_that_nobody_knows_offer_no_best_first(user):
    reply = await user.slash("/search most cited papers on speculative decoding")
    assert "Best first" not in _labels(reply)
    assert "Newest first" in _labels(reply)


async def test_a_query_in_another_language_is_not_corrected(user):
    reply = await user.slash("/search comment détecter les halucinations des grands modèles de langage ?")
    assert "Showing results" not in reply.text
    assert "This looks like another language" in reply.text
    asked = await user.slash("/ask comment détecter les hallucinations des grands modèles de langage ?")
    assert "This looks like another language" in asked.text


@pytest.mark.parametrize(
    ("typed", "shows"),
    [
        ("papers by Minlan Yu on training", "Papers by Minlan Yu"),
        ("what did ChonLam Lao write in 2025?", "1 Jan 2025 to 31 Dec 2025 · papers by ChonLam Lao"),
        ("papers by ChonLam Lao", "5 papers"),
        ("Yu", "Did you mean Minlan Yu?"),
    ],
)
async def test_papers_takes_what_people_type_for_an_author(lab, typed, shows):
    reply = await lab.user.slash(f"/papers {typed}")
    assert shows in reply.text
    assert "Nobody here publishes as “papers" not in reply.text


async def test_similarity_falls_with_the_order(lab):
    reply = await lab.user.slash("/similar PrismLLM")
    shown = [float(number) for number in re.findall(r"similarity (\d\.\d\d)", reply.text)]
    assert len(shown) == 5
    assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize(
    "question",
    ["/search papers by Jiamin Cao", "/search query:training author:jiamin cao", "/search author:Cao"],
)
async def test_a_search_by_a_shared_name_says_so_and_shows_where_the_name_stands(lab, question):
    """Two authors publish as Jiamin Cao: without a note, the other one's papers would pass for theirs."""
    reply = await lab.user.slash(question)
    assert "**Jiamin Cao**" in reply.text, "even where the name stands late in a long list"
    assert "2 authors publish as Jiamin Cao; this search covers both. /papers Jiamin Cao" in reply.text


async def test_a_search_by_a_name_of_one_person_says_no_such_thing(lab):
    reply = await lab.user.slash("/search papers by Minlan Yu")
    assert "**Minlan Yu**" in reply.text
    assert "publish as" not in reply.text


async def test_the_words_of_an_authors_name_are_those_of_one_author(lab):
    """A paper by Wei Chen and Yu Wang is not by Wei Wang."""
    one = _paper(70, "Quoll Migration at Night", author="Wei Wang")
    other = _paper(71, "Quoll Migration by Day", authors=["Wei Chen", "Yu Wang"])
    middle = _paper(72, "Quoll Migration in Spring", authors=["Ada Byron", "Wei J. Wang"])
    await fill(lab.bot, [one, other, middle])
    for author in ("Wei Wang", "wang, wei", "WEI  WANG"):
        reply = await lab.user.slash(f"/search query:quoll migration author:{author}")
        assert "Quoll Migration at Night" in reply.text
        assert "Quoll Migration in Spring" in reply.text, "a middle initial does not matter"
        assert "Quoll Migration by Day" not in reply.text
    field = await lab.user.slash('/search query:quoll migration author:"Wei Wang"')
    assert "Quoll Migration by Day" not in field.text
    nobody = await lab.user.slash("/search query:quoll migration author:Yu Chen")
    assert "Quoll Migration" not in nobody.text
    family = await lab.user.slash("/search query:quoll migration author:wang")
    assert "Quoll Migration by Day" in family.text
