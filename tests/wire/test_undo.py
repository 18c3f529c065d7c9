"""*Undo* undoes what its own press did, and nothing that was said or saved since."""

from __future__ import annotations

from datetime import timedelta

from tests.helpers.digests import active


async def the_post(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    [post] = scene.posts()
    return post


async def kept(scene):
    """The papers that the member keeps."""
    return await scene.bot.services.store.library.of(int(scene.user.user["id"]))


async def opinions(scene):
    """What the member thinks of papers, and since when."""
    store = scene.bot.services.store
    return [
        (kind, made) for *_, kind, made in await store.digests.opinions(member=int(scene.user.user["id"]))
    ]


async def title_of(scene):
    """The title of the one paper that the member keeps."""
    [work] = await kept(scene)
    [paper] = await scene.bot.services.store.papers([work.paper_id])
    return paper.title


async def test_undo_leaves_a_paper_that_was_saved_again_elsewhere(scene):
    post = await the_post(scene)
    saved = await post.press("Save")
    scene.at += timedelta(hours=1)
    again = await scene.user.slash(f"/save paper:{await title_of(scene)}")
    assert "already" in again.text
    undone = await saved.press("Undo")
    assert "stays in your library" in undone.text
    assert len(await kept(scene)) == 1


async def test_undo_leaves_a_paper_that_was_removed_and_saved_anew(scene):
    post = await the_post(scene)
    saved = await post.press("Save")
    title, [first] = await title_of(scene), await kept(scene)
    await scene.bot.services.store.library.drop(first.member, first.id)
    scene.at += timedelta(hours=1)
    assert "already" not in (await scene.user.slash(f"/save paper:{title}")).text
    assert "stays in your library" in (await saved.press("Undo")).text
    assert len(await kept(scene)) == 1


async def test_undo_leaves_a_paper_that_was_put_back(scene):
    post = await the_post(scene)
    saved = await post.press("Save")
    [work] = await kept(scene)
    library = scene.bot.services.store.library
    await library.drop(work.member, work.id)
    scene.at += timedelta(hours=1)
    await library.put_back(work.member, work.id)
    assert "stays in your library" in (await saved.press("Undo")).text
    assert len(await kept(scene)) == 1


async def test_undo_leaves_the_same_opinion_of_a_later_press(scene):
    post = await the_post(scene)
    saved = await post.press("Save")
    scene.at += timedelta(hours=1)
    assert "Already" in (await post.press("Save")).text
    undone = await saved.press("Undo")
    assert "nothing left to take back" in undone.text
    assert [kind for kind, _ in await opinions(scene)] == ["save"]
    assert len(await kept(scene)) == 1


async def test_an_opinion_that_is_given_back_keeps_its_date(scene):
    post = await the_post(scene)
    await post.press("Like")
    before = await opinions(scene)
    scene.at += timedelta(days=3)
    slip = await post.press("Not for us")
    scene.at += timedelta(days=3)
    await slip.press("Undo")
    assert await opinions(scene) == before
