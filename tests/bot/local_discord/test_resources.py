"""Pins, reactions, polls, webhooks, overwrites, roles, threads, history: as Discord keeps and lists them."""

from __future__ import annotations

import pytest

from bot.local_discord.client import CommandRefusedError
from bot.local_discord.state import FORUM

UNUSABLE = ["limit=0", "limit=-1", "limit=1000000", "limit=x", "limit=" + "9" * 5_000]


def _contents(messages):
    return [message["content"] for message in messages]


# -- pins --------------------------------------------------------------------------------------


async def test_pins_are_listed_with_their_times_in_pages(wire):
    for number in range(3):
        said = await wire.post(f"number {number}")
        await wire.ask("PUT", f"{wire.channel}/messages/pins/{said['id']}")
        wire.server.state.clock_offset += 10
    first = await wire.ask("GET", wire.channel + "/messages/pins", params={"limit": "2"})
    assert _contents(item["message"] for item in first["items"]) == ["number 2", "number 1"]
    assert first["has_more"]
    before = {"before": first["items"][-1]["pinned_at"]}
    rest = await wire.ask("GET", wire.channel + "/messages/pins", params=before)
    assert _contents(item["message"] for item in rest["items"]) == ["number 0"]
    assert not rest["has_more"]
    assert _contents(await wire.ask("GET", wire.channel + "/pins")) == ["number 2", "number 1", "number 0"]


async def test_pinning_is_told_and_undone(wire):
    said = await wire.post("worth keeping")
    path = f"{wire.channel}/messages/pins/{said['id']}"
    told = wire.member._expect(lambda event, _: event == "CHANNEL_PINS_UPDATE")
    await wire.ask("PUT", path)
    await wire.ask("PUT", path)
    assert (await told)[1]["channel_id"] == wire.server.channel["id"]
    notices = [m for m in await wire.ask("GET", wire.channel + "/messages") if m["type"] == 6]
    assert [notice["message_reference"]["message_id"] for notice in notices] == [said["id"]]
    await wire.ask("DELETE", path)
    assert not (await wire.ask("GET", f"{wire.channel}/messages/{said['id']}"))["pinned"]
    assert (await wire.ask("GET", wire.channel + "/messages/pins"))["items"] == []


async def test_a_deleted_message_is_not_pinned_any_more(wire):
    said = await wire.post("gone soon")
    await wire.ask("PUT", f"{wire.channel}/pins/{said['id']}")
    await wire.ask("DELETE", f"{wire.channel}/messages/{said['id']}")
    assert (await wire.ask("GET", wire.channel + "/messages/pins"))["items"] == []


async def test_pinning_needs_its_permission_and_a_message(wire):
    stranger = await wire.post("unpinned")
    wire.server.state.guilds[wire.server.guild["id"]]["members"][stranger["author"]["id"]]["roles"].clear()
    path = f"{wire.channel}/messages/pins/"
    assert (await wire.answer("PUT", path + stranger["id"]))[1]["code"] == 50013
    with pytest.raises(CommandRefusedError, match="10008"):
        await wire.member.request("PUT", path + "1")


@pytest.mark.parametrize("query", [*UNUSABLE, "before=yesterday", "before=" + "9" * 300])
async def test_a_page_of_pins_with_a_wrong_query_is_refused(wire, query):
    status, answer, _ = await wire.answer("GET", f"{wire.channel}/messages/pins?{query}")
    assert (status, answer["code"]) == (400, 50035)


# -- reactions ---------------------------------------------------------------------------------


async def test_reactions_are_counted_for_each_viewer(wire):
    said = await wire.post("react")
    path = f"{wire.channel}/messages/{said['id']}"
    for emoji in ("👍", "🎉"):
        await wire.ask("PUT", f"{path}/reactions/{emoji}/@me")
    await wire.member.request("PUT", f"{path}/reactions/👍/@me")
    mine, theirs = (await wire.ask("GET", path))["reactions"], (await wire.member.request("GET", path))
    assert [(r["emoji"]["name"], r["count"], r["me"]) for r in mine] == [("👍", 2, True), ("🎉", 1, True)]
    assert [r["me"] for r in theirs["reactions"]] == [True, False]
    users = await wire.ask("GET", f"{path}/reactions/👍")
    assert {user["username"] for user in users} == {"labmate", "you"}
    assert len(await wire.ask("GET", f"{path}/reactions/👍?limit=1")) == 1
    await wire.ask("DELETE", f"{path}/reactions/👍/{wire.server.owner['id']}")
    await wire.ask("DELETE", f"{path}/reactions/🎉")
    assert [r["count"] for r in (await wire.ask("GET", path))["reactions"]] == [1]
    await wire.ask("DELETE", f"{path}/reactions")
    assert "reactions" not in await wire.ask("GET", path)


@pytest.mark.parametrize("emoji", ["word", "name:123", "%20", "1"])
async def test_what_is_no_emoji_is_refused(wire, emoji):
    said = await wire.post("react")
    path = f"{wire.channel}/messages/{said['id']}/reactions/{emoji}/@me"
    assert (await wire.answer("PUT", path))[1]["code"] == 10014


# -- polls -------------------------------------------------------------------------------------

POLL = {
    "question": {"text": "Read it?"},
    "answers": [{"poll_media": {"text": "Yes", "emoji": {"name": "📖"}}}, {"poll_media": {"text": "No"}}],
}


async def test_a_poll_is_voted_on_and_ended(wire):
    told = wire.member._expect(lambda event, _: event == "MESSAGE_POLL_VOTE_ADD")
    message = await wire.ask("POST", wire.channel + "/messages", {"poll": POLL})
    path = f"{wire.channel}/polls/{message['id']}"
    assert message["poll"]["results"] == {"is_finalized": False, "answer_counts": []}
    await wire.member.request("PUT", path + "/answers/@me", {"answer_ids": [1]})
    assert (await told)[1]["answer_id"] == 1
    await wire.member.request("PUT", path + "/answers/@me", {"answer_ids": ["2"]})
    assert (await wire.ask("GET", path + "/answers/1"))["users"] == []
    assert [user["username"] for user in (await wire.ask("GET", path + "/answers/2"))["users"]] == ["you"]
    seen = await wire.member.request("GET", f"{wire.channel}/messages/{message['id']}")
    assert seen["poll"]["results"]["answer_counts"] == [{"id": 2, "count": 1, "me_voted": True}]
    ended = await wire.ask("POST", path + "/expire")
    assert ended["poll"]["results"]["is_finalized"]
    result = (await wire.ask("GET", wire.channel + "/messages"))[0]
    assert (result["type"], result["embeds"][0]["type"]) == (46, "poll_result")
    assert (await wire.answer("POST", path + "/expire"))[1]["code"] == 520001
    with pytest.raises(CommandRefusedError, match="520001"):
        await wire.member.request("PUT", path + "/answers/@me", {"answer_ids": [1]})


async def test_a_poll_ends_by_itself(wire):
    message = await wire.ask("POST", wire.channel + "/messages", {"poll": {**POLL, "duration": 1}})
    wire.server.state.clock_offset += 3_601
    seen = await wire.ask("GET", f"{wire.channel}/messages/{message['id']}")
    assert seen["poll"]["results"]["is_finalized"]


@pytest.mark.parametrize("chosen", [[3], [0], [1, 2], ["x"], [None], [[]]])
async def test_a_vote_for_no_answer_or_too_many_is_refused(wire, chosen):
    message = await wire.ask("POST", wire.channel + "/messages", {"poll": POLL})
    path = f"{wire.channel}/polls/{message['id']}/answers/@me"
    with pytest.raises(CommandRefusedError, match="50035"):
        await wire.member.request("PUT", path, {"answer_ids": chosen})


@pytest.mark.parametrize(
    "change",
    [
        {"answers": []},
        {"answers": POLL["answers"] * 6},
        {"question": {"text": "x" * 301}},
        {"question": {}},
        {"duration": 769},
        {"duration": 0.5},
        {"answers": [{"poll_media": {"text": "x" * 56}}]},
    ],
)
async def test_a_poll_beyond_its_limits_is_refused(wire, change):
    status, answer, _ = await wire.answer("POST", wire.channel + "/messages", {"poll": {**POLL, **change}})
    assert (status, answer["code"]) == (400, 50035)


# -- webhooks ----------------------------------------------------------------------------------


async def test_a_webhook_posts_without_a_token_of_a_bot(wire):
    hook = await wire.ask("POST", wire.channel + "/webhooks", {"name": "Herald"})
    path, nobody = f"/webhooks/{hook['id']}/{hook['token']}", {"headers": {}}
    assert (await wire.answer("POST", path, {"content": "unseen"}, **nobody))[0] == 204
    body = {"content": "posted", "username": "Town crier"}
    message = await wire.ask("POST", path + "?wait=true", body, **nobody)
    assert (message["author"]["username"], message["webhook_id"]) == ("Town crier", hook["id"])
    one = f"{path}/messages/{message['id']}"
    assert (await wire.ask("PATCH", one, {"content": "edited"}, **nobody))["content"] == "edited"
    assert (await wire.ask("GET", one, **nobody))["content"] == "edited"
    await wire.ask("DELETE", one, **nobody)
    assert (await wire.answer("GET", one, **nobody))[1]["code"] == 10008
    said = await wire.post("not the webhook's")
    assert (await wire.answer("DELETE", f"{path}/messages/{said['id']}", **nobody))[1]["code"] == 10008


async def test_webhooks_are_listed_changed_and_deleted(wire):
    hook = await wire.ask("POST", wire.channel + "/webhooks", {"name": "Herald"})
    for place in (wire.channel, wire.guild):
        assert [h["id"] for h in await wire.ask("GET", place + "/webhooks")] == [hook["id"]]
    changed = await wire.ask("PATCH", f"/webhooks/{hook['id']}", {"name": "Crier"})
    assert changed["name"] == "Crier"
    with_token = f"/webhooks/{hook['id']}/{hook['token']}"
    assert "user" not in await wire.ask("GET", with_token, headers={})
    assert (await wire.answer("GET", with_token + "x", headers={}))[1]["code"] == 50027
    assert (await wire.answer("GET", f"/webhooks/{hook['id']}", headers={}))[0] == 401
    await wire.ask("DELETE", with_token, headers={})
    assert (await wire.answer("GET", with_token, headers={}))[1]["code"] == 10015


async def test_a_webhook_of_a_forum_makes_posts(wire):
    forum = wire.server.state.add_channel(wire.server.guild["id"], "papers", FORUM)
    hook = await wire.ask("POST", f"/channels/{forum['id']}/webhooks", {"name": "Herald"})
    path = f"/webhooks/{hook['id']}/{hook['token']}?wait=true"
    assert (await wire.answer("POST", path, {"content": "where?"}, headers={}))[1]["code"] == 220001
    message = await wire.ask("POST", path, {"content": "opening", "thread_name": "A post"}, headers={})
    assert message["id"] == message["channel_id"]
    assert wire.server.state.channels[message["id"]]["name"] == "A post"
    more = await wire.ask("POST", f"{path}&thread_id={message['id']}", {"content": "more"}, headers={})
    assert more["channel_id"] == message["id"]


@pytest.mark.parametrize("name", ["", "x" * 81, "Clyde", "my discord", None, 7, ["x"]])
async def test_a_webhooks_name_has_its_limits(wire, name):
    status, answer, _ = await wire.answer("POST", wire.channel + "/webhooks", {"name": name})
    assert (status, answer["code"]) == (400, 50035)


# -- channels, roles, members ------------------------------------------------------------------


async def test_a_new_channel_keeps_its_topic_and_overwrites(wire):
    guild = wire.server.guild["id"]
    hidden = {"id": guild, "type": 0, "deny": str(1 << 10)}
    body = {"name": "reading", "topic": "what we read", "permission_overwrites": [hidden], "nsfw": True}
    made = await wire.ask("POST", wire.guild + "/channels", {**body, "rate_limit_per_user": 5})
    kept = next(c for c in await wire.ask("GET", wire.guild + "/channels") if c["id"] == made["id"])
    assert (kept["topic"], kept["nsfw"], kept["rate_limit_per_user"]) == ("what we read", True, 5)
    assert kept["permission_overwrites"] == [{**hidden, "allow": "0"}]


async def test_a_new_forum_keeps_its_tags_and_gives_them_ids(wire):
    body = {"name": "papers", "type": FORUM, "available_tags": [{"name": "paper", "moderated": True}]}
    [tag] = (await wire.ask("POST", wire.guild + "/channels", body))["available_tags"]
    assert (tag["name"], tag["moderated"], tag["emoji_id"]) == ("paper", True, None)
    assert tag["id"].isdecimal()


async def test_overwrites_are_set_replaced_and_taken_away(wire):
    role = await wire.ask("POST", wire.guild + "/roles", {"name": "reader"})
    path = f"{wire.channel}/permissions/{role['id']}"
    told = wire.member._expect(lambda event, _: event == "CHANNEL_UPDATE")
    await wire.ask("PUT", path, {"type": 0, "allow": "1024", "deny": None})
    expected = [{"id": role["id"], "type": 0, "allow": "1024", "deny": "0"}]
    assert (await told)[1]["permission_overwrites"] == expected
    await wire.ask("PUT", path, {"type": 0, "deny": "2048"})
    [kept] = (await wire.ask("GET", wire.channel))["permission_overwrites"]
    assert (kept["allow"], kept["deny"]) == ("0", "2048")
    await wire.ask("DELETE", path)
    assert (await wire.ask("GET", wire.channel))["permission_overwrites"] == []
    assert (await wire.answer("DELETE", path))[1]["code"] == 10009


@pytest.mark.parametrize("allow", ["x", "-1", "9" * 40, [], "１"])
async def test_an_overwrite_that_is_no_number_is_refused(wire, allow):
    path = f"{wire.channel}/permissions/{wire.server.guild['id']}"
    status, answer, _ = await wire.answer("PUT", path, {"type": 0, "allow": allow})
    assert (status, answer["code"]) == (400, 50035)


async def test_members_are_searched_by_the_start_of_any_name(wire):
    state, guild = wire.server.state, wire.server.guild["id"]
    for name in ("ada", "adam", "eve"):
        state.add_member(guild, state.add_user(name)["id"])
    state.guilds[guild]["members"][state.add_user("x")["id"]] = {
        **state.add_member(guild, wire.server.owner["id"]),
        "nick": "Adele",
    }

    async def search(query, **more):
        params = {"query": query, "limit": "10", **more}
        answer = await wire.ask("GET", wire.guild + "/members/search", params=params)
        return [member["user"]["username"] for member in answer]

    assert await search("AD") == ["ada", "adam", "x"]
    assert await search("ad", limit="1") == ["ada"]
    assert await search("%_*") == []
    for query in ("", "x" * 101):
        status, answer, _ = await wire.answer("GET", f"{wire.guild}/members/search", params={"query": query})
        assert (status, answer["code"]) == (400, 50035)


async def test_roles_are_changed_moved_and_deleted(wire):
    role = await wire.ask("POST", wire.guild + "/roles", {"name": "writer", "color": 255, "hoist": True})
    assert (role["color"], role["colors"]["primary_color"], role["hoist"]) == (255, 255, True)
    owner, path = wire.server.owner["id"], f"{wire.guild}/roles/{role['id']}"
    await wire.ask("PUT", f"{wire.guild}/members/{owner}/roles/{role['id']}")
    changed = await wire.ask("PATCH", path, {"name": "author", "permissions": "1024"})
    assert (changed["name"], changed["permissions"]) == ("author", "1024")
    moved = await wire.ask("PATCH", wire.guild + "/roles", [{"id": role["id"], "position": 1}])
    assert next(r for r in moved if r["id"] == role["id"])["position"] == 1
    await wire.ask("DELETE", path)
    assert (await wire.answer("GET", path))[1]["code"] == 10011
    assert (await wire.ask("GET", f"{wire.guild}/members/{owner}"))["roles"] == []
    everyone = f"{wire.guild}/roles/{wire.server.guild['id']}"
    assert (await wire.answer("DELETE", everyone))[1]["code"] == 50028


# -- threads and history -----------------------------------------------------------------------


async def _archived_thread(wire, name, kind):
    body = {"name": name, "type": kind, "auto_archive_duration": 60}
    thread = await wire.ask("POST", wire.channel + "/threads", body)
    assert thread["thread_metadata"]["auto_archive_duration"] == 60
    wire.server.state.clock_offset += 10
    await wire.ask("PATCH", f"/channels/{thread['id']}", {"archived": True})
    return thread


async def test_archived_threads_are_listed_by_kind_in_pages(wire):
    for kind in (11, 12):
        for number in range(3):
            await _archived_thread(wire, f"{kind} {number}", kind)
    lists = {
        "threads/archived/public": (11, "archive_timestamp"),
        "threads/archived/private": (12, "archive_timestamp"),
        "users/@me/threads/archived/private": (12, "id"),
    }
    for path, (kind, cursor) in lists.items():
        page = await wire.ask("GET", f"{wire.channel}/{path}", params={"limit": "2"})
        assert [t["name"] for t in page["threads"]] == [f"{kind} 2", f"{kind} 1"]
        assert page["has_more"]
        assert [m["user_id"] for m in page["members"]] == [wire.server.state.application["id"]] * 2
        last = page["threads"][-1]
        before = last["id"] if cursor == "id" else last["thread_metadata"]["archive_timestamp"]
        rest = await wire.ask("GET", f"{wire.channel}/{path}", params={"before": before})
        assert [t["name"] for t in rest["threads"]] == [f"{kind} 0"]
        assert not rest["has_more"]


async def test_archived_private_threads_of_all_are_for_who_manages_threads(wire):
    await _archived_thread(wire, "secret", 12)
    bot = wire.server.state.application["id"]
    wire.server.state.guilds[wire.server.guild["id"]]["members"][bot]["roles"].clear()
    assert (await wire.answer("GET", wire.channel + "/threads/archived/private"))[1]["code"] == 50013
    mine = await wire.ask("GET", wire.channel + "/users/@me/threads/archived/private")
    assert [thread["name"] for thread in mine["threads"]] == ["secret"]


async def test_a_thread_is_joined_left_and_deleted(wire):
    thread = await wire.ask("POST", wire.channel + "/threads", {"name": "open", "type": 11})
    path, owner = f"/channels/{thread['id']}", wire.server.owner["id"]
    await wire.member.request("PUT", path + "/thread-members/@me")
    assert (await wire.ask("GET", f"{path}/thread-members/{owner}"))["user_id"] == owner
    await wire.member.request("DELETE", path + "/thread-members/@me")
    assert (await wire.answer("GET", f"{path}/thread-members/{owner}"))[1]["code"] == 10007
    told = wire.member._expect(lambda event, _: event == "THREAD_DELETE")
    await wire.ask("DELETE", path)
    assert (await told)[1] == {
        "id": thread["id"],
        "guild_id": wire.server.guild["id"],
        "parent_id": wire.server.channel["id"],
        "type": 11,
    }


async def test_history_is_read_before_after_and_around_a_message(wire):
    ids = [(await wire.post(f"line {number}"))["id"] for number in range(9)]

    async def history(**query):
        params = {name: str(value) for name, value in query.items()}
        lines = await wire.ask("GET", wire.channel + "/messages", params=params)
        return [int(content.split()[1]) for content in _contents(lines)]

    assert await history(before=ids[4], limit=2) == [3, 2]
    assert await history(after=ids[4], limit=2) == [6, 5]
    assert await history(around=ids[4], limit=5) == [6, 5, 4, 3, 2]
    assert await history(around=ids[0], limit=3) == [2, 1, 0]
    assert await history(around=ids[8], limit=4) == [8, 7, 6]


@pytest.mark.parametrize("query", [*UNUSABLE, "around=x", "before=-1", "after=" + "9" * 60])
async def test_history_with_a_wrong_query_is_refused(wire, query):
    status, answer, _ = await wire.answer("GET", f"{wire.channel}/messages?{query}")
    assert (status, answer["code"]) == (400, 50035)
