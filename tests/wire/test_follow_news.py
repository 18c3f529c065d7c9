"""What members follow is in their own digests: all papers by people, what fills the rest, and why."""

from sqlalchemy import update

from data.tables.digests import DigestRow
from tests.helpers.digests import MONDAY, NOWHERE, embed, know_people, re_titles
from tests.helpers.lab import fill
from tests.helpers.records import record

SUBJECTS = tuple(f"{flour} bread" for flour in ("rye", "wheat", "oat", "barley", "spelt", "maize"))


def _by_ottoline():
    """Papers of one author on something else than the listing."""
    return [
        record(
            500 + n,
            title=f"On {subject}",
            abstract=f"Bakers bake {subject} in ovens. We bake {subject} for a year and taste its crust.",
            authors=["Grace Hopper", "Ottoline Quillfeather"],
            categories=["physics.pop-ph"],
            announced=MONDAY,
            listings=[("physics.pop-ph", MONDAY)],
        )
        for n, subject in enumerate(SUBJECTS)
    ]


async def test_all_papers_by_somebody_followed_come_before_those_on_a_topic(scene):
    await fill(scene.bot, _by_ottoline())
    await embed(scene)
    await know_people(scene)
    await scene.user.slash("/follow topic:gossip in programmable switches")
    await scene.user.slash("/follow person:Ottoline Quillfeather")
    preview = await (await scene.user.slash("/digest mine")).press("Preview")
    titles = re_titles(preview.text) + re_titles((await preview.press("1 more")).text)
    assert set(titles) == {f"On {subject}" for subject in SUBJECTS}, (
        "one more than the five that are shown else"
    )
    assert preview.text.count("by Ottoline Quillfeather, followed") == 5
    why = await preview.press("How these were chosen")
    assert "Papers by people you follow or watch come first." in why.text


async def test_words_rule_out_papers_by_people_too_and_no_others_come_instead(scene):
    await fill(scene.bot, _by_ottoline())
    await embed(scene)
    await know_people(scene)
    await scene.user.slash("/follow person:Ottoline Quillfeather")
    panel = await (await scene.user.slash("/digest mine")).press("Papers")
    form = await panel.press("Words and people")
    await scene.user.submit(form.message["modal"], NOWHERE | {"query": "molecules", "exclude": "bread"})
    preview = await scene.user.slash("/digest preview")
    assert 0 < len(re_titles(preview.text)) <= 5
    assert "more" not in [button["label"] for button in preview.buttons]
    assert "bread" not in preview.text


async def test_a_category_that_the_digest_does_not_read_changes_nothing(scene):
    await fill(scene.bot, _by_ottoline())
    await embed(scene)
    await scene.user.slash("/digest mine")
    async with scene.bot.services.store.digests._writer.begin() as connection:
        await connection.execute(update(DigestRow).values(categories="cs.CL"))
    before = re_titles((await scene.user.slash("/digest preview")).text)
    await scene.user.slash("/follow category:physics.pop-ph")
    assert re_titles((await scene.user.slash("/digest preview")).text) == before != []


async def test_a_followed_category_fills_what_is_left(scene):
    await fill(scene.bot, _by_ottoline())
    await embed(scene)
    await scene.user.slash("/follow topic:gossip in programmable switches")
    preview = await (await scene.user.slash("/digest mine")).press("Preview")
    before = re_titles(preview.text)
    assert not any(title.startswith("On ") for title in before)
    await scene.user.slash("/follow category:physics.pop-ph")
    preview = await scene.user.slash("/digest preview")
    titles = re_titles(preview.text)
    assert titles[: len(before)] == before
    assert len(titles) == 5
    assert "in physics.pop-ph, which you follow" in preview.text


async def test_a_followed_category_alone_is_all_that_is_shown(scene):
    await fill(scene.bot, _by_ottoline()[:2])
    await embed(scene)
    await scene.user.slash("/follow category:physics.pop-ph")
    preview = await (await scene.user.slash("/digest mine")).press("Preview")
    assert set(re_titles(preview.text)) == {"On rye bread", "On wheat bread"}
    assert "in the categories that you follow" in (await preview.press("How these were chosen")).text


async def test_a_followed_paper_is_not_said_to_be_saved(scene):
    await embed(scene)
    title = "Gossip in programmable switches, part 3"
    await scene.user.slash(f"/follow paper:{title}")
    preview = await (await scene.user.slash("/digest mine")).press("Preview")
    assert "that you follow" in preview.text
    assert "saved or liked" not in preview.text
