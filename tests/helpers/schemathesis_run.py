"""`make schema`: schemathesis against the local Discord, on what it serves of Discord's own description.

It needs ``DISCORD_OPENAPI``, and schemathesis in an environment of its own. Ids in paths are those of things
that exist, and one of nothing, so that requests get to where they do something.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from bot.local_discord.client import UserClient
from bot.local_discord.description import amended
from bot.local_discord.server import API, LocalDiscord
from bot.local_discord.state import FORUM

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
ADMINISTRATOR, NOTHING = 1 << 3, "1"


def served(discord: LocalDiscord, description: dict) -> dict:
    """The description of what the local Discord serves."""
    shapes = {
        (method, re.sub(r"\{[^}]+\}", "{}", path)) for method, path, *_ in discord.routes() if method != "*"
    }
    paths = {
        path: {
            method: operation
            for method, operation in operations.items()
            if method == "parameters" or (method.upper(), re.sub(r"\{[^}]+\}", "{}", path)) in shapes
        }
        for path, operations in description["paths"].items()
    }
    paths = {path: operations for path, operations in paths.items() if operations.keys() - {"parameters"}}
    kept: dict[str, dict] = {"schemas": {}, "responses": {}, "headers": {}}
    _keep(paths, description["components"], kept)
    return {**description, "paths": paths, "components": kept}


def _keep(part: object, components: dict, kept: dict[str, dict]) -> None:
    """Keep the components that a part names, and those that they name."""
    if isinstance(part, dict) and isinstance(part.get("$ref"), str):
        _, _, kind, name = part["$ref"].split("/")
        if name not in kept[kind]:
            kept[kind][name] = components[kind][name]
            _keep(components[kind][name], components, kept)
    for entry in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _keep(entry, components, kept)


async def populate(discord: LocalDiscord) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Things for the paths' parameters, name -> ids; and those that may be deleted."""
    state, guild, bot = discord.state, discord.guild["id"], discord.state.application["bot"]["id"]
    role = state.add_role(guild, "all", ADMINISTRATOR)
    state.guilds[guild]["members"][bot]["roles"].append(role["id"])
    owner, channel = discord.owner["id"], discord.channel
    forum = state.add_channel(guild, "forum", FORUM)
    dm = state.dm_between(owner, bot)
    thread = state.add_thread(channel, "thread", bot)
    async with UserClient(discord.url, discord.user_token) as user:
        path = f"/channels/{channel['id']}/webhooks"
        hook, spare = [await user.request("POST", path, {"name": name}) for name in ("kept", "spare")]
    messages = [
        (await discord.messages.create(where, bot, {"content": "hello"}))["id"]
        for where in (channel, dm, thread)
        for _ in range(5)
    ]
    spares = [state.add_channel(guild, f"spare {number}") for number in range(50)]
    deletable = {
        "channel_id": [one["id"] for one in spares],
        "guild_id": [NOTHING],
        "webhook_id": [spare["id"]],
        "webhook_token": [spare["token"]],
    }
    ids = {
        "application_id": [state.application["id"]],
        "guild_id": [guild, NOTHING],
        "channel_id": [channel["id"], forum["id"], dm["id"], thread["id"], NOTHING],
        "message_id": [*messages, NOTHING],
        "user_id": [owner, bot, NOTHING],
        "role_id": [role["id"], guild, NOTHING],
        "overwrite_id": [guild, owner, NOTHING],
        "emoji_name": ["👍", "x"],
        "webhook_id": [hook["id"], state.application["id"], NOTHING],
        "interaction_id": [NOTHING],
        "webhook_token": [hook["token"], "nothing"],
        "interaction_token": ["nothing"],
    }
    return ids, deletable


def pinned(description: dict, ids: dict[str, list[str]], spare: dict[str, list[str]]) -> None:
    """Let the paths' parameters be these ids; a ``DELETE`` gets those that are to spare."""
    for operations in description["paths"].values():
        shared = operations.pop("parameters", [])
        for method, operation in operations.items():
            known = {**ids, **spare} if method == "delete" else ids
            parameters = [*shared, *operation.get("parameters", [])]
            operation["parameters"] = [
                {**parameter, "schema": {"type": "string", "enum": known[parameter["name"]]}}
                if parameter["in"] == "path" and parameter["name"] in known
                else parameter
                for parameter in parameters
            ]
            operation.pop("security", None)


async def run(arguments: list[str]) -> int:
    """Serve, and let schemathesis ask; its exit status."""
    file = Path(os.environ.get("DISCORD_OPENAPI", ""))
    if not file.is_file():
        sys.exit("Set DISCORD_OPENAPI to Discord's API description (github.com/discord/discord-api-spec).")
    description = amended(json.loads(file.read_text()))
    async with LocalDiscord() as discord:
        discord.rates.per_second = discord.rates.invalid_allowed = sys.maxsize
        ids, deletable = await populate(discord)
        asked = served(discord, description)
        pinned(asked, ids, deletable)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "served.json"
            file.write_text(json.dumps(asked))
            process = await asyncio.create_subprocess_exec(
                ".schema/bin/schemathesis", "run", str(file), "--url", discord.url + API,
                "--checks", CHECKS, "--header", f"Authorization: Bot {discord.bot_token}",
                "--suppress-health-check", "all", "--warnings", "off", "--no-color", *arguments,
            )  # fmt: skip
            status = await process.wait()
        print(f"{sum(map(len, asked['paths'].values()))} operations of {len(asked['paths'])} paths")
        return status


if __name__ == "__main__":
    sys.exit(asyncio.run(run(sys.argv[1:])))
