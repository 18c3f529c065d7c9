"""People as a user meets them: cards, namesakes, graphs, comparisons, corrections."""

import itertools
import json
import re
from datetime import date

import aiohttp
import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.completion import files_of
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.people import compare
from data.stores.store import Store
from index.identity.passes import identify
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.phrase_text import phrase_parts
from tests.helpers import databases
from tests.helpers.lab import fill, settings_for
from tests.helpers.process import awaited, without_discord
from tests.helpers.records import record


async def test_author_shows_a_card_with_figures_and_where_they_come_from(lab):
    reply = await lab.user.slash("/author name:ChonLam Lao")
    assert "5 papers in this library, 2022–2026" in reply.text
    assert "L1 unclaimed" in reply.text
    assert "% sure" not in reply.text  # nobody else has the name
    assert "in-network aggregation" in reply.text
    assert "Minlan Yu (2)" in reply.text
    assert "citations" not in reply.text.lower(), "what nobody knows is absent, not zero"
    why = await reply.press("Why these figures?")
    assert "sure on average" in why.text
    assert "don't base hiring" in why.text


async def test_few_papers_by_year_are_told_in_words_alone(lab):
    reply = await lab.user.slash("/author name:ChonLam Lao")
    assert "-# Papers by ChonLam Lao by year: 1 in 2022" in reply.text
    assert not files_of(reply.message), "bars of one and two papers show nothing"


async def test_the_card_of_somebody_with_many_years_carries_a_picture_with_words_for_it(place):
    _, bot, user = place
    years = [2018, 2020, 2020, 2020, 2021, 2022, 2022]
    written = [
        record(n, authors=["Ada Byron"], announced=date(year, 3, 2)) for n, year in enumerate(years, 901)
    ]
    await fill(bot, written)
    await identify(bot.services.corpus)
    await bot.services.insight.refresh()
    reply = await user.slash("/author name:Ada Byron")
    [gallery] = [c for c in reply.components if c["type"] == 12]
    told = "Papers by Ada Byron by year: 1 in 2018, 3 in 2020, 1 in 2021, 2 in 2022"
    assert gallery["items"][0]["description"] == told
    assert f"-# {told}" in reply.text
    assert files_of(reply.message)[0]["filename"] == "activity.png"


async def test_namesakes_are_told_apart_and_never_guessed(lab):
    reply = await lab.user.slash("/author name:Jiamin Cao")
    assert "Two authors publish under this name" in reply.text
    assert "They share no coauthor and no topic" in reply.text
    [select] = reply.selects
    assert [option["label"].split(" · ")[1] for option in select["options"]] == ["3 papers", "1 paper"]
    assert "with ChonLam Lao" in select["options"][0]["description"]
    card = await reply.choose(select["options"][1]["value"])
    assert "1 paper in this library, 2024" in card.text
    assert "Lingqi Wang" in card.text
    assert "ChonLam Lao" not in card.text


async def test_papers_of_a_shared_name_are_asked_about_and_all_of_them_a_press_away(lab):
    reply = await lab.user.slash("/papers author:Jiamin Cao")
    assert "Which Jiamin Cao?" in reply.text
    assert "4 papers" in (await reply.press("All papers under this name")).text
    mine = await reply.choose(reply.selects[0]["options"][0]["value"])
    assert "3 papers" in mine.text
    assert "Atomic Activity" not in mine.text


async def test_an_initial_leads_to_the_question_who_is_meant_not_to_all_of_them(lab):
    """Two authors publish as Jiamin Cao: a list of both would show the wrong person's papers."""
    offered = await lab.user.slash("/papers J. Cao")
    [cao] = [one for one in offered.buttons if one["label"].startswith("Jiamin Cao")]
    asked = await offered.press(cao)
    assert "Which Jiamin Cao?" in asked.text
    other = await asked.choose(asked.selects[0]["options"][1]["value"])
    assert "1 paper" in other.text
    assert "PrismLLM" not in other.text


async def test_namesakes_stand_apart_while_typing(lab):
    choices = await lab.user.complete("/author name:Jiamin Cao")
    people = [choice for choice in choices if choice["value"].startswith("~")]
    assert len(people) == 2
    card = await lab.user.slash(f"/author name:{people[1]['value']}")
    assert "1 paper in this library, 2024" in card.text


@pytest.mark.parametrize("label", ["Papers", "Graph", "Collaborators", "Similar people"])
async def test_every_button_of_a_card_leads_somewhere(lab, label):
    card = await lab.user.slash("/author name:Minlan Yu")
    reply = await card.press(label)
    assert "Minlan Yu" in reply.text


async def test_a_graph_has_words_for_it_and_moves_to_a_neighbour(lab):
    reply = await lab.user.slash("/graph person:ChonLam Lao")
    assert "5 papers" in reply.text
    [gallery] = [c for c in reply.components if c["type"] == 12]
    assert "Minlan Yu" in gallery["items"][0]["description"]
    async with aiohttp.ClientSession() as session, session.get(files_of(reply.message)[0]["url"]) as picture:
        assert 1_000 < len(await picture.read()) < 500_000
    neighbour = next(o for o in reply.selects[0]["options"] if o["label"] == "Minlan Yu")
    moved = await reply.choose(neighbour["value"])
    assert moved.text.startswith("## Minlan Yu among")
    paper = await lab.user.slash("/graph paper:PrismLLM")
    assert "among" in paper.text


async def test_compare_shows_what_joins_two_people(lab):
    together = await lab.user.slash("/compare first:ChonLam Lao second:Minlan Yu")
    assert "2 papers together" in together.text
    assert "TrainMover" in together.text
    apart = await lab.user.slash("/compare first:Jinsun Yoo second:Minlan Yu")
    assert "2 papers apart" in apart.text
    assert "→ ChonLam Lao" in apart.text
    same = await lab.user.slash("/compare first:Minlan Yu second:Minlan Yu")
    assert "the same person" in same.text
    several = await lab.user.slash("/compare first:Jiamin Cao second:Minlan Yu")
    chosen = await several.choose(several.selects[0]["options"][0]["value"])
    assert "Jiamin Cao and Minlan Yu" in chosen.text
    both = await lab.user.slash("/compare first:Jiamin Cao second:Jiamin Cao")
    assert "choose one from the list" in both.text
    mixed = await lab.user.slash("/compare first:2605.15617 second:Minlan Yu")
    assert "Name two people, or two papers" in mixed.text


async def test_what_only_one_of_two_people_mentions_stands_in_no_paper_of_the_other(lab, monkeypatch):
    monkeypatch.setattr(compare, "TOPICS", 40)
    services = lab.bot.services
    people = services.insight.people
    named = [await services.store.people.find(n) async for n, _ in services.store.people.all_names()]
    pair: tuple[int, int] | None = None
    for one, other in itertools.permutations(filter(None, named[:12]), 2):
        side = (await compare.compared(services, people, one, other)).sides[0]
        texts = await services.store.texts(people.papers(other.id).tolist())
        theirs = " ".join(f" {' '.join(phrase_parts(f'{text[0]} . {text[1]}'))} " for text in texts.values())
        for topic in side.own_topics:
            assert f" {' '.join(phrase_parts(topic))} " not in theirs, (one.name, other.name)
            pair = one.id, other.id
    assert pair is not None
    reply = await lab.user.slash("/compare first:~{} second:~{}".format(*pair))
    assert "mentions** " in reply.text
    assert "titles and abstracts" in reply.text


async def test_similar_people_say_why(lab):
    reply = await lab.user.slash("/similar-people name:ChonLam Lao")
    assert (
        re.search(r"\d+ of \d+ papers? close · similarity 0\.", reply.text) or "can't compare" in reply.text
    )


async def test_few_papers_are_no_trend(lab):
    reply = await lab.user.slash("/trending days:60")
    assert "No topic grew significantly" in reply.text
    assert "0 papers" in (await lab.user.slash("/trending days:3 category:math.CO")).text


@pytest.mark.parametrize(
    "command",
    [
        "/author name:Qqqq Zzzz",
        "/author name:~999999999",
        "/author name:@everyone",
        "/similar-people name:<@123>",
        "/graph person:*_~",
        "/graph",
        "/graph paper:zzzzqqqq",
        "/compare first:x second:y",
        "/person history name:Nobody Atall",
        "/author name:" + "ﷺ" * 100,
    ],
)
async def test_names_that_nobody_has_get_a_kind_word_and_ping_nobody(lab, command):
    reply = await lab.user.slash(command)
    assert reply.text
    assert "@everyone" not in reply.text
    assert "<@" not in reply.text.replace("\\<@", "")
    assert "went wrong" not in reply.text


@pytest.fixture
async def correcting(tmp_path):
    """A Labmate of its own, in a server whose user manages it."""
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path)
        async with (
            running_bot(settings) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            yield discord, bot, user, settings


async def test_a_correction_holds_is_logged_and_undone(correcting):
    _, bot, user, _ = correcting
    which = await user.slash("/author name:Jiamin Cao")
    first, second = (option["value"] for option in which.selects[0]["options"])
    joined = await user.slash(f"/person same name:~{first} other:~{second}")
    assert "are now one person in this server" in joined.text
    card = await user.slash("/author name:Jiamin Cao")
    assert "4 papers" in card.text
    old = await user.slash(f"/author name:~{second}")
    assert "4 papers" in old.text, "a button with the other number still finds the person"

    with bot.services.corpus.writing():
        await identify(bot.services.corpus, full=True)
    await bot.services.insight.refresh()
    assert "4 papers" in (await user.slash("/author name:Jiamin Cao")).text, "it outlives another pass"

    history = await user.slash("/person history name:Jiamin Cao")
    assert "is the same person as" in history.text
    assert "Undone" in (await history.press("Undo")).text
    assert "Two authors publish under this name" in (await user.slash("/author name:Jiamin Cao")).text
    again = await user.slash(f"/person history name:~{first}")
    assert "undone by" in again.text


async def test_a_paper_that_is_not_theirs_moves_out_and_stays_out(correcting):
    _, bot, user, _ = correcting
    asked = await user.slash("/person split name:ChonLam Lao")
    options = asked.selects[0]["options"]
    assert all("sure ·" in option["description"] for option in options)
    assert any("also wrote" in option["description"] for option in options)
    paper = next(o for o in options if o["label"].startswith("THC"))
    assert "now counts as the work of a different ChonLam Lao" in (await asked.choose(paper["value"])).text
    which = await user.slash("/author name:ChonLam Lao")
    assert "4 papers" in which.text

    with bot.services.corpus.writing():
        await identify(bot.services.corpus, full=True)
    await bot.services.insight.refresh()
    which = await user.slash("/papers author:ChonLam Lao")
    assert "4 papers" in which.text
    assert "1 paper" in which.text


async def test_only_who_manages_the_server_corrects(correcting):
    discord, _, user, _ = correcting
    which = await user.slash("/author name:Jiamin Cao")
    first, second = (option["value"] for option in which.selects[0]["options"])
    offered = await (await which.choose(first)).press("Not this person?")
    assert any(button["label"] == "A paper is not theirs" for button in offered.buttons)

    member = discord.state.add_user("a member")
    discord.state.add_member(user.guild_id, member["id"])
    async with UserClient(discord.url, discord.state.token_of(member["id"])) as other:
        refused = await other.slash(f"/person same name:~{first} other:~{second}")
        assert "Only those who manage this server" in refused.text
        card = await other.slash(f"/author name:~{first}")
        plain = await card.press("Not this person?")
        assert not any(button["label"] == "A paper is not theirs" for button in plain.buttons)
    assert "Two authors publish under this name" in (await user.slash("/author name:Jiamin Cao")).text


async def test_two_who_wrote_one_paper_are_not_joined(correcting):
    _, _, user, _ = correcting
    reply = await user.slash("/person same name:ChonLam Lao other:Minlan Yu")
    assert "two people" in reply.text


async def test_identify_from_the_command_line_says_what_it_did(tmp_path):
    async def run(*command):
        process = awaited(*command, env=without_discord(tmp_path))
        said = await process.communicate()
        return process.returncode, said.decode()

    rows = [
        {
            "id": f"2601.{n:05d}",
            "title": f"Paper {n}",
            "authors": ["A B", f"C{n} D"],
            "abstract": "Text.",
            "lists": ["cs.CL"],
            "announced": "2026-01-05",
        }
        for n in range(5)
    ]
    file = tmp_path / "papers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert (await run("ingest", "file", str(file), "--no-embed"))[0] == 0
    status, said = await run("identify")
    assert status == 0
    assert "people found in" in said
    await run("identify", "--full")
    status, said = await run("identify", "--full")
    assert "0 changed" in said


async def test_a_killed_pass_leaves_all_of_the_old_people_or_all_of_the_new(tmp_path):
    url = databases.url_of(tmp_path / "labmate.db")

    def papers(start, count):
        return [
            record(n, authors=["Wei Wang", f"Guest{n % 40} Of{n % 40}"]) for n in range(start, start + count)
        ]

    store = await Store.open(url)
    await store.upsert(papers(0, 400))
    corpus = await Corpus.open(store, tmp_path, Embedder(), writable=True)
    await identify(corpus)
    before = {(row.paper_id, row.position): row.person_id for row in await store.people.all_memberships()}
    await store.upsert(papers(400, 400))
    for events in (1, 2, 4, 7, 1_000):
        process, heard = awaited("identify", "--full", "--events", env=without_discord(tmp_path)), 0
        async for _ in process.lines():
            heard += 1
            if heard == events:
                process.kill()
        await process.wait()
        after = {(row.paper_id, row.position): row.person_id for row in await store.people.all_memberships()}
        last = await store.people.last_pass()
        assert len(after) in (800, 1600)
        assert (len(after) == 1600) == (last.authorships == 1600)
        if len(after) == 800:
            assert after == before
    await store.close()


@pytest.mark.parametrize("typed", ["PrismLLM", "person:PrismLLM", "2605.15617", "paper:PrismLLM"])
async def test_a_paper_s_name_leads_to_the_graph_of_the_paper(lab, typed):
    reply = await lab.user.slash(f"/graph {typed}")
    assert reply.text.startswith("## PrismLLM among")
    assert "people" in reply.text


async def test_a_graph_says_what_it_shows_and_without_a_name_what_to_type(lab):
    drawn = await lab.user.slash("/graph ChonLam Lao")
    heading = re.match(r"## ChonLam Lao among (\d+) people, 5 papers", drawn.text)
    assert heading, drawn.text
    asked = await lab.user.slash("/graph")
    assert "Name a person or a paper: /graph person: ChonLam Lao, or /graph paper: PrismLLM." in asked.text


async def test_a_name_that_is_neither_a_person_s_nor_a_paper_s_gets_the_nearest_names(lab):
    assert [b["label"] for b in (await lab.user.slash("/graph Shaoke Xii")).buttons] == ["Shaoke Xi (2)"]


async def test_a_title_that_is_not_here_is_not_said_to_match(place):
    _, bot, user = place
    titles = (
        "Gemma Technical Report",
        "Hermes Technical Report",
        "Care Is All You Seek Today",
        "Why Care Is All You Seek",
    )
    await fill(bot, [record(n, title=title) for n, title in enumerate(titles, 950)])
    other = await user.slash("/graph paper:GPT technical report")
    assert "I know no paper called “GPT technical report”. The closest titles are below." in other.text
    longer = await user.slash("/graph paper:care is all you seek")
    assert "I know no paper called just “care is all you seek”, but several" in longer.text
    assert "Several papers match “technical”" in (await user.slash("/graph paper:technical")).text


async def test_a_graph_of_several_papers_asks_which(lab):
    reply = await lab.user.slash("/graph paper:training")
    assert "Several papers match" in reply.text
    chosen = await reply.choose("TrainMover")
    assert "TrainMover" in chosen.text
    assert "among" in chosen.text


async def test_followed_people_who_share_a_name_are_told_apart(place):
    _, _, user = place
    which = await user.slash("/author name:Jiamin Cao")
    numbers = [option["value"] for option in which.selects[0]["options"]]
    await user.slash(f"/follow person:~{numbers[0]}")
    assert "**People** (1) Jiamin Cao\n" in (await user.slash("/following")).text + "\n", (
        "one needs no number"
    )
    await user.slash(f"/follow person:~{numbers[1]}")
    shown = await user.slash("/following")
    for number in numbers:
        assert f"Jiamin Cao ~{number}" in shown.text
    lines = shown.selects[0]["options"]
    assert {line["label"] for line in lines} == {f"Jiamin Cao ~{number}" for number in numbers}
    assert any("with ChonLam Lao" in line["description"] for line in lines)
    panel = await (await user.slash("/digest mine")).press("Papers")
    for number in numbers:
        assert f"Jiamin Cao ~{number}" in panel.text
    asked = await user.slash("/unfollow Jiamin Cao")
    assert len({line["label"] for line in asked.selects[0]["options"]}) == 2
    gone = await user.slash(f"/unfollow Jiamin Cao ~{numbers[1]}")
    assert f"You no longer follow **Jiamin Cao ~{numbers[1]}**" in gone.text
    assert "~" not in (await user.slash("/following")).text


async def test_years_before_those_shown_are_summed_up(place):
    _, bot, user = place
    years = [1990, 1995, *range(2008, 2022)]
    written = [
        record(n, authors=["Ada Byron"], announced=date(year, 3, 2)) for n, year in enumerate(years, 901)
    ]
    await fill(bot, written)
    await identify(bot.services.corpus)
    await bot.services.insight.refresh()
    told = (await user.slash("/author name:Ada Byron")).text
    assert "Papers by Ada Byron by year: 4 before 2010, 1 in 2010, " in told


async def test_the_longest_period_without_growth_is_not_offered_again(lab):
    told = (await lab.user.slash("/trending days:365 category:cs.NI")).text
    assert "No topic grew significantly" in told
    assert "/trending days:365" not in told
    assert "/trending days:90" in told
