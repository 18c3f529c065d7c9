"""Checks of what a bot does by itself: threads, roles, pins, polls, webhooks, history."""

from __future__ import annotations

import asyncio

from bot.local_discord.state import DM, PRIVATE_THREAD, PUBLIC_THREAD
from tests.clients.world import LibraryLacksIt, World


async def direct_message(place: World) -> None:
    """The bot writes to the member, and hears the answer."""
    heard = asyncio.create_task(
        place.member.wait_for("MESSAGE_CREATE", lambda m: m["content"] == "a word in private", 30)
    )
    await place.do("dm", place.server.owner["id"])
    message = await heard
    assert place.state.channels[message["channel_id"]]["type"] == DM


async def public_thread(place: World) -> None:
    """A thread on a message and one without, with a message in each."""
    seen = await place.do("threads")
    for name, on_message in (("on a message", True), ("alone", False)):
        thread = place.state.channels[seen[name]]
        assert (thread["name"], thread["type"]) == (name, PUBLIC_THREAD), thread
        assert (thread["id"] in place.state.messages[place.channel]) is on_message
        said = [m["content"] for m in await place.get(f"/channels/{thread['id']}/messages")]
        assert "inside" in said, said


async def private_thread(place: World) -> None:
    """A private thread with the member in it."""
    seen = await place.do("private", place.server.owner["id"])
    thread = place.state.channels[seen]
    assert thread["type"] == PRIVATE_THREAD
    members = {m["user_id"] for m in await place.get(f"/channels/{seen}/thread-members")}
    assert members == {place.bot, place.server.owner["id"]}, members


async def archived_threads(place: World) -> None:
    """Archived threads, public and private, are listed; one is opened again."""
    seen = await place.do("archived")
    assert sorted(seen["public"]) == ["old and public"], seen
    assert sorted(seen["private"]) == ["old and private"], seen
    threads = {c.get("name"): c for c in place.state.channels.values() if "thread_metadata" in c}
    assert threads["old and private"]["thread_metadata"]["archived"] is True
    assert threads["old and public"]["thread_metadata"]["archived"] is False, "not opened again"


async def forum_post(place: World) -> None:
    """A post in a forum with one of its tags."""
    seen = await place.do("forum", place.forum)
    post = place.state.channels[seen]
    tags = {tag["id"]: tag["name"] for tag in place.state.channels[place.forum]["available_tags"]}
    assert [tags[tag] for tag in post["applied_tags"]] == ["question"], post
    assert place.state.messages[seen][seen]["content"] == "the opening"


async def channels(place: World) -> None:
    """A channel with a topic and an overwrite; then another overwrite, taken away again."""
    seen = await place.do("channel", f"{place.role},{place.ada}")
    [channel] = [c for c in await place.get(f"/guilds/{place.guild}/channels") if c["id"] == seen["id"]]
    assert channel["topic"] == "what we read"
    kept = {o["id"]: (int(o["allow"]), int(o["deny"])) for o in channel["permission_overwrites"]}
    assert kept[place.guild] == (0, 1 << 10), kept
    assert kept[place.role] == (1 << 10, 0), kept
    path = f"/channels/{seen['id']}"  # interactions.py changes the channel where others set the overwrite
    assert place.asked("PUT", f"{path}/permissions/{place.role}") or place.asked("PATCH", path)
    assert place.asked("DELETE", f"/channels/{seen['id']}/permissions/{place.ada}")


async def roles(place: World) -> None:
    """A role is made, given, changed, taken and deleted."""
    seen = await place.do("roles", place.ada)
    assert seen == ["made", "given", "changed", "taken", "deleted"], seen
    for method, path in (
        ("POST", f"/guilds/{place.guild}/roles"),
        ("PUT", f"/guilds/{place.guild}/members/{place.ada}/roles/"),
        ("DELETE", f"/guilds/{place.guild}/members/{place.ada}/roles/"),
        ("PATCH", f"/guilds/{place.guild}/roles/"),
        ("DELETE", f"/guilds/{place.guild}/roles/"),
    ):
        assert place.asked(method, path), f"no {method} {path}"
    assert "writer" not in {role["name"] for role in await place.get(f"/guilds/{place.guild}/roles")}


async def members(place: World) -> None:
    """Members are searched by the start of their names."""
    assert await place.do("members", "ad") == ["ada"]


async def pins(place: World) -> None:
    """Two messages are pinned, listed, and one of them is unpinned; all by the new route."""
    seen = await place.do("pins")
    assert seen["both"] == ["second", "first"], seen
    by_new_route = place.asked("GET", "/messages/pins")  # before the member asks for them
    items = (await place.get(f"/channels/{place.channel}/messages/pins"))["items"]
    assert [item["message"]["content"] for item in items] == ["second"]
    if not by_new_route:
        raise LibraryLacksIt("it works by the old route, not the new one")


async def reactions(place: World) -> None:
    """Reactions are added, counted, listed and removed."""
    said = await place.member.say("react to me")
    await place.member.request("PUT", f"/channels/{place.channel}/messages/{said['id']}/reactions/👍/@me")
    seen = await place.do("reactions", said["id"])
    assert seen["count"] == 2, seen
    assert sorted(seen["users"]) == ["labmate", "you"], seen
    [left] = (await place.get(f"/channels/{place.channel}/messages/{said['id']}"))["reactions"]
    assert (left["emoji"]["name"], left["count"], left["me"]) == ("👍", 1, True), left
    assert place.asked("PUT", "/reactions/🎉/@me"), "the second emoji was not tried"


async def polls(place: World) -> None:
    """The bot asks, the member votes, the bot reads the votes and ends the poll."""
    message_id = (await place.do("poll"))["id"]
    poll = f"/channels/{place.channel}/polls/{message_id}"
    await place.member.request("PUT", f"{poll}/answers/@me", {"answer_ids": [2]})
    seen = await place.do("pollend", message_id)
    assert seen == ["you"], seen
    message = await place.get(f"/channels/{place.channel}/messages/{message_id}")
    assert message["poll"]["results"]["is_finalized"]
    assert [a["poll_media"]["text"] for a in message["poll"]["answers"]] == ["Yes", "No"]


async def webhooks(place: World) -> None:
    """A webhook posts under a name, edits and deletes; then it is deleted."""
    seen = await place.do("webhook")
    message = await place.get(f"/channels/{place.channel}/messages/{seen['kept']}")
    assert message["content"] == "posted, edited", message["content"]
    assert message["author"]["username"] == "Herald"
    assert seen["deleted"] not in place.state.messages[place.channel]
    assert not place.state.hooks


async def history(place: World) -> None:
    """Messages before, after and around one of them."""
    ids = [(await place.member.say(f"line {number}"))["id"] for number in range(7)]
    seen = await place.do("history", ids[3])
    assert sorted(seen["before"]) == ["line 1", "line 2"], seen
    assert sorted(seen["after"]) == ["line 4", "line 5"], seen
    assert {"line 2", "line 3", "line 4"} <= set(seen["around"]), seen


async def own_guilds(place: World) -> None:
    """The list of the bot's guilds, with what it may do in each."""
    assert sorted(await place.do("guilds")) == ["Local lab", "Other lab"]
    assert place.asked("GET", "/users/@me/guilds")
