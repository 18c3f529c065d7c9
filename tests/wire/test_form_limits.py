"""Forms open whatever stands in them: Discord refuses a default beyond its field's limit."""

from sqlalchemy import text

from data.stores.library import MAX_NOTE, MAX_TAG, MOST_TAGS
from tests.helpers.digests import active

MOST_PEOPLE = 30


def inputs(reply):
    """The text fields of a form, wherever they stand in it."""
    waiting, fields = list(reply.message["modal"]["components"]), []
    while waiting:
        one = waiting.pop()
        waiting += one.get("components") or []
        waiting += [one["component"]] if one.get("component") else []
        fields += [one] if one["type"] == 4 else []
    return {one["custom_id"]: one for one in fields}


async def test_thirty_people_of_long_names_stand_in_a_digest_s_form_and_stay(scene):
    store = scene.bot.services.store
    async with store.digests._writer.begin() as connection:
        more = (
            "INSERT INTO people (id, name, papers, since) SELECT id + 9000, name, papers, since FROM people"
        )
        await connection.execute(text(f"{more} LIMIT 6"))
        await connection.execute(
            text("UPDATE people SET name = :name || id"), {"name": "Wolfeschlegel " * 12}
        )
        people = list(await connection.scalars(text("SELECT id FROM people LIMIT 30")))
    assert len(people) == MOST_PEOPLE
    digest = await active(scene, people=" ".join(map(str, people)), query="q" * 500, require="r" * 500)
    panel = await scene.user.slash("/digest edit")
    form = await (await panel.press("Papers")).press("Words and people")
    fields = inputs(form)
    assert len(fields["people"]["value"].splitlines()) == MOST_PEOPLE
    for field in fields.values():
        assert len(field.get("value") or "") <= field["max_length"] <= 4_000
    values = {name: field.get("value") or "" for name, field in fields.items()}
    await scene.user.submit(form.message["modal"], values)
    assert (await store.digests.find(digest.id)).people == " ".join(map(str, people)), "none was lost"


async def test_a_longer_name_than_the_form_takes_is_cut(scene):
    """Discord's own client takes no more; a tampered one sends it."""
    digest = await active(scene)
    form = await (await scene.user.slash("/digest edit")).press("Name, time, zone")
    await scene.user.submit(form.message["modal"], {"name": "n" * 4_000, "at": "09:00", "zone": "UTC"})
    assert (await scene.bot.services.store.digests.find(digest.id)).name == "n" * 80


async def test_twelve_long_tags_and_a_long_note_stand_in_the_library_s_form(scene):
    member = int(scene.user.user["id"])
    library = scene.bot.services.store.library
    await scene.user.slash("/save paper:Gossip in programmable switches, part 3")
    [kept] = await library.of(member)
    tags = tuple(f"{n:02d}{'t' * (MAX_TAG - 2)}" for n in range(MOST_TAGS))
    await library.change(member, kept.id, tags=tags, note="n" * MAX_NOTE)
    shown = await scene.user.slash("/save paper:Gossip in programmable switches, part 3")
    form = await shown.press("Tags and note")
    fields = inputs(form)
    assert min(len(field["value"]) for field in fields.values()) > 500
    await scene.user.submit(form.message["modal"], {name: field["value"] for name, field in fields.items()})
    assert (await library.find(member, kept.id)).tags == tags


async def test_what_does_not_fit_the_library_s_form_stays(scene):
    """The notes and tags of papers that turned out to be one are longer than a member may write."""
    member = int(scene.user.user["id"])
    library = scene.bot.services.store.library
    await scene.user.slash("/save paper:Gossip in programmable switches, part 3")
    [kept] = await library.of(member)
    tags = tuple(f"{n:03d}{'t' * (MAX_TAG - 3)}" for n in range(10 * MOST_TAGS))
    note = "\n".join(letter * MAX_NOTE for letter in "abc")
    await library.change(member, kept.id, tags=tags, note=note)
    shown = await scene.user.slash("/save paper:Gossip in programmable switches, part 3 tags:late")
    assert "and 108 more tags" in shown.text
    form = await shown.press("Tags and note")
    fields = inputs(form)
    assert all(len(field["value"]) <= field["max_length"] <= 4_000 for field in fields.values())
    await scene.user.submit(form.message["modal"], {name: field["value"] for name, field in fields.items()})
    found = await library.find(member, kept.id)
    assert (found.tags, found.note) == (tags, note)
