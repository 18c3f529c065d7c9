"""Topics that members follow: how they were read, what was meant, and what their digests then show."""

import pytest

from tests.helpers.digests import ASIDE, MONDAY, embed, know_people, number_of, re_titles, words_and_people
from tests.helpers.lab import fill
from tests.helpers.records import record

ROBOTS = record(
    400,
    title="Gossip in switches with robots",
    abstract="Robots gossip in programmable switches, too.",
    announced=MONDAY,
    listings=[("cs.NI", MONDAY)],
)


def labels(reply):
    return [button["label"] for button in reply.buttons]


async def follows(scene):
    members = scene.bot.services.store.members
    return {follow.shown for follow in await members.following(int(scene.discord.owner["id"]))}


@pytest.mark.parametrize(
    ("topic", "told"),
    [
        ("papers on gossip", "I look for “gossip”."),
        (
            "gossip in switches, but not robots",
            "look for “gossip in switches” and leave out papers that mention",
        ),
        ("speech recogniton in noisy rooms", "Did you mean “recognition”? I look for “recogniton”"),
        ("switches w/o gossip", "“w/o” leaves nothing out here. To leave papers out, write “but"),
        ("噪声房间中的语音识别", "This looks like Chinese"),
        ("обнаружение галлюцинаций", "This looks like a language written in Cyrillic."),
        ("zyxwvutsrq", "No paper that I know has this word yet."),
    ],
)
async def test_how_a_topic_was_read_is_said(scene, topic, told):
    reply = await scene.user.slash(f"/follow topic:{topic}")
    assert told in reply.text
    assert "None of these words" not in reply.text, "a topic has no such form"
    assert await follows(scene) == {topic}


async def test_a_plain_topic_is_followed_without_remarks(scene):
    reply = await scene.user.slash("/follow topic:gossip in programmable switches")
    assert "-#" not in reply.text
    assert labels(reply) == ["Undo"]


async def test_a_long_topic_that_folds_to_a_longer_one_is_followed_once(scene):
    topic = f"Strassen und {'ß' * 180}"
    assert "You follow" in (await scene.user.slash(f"/follow topic:{topic}")).text
    assert "You already follow" in (await scene.user.slash(f"/follow topic:{topic}")).text
    assert await follows(scene) == {topic}


async def test_a_topic_that_only_leaves_out_is_refused(scene):
    reply = await scene.user.slash("/follow topic:but not robots")
    assert "only says what to leave out" in reply.text
    assert await follows(scene) == set()


async def test_a_typo_is_corrected_by_a_button_in_place(scene):
    reply = await scene.user.slash("/follow topic:Speech recogniton in noisy rooms")
    reply = await reply.press("Follow “Speech recognition in noisy rooms” instead")
    assert "You now follow **Speech recognition in noisy rooms** instead of" in reply.text
    assert await follows(scene) == {"Speech recognition in noisy rooms"}
    await reply.press("Unfollow")
    assert await follows(scene) == set()


async def test_a_correction_joins_what_is_followed_already_and_comes_too_late_once_it_ended(scene):
    await scene.user.slash("/follow topic:speech recognition in noisy rooms")
    reply = await scene.user.slash("/follow topic:speech recogniton in noisy rooms")
    await reply.press("Follow “speech recognition in noisy rooms” instead")
    assert await follows(scene) == {"speech recognition in noisy rooms"}
    other = await scene.user.slash("/follow topic:speech recogniton")
    await scene.user.slash("/unfollow speech recogniton")
    late = await other.press("Follow “speech recognition” instead")
    assert "You don't follow this (any more)" in late.text
    assert await follows(scene) == {"speech recognition in noisy rooms"}


async def test_a_person_whose_papers_a_topic_does_not_want_is_not_offered(scene):
    await know_people(scene)
    reply = await scene.user.slash("/follow topic:gossip in switches, but not by Ada Lovelace")
    assert "I look for “gossip in switches”." in reply.text
    assert "I can't leave out papers by Ada Lovelace here" in reply.text
    assert labels(reply) == ["Undo"]


async def test_a_person_named_as_a_topic_can_be_followed(scene):
    await know_people(scene)
    reply = await scene.user.slash("/follow topic:papers by Ada Lovelace")
    assert "To get papers by Ada Lovelace, follow the person" in reply.text
    assert "You follow **Ada Lovelace**" in (await reply.press("Follow Ada Lovelace")).text


async def test_a_name_with_the_number_that_forms_print_means_that_person(scene):
    await know_people(scene)
    ada, other = await number_of(scene, "Ada Lovelace"), await number_of(scene, "ChonLam Lao")
    assert (
        "You follow **Ada Lovelace**" in (await scene.user.slash(f"/follow person:Ada Lovelace ~{ada}")).text
    )
    wrong = await scene.user.slash(f"/follow person:Ada Lovelace ~{other}")
    assert f"The number {other} is that of ChonLam Lao, not of Ada Lovelace." in wrong.text
    gone = await scene.user.slash("/follow person:Ada Lovelace ~999999999")
    assert "I no longer know this person. Try again with the name." in gone.text
    assert "ChonLam Lao" in (await scene.user.slash(f"/papers author:ChonLam Lao ~{other}")).text


async def test_a_title_that_ends_like_the_number_of_a_person_is_a_title(scene):
    await know_people(scene)
    ada = await number_of(scene, "Ada Lovelace")
    title = f"Graph grammars ~{ada}"
    await fill(scene.bot, [record(401, title=title, announced=MONDAY)])
    assert "## Graph grammars" in (await scene.user.slash(f"/graph person:{title}")).text
    for other in ("Wei Nobody", "Grammars Nobody"):
        refused = await scene.user.slash(f"/graph person:{other} ~{ada}")
        assert f"The number {ada} is that of Ada Lovelace, not of {other}." in refused.text


async def test_of_several_people_of_a_name_in_a_topic_one_can_be_chosen(scene):
    await know_people(scene)
    reply = await scene.user.slash("/follow topic:papers by Jiamin Cao")
    [select] = reply.selects
    assert len(select["options"]) == 2
    assert "You follow **Jiamin Cao**" in (await reply.choose(select["options"][1]["value"])).text


async def test_a_long_topic_is_corrected_by_a_button_that_says_so_once(scene):
    words = (
        "speech recogniton in noisy rooms with several people who speak at the same time and rarely listen"
    )
    first, other = [await scene.user.slash(f"/follow topic:{words}") for _ in range(2)]
    button = labels(first)[1]
    assert button.startswith("Follow “speech recognition in noisy rooms")
    assert button.endswith("…” instead")
    await first.press(button)
    again = await other.press(button)
    assert "There is nothing to correct (any more)." in again.text
    assert await follows(scene) == {words.replace("recogniton", "recognition")}


async def test_a_topic_leaves_out_what_it_declines_and_another_topic_still_finds_it(scene):
    await fill(scene.bot, [ROBOTS])
    await embed(scene)
    await scene.user.slash("/follow topic:gossip in programmable switches, but not robots")
    preview = await (await scene.user.slash("/digest mine")).press("Preview")
    assert "matches “gossip in programmable switches”" in preview.text
    assert ROBOTS.title not in re_titles(preview.text)
    await scene.user.slash("/follow topic:robots")
    preview = await scene.user.slash("/digest preview")
    assert ROBOTS.title in re_titles(preview.text)
    assert "“robots”" in preview.text
    await scene.user.slash("/unfollow robots")
    await scene.user.slash("/follow topic:gossip in programmable switches")
    assert ROBOTS.title in re_titles((await scene.user.slash("/digest preview")).text), "the wider topic"


async def test_a_short_topic_that_declines_does_not_match_by_printing(scene):
    await fill(scene.bot, [ASIDE])
    await embed(scene)
    await scene.user.slash("/follow topic:molecules but not taxes")
    preview = await (await scene.user.slash("/digest mine")).press("Preview")
    assert re_titles(preview.text)
    assert ASIDE.title not in re_titles(preview.text)


async def test_an_own_digest_names_what_its_owner_follows(scene):
    await know_people(scene)
    await scene.user.slash("/follow person:Ada Lovelace")
    for number in range(11):
        await scene.user.slash(f"/follow topic:gossip {number}")
    panel = await (await scene.user.slash("/digest mine")).press("Papers")
    assert "**You follow** gossip 10, gossip 9" in panel.text
    assert "gossip 1 and 2 more" in panel.text


async def test_a_description_s_typo_is_corrected_by_a_button(scene):
    panel = await words_and_people(scene, query="speech recogniton in noisy rooms")
    panel = await panel.press("Change to “recognition”")
    assert "speech recognition in noisy rooms" in panel.text
    assert "Did you mean" not in panel.text
    assert "Change to “recognition”" not in labels(panel)


@pytest.mark.parametrize("typed", ["_speech recogniton_ in rooms", "speech recog\u00adniton in rooms"])
async def test_a_typo_between_signs_is_corrected_too(scene, typed):
    panel = await (await words_and_people(scene, query=typed)).press("Change to “recognition”")
    assert "Did you mean" not in panel.text


async def test_a_correction_that_a_form_could_not_hold_is_only_said(scene):
    panel = await words_and_people(scene, query="recogniton of speech in " + "noisy rooms " * 39 + "and hall")
    assert "Did you mean “recognition”?" in panel.text
    assert "Change to “recognition”" not in labels(panel)


async def test_set_up_corrects_typos_too(scene):
    page = await (await scene.user.slash("/setup")).press("Next")
    form = await page.press("In your own words")
    values = {"query": "speech recogniton with neural netwroks", "fields": ""}
    page = await scene.user.submit(form.message["modal"], values)
    assert "-# Did you mean “recognition” and “networks”?" in page.text
    assert "I look for “recogniton” and “netwroks”, as you typed them." in page.text
    page = await page.press("Correct the spelling")
    assert "Did you" not in page.text
    assert "speech recognition with neural networks" in page.text


@pytest.mark.parametrize("topic", ["the", "of the and"])
async def test_a_topic_of_words_that_everybody_uses_is_refused(scene, topic):
    reply = await scene.user.slash(f"/follow topic:{topic}")
    assert "too common to find papers by" in reply.text
    assert "No paper that I know" not in reply.text
    assert await follows(scene) == set()


@pytest.mark.parametrize(("typed", "kept"), [("CS.cl", "cs.CL"), ("Cs", "cs")])
async def test_a_category_is_followed_whichever_letters_are_capitals(scene, typed, kept):
    assert f"You follow **{kept}**" in (await scene.user.slash(f"/follow category:{typed}")).text
    assert await follows(scene) == {kept}


async def test_who_follows_nothing_is_told_where_to_begin(scene):
    assert "the card of a person has a button" in (await scene.user.slash("/following")).text
