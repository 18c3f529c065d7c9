"""Save, Like and Not for us below a digest's papers, and what *Undo* gives back."""

from datetime import timedelta

from tests.helpers.digests import active


async def the_post(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    [post] = scene.posts()
    return post


async def held(scene):
    """What the member thinks of papers here, and how many papers they keep."""
    store, member = scene.bot.services.store, int(scene.user.user["id"])
    thought = [kind for _, _, kind, _ in await store.digests.opinions(member=member)]
    return thought, len(await store.library.of(member))


async def test_undo_of_a_saved_paper_takes_it_out_also_once_it_was_liked(scene):
    post = await the_post(scene)
    saved = await post.press("Save")
    await post.press("Like")
    assert await held(scene) == (["like"], 1)
    undone = await saved.press("Undo")
    assert "Removed from your library" in undone.text
    assert "You still like it." in undone.text
    assert await held(scene) == (["like"], 0)


async def test_undo_of_a_wrong_press_gives_back_what_was_said_before(scene):
    post = await the_post(scene)
    await post.press("Save")
    slip = await post.press("Not for us")
    assert await held(scene) == (["dislike"], 1)
    assert "It stays saved." in (await slip.press("Undo")).text
    assert await held(scene) == (["save"], 1)
    again = await slip.press("Undo")
    assert "nothing left to take back" in again.text
    assert "It stays saved." in again.text
    assert await held(scene) == (["save"], 1)


async def test_undo_leaves_what_was_said_later(scene):
    post = await the_post(scene)
    liked = await post.press("Like")
    slip = await post.press("Not for us")
    assert "nothing left to take back" in (await liked.press("Undo")).text
    assert await held(scene) == (["dislike"], 0)
    assert "You still like it." in (await slip.press("Undo")).text
    assert await held(scene) == (["like"], 0)
    assert (await liked.press("Undo")).text.startswith("Taken back: ")
    assert await held(scene) == ([], 0)


async def test_undo_keeps_a_saved_paper_that_was_worked_on(scene):
    post = await the_post(scene)
    saved = await post.press("Save")
    library, member = scene.bot.services.store.library, int(scene.user.user["id"])
    [kept] = await library.of(member)
    await library.change(member, kept.id, note="read this first")
    undone = await saved.press("Undo")
    assert "stays in your library" in undone.text
    assert await held(scene) == ([], 1)
