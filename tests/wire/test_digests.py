"""Digests over the wire: set up, due, posted once, made up for, and never twice the same."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from bot.local_discord.client import ShownReply, UserClient
from bot.local_discord.completion import files_of
from commands.digests.posting import Poster
from index.digest.due import PATIENCE
from tests.helpers.digests import MONDAY, active, in_zone, papers, re_titles
from tests.helpers.lab import fill
from tests.helpers.members import heard_by, joins


async def test_a_digest_is_set_up_looked_at_and_posted_once(scene):
    user = scene.user
    assert "no digests here yet" in (await user.slash("/digest list")).text
    panel = await user.slash("/digest create")
    assert panel.is_private
    assert "Not started yet" in panel.text
    shown = await panel.press("Preview")
    assert "5 of 9 new papers" in shown.text
    assert scene.posts() == [], "a preview posts nothing"
    panel = await panel.choose("10:00", panel.selects[0])
    assert "at 10:00" in panel.text
    panel = await in_zone(panel)
    started = await panel.press("Start")
    assert "Started" in started.text
    assert "next <t:" in started.text
    [digest] = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]))
    assert (digest.at, digest.state) == ("10:00", "active")


async def test_what_is_due_is_posted_once_whoever_looks(scene):
    await active(scene)
    assert await scene.poster.tick() == 0, "an hour before"
    scene.at += timedelta(hours=1, minutes=1)
    other = Poster(scene.bot, scene.bot.services)
    assert await scene.poster.tick() == 1
    assert await other.tick() == 0, "another process has the lease"
    await scene.poster.close()
    assert await other.tick() == 0, "and nothing is due any more"
    [post] = scene.posts()
    assert "Monday, 16 Nov 2026" in post.text
    assert "5 of 9 new papers" in post.text
    assert post.message["mentions"] == []
    assert len([button for button in post.buttons if button["label"] == "Save"]) == 5


async def test_taste_is_learned_and_nothing_is_shown_twice(scene):
    digest = await active(scene)
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    [post] = scene.posts()
    first = set(re_titles(post.text))
    liked = next(title for title in first if "switches" in title)
    section = re_titles(post.text).index(liked)
    saved = await post.press([b for b in post.buttons if b["label"] == "Save"][section])
    assert "Saved" in saved.text
    assert saved.is_private
    again = await post.press([b for b in post.buttons if b["label"] == "Save"][section])
    assert "Already in your library" in again.text
    assert [b["label"] for b in again.buttons] == ["Manage"], "it changed nothing, so nothing is undone"
    tuesday = MONDAY + timedelta(days=1)
    await fill(scene.bot, papers(tuesday, 101))
    scene.at += timedelta(days=1)
    assert await scene.poster.tick() == 1
    second = re_titles(scene.posts()[1].text)
    assert not first & set(second), "what was shown is not shown again"
    assert "switches" in second[0], "and what is like the saved paper comes first"
    assert "saved or liked here" in scene.posts()[1].text
    assert "Removed from your library" in (await saved.press("Undo")).text
    history = await scene.user.slash("/digest history")
    assert history.text.count("posted") == 2
    assert (await scene.bot.services.store.digests.find(digest.id)).upto == tuesday


async def test_a_crash_between_posting_and_marking_posts_nothing_twice(scene, monkeypatch):
    await active(scene)
    scene.at += timedelta(hours=2)
    store = scene.bot.services.store.digests

    async def dies(*_):
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(store, "posted", dies)
        assert await scene.poster.tick() == 0
    assert len(scene.posts()) == 1
    await scene.poster.close()
    scene.discord.state.nonces.clear()
    after = Poster(scene.bot, scene.bot.services)
    await after.tick()
    assert len(scene.posts()) == 1, "it was found in the channel"
    assert await store.unposted() == []


async def test_a_posting_that_discord_refuses_for_a_while_is_posted_later(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    scene.discord.faults.add(route=r"POST /channels/\d+/messages", status=503)
    assert await scene.poster.tick() == 0
    assert await scene.poster.tick() == 0, "not again at once"
    scene.discord.faults.clear()
    scene.at += timedelta(minutes=1)
    assert await scene.poster.tick() == 1
    assert len(scene.posts()) == 1


async def test_a_listing_that_does_not_come_is_told_to_the_owner_and_made_up_for(scene):
    await active(scene)
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    scene.at += timedelta(days=1)  # Tuesday: no listing in the store, and arXiv was not reached
    assert await scene.poster.tick() == 0
    assert len(scene.posts()) == 1
    scene.at += PATIENCE
    assert await scene.poster.tick() == 0
    assert await scene.poster.tick() == 0
    assert len(scene.posts()) == 1, "the channel hears nothing of it"
    [told] = scene.dms()
    assert "could not be read in time" in told.text
    tuesday, wednesday = MONDAY + timedelta(days=1), MONDAY + timedelta(days=2)
    await fill(scene.bot, papers(tuesday, 101) + papers(wednesday, 201))
    scene.at = datetime(2026, 11, 18, 9, 5, tzinfo=UTC)
    assert await scene.poster.tick() == 1
    assert "of 18 new papers" in scene.posts()[1].text


async def test_a_clock_that_ran_ahead_for_a_while_costs_no_later_day(scene):
    digest = await active(scene)
    right = scene.at + timedelta(hours=2)
    scene.at = right + timedelta(days=3_650)
    await scene.poster.tick()
    await scene.bot.services.store.digests.change(digest.id, name="Ten years later")
    scene.at = right
    await scene.poster.tick()
    for day in (1, 2):
        await fill(scene.bot, papers(MONDAY + timedelta(days=day), 100 * day + 1))
        scene.at += timedelta(days=1)
        assert await scene.poster.tick() == 1, day
        assert await scene.poster.tick() == 0


async def test_after_an_outage_one_posting_makes_up_for_all_days(scene):
    await active(scene)
    days = [MONDAY + timedelta(days=n) for n in range(4)]
    for n, day in enumerate(days[1:], 1):
        await fill(scene.bot, papers(day, 100 * n + 1))
    scene.at = datetime(2026, 11, 19, 21, 0, tzinfo=UTC)
    assert await scene.poster.tick() == 1
    assert await scene.poster.tick() == 0
    [post] = scene.posts()
    assert "posted late" in post.text
    assert "of 36 new papers" in post.text


async def test_a_channel_that_is_gone_stops_the_digest_and_its_owner_is_told_once(scene):
    digest = await active(scene)
    channel = scene.discord.state.channels[scene.discord.channel["id"]]
    async with heard_by(scene.bot, "guild_channel_delete"):
        await scene.discord.gateway.to_channel(channel, "CHANNEL_DELETE", channel)
    del scene.discord.state.channels[channel["id"]]
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 0
    assert await scene.poster.tick() == 0
    [told] = scene.dms()
    assert "the channel is gone" in told.text
    assert (await scene.bot.services.store.digests.find(digest.id)).state == "broken"


async def test_days_without_papers_that_fit_are_said_or_silent(scene):
    await active(scene, require="zebrafish")
    await active(scene, require="zebrafish", quiet=True)
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    [post] = scene.posts()
    assert "none of 9 new papers match" in post.text


@pytest.mark.parametrize(
    ("query", "shown"), [("in-network gossip on programmable switches", 3), ("audio codecs", 0)]
)
async def test_papers_on_other_subjects_do_not_fill_a_digest_up(scene, query, shown):
    corpus = scene.bot.services.corpus
    with corpus.writing():
        await corpus.embed_backlog()
    await active(scene, query=query)
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    [post] = scene.posts()
    titles = re_titles(post.text)
    assert len(titles) == shown
    assert all("Gossip" in title for title in titles)
    assert shown or "none of 9 new papers match" in post.text


async def test_words_are_required_and_excluded(scene):
    await active(scene, require="switches\nspeech", exclude="noisy rooms")
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    titles = re_titles(scene.posts()[0].text)
    assert len(titles) == 3
    assert all("switches" in title for title in titles)


async def test_only_those_who_manage_the_server_change_its_digests(scene):
    digest = await active(scene)
    member = joins(scene.discord, "bee")
    async with UserClient(scene.discord.url, scene.discord.state.token_of(member["id"])) as other:
        assert "manage this server" in (await other.slash("/digest create")).text
        for command in ("pause", "edit", "delete", "now", "preview", "history"):
            refused = (await other.slash(f"/digest {command}")).text
            assert "You have no digest of your own" in refused, command
            assert "who manage this server can change its digests" in refused
        assert "no such digest" in (await other.slash("/digest pause digest:new")).text
        panel = await scene.user.slash("/digest edit")
        forged = {"component_type": 2, "custom_id": f"dgb:x:{digest.id}", "forged": True}
        message = (await other.slash("/help")).message
        await other.component(message, forged)
        own = await other.slash("/digest mine")
        assert "by direct message" in own.text
    assert "manage" not in panel.text
    assert (await scene.bot.services.store.digests.find(digest.id)).state == "active"


async def test_pausing_going_on_and_deleting(scene):
    digest = await active(scene)
    assert "Paused" in (await scene.user.slash("/digest pause")).text
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 0
    assert "Resumed" in (await scene.user.slash("/digest resume")).text
    asked = await scene.user.slash("/digest delete")
    assert "Deleted" in (await asked.press("Delete")).text
    assert await scene.bot.services.store.digests.find(digest.id) is None
    assert "no digests here yet" in (await scene.user.slash("/digest preview")).text


@pytest.mark.parametrize("command", ["pause", "resume", "history", "now", "edit", "taste", "delete"])
async def test_without_any_digest_each_command_says_so_and_how_to_set_one_up(scene, command):
    told = (await scene.user.slash("/digest list")).text
    assert (await scene.user.slash(f"/digest {command}")).text == told
    assert "no such digest" in (await scene.user.slash(f"/digest {command} digest:mornings")).text


async def test_a_paused_digest_is_said_to_be_paused(scene):
    await active(scene)
    await scene.user.slash("/digest pause")
    now = (await scene.user.slash("/digest now")).text
    assert now == "This digest is paused, so nothing is posted. /digest resume starts it again."
    assert "It is paused; /digest resume starts it again." in (await scene.user.slash("/digest history")).text


async def test_a_taste_is_asked_for_learned_shown_and_taken_back(scene):
    await active(scene, query="")
    await fill(scene.bot, papers(MONDAY - timedelta(days=3), 301, 30))
    empty = await scene.user.slash("/digest taste")
    assert "has learned nothing yet" in empty.text
    asked = await empty.press("Ask me")
    seen, yes = [], 0
    for count in range(1, 13):
        assert f"({count} of 12)" in asked.text
        [title] = re_titles(asked.text)
        assert title not in seen, "nothing is asked twice"
        seen.append(title)
        wanted = "switches" in title
        yes += wanted
        asked = await asked.press("Yes" if wanted else "Not sure" if count == 2 else "No")
    assert "has learned" in asked.text
    assert f"**Wanted** {yes} paper" in asked.text
    assert "**Not wanted**" in asked.text
    first = asked.selects[0]["options"][0]["value"]
    taken = await asked.choose(first, asked.selects[0])
    assert first not in [option["value"] for option in taken.selects[0]["options"]]
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    assert "switches" in re_titles(scene.posts()[0].text)[0], "and the next posting knows it"


async def test_top_counts_what_people_here_saved_and_liked(scene):
    assert "Nobody here saved or liked" in (await scene.user.slash("/top")).text
    await active(scene)
    scene.at += timedelta(hours=2)
    await scene.poster.tick()
    post = scene.posts()[-1]
    titles = re_titles(post.text)
    member = joins(scene.discord, "bee")
    await post.press([b for b in post.buttons if b["label"] == "Save"][1])
    async with UserClient(scene.discord.url, scene.discord.state.token_of(member["id"])) as bee:
        seen = ShownReply(bee, post.message)
        await seen.press([b for b in post.buttons if b["label"] == "Like"][1])
        await seen.press(next(b for b in post.buttons if b["label"] == "Like"))
        await seen.press([b for b in post.buttons if b["label"] == "Not for us"][2])
        top = await bee.slash("/top days:30")
        assert "not allowed looking beyond" in (await bee.slash("/top everywhere:true")).text
    assert re_titles(top.text) == [titles[1], titles[0]]
    assert "1 save · 1 like" in top.text
    assert "of 9" in top.text, "its place in the ranking alone"
    assert (
        "Nobody here saved or liked a paper in math.AG"
        in (await scene.user.slash("/top category:math.AG")).text
    )
    assert titles[1] in (await scene.user.slash("/library show")).text, "saved is kept, too"


async def test_the_panel_sets_words_people_time_and_place(scene):
    await fill(scene.bot, papers(MONDAY, 1))
    panel = await scene.user.slash("/digest create")
    form = await panel.press("Name, time, zone")
    bad = await scene.user.submit(
        form.message["modal"], {"name": "Mornings", "at": "25:00", "zone": "Europe/Berlin"}
    )
    assert "**I can't read “25:00” as a time, so I left it as it was. Write it like 08:30, 9am," in bad.text
    assert "at 09:00 Europe/Berlin" in bad.text, "the rest of the form is kept"
    assert "**Mornings**" in bad.text
    form = await bad.press("Name, time, zone")
    bad = await scene.user.submit(form.message["modal"], {"name": "Noons", "at": "12:30", "zone": "Nowhere"})
    assert "**I don't know this time zone, so I left it as it was. Write it like Europe/Berlin" in bad.text
    assert "at 12:30 Europe/Berlin" in bad.text
    assert "**Noons**" in bad.text
    form = await bad.press("Name, time, zone")
    done = await scene.user.submit(
        form.message["modal"], {"name": "**Mornings** @everyone", "at": "8:30 a.m.", "zone": "europe/berlin"}
    )
    assert "at 08:30 Europe/Berlin" in done.text
    what = await done.press("Papers")
    form = await what.press("Words and people")
    bad = await scene.user.submit(
        form.message["modal"], {"query": "q", "people": "Nobody Atall", "require": "", "exclude": ""}
    )
    assert "I don't know anyone called “Nobody Atall”" in bad.text
    assert "“q”" in bad.text, "the rest of the form is kept"
    what = await what.choose("full", what.selects[-1])
    other = scene.discord.state.add_channel(scene.discord.guild["id"], "papers")
    await scene.discord.gateway.to_channel(other, "CHANNEL_CREATE", other)
    when = await what.press("When and where")
    when = await when.choose("thread", when.selects[2])
    placed = await when.choose(other["id"], when.selects[-1])
    assert f"<#{other['id']}>" in placed.text
    await placed.press("Start")
    [digest] = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]))
    assert (digest.form, digest.at, digest.zone, digest.style, digest.channel) == (
        "thread",
        "08:30",
        "Europe/Berlin",
        "full",
        int(other["id"]),
    )


async def test_a_digest_that_posts_takes_a_new_time_and_zone_together_or_neither(scene):
    digest = await active(scene)
    panel = await scene.user.slash("/digest edit")
    for values, says in (
        ({"at": "12:30", "zone": "Nowhere"}, "I left the time as it was, too."),
        ({"at": "25:00", "zone": "Asia/Tokyo"}, "I left the time zone as it was, too."),
        ({"at": "25:00", "zone": "Nowhere"}, "I don't know this time zone"),
    ):
        form = await panel.press("Name, time, zone")
        panel = await scene.user.submit(form.message["modal"], {"name": "Early", **values})
        assert says in panel.text
        after = await scene.bot.services.store.digests.find(digest.id)
        assert (after.name, after.at, after.zone) == ("Early", "09:00", "UTC")
    form = await panel.press("Name, time, zone")
    panel = await scene.user.submit(form.message["modal"], {"name": "Early", "at": "25:00", "zone": "UTC"})
    assert "so I left it as it was" in panel.text
    assert "too." not in panel.text, "nobody changed the zone"
    form = await panel.press("Name, time, zone")
    values = {"name": "Early", "at": "12:30", "zone": "Asia/Tokyo"}
    panel = await scene.user.submit(form.message["modal"], values)
    after = await scene.bot.services.store.digests.find(digest.id)
    assert (after.at, after.zone) == ("12:30", "Asia/Tokyo")


async def test_the_day_s_picture_comes_with_the_post_and_in_words(scene):
    await fill(scene.bot, papers(MONDAY, 401, 30))
    digest = await active(scene)
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    [post] = scene.posts()
    [gallery] = [c for c in post.message["components"][0]["components"] if c["type"] == 12]
    [item] = gallery["items"]
    assert item["description"].startswith("39 new papers of 16 Nov 2026 by topic: ")
    assert all(str(number) in item["description"] for number in range(1, 6))
    [told] = [
        line
        for line in post.text.split("\n")
        if line.startswith("-# The day by topic, chosen papers in brackets: ")
    ]
    assert all(str(number) in told for number in range(1, 6)), "who sees no pictures reads the same"
    [attachment] = files_of(post.message)
    assert scene.discord.state.files[attachment["id"]][2].startswith(b"\x89PNG")
    await scene.bot.services.store.digests.change(digest.id, picture=False)
    assert not files_of((await scene.user.slash("/digest preview")).message)


async def test_a_preview_says_how_it_was_chosen_and_turns_its_pages(scene):
    panel = await scene.user.slash("/digest create")
    panel = await panel.press("Papers")
    panel = await panel.choose("8", next(s for s in panel.selects if s["custom_id"].startswith("dgs:n")))
    shown = await panel.press("Preview")
    assert "8 of 9 new papers" in shown.text
    assert "9 new papers in all my fields" in (await shown.press("How these were chosen")).text
    more = await shown.press("3 more")
    assert more.is_private
    assert "\n6. " in "\n" + more.text
    assert "9 new papers in all my fields" in (await more.press("How these were chosen")).text
    assert scene.posts() == []


async def test_a_digest_is_meant_by_its_exact_name_before_a_part_of_one(scene):
    """ "New papers" is a part of "Your new papers", the names that digests have by default."""
    user = scene.user
    await active(scene)
    await user.slash("/digest mine")
    asked = await user.slash("/digest preview")
    here = f"in <#{scene.discord.channel['id']}>"
    told = f"Which digest do you mean: New papers {here} or Your new papers by direct message?"
    assert told in asked.text
    name = scene.discord.channel["name"]
    offered = await user.complete("/digest preview digest:new")
    assert [one["name"] for one in offered] == [f"New papers · #{name}", "Your new papers · direct message"]
    named = await user.slash("/digest preview digest:New papers")
    assert "5 of 9 new papers" in named.text


async def test_without_a_listing_there_is_nothing_to_post_now(scene):
    await active(scene)
    async with scene.bot.services.store.digests._writer.begin() as connection:
        await connection.execute(text("DELETE FROM listings"))
        await connection.execute(text("UPDATE papers SET announced = NULL"))
    reply = await scene.user.slash("/digest now")
    assert "I haven't read a listing yet, so there is nothing to post." in reply.text
    assert reply.is_private
    assert scene.posts() == []


async def test_a_draft_is_listed_and_can_be_gone_on_with(scene):
    user = scene.user
    await user.slash("/digest create")
    listed = await user.slash("/digest list")
    assert "not started yet" in listed.text
    assert "Not started yet" in (await listed.press("Settings")).text
    assert "5 of 9 new papers" in (await user.slash("/digest preview")).text
    assert "not started yet" in (await user.slash("/digest now")).text
    assert "not started yet" in (await user.slash("/digest pause")).text
    assert "not started yet" in (await user.slash("/digest history")).text
    other = scene.discord.state.token_of(joins(scene.discord, "bee")["id"])
    async with UserClient(scene.discord.url, other) as bee:
        assert "no digests here yet" in (await bee.slash("/digest list")).text
    assert "Choose a time zone first" in (await user.slash("/digest resume")).text
    await in_zone(await user.slash("/digest edit"))
    assert "Started" in (await user.slash("/digest resume")).text
    assert "next <t:" in (await user.slash("/digest list")).text
    await user.slash("/digest mine")
    assert "Not started yet" in (await user.slash("/digest mine")).text, "the same draft, with what was set"


@pytest.mark.parametrize("answer", ["Posted.", "Something went wrong on my side"])
async def test_what_takes_long_is_told_and_then_answered_in_its_place(scene, answer):
    """Here a posting is on its way; after a start it is the model, or the library, that is waited for."""
    await active(scene)
    scene.bot.services.interim_after = 0.1
    scene.bot.services.model_settled.clear()
    async with scene.bot.poster._posting:
        told = await scene.user.slash("/digest now")
        assert "still loading" in told.text
        assert "The answer will appear here" in told.text
        if answer != "Posted.":
            async with scene.bot.services.store.digests._writer.begin() as connection:
                await connection.execute(text("ALTER TABLE deliveries RENAME TO gone"))
        changed = asyncio.create_task(
            scene.user.wait_for("MESSAGE_UPDATE", lambda m: m["id"] == told.message["id"], within=60)
        )
        await asyncio.sleep(0)
    answered = ShownReply(scene.user, await changed)
    assert answer in answered.text
    assert answered.is_private


async def test_a_digest_that_runs_is_not_resumed(scene):
    await active(scene)
    said = await scene.user.slash("/digest resume")
    assert "running already" in said.text
    assert "Resumed" not in said.text
    paused = await scene.user.slash("/digest pause")
    assert "Resumed" in (await paused.press("Resume")).text


async def test_a_second_digest_of_one_name_in_a_channel_is_said_to_be_one(scene):
    assert "already" not in (await scene.user.slash("/digest create")).text
    first = await active(scene)
    panel = await scene.user.slash("/digest create")
    assert "There is a digest called **New papers** in <#" in panel.text
    assert f"/digest edit digest:#{first.id}" in panel.text
