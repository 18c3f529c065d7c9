"""What nextcord, disnake and py-cord have in common: the models of discord.py 1, where they come from."""

from __future__ import annotations

from typing import Any

from said import Lacks


async def act(lib: Any, client: Any, channel: Any, what: str, argument: str) -> Any:
    """Do what a check asks for, with the library's own means; returns what the library saw."""
    return await ACTIONS[what](lib, client, channel, argument)


async def dm(lib: Any, client: Any, channel: Any, argument: str) -> None:
    await (await client.fetch_user(int(argument))).send("a word in private")


async def threads(lib: Any, client: Any, channel: Any, argument: str) -> dict[str, str]:
    start = await channel.send("start here")
    first = await start.create_thread(name="on a message")
    second = await channel.create_thread(name="alone", type=lib.ChannelType.public_thread)
    for thread in (first, second):
        await thread.send("inside")
    return {thread.name: str(thread.id) for thread in (first, second)}


async def private(lib: Any, client: Any, channel: Any, argument: str) -> str:
    thread = await channel.create_thread(name="for two", type=lib.ChannelType.private_thread)
    await thread.add_user(lib.Object(int(argument)))
    return str(thread.id)


async def archived(lib: Any, client: Any, channel: Any, argument: str) -> dict[str, list[str]]:
    old = await channel.create_thread(name="old and public", type=lib.ChannelType.public_thread)
    hidden = await channel.create_thread(name="old and private", type=lib.ChannelType.private_thread)
    for thread in (old, hidden):
        await thread.edit(archived=True)
    public = [thread async for thread in channel.archived_threads(limit=10)]
    secret = [thread async for thread in channel.archived_threads(private=True, limit=10)]
    await public[0].edit(archived=False)
    return {"public": [t.name for t in public], "private": [t.name for t in secret]}


async def forum(lib: Any, client: Any, channel: Any, argument: str) -> str:
    place = await client.fetch_channel(int(argument))
    tag = next(tag for tag in place.available_tags if tag.name == "question")
    made = await place.create_thread(name="A post", content="the opening", applied_tags=[tag])
    return str(getattr(made, "thread", made).id)


async def channel(lib: Any, client: Any, here: Any, argument: str) -> dict[str, str]:
    guild = here.guild
    role_id, member_id = map(int, argument.split(","))
    role = guild.get_role(role_id)
    member = await guild.fetch_member(member_id)
    hidden = {guild.default_role: lib.PermissionOverwrite(view_channel=False)}
    made = await guild.create_text_channel("reading", topic="what we read", overwrites=hidden)
    await made.set_permissions(role, view_channel=True)
    await made.set_permissions(member, view_channel=True)
    await made.set_permissions(member, overwrite=None)
    return {"id": str(made.id), "topic": made.topic}


async def roles(lib: Any, client: Any, channel: Any, argument: str) -> list[str]:
    guild, done = channel.guild, []
    role = await guild.create_role(name="writer", mentionable=True, permissions=lib.Permissions(1 << 10))
    done.append("made" if role.id in {r.id for r in await guild.fetch_roles()} else "not made")
    member = await guild.fetch_member(int(argument))
    await member.add_roles(role)
    member = await guild.fetch_member(int(argument))
    done.append("given" if role in member.roles else "not given")
    role = await role.edit(name="author") or role
    done.append("changed" if {r.name for r in await guild.fetch_roles()} >= {"author"} else "not changed")
    await member.remove_roles(role)
    member = await guild.fetch_member(int(argument))
    done.append("taken" if role.id not in {r.id for r in member.roles} else "not taken")
    await role.delete()
    done.append("deleted" if role.id not in {r.id for r in await guild.fetch_roles()} else "not deleted")
    return done


async def members(lib: Any, client: Any, channel: Any, argument: str) -> list[str]:
    guild = channel.guild
    by_rest = getattr(guild, "search_members", None)  # nextcord asks the gateway
    found = await (by_rest(argument, limit=10) if by_rest else guild.query_members(argument, limit=10))
    return [member.name for member in found]


async def pins(lib: Any, client: Any, channel: Any, argument: str) -> dict[str, list[str]]:
    first, second = await channel.send("first"), await channel.send("second")
    await first.pin()
    await second.pin()
    listed = channel.pins()
    pinned = [entry async for entry in listed] if hasattr(listed, "__aiter__") else await listed
    await first.unpin()
    return {"both": [getattr(entry, "message", entry).content for entry in pinned]}


async def reactions(lib: Any, client: Any, channel: Any, argument: str) -> dict[str, Any]:
    message = await channel.fetch_message(int(argument))
    await message.add_reaction("👍")
    await message.add_reaction("🎉")
    message = await channel.fetch_message(int(argument))
    thumb = next(reaction for reaction in message.reactions if str(reaction.emoji) == "👍")
    count, users = thumb.count, [user.name async for user in thumb.users()]
    await message.remove_reaction("👍", client.user)
    await message.clear_reaction("🎉")
    return {"count": count, "users": users}


async def poll(lib: Any, client: Any, channel: Any, argument: str) -> dict[str, str]:
    if not hasattr(lib, "Poll"):
        raise Lacks(f"{lib.__name__} has no Poll")
    answers = [
        lib.PollAnswer(lib.PollMedia(t)) if lib.__name__ == "disnake" else lib.PollAnswer(t)
        for t in ("Yes", "No")
    ]
    message = await channel.send(poll=lib.Poll("Read it?", answers=answers))
    return {"id": str(message.id)}


async def pollend(lib: Any, client: Any, channel: Any, argument: str) -> list[str]:
    message = await channel.fetch_message(int(argument))
    voters = [user.name async for user in message.poll.answers[1].voters()]
    await (message.poll.expire() if hasattr(message.poll, "expire") else message.end_poll())
    return voters


async def webhook(lib: Any, client: Any, channel: Any, argument: str) -> dict[str, str]:
    hook = await channel.create_webhook(name="Herald")
    [hook] = await channel.webhooks()
    kept = await hook.send("posted", wait=True)
    gone = await hook.send("gone soon", wait=True)
    await hook.edit_message(kept.id, content="posted, edited")
    await hook.delete_message(gone.id)
    await hook.delete()
    return {"kept": str(kept.id), "deleted": str(gone.id)}


async def history(lib: Any, client: Any, channel: Any, argument: str) -> dict[str, list[str]]:
    middle, seen = lib.Object(int(argument)), {}
    for name, limit in (("before", 2), ("after", 2), ("around", 3)):
        seen[name] = [m.content async for m in channel.history(limit=limit, **{name: middle})]
    return seen


async def guilds(lib: Any, client: Any, channel: Any, argument: str) -> list[str]:
    return [guild.name async for guild in client.fetch_guilds()]


ACTIONS = {
    action.__name__: action
    for action in (
        *(dm, threads, private, archived, forum, channel, roles, members, pins),
        *(reactions, poll, pollend, webhook, history, guilds),
    )
}
