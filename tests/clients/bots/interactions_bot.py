"""A bot of interactions.py with one of everything."""

import io
import json
import os
from typing import Any

import interactions as ip
from interactions.api.http.route import Route
from said import said

Route.BASE = os.environ["DISCORD_API"] + "/v10"
bot = ip.Client(intents=ip.Intents.DEFAULT, send_command_tracebacks=False)
Kind = ip.OptionType
PICTURE = "https://example.org/p.png"


def option(name: str, kind: Kind, **more: Any) -> Any:
    return ip.slash_option(name, name, kind, required=True, **more)


@ip.slash_command("every", description="Every type of option")
@option("file", Kind.ATTACHMENT)
@option("mentionable", Kind.MENTIONABLE)
@option("role", Kind.ROLE)
@option("channel", Kind.CHANNEL)
@option("user", Kind.USER)
@option("yes", Kind.BOOLEAN)
@option("number", Kind.NUMBER)
@option("whole", Kind.INTEGER)
@option("text", Kind.STRING)
async def every(
    ctx: ip.SlashContext, text, whole, number, yes, user, channel, role, mentionable, file
) -> None:
    seen = [text, whole, number, yes, user.username, channel.name, role.name, mentionable.name, file.filename]
    await ctx.send(json.dumps(seen))


@ip.slash_command("group", description="A group", sub_cmd_name="inner", sub_cmd_description="Inside")
@option("choice", Kind.INTEGER, min_value=1, max_value=3)
async def inner(ctx: ip.SlashContext, choice: int) -> None:
    await ctx.send(f"inner {choice}")


@ip.slash_command("suggest", description="Suggest words")
@option("word", Kind.STRING, autocomplete=True)
async def suggest(ctx: ip.SlashContext, word: str) -> None:
    await ctx.send(f"you chose {word}")


@suggest.autocomplete("word")
async def words(ctx: ip.AutocompleteContext) -> None:
    await ctx.send(
        [{"name": f"{ctx.input_text}-{tail}", "value": f"{ctx.input_text}-{tail}"} for tail in ("one", "two")]
    )


def button(name: str, label: str) -> ip.Button:
    return ip.Button(style=ip.ButtonStyle.PRIMARY, label=label, custom_id=name)


@ip.slash_command("buttons", description="A button")
async def buttons(ctx: ip.SlashContext) -> None:
    await ctx.send("press", components=button("press", "Press me"))


@ip.component_callback("press")
async def press(ctx: ip.ComponentContext) -> None:
    await ctx.edit_origin(content=f"pressed by {ctx.user.username}")


@ip.slash_command("selects", description="Five selects")
async def selects(ctx: ip.SlashContext) -> None:
    menus = [
        ip.StringSelectMenu("a", "b", "c", custom_id="string"),
        ip.UserSelectMenu(custom_id="user"),
        ip.RoleSelectMenu(custom_id="role"),
        ip.MentionableSelectMenu(custom_id="mentionable"),
        ip.ChannelSelectMenu(custom_id="channel"),
    ]
    await ctx.send("choose", components=[ip.ActionRow(menu) for menu in menus])


@ip.component_callback("string", "user", "role", "mentionable", "channel")
async def chosen(ctx: ip.ComponentContext) -> None:
    value = ctx.values[0]
    name = value if isinstance(value, str) else getattr(value, "username", None) or value.name
    await ctx.send(f"{ctx.custom_id}: {name}")


def the_form() -> ip.Modal:
    return ip.Modal(ip.ShortText(label="Name", custom_id="name"), title="A form", custom_id="form")


@ip.slash_command("form", description="A modal")
async def form(ctx: ip.SlashContext) -> None:
    await ctx.send_modal(the_form())


@ip.slash_command("formbutton", description="A button that opens a modal")
async def formbutton(ctx: ip.SlashContext) -> None:
    await ctx.send("a form", components=button("open", "Open"))


@ip.component_callback("open")
async def opened(ctx: ip.ComponentContext) -> None:
    await ctx.send_modal(the_form())


@ip.modal_callback("form")
async def submitted(ctx: ip.ModalContext, name: str) -> None:
    await ctx.send(f"you are {name}")


@ip.slash_command("secret", description="Only for you")
async def secret(ctx: ip.SlashContext) -> None:
    await ctx.send("only for you", ephemeral=True)


@ip.slash_command("later", description="Defer, then a file")
async def later(ctx: ip.SlashContext) -> None:
    await ctx.defer()
    await ctx.edit(content="done", file=ip.File(io.BytesIO(b"a report"), "report.txt"))


@ip.slash_command("more", description="Follow-ups")
async def more(ctx: ip.SlashContext) -> None:
    await ctx.send("reply")
    one = await ctx.send("one")
    two = await ctx.send("two")
    await ctx.edit(one, content="one, edited")
    await ctx.delete(two)


@ip.slash_command("layout", description="Components V2")
async def layout(ctx: ip.SlashContext) -> None:
    picture = ip.ThumbnailComponent(ip.UnfurledMediaItem(PICTURE))
    section = ip.SectionComponent(components=[ip.TextDisplayComponent("beside a picture")], accessory=picture)
    box = ip.ContainerComponent(
        ip.TextDisplayComponent("# A title"),
        section,
        ip.SeparatorComponent(),
        ip.ActionRow(button("laid", "Laid out")),
    )
    await ctx.send(components=[box])


@ip.component_callback("laid")
async def laid(ctx: ip.ComponentContext) -> None:
    await ctx.send("pressed in a layout")


@ip.context_menu("Greet", context_type=ip.CommandType.USER)
async def greet(ctx: ip.ContextMenuContext) -> None:
    await ctx.send(f"hello {ctx.target.username}")


@ip.context_menu("Count", context_type=ip.CommandType.MESSAGE)
async def count(ctx: ip.ContextMenuContext) -> None:
    await ctx.send(f"{len(ctx.target.content)} characters")


# -- what it does by itself --------------------------------------------------------------------


async def dm(here: Any, argument: str) -> None:
    await (await bot.fetch_user(argument)).send("a word in private")


async def threads(here: Any, argument: str) -> dict[str, str]:
    start = await here.send("start here")
    first = await start.create_thread("on a message")
    second = await here.create_public_thread("alone")
    for thread in (first, second):
        await thread.send("inside")
    return {thread.name: str(thread.id) for thread in (first, second)}


async def private(here: Any, argument: str) -> str:
    thread = await here.create_private_thread("for two")
    await thread.add_member(argument)
    return str(thread.id)


async def archived(here: Any, argument: str) -> dict[str, list[str]]:
    old = await here.create_public_thread("old and public")
    hidden = await here.create_private_thread("old and private")
    for thread in (old, hidden):
        await thread.archive()
    public = (await here.fetch_public_archived_threads()).threads
    secret = (await here.fetch_private_archived_threads()).threads
    await public[0].edit(archived=False)
    return {"public": [t.name for t in public], "private": [t.name for t in secret]}


async def forum(here: Any, argument: str) -> str:
    place = await bot.fetch_channel(argument)
    return str((await place.create_post("A post", "the opening", [place.get_tag("question")])).id)


async def channel(here: Any, argument: str) -> dict[str, str]:
    role_id, member_id = argument.split(",")
    see = [ip.Permissions.VIEW_CHANNEL]
    hidden = ip.PermissionOverwrite(id=here.guild.id, type=ip.OverwriteType.ROLE)
    hidden.add_denies(*see)
    made = await here.guild.create_text_channel(
        "reading", topic="what we read", permission_overwrites=[hidden]
    )
    role, member = await here.guild.fetch_role(role_id), await here.guild.fetch_member(member_id)
    await made.add_permission(role, allow=see)
    await made.add_permission(member, allow=see)
    await made.delete_permission(member)
    return {"id": str(made.id), "topic": made.topic}


async def roles(here: Any, argument: str) -> list[str]:
    guild, done = here.guild, []

    async def names() -> set[str]:
        return {role["name"] for role in await bot.http.get_roles(guild.id)}

    async def given() -> bool:
        return (await guild.fetch_member(argument, force=True)).has_role(role)

    role = await guild.create_role("writer", permissions=ip.Permissions.VIEW_CHANNEL, mentionable=True)
    done.append("made" if "writer" in await names() else "not made")
    member = await guild.fetch_member(argument, force=True)
    await member.add_role(role)
    done.append("given" if await given() else "not given")
    await role.edit(name="author")
    done.append("changed" if "author" in await names() else "not changed")
    await member.remove_role(role)
    done.append("not taken" if await given() else "taken")
    await role.delete()
    done.append("not deleted" if "author" in await names() else "deleted")
    return done


async def members(here: Any, argument: str) -> list[str]:
    return [member.username for member in await here.guild.search_members(argument, limit=10)]


async def pins(here: Any, argument: str) -> dict[str, list[str]]:
    messages = [await here.send(text) for text in ("first", "second")]
    for message in messages:
        await message.pin()
    pinned = await here.fetch_pinned_messages()
    await messages[0].unpin()
    return {"both": [message.content for message in pinned]}


async def reactions(here: Any, argument: str) -> dict[str, Any]:
    message = await here.fetch_message(argument, force=True)
    await message.add_reaction("👍")
    await message.add_reaction("🎉")
    message = await here.fetch_message(argument, force=True)
    thumb = next(reaction for reaction in message.reactions if reaction.emoji.name == "👍")
    count = thumb.count  # its cache follows what comes next
    users = [user.username for user in await thumb.users().flatten()]
    await message.remove_reaction("👍")
    await message.clear_reactions("🎉")
    return {"count": count, "users": users}


async def poll(here: Any, argument: str) -> dict[str, str]:
    asked = ip.Poll.create("Read it?", duration=24)
    asked.add_answer("Yes")
    asked.add_answer("No")
    return {"id": str((await here.send(poll=asked)).id)}


async def pollend(here: Any, argument: str) -> list[str]:
    message = await here.fetch_message(argument, force=True)
    voters = [user.username for user in await message.answer_voters(2).flatten()]
    await message.end_poll()
    return voters


async def webhook(here: Any, argument: str) -> dict[str, str]:
    await here.create_webhook("Herald")
    [hook] = await here.fetch_webhooks()
    kept, gone = await hook.send("posted", wait=True), await hook.send("gone soon", wait=True)
    await hook.edit_message(kept, content="posted, edited")
    await hook.delete_message(gone)
    await hook.delete()
    return {"kept": str(kept.id), "deleted": str(gone.id)}


async def history(here: Any, argument: str) -> dict[str, list[str]]:
    seen = {}
    for name, limit in (("before", 2), ("after", 2), ("around", 3)):
        messages = await here.fetch_messages(limit, **{name: argument})
        seen[name] = [message.content for message in messages]
    return seen


async def guilds(here: Any, argument: str) -> list[str]:
    return [guild["name"] for guild in await bot.http.get_user_guilds()]


ACTIONS = (dm, threads, private, archived, forum, channel, roles, members, pins, reactions)
ACTIONS += (poll, pollend, webhook, history, guilds)


@ip.slash_command("do", description="Do something by itself")
@option("argument", Kind.STRING)
@option("what", Kind.STRING)
async def do(ctx: ip.SlashContext, what: str, argument: str) -> None:
    await ctx.defer()
    act = next(action for action in ACTIONS if action.__name__ == what)
    await ctx.edit(content=await said(what, act(ctx.channel, argument)))


bot.start(os.environ["DISCORD_TOKEN"])
