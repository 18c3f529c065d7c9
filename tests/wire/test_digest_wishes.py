"""What a digest is asked for: people, words and descriptions as tired researchers type them."""

from datetime import timedelta

import pytest

from tests.helpers.digests import (
    ASIDE,
    MONDAY,
    NOWHERE,
    active,
    embed,
    know_people,
    number_of,
    page_four,
    papers,
    re_titles,
    words_and_people,
)
from tests.helpers.lab import fill
from tests.helpers.records import record


async def posted(scene):
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    return scene.posts()[-1]


async def draft(scene):
    [made] = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]), drafts=True)
    return made


async def test_a_digest_of_people_alone_shows_their_papers_and_else_none(scene):
    await know_people(scene)
    ada = await number_of(scene, "Ada Lovelace")
    await active(scene, people=str(ada))
    post = await posted(scene)
    assert "1 of 9 new papers" in post.text
    assert "by Ada Lovelace, watched by this digest" in post.text
    assert "followed" not in post.text
    assert (
        "I show only papers by people this digest watches" in (await post.press("How these were chosen")).text
    )
    without_her = [
        record(300 + n, authors=[f"Bob {n}"], announced=MONDAY + timedelta(days=1)) for n in range(3)
    ]
    await fill(scene.bot, without_her)
    await know_people(scene)
    scene.at += timedelta(days=1)
    await scene.poster.tick()
    post = scene.posts()[-1]
    assert "none of 3 new papers match" in post.text
    assert "typical" not in post.text
    why = (await post.press("Why nothing matched")).text
    assert "None is by people this digest watches" in why
    assert "/digest learn" in why


async def test_members_papers_rank_higher_beside_typical_ones(scene):
    await know_people(scene)
    ada = await number_of(scene, "Ada Lovelace")
    assert "follow" in (await scene.user.slash(f"/follow person:~{ada}")).text
    await active(scene, followed=True)
    post = await posted(scene)
    assert "5 of 9 new papers" in post.text
    assert "by Ada Lovelace, followed" in post.text
    how = (await post.press("How these were chosen")).text
    assert "rank higher" in how
    assert "typical of the day" in how


async def test_one_wrong_name_leaves_the_rest_of_the_form_as_it_was_sent(scene):
    await know_people(scene)
    ada = await number_of(scene, "Ada Lovelace")
    panel = await words_and_people(
        scene, query="switches", people="Ada Lovelace\nNobody Atall\nSomebody Else ~99999", require="gossip"
    )
    assert "I don't know anyone called “Nobody Atall”, so I left that name out" in panel.text
    assert "The number behind “Somebody Else" in panel.text
    assert "watches 1 person" in panel.text
    digest = await draft(scene)
    assert (digest.query, digest.person_numbers, digest.required) == ("switches", (ada,), ("gossip",))


async def test_a_name_of_several_is_asked_for_and_the_rest_is_kept(scene):
    panel = await words_and_people(scene, query="switches", people="Jiamin Cao")
    assert "Several people publish as Jiamin Cao" in panel.text
    assert panel.text.count("Jiamin Cao ~") == 2
    assert (await draft(scene)).query == "switches"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("switches, but not gossip", "I look for “switches” and leave out papers that mention “gossip”"),
        ("switches except gossip, drones or cars", "mention “gossip”, “drones” or “cars”"),
        ("speech recogniton in noisy rooms", "Did you mean “recognition”? I look for “recogniton”"),
        ("speech recogniton, but not rooms", "I look for “speech recogniton” and leave out"),
        ("papers by Ada Lovelace on switches", "To get papers by Ada Lovelace, name them"),
        ("But what is attention", "“But what is attention”"),
        ("But not robots", "-# I leave out papers that mention “robots”."),
        ("everything except robots, drones", "-# I leave out papers that mention “robots” or “drones”."),
        ("switches but not gossip, drones", "mention “gossip” or “drones”"),
        ("switches but no gossip, no drones and no cars", "mention “gossip”, “drones” or “cars”"),
        ("switches\nbut not gossip\nin data centers", "leave out papers that mention “gossip”."),
        ("switches w/o gossip", "“w/o” leaves nothing out here"),
        ("gossip without clocks", "“without” leaves nothing out here"),
        ("I don't want robots. Gossip in switches", "I look for “Gossip in switches”"),
        ("Spracherkennung in lauten Räumen mit vielen Menschen", "This looks like another language"),
        ("噪声房间中的语音识别", "This looks like Chinese"),
    ],
)
async def test_what_a_description_may_have_got_wrong_is_said_at_once(scene, query, told):
    panel = await words_and_people(scene, query=query)
    assert told in panel.text
    setup = await (await scene.user.slash("/setup")).press("Next")
    form = await setup.press("In your own words")
    page = await scene.user.submit(form.message["modal"], {"query": query, "fields": ""})
    assert told in page.text


async def test_a_plain_description_is_shown_without_remarks(scene):
    panel = await words_and_people(scene, query="gossip in programmable switches")
    assert "-# I look for" not in panel.text
    assert "Do you mean" not in panel.text
    assert "looks like" not in panel.text


async def test_what_a_description_declines_is_left_out(scene):
    await embed(scene)
    await fill(
        scene.bot, [record(400, title="Gossip in switches with robots", abstract="Robots gossip, too.")]
    )
    await embed(scene)
    await active(scene, query="gossip in programmable switches but not in noisy rooms or robots", most=20)
    post = await posted(scene)
    assert all("robots" not in title for title in re_titles(post.text))
    assert len(re_titles(post.text)) == 3
    assert "matches “gossip in programmable switches”" in post.text


@pytest.mark.parametrize("query", ["molecules", "Molecule", " molecules "])
async def test_papers_that_print_a_short_description_match_it(scene, query):
    others = [record(500 + n, title=f"Tides, part {n}", abstract="We study the sea.") for n in range(9)]
    await fill(scene.bot, [*others, ASIDE])
    await embed(scene)
    await active(scene, query=query, most=20)
    post = await posted(scene)
    titles = re_titles(post.text)
    assert "Export taxes in two provinces" in titles
    assert all("molecules" in title or title == "Export taxes in two provinces" for title in titles)
    assert f"mentions “{query.strip()}”" in post.text


async def test_words_count_in_all_their_forms_and_the_settings_say_so(scene):
    panel = await words_and_people(scene, require="molecule\nroom", exclude='switch\n"noisy"')
    assert "Other forms of these words count" in panel.text
    shown = await panel.press("Preview")
    titles = re_titles(shown.text)
    assert len(titles) == 3
    assert all("molecules" in title for title in titles)


async def test_how_it_was_chosen_says_what_was_known(scene):
    await active(scene)
    post = await posted(scene)
    how = (await post.press("How these were chosen")).text
    assert "typical of the day" in how
    assert "most similar" not in how
    await embed(scene)
    panel = await words_and_people(scene, query="gossip in programmable switches")
    shown = await panel.press("Preview")
    how = (await shown.press("How these were chosen")).text
    assert "most similar to “gossip in programmable switches”" in how
    assert "I leave out papers" in how
    assert "typical" not in how


async def test_step_four_says_what_decides(scene):
    page = await (await scene.user.slash("/setup")).press("Next")
    form = await page.press("In your own words")
    page = await scene.user.submit(form.message["modal"], {"query": "gossip in switches", "fields": ""})
    page = await page.press("Next")
    page = await page.choose("UTC", next(s for s in page.selects if "suz" in s["custom_id"]))
    page = await page.press("Next")
    assert "I go by your description: “gossip in switches”." in page.text
    assert "typical" not in page.text


async def test_many_words_are_counted_in_the_settings(scene):
    panel = await words_and_people(scene, require="\n".join(f"word{n}" for n in range(60)))
    assert "word11 and 48 more" in panel.text


async def test_a_liked_paper_does_not_bring_others_into_a_digest_of_people(scene):
    await embed(scene)
    await know_people(scene)
    await active(scene, people=str(await number_of(scene, "Ada Lovelace")))
    post = await posted(scene)
    await post.press("Like")
    await fill(scene.bot, papers(MONDAY + timedelta(days=1), 101))
    await embed(scene)
    await know_people(scene)
    scene.at += timedelta(days=1)
    await scene.poster.tick()
    [title] = re_titles(scene.posts()[-1].text)
    assert "part 102" in title, "hers, and none like the one that was liked"


async def test_a_watched_author_s_paper_that_words_rule_out_is_not_denied(scene):
    await know_people(scene)
    await active(scene, people=str(await number_of(scene, "Ada Lovelace")), exclude="noise, speech")
    post = await posted(scene)
    assert "none of 9 new papers match" in post.text
    why = (await post.press("Why nothing matched")).text
    assert "No paper by people this digest watches or members of this server passed its words" in why
    assert "loosen the words" in why


async def test_own_digest_of_followed_people_is_silent_without_them(scene):
    await know_people(scene)
    await scene.user.slash("/follow person:Ada Lovelace")
    panel = await scene.user.slash("/digest mine")
    shown = await panel.press("Preview")
    assert "1 of 9 new papers" in shown.text
    assert "by Ada Lovelace, followed" in shown.text
    await scene.user.slash("/unfollow Ada Lovelace")


@pytest.mark.parametrize("query", ["molecules", ""])
async def test_a_digest_of_news_alone_is_not_filled_up(scene, query):
    await fill(scene.bot, [ASIDE])
    await embed(scene)
    await active(scene, query=query, news=True, most=20)
    shown = await scene.user.slash("/digest preview")
    assert "Export taxes in two provinces" not in shown.text
    if not query:
        assert "Nothing would be posted. I read 10 new papers" in shown.text
        assert "by people you follow, or a close follow-up of papers you keep" in shown.text


async def test_a_wrong_name_on_step_four_keeps_the_papers(scene):
    page = await page_four(scene.user)
    form = await page.press("Give papers")
    values = {
        "papers": "Graph neural networks for molecules, part 1",
        "orcid": "",
        "people": "Nobody Atall",
    }
    page = await scene.user.submit(form.message["modal"], values)
    assert "I don't know anyone called “Nobody Atall”" in page.text
    assert "1 pasted" in page.text


async def test_a_number_of_somebody_else_is_refused_and_names_may_stand_in_a_line(scene):
    await know_people(scene)
    ada, other = await number_of(scene, "Ada Lovelace"), await number_of(scene, "ChonLam Lao")
    panel = await words_and_people(scene, people=f"Ada Lovelace ~{other}\nAda Lovelace ~{ada}")
    assert "The number behind “Ada Lovelace" in panel.text
    assert (await draft(scene)).person_numbers == (ada,)
    form = await panel.press("Words and people")
    names = {"people": f"ChonLam Lao ~{other}, Ada Lovelace; Nobody Atall\nLao, ChonLam"}
    panel = await scene.user.submit(form.message["modal"], NOWHERE | names)
    assert "I don't know anyone called “Nobody Atall”" in panel.text
    assert (await draft(scene)).person_numbers == (other, ada)


async def test_a_form_keeps_a_person_whose_name_has_commas(scene):
    name = "John Smith, Jr., M.D."
    await fill(scene.bot, [record(410, title="Caches", authors=[name], announced=MONDAY)])
    await know_people(scene)
    number = await number_of(scene, name)
    panel = await words_and_people(scene, people=f"{name} ~{number}\nM.D. ~{number + 1}, Nobody Atall")
    assert "anyone called “Nobody Atall”" in panel.text
    assert "The number behind “M.D.” belongs to nobody of that name" in panel.text
    assert (await draft(scene)).person_numbers == (number,)


async def test_a_line_of_a_thousand_names_is_cut(scene):
    panel = await words_and_people(scene, people=", ".join(f"x{n}" for n in range(600)))
    assert "A digest can watch up to 30 people" in panel.text
    assert "“x9” or 20 more, so I left those names out" in panel.text


async def test_papers_that_it_learns_from_are_no_news(scene):
    await embed(scene)
    digest = await active(scene, most=20)
    await scene.user.slash("/digest learn papers:Graph neural networks for molecules, part 1")
    shown = await scene.user.slash("/digest preview")
    assert "given to this digest" in shown.text
    assert "molecules, part 1" not in [title.lower() for title in re_titles(shown.text)]
    assert all(not title.endswith(", part 1") for title in re_titles(shown.text))
    assert digest.id


async def test_signs_alone_are_no_description(scene):
    await embed(scene)
    await active(scene, query="!!! ???")
    post = await posted(scene)
    assert "typical of the day" in post.text


async def test_many_names_of_several_people_are_all_told(scene):
    names = ["Jiamin Cao", "jiamin cao", "JIAMIN CAO", "Jiamin CAO", "jiamin Cao"]
    panel = await words_and_people(scene, query="switches", people="\n".join([*names, "Nobody Atall"]))
    assert panel.text.count("Several people publish as") == 4
    assert all(name in panel.text for name in names)
    assert "“Jiamin CAO” and “jiamin Cao”, too" in panel.text
    assert panel.text.count("~") == 6, "three names, each of two people"
    assert "Nobody Atall" in panel.text


async def test_a_digest_whose_papers_another_one_posted_in_the_channel_says_so(scene):
    await embed(scene)
    for name in ("first", "second"):
        await active(scene, name=name, query="gossip in programmable switches")
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 2
    why = await scene.posts()[1].press("Why nothing matched")
    assert "Another digest posted 3 papers here that day, and I don't repeat them." in why.text
    assert "None of the others is close enough to “gossip in programmable switches”." in why.text
