"""The local Discord holds Discord's rules, over its sockets, for a bot that speaks plain HTTP and JSON."""

import asyncio
import contextlib
import json

import aiohttp
import pytest

from bot.local_discord import session_starts
from bot.local_discord.limits import check_modal
from bot.local_discord.server import LocalDiscord

GUILDS, MEMBERS, MESSAGES, REACTIONS, DIRECT, CONTENT = 1, 1 << 1, 1 << 9, 1 << 10, 1 << 12, 1 << 15
UNPRIVILEGED = GUILDS | MESSAGES | REACTIONS | DIRECT
VIEW, SEND, EVERYTHING_BUT_ADMINISTRATOR = 1 << 10, 1 << 11, (1 << 47) - 1 - (1 << 3)


class Place:
    """A local Discord with its bot's and its owner's requests, and the bot's gateway."""

    def __init__(self, discord, session):
        self.discord, self.state, self._session = discord, discord.state, session
        self.channel, self.guild = discord.channel["id"], discord.guild["id"]
        self.bot = self.state.application["bot"]["id"]

    async def ask(self, method, path, body=None, *, user=False, **more):
        """The answer's status and JSON body."""
        token = self.discord.user_token if user else f"Bot {self.discord.bot_token}"
        headers = {"Authorization": token, **more.pop("headers", {})}
        url = self.discord.api_url + path
        async with self._session.request(method, url, json=body, headers=headers, **more) as answer:
            text = await answer.text()
            self.headers = answer.headers
            return answer.status, json.loads(text) if answer.content_type == "application/json" else text

    async def say(self, body, channel=None, **more):
        return await self.ask("POST", f"/channels/{channel or self.channel}/messages", body, **more)

    @contextlib.asynccontextmanager
    async def gateway(self, intents=UNPRIVILEGED, shard=(0, 1), token=None):
        """A socket that has identified; :meth:`hears` and :meth:`nothing_but` read from it."""
        async with self._session.ws_connect(self.discord.gateway_url) as ws:
            assert (await ws.receive_json())["op"] == 10
            d = {
                "token": token or self.discord.bot_token,
                "intents": intents,
                "properties": {},
                "shard": shard,
            }
            await ws.send_json({"op": 2, "d": d})
            yield ws


async def event(ws, *names):
    """The next event of one of these names."""
    while True:
        payload = await asyncio.wait_for(ws.receive_json(), 20)
        if payload["t"] in names:
            return payload


async def events_until(ws, last):
    """The names of the events up to one that is known to come."""
    names = []
    while last not in names:
        names.append((await asyncio.wait_for(ws.receive_json(), 20))["t"])
    return names


@pytest.fixture
async def place(monkeypatch):
    monkeypatch.setattr(session_starts, "EVERY", 0.0)
    async with LocalDiscord() as discord, aiohttp.ClientSession() as session:
        yield Place(discord, session)


# -- intents and shards --------------------------------------------------------------------------


async def test_a_bot_hears_only_what_its_intents_name(place):
    async with place.gateway(GUILDS) as deaf, place.gateway(UNPRIVILEGED) as hearing:
        await event(deaf, "GUILD_CREATE")
        await event(hearing, "GUILD_CREATE")
        _, said = await place.say({"content": "hello"}, user=True)
        reaction = f"/channels/{place.channel}/messages/{said['id']}/reactions/👍/@me"
        assert (await place.ask("PUT", reaction, user=True))[0] == 204
        await place.ask("POST", f"/guilds/{place.guild}/channels", {"name": "new", "type": 0}, user=True)
        assert await events_until(hearing, "CHANNEL_CREATE") == [
            "MESSAGE_CREATE",
            "MESSAGE_REACTION_ADD",
            "CHANNEL_CREATE",
        ]
        assert await events_until(deaf, "CHANNEL_CREATE") == ["CHANNEL_CREATE"]


async def test_without_the_intents_a_server_names_no_member_but_the_bot(place):
    async with place.gateway() as ws:
        guild = (await event(ws, "GUILD_CREATE"))["d"]
        assert [member["user"]["id"] for member in guild["members"]] == [place.bot]
        assert guild["member_count"] == 2
        assert (await place.ask("GET", f"/guilds/{place.guild}/members?limit=10"))[0] == 403
    place.state.application["_privileged_intents"] = MEMBERS
    assert len((await place.ask("GET", f"/guilds/{place.guild}/members?limit=10"))[1]) == 2


async def test_a_privileged_intent_that_is_not_granted_closes_with_4014(place):
    async with place.gateway(GUILDS | CONTENT) as ws:
        assert (await ws.receive()).data == 4014
    async with place.gateway(1 << 40) as ws:
        assert (await ws.receive()).data == 4013


async def test_of_two_shards_each_hears_its_own_servers_and_the_first_one_direct_messages(place):
    place.state.shards, place.discord.gateway.starts.max_concurrency = 2, 2
    assert (await place.ask("GET", "/gateway/bot"))[1]["shards"] == 2
    mine = (int(place.guild) >> 22) % 2
    async with place.gateway(shard=[0, 2]) as first, place.gateway(shard=[1, 2]) as second:
        sockets = [first, second]
        ready = [await event(ws, "READY") for ws in sockets]
        assert [len(one["d"]["guilds"]) for one in ready] == [int(mine == 0), int(mine == 1)]
        assert ready[1]["d"]["shard"] == [1, 2]
        await place.say({"content": "here"}, user=True)
        assert (await event(sockets[mine], "MESSAGE_CREATE"))["d"]["content"] == ""
        _, dm = await place.ask("POST", "/users/@me/channels", {"recipient_id": place.bot}, user=True)
        await place.say({"content": "psst"}, dm["id"], user=True)
        heard = (await event(first, "MESSAGE_CREATE"))["d"]
        assert (heard["content"], "guild_id" in heard) == ("psst", False)
    for shard in ([2, 2], [0, 0], "x"):
        async with place.gateway(shard=shard) as ws:
            assert (await ws.receive()).data == 4010


# -- session starts ------------------------------------------------------------------------------


async def test_a_second_start_within_five_seconds_is_refused_unless_its_bucket_is_another(place, monkeypatch):
    monkeypatch.setattr(session_starts, "EVERY", 5.0)
    async with place.gateway(shard=[0, 2]) as first, place.gateway(shard=[1, 2]) as second:
        await event(first, "READY")
        refused = await asyncio.wait_for(second.receive_json(), 10)
        assert (refused["op"], refused["d"]) == (9, False)
    place.state.clock_offset += 5
    place.discord.gateway.starts.max_concurrency = 2
    async with place.gateway(shard=[0, 2]) as first, place.gateway(shard=[1, 2]) as second:
        await event(first, "READY")
        await event(second, "READY")


async def test_the_days_starts_are_counted_and_one_too_many_resets_the_token(place):
    starts = place.discord.gateway.starts
    starts.total, old = 1, place.discord.bot_token
    async with place.gateway() as ws:
        await event(ws, "READY")
        limit = (await place.ask("GET", "/gateway/bot"))[1]["session_start_limit"]
        assert (limit["remaining"], limit["max_concurrency"]) == (0, 1)
        assert 0 < limit["reset_after"] <= 24 * 60 * 60 * 1000
        place.state.clock_offset += 10
        async with place.gateway() as late:
            assert (await late.receive()).data == 4004
        await event(ws, "GUILD_CREATE")
        assert (await ws.receive()).data == 4004
    headers = {"Authorization": f"Bot {old}"}
    assert (await place.ask("GET", "/users/@me", headers=headers))[0] == 401
    assert (await place.ask("GET", "/users/@me"))[0] == 200
    place.state.clock_offset += session_starts.DAY
    assert (await place.ask("GET", "/gateway/bot"))[1]["session_start_limit"]["remaining"] == 1


# -- limits on requests --------------------------------------------------------------------------


async def test_the_51st_request_in_a_second_waits_and_interactions_do_not(place):
    answers = await asyncio.gather(*(place.ask("GET", "/users/@me") for _ in range(60)))
    refused = [body for status, body in answers if status == 429]
    assert len(refused) >= 10
    assert all(body["global"] and 0 < body["retry_after"] <= 1 for body in refused)
    assert (await place.ask("POST", "/interactions/1/x/callback", {"type": 5}))[0] == 404
    while (answer := await place.ask("GET", "/users/@me"))[0] == 429:
        assert self_says_when(place.headers) == answer[1]["retry_after"]
        await asyncio.sleep(answer[1]["retry_after"])


def self_says_when(headers):
    assert headers["X-RateLimit-Global"] == "true"
    assert headers["X-RateLimit-Scope"] == "global"
    return float(headers["Retry-After"])


async def test_who_sends_too_many_invalid_requests_is_banned_for_as_long_as_they_go_on(place):
    place.discord.rates.invalid_allowed = 20
    wrong = {"headers": {"Authorization": "Bot nobody"}}
    for _ in range(20):
        assert (await place.ask("GET", "/users/@me", **wrong))[0] == 401
    assert await place.ask("GET", "/users/@me") == (429, "error code: 1015")
    assert "Via" not in place.headers
    place.state.clock_offset += 10 * 60 - 1
    assert (await place.ask("GET", "/users/@me"))[0] == 429
    place.state.clock_offset += 5
    assert (await place.ask("GET", "/users/@me"))[0] == 200
    for _ in range(30):
        assert (await place.ask("GET", "/channels/1"))[0] == 404
    assert (await place.ask("GET", "/users/@me"))[0] == 200


# -- messages ------------------------------------------------------------------------------------


async def test_a_nonce_is_its_authors_in_every_channel_for_two_minutes(place):
    other = place.state.add_channel(place.guild, "other")["id"]
    body = {"content": "x", "nonce": "n", "enforce_nonce": True}
    _, first = await place.say(body)
    assert (await place.say(body))[1]["id"] == first["id"]
    assert (await place.say(body, other))[1]["id"] == first["id"]
    assert (await place.say(body, user=True))[1]["id"] != first["id"]
    assert (await place.say({**body, "enforce_nonce": False}))[1]["id"] != first["id"]
    _, latest = await place.say(body)
    place.state.clock_offset += 2 * 60
    assert (await place.say(body))[1]["id"] != latest["id"]


def with_file(body, name="a.png", data=b"\x89PNG"):
    form = aiohttp.FormData()
    form.add_field("payload_json", json.dumps(body), content_type="application/json")
    form.add_field("files[0]", data, filename=name, content_type="image/png")
    return {"data": form}


GALLERY = [{"type": 12, "items": [{"media": {"url": "attachment://a.png"}, "description": "x"}]}]
PICTURES = [
    {"flags": 1 << 15, "components": GALLERY},
    {"flags": 1 << 15, "components": [{"type": 13, "file": {"url": "attachment://a.png"}}]},
    {"content": "x", "embeds": [{"title": "x", "image": {"url": "attachment://a.png"}}]},
]


@pytest.mark.parametrize("body", PICTURES)
async def test_a_picture_that_is_not_sent_along_is_refused(place, body):
    status, answer = await place.say(body)
    assert (status, answer["code"]) == (400, 50035)
    assert "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND" in json.dumps(answer)
    path = f"/channels/{place.channel}/messages"
    assert (await place.ask("POST", path, **with_file(body, "b.png")))[0] == 400
    status, message = await place.ask("POST", path, **with_file(body))
    assert status == 200
    assert message["attachments"] == []  # what is shown is not listed
    assert "attachment://" not in json.dumps(message)
    where = json.dumps(message).split('"url": "')[1].split('"')[0]
    async with place._session.get(where) as picture:
        assert await picture.read() == b"\x89PNG"


async def test_a_picture_stays_through_an_edit_that_keeps_its_file(place):
    path = f"/channels/{place.channel}/messages"
    _, message = await place.ask("POST", path, **with_file(PICTURES[0]))
    shown = message["components"][0]["items"][0]["media"]
    path = f"{path}/{message['id']}"
    status, again = await place.ask("PATCH", path, {"components": GALLERY})
    assert (status, again["components"][0]["items"][0]["media"]["url"]) == (200, shown["url"])
    kept = {"components": GALLERY, "attachments": [{"id": shown["attachment_id"]}]}
    assert (await place.ask("PATCH", path, kept))[0] == 200
    assert (await place.ask("PATCH", path, {"components": GALLERY, "attachments": []}))[0] == 400


async def test_a_file_over_the_limit_is_refused(place):
    place.state.upload_limit = 1_000
    path = f"/channels/{place.channel}/messages"
    status, answer = await place.ask("POST", path, **with_file({"content": "x"}, data=b"x" * 1_001))
    assert (status, answer["code"]) == (413, 40005)
    assert (await place.ask("POST", path, **with_file({"content": "x"}, data=b"x" * 1_000)))[0] == 200


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ({"type": 1, "components": [{"type": 19, "custom_id": "x"}]}, "components.0.components.0"),
        ({"type": 18, "label": "x" * 46, "component": {"type": 19, "custom_id": "x"}}, "components.0.label"),
        ({"type": 18, "label": "", "component": {"type": 19, "custom_id": "x"}}, "components.0.label"),
        (
            {"type": 18, "label": "x", "component": {"type": 19, "custom_id": "x", "max_values": 11}},
            "components.0.component.0.max_values",
        ),
    ],
)
def test_a_form_whose_file_stands_wrong_is_refused(part, path):
    tree = check_modal({"title": "A form", "custom_id": "form", "components": [part]}).tree
    for name in f"data.{path}".split("."):
        tree = tree[name]
    assert tree["_errors"]


# -- permissions ---------------------------------------------------------------------------------


async def overwrite(place, allow=0, deny=0, *, who=None, kind=0):
    path = f"/channels/{place.channel}/permissions/{who or place.guild}"
    body = {"type": kind, "allow": str(allow), "deny": str(deny)}
    assert await place.ask("PUT", path, body, user=True) == (204, "")


async def test_a_channels_overwrites_decide_last_and_a_members_own_over_the_roles(place):
    await overwrite(place, deny=SEND)
    assert (await place.say({"content": "x"}))[1]["code"] == 50013
    await overwrite(place, allow=SEND, who=place.bot, kind=1)
    assert (await place.say({"content": "x"}))[0] == 200
    await overwrite(place, deny=VIEW, who=place.bot, kind=1)
    assert (await place.say({"content": "x"}))[1]["code"] == 50001
    async with place.gateway() as ws:
        await event(ws, "GUILD_CREATE")
        await place.say({"content": "unheard"}, user=True)
        await place.ask("POST", f"/guilds/{place.guild}/channels", {"name": "new", "type": 0}, user=True)
        assert await events_until(ws, "CHANNEL_CREATE") == ["CHANNEL_CREATE"]


async def test_of_anothers_message_only_its_previews_are_hidden_by_who_manages_messages(place):
    _, said = await place.say({"content": "https://example.org"}, user=True)
    path = f"/channels/{place.channel}/messages/{said['id']}"
    hidden = said["flags"] | 1 << 2
    for body in (
        {"content": "x"},
        {"flags": hidden, "content": "x"},
        {"flags": hidden | 1 << 12},
        {"flags": None},
    ):
        assert (await place.ask("PATCH", path, body))[1]["code"] == 50005
    status, edited = await place.ask("PATCH", path, {"flags": hidden})
    assert (status, edited["flags"], edited["edited_timestamp"]) == (200, hidden, None)
    await overwrite(place, deny=1 << 13)
    assert (await place.ask("PATCH", path, {"flags": said["flags"]}))[1]["code"] == 50013


async def test_permissions_of_a_role_that_are_no_number_are_refused_and_change_nothing(place):
    [everyone] = place.discord.guild["roles"][:1]
    before = dict(everyone)
    for path, method in ((f"/roles/{everyone['id']}", "PATCH"), ("/roles", "POST")):
        status, said = await place.ask(
            method, f"/guilds/{place.guild}{path}", {"permissions": "X'\x11\xc5D"}, user=True
        )
        assert (status, said["code"]) == (400, 50035)
    assert everyone == before
    status, _ = await place.ask("GET", f"/guilds/{place.guild}/channels", user=True)
    assert status == 200


async def test_a_tag_that_is_null_makes_no_tag(place):
    body = {"name": "papers", "type": 15, "available_tags": [None, {"name": "vision"}]}
    status, made = await place.ask("POST", f"/guilds/{place.guild}/channels", body, user=True)
    assert status == 201
    assert [tag["name"] for tag in made["available_tags"]] == ["vision"]


async def test_a_thread_takes_its_own_permission_to_write_and_its_channels_overwrites(place):
    _, thread = await place.ask("POST", f"/channels/{place.channel}/threads", {"name": "t", "type": 11})
    await overwrite(place, deny=SEND)
    assert (await place.say({"content": "x"}, thread["id"]))[0] == 200
    await overwrite(place, deny=1 << 38)
    assert (await place.say({"content": "x"}, thread["id"]))[1]["code"] == 50013
    await overwrite(place, deny=1 << 35)
    path = f"/channels/{place.channel}/threads"
    assert (await place.ask("POST", path, {"name": "t", "type": 11}))[1]["code"] == 50013
    await overwrite(place, deny=1 << 36)
    assert (await place.ask("POST", path, {"name": "t", "type": 12}))[1]["code"] == 50013


async def test_a_forum_wants_its_tags_and_keeps_moderated_ones_for_moderators(place):
    tags = [
        {"id": "11", "name": "mod", "moderated": True, "emoji_id": None, "emoji_name": None},
        {"id": "12", "name": "all", "moderated": False, "emoji_id": None, "emoji_name": None},
    ]
    forum = place.state.add_channel(place.guild, "papers", kind=15, available_tags=tags, flags=1 << 4)
    path, body = f"/channels/{forum['id']}/threads", {"name": "p", "message": {"content": "x"}}
    assert (await place.ask("POST", path, body))[1]["code"] == 40067
    assert (await place.ask("POST", path, {**body, "applied_tags": ["11"]}))[0] == 403
    assert (await place.ask("POST", path, {**body, "applied_tags": ["12"]}))[0] == 201
    assert (await place.ask("POST", path, {**body, "applied_tags": ["11"]}, user=True))[0] == 201


# -- interactions --------------------------------------------------------------------------------


async def asked(place, channel, ws):
    """An interaction of a command that its user typed in a channel, as the bot gets it."""
    app = place.state.application["id"]
    everywhere = {"contexts": [0, 1, 2], "integration_types": [0, 1]}
    _, command = await place.ask(
        "POST", f"/applications/{app}/commands", {"name": "echo", "description": "x", "type": 1, **everywhere}
    )
    data = {"id": command["id"], "name": "echo", "type": 1}
    body = {"type": 2, "channel_id": channel, "data": data}
    assert (await place.ask("POST", "/interactions", body, user=True))[0] == 204
    return (await event(ws, "INTERACTION_CREATE"))["d"]


async def test_an_interaction_says_where_it_is_and_what_the_bot_may_do_there(place):
    await overwrite(place, deny=SEND)
    _, dm = await place.ask("POST", "/users/@me/channels", {"recipient_id": place.bot}, user=True)
    async with place.gateway() as ws:
        here = await asked(place, place.channel, ws)
        assert here["context"] == 0
        assert not int(here["app_permissions"]) & SEND
        assert int(here["member"]["permissions"]) & SEND
        direct = await asked(place, dm["id"], ws)
        assert direct["context"] == 1
        assert "member" not in direct


async def test_an_interactions_token_is_dead_after_fifteen_minutes(place):
    async with place.gateway() as ws:
        interaction = await asked(place, place.channel, ws)
        callback = f"/interactions/{interaction['id']}/{interaction['token']}/callback"
        assert (await place.ask("POST", callback, {"type": 5}))[0] == 204
        hook = f"/webhooks/{place.state.application['id']}/{interaction['token']}"
        assert (await place.ask("PATCH", hook + "/messages/@original", {"content": "x"}))[0] == 200
        place.state.clock_offset += 15 * 60 + 1
        for method, path in (("POST", hook), ("PATCH", hook + "/messages/@original")):
            status, answer = await place.ask(method, path, {"content": "late"})
            assert (status, answer["code"]) == (401, 50027)


# -- what no client should send ------------------------------------------------------------------


FILE = b'Content-Disposition: form-data; name="files[a]"'


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("application/json", b'{"content": NaN}'),
        ("application/json", b'{"content": "\\ud800"}'),
        ("application/json", b"[" * 100_000),
        ("application/json", b"\xff\xfe"),
        ("multipart/form-data", b"no boundary"),
        ("multipart/form-data; boundary=x", b"nothing of it"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="files[a]"\r\n\r\nx\r\n--x--',
        ),
    ],
)
async def test_a_body_that_cannot_be_read_is_the_senders_fault(place, kind, data):
    path = f"/channels/{place.channel}/messages"
    status, answer = await place.ask("POST", path, data=data, headers={"Content-Type": kind})
    assert (status, answer["code"]) in ((400, 50109), (400, 50006), (400, 50035))


async def test_a_guild_takes_only_channels_of_a_guilds_types(place):
    for kind in (1, 3, 11, 99):
        body = {"name": "odd", "type": kind}
        assert (await place.ask("POST", f"/guilds/{place.guild}/channels", body, user=True))[0] == 400
    assert (await place.ask("GET", f"/guilds/{place.guild}/channels"))[0] == 200


async def test_what_threads_have_is_refused_elsewhere(place):
    _, dm = await place.ask("POST", "/users/@me/channels", {"recipient_id": place.bot}, user=True)
    for channel in (dm["id"], place.channel):
        for method, who in (("PUT", "@me"), ("DELETE", "@me"), ("PUT", place.bot), ("GET", place.bot)):
            status, answer = await place.ask(method, f"/channels/{channel}/thread-members/{who}")
            assert (status, answer["code"]) == (400, 50024)
    assert (await place.ask("POST", f"/channels/{dm['id']}/webhooks", {"name": "x"}, user=True))[0] == 400
    _, said = await place.say({"content": "x"}, dm["id"])
    path = f"/channels/{dm['id']}/messages/{said['id']}/threads"
    assert (await place.ask("POST", path, {"name": "x"}))[0] == 400
