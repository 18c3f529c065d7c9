"""A bot of hikari, with commands of crescent, with one of everything."""

import json
import os
from typing import Any

import crescent
import hikari
from hikari import impl
from said import said

bot = hikari.GatewayBot(
    os.environ["DISCORD_TOKEN"], rest_url=os.environ["DISCORD_API"] + "/v10", banner=None, logs="WARNING"
)
client = crescent.Client(bot)
rest = bot.rest
PICTURE = "https://example.org/p.png"


@client.include
@crescent.command(name="every", description="Every type of option")
class Every:
    text = crescent.option(str)
    whole = crescent.option(int)
    number = crescent.option(float)
    yes = crescent.option(bool)
    user = crescent.option(hikari.User)
    channel = crescent.option(hikari.TextableGuildChannel)
    role = crescent.option(hikari.Role)
    mentionable = crescent.option(crescent.Mentionable)
    file = crescent.option(hikari.Attachment)

    async def callback(self, ctx: crescent.Context) -> None:
        # crescent hands over the first user where one was named, so the option itself says which it is.
        chosen = next(o.value for o in ctx.interaction.options if o.name == "mentionable")
        named = ctx.interaction.resolved.roles[hikari.Snowflake(chosen)].name
        seen = [self.text, self.whole, self.number, self.yes, self.user.username, self.channel.name]
        await ctx.respond(json.dumps([*seen, self.role.name, named, self.file.filename]))


group = crescent.Group("group", "A group")


@client.include
@group.child
@crescent.command(name="inner", description="Inside")
class Inner:
    choice = crescent.option(int, min_value=1, max_value=3)

    async def callback(self, ctx: crescent.Context) -> None:
        await ctx.respond(f"inner {self.choice}")


async def words(ctx: crescent.AutocompleteContext, option: Any) -> list[tuple[str, str]]:
    return [(f"{option.value}-{tail}",) * 2 for tail in ("one", "two")]


@client.include
@crescent.command(name="suggest", description="Suggest words")
class Suggest:
    word = crescent.option(str, autocomplete=words)

    async def callback(self, ctx: crescent.Context) -> None:
        await ctx.respond(f"you chose {self.word}")


def row() -> Any:
    return rest.build_message_action_row()


@client.include
@crescent.command(description="A button")
async def buttons(ctx: crescent.Context) -> None:
    button = row().add_interactive_button(hikari.ButtonStyle.PRIMARY, "press", label="Press me")
    await ctx.respond("press", component=button)


@client.include
@crescent.command(description="Five selects")
async def selects(ctx: crescent.Context) -> None:
    text = row()
    menu = text.add_text_menu("string")
    for name in "abc":
        menu.add_option(name, name)
    kinds = hikari.ComponentType
    others = [
        row().add_select_menu(kinds.USER_SELECT_MENU, "user"),
        row().add_select_menu(kinds.ROLE_SELECT_MENU, "role"),
        row().add_select_menu(kinds.MENTIONABLE_SELECT_MENU, "mentionable"),
        row().add_channel_menu("channel"),
    ]
    await ctx.respond("choose", components=[text, *others])


def form_rows() -> list[Any]:
    return [rest.build_modal_action_row().add_text_input("name", "Name")]


@client.include
@crescent.command(description="A modal")
async def form(ctx: crescent.Context) -> None:
    await ctx.respond_with_modal("A form", "form", form_rows())


@client.include
@crescent.command(description="A button that opens a modal")
async def formbutton(ctx: crescent.Context) -> None:
    button = row().add_interactive_button(hikari.ButtonStyle.PRIMARY, "open", label="Open")
    await ctx.respond("a form", component=button)


@client.include
@crescent.command(description="Only for you")
async def secret(ctx: crescent.Context) -> None:
    await ctx.respond("only for you", ephemeral=True)


@client.include
@crescent.command(description="Defer, then a file")
async def later(ctx: crescent.Context) -> None:
    await ctx.defer()
    await ctx.edit("done", attachment=hikari.Bytes(b"a report", "report.txt"))


@client.include
@crescent.command(description="Follow-ups")
async def more(ctx: crescent.Context) -> None:
    await ctx.respond("reply")
    one = await ctx.followup("one")
    two = await ctx.followup("two")
    await ctx.interaction.edit_message(one, "one, edited")
    await ctx.interaction.delete_message(two)


@client.include
@crescent.command(description="Components V2")
async def layout(ctx: crescent.Context) -> None:
    section = impl.SectionComponentBuilder(accessory=impl.ThumbnailComponentBuilder(media=PICTURE))
    box = impl.ContainerComponentBuilder()
    box.add_text_display("# A title")
    box.add_component(section.add_text_display("beside a picture"))
    box.add_separator()
    box.add_component(row().add_interactive_button(hikari.ButtonStyle.PRIMARY, "laid", label="Laid out"))
    await ctx.respond(component=box, flags=hikari.MessageFlag.IS_COMPONENTS_V2)


@client.include
@crescent.user_command(name="Greet")
async def greet(ctx: crescent.Context, user: hikari.User) -> None:
    await ctx.respond(f"hello {user.username}")


@client.include
@crescent.message_command(name="Count")
async def count(ctx: crescent.Context, message: hikari.Message) -> None:
    await ctx.respond(f"{len(message.content)} characters")


@bot.listen()
async def pressed(event: hikari.ComponentInteractionCreateEvent) -> None:
    interaction, kinds = event.interaction, hikari.ResponseType
    name, chosen = interaction.custom_id, interaction.resolved
    if name == "press":
        content = f"pressed by {interaction.user.username}"
        await interaction.create_initial_response(kinds.MESSAGE_UPDATE, content)
    elif name == "open":
        await interaction.create_modal_response("A form", "form", components=form_rows())
    else:
        said = {
            "laid": lambda: "pressed in a layout",
            "string": lambda: f"string: {interaction.values[0]}",
            "user": lambda: f"user: {next(iter(chosen.users.values())).username}",
            "role": lambda: f"role: {next(iter(chosen.roles.values())).name}",
            "mentionable": lambda: f"mentionable: {next(iter(chosen.users.values())).username}",
            "channel": lambda: f"channel: {next(iter(chosen.channels.values())).name}",
        }[name]()
        await interaction.create_initial_response(kinds.MESSAGE_CREATE, said)


@bot.listen()
async def submitted(event: hikari.ModalInteractionCreateEvent) -> None:
    name = event.interaction.components[0].components[0].value
    await event.interaction.create_initial_response(hikari.ResponseType.MESSAGE_CREATE, f"you are {name}")


# -- what it does by itself --------------------------------------------------------------------


async def dm(place: int, guild: int, argument: str) -> None:
    await (await rest.fetch_user(int(argument))).send("a word in private")


async def threads(place: int, guild: int, argument: str) -> dict[str, str]:
    start = await rest.create_message(place, "start here")
    first = await rest.create_message_thread(place, start, "on a message")
    second = await rest.create_thread(place, hikari.ChannelType.GUILD_PUBLIC_THREAD, "alone")
    for thread in (first, second):
        await rest.create_message(thread, "inside")
    return {thread.name: str(thread.id) for thread in (first, second)}


async def private(place: int, guild: int, argument: str) -> str:
    thread = await rest.create_thread(place, hikari.ChannelType.GUILD_PRIVATE_THREAD, "for two")
    await rest.add_thread_member(thread, int(argument))
    return str(thread.id)


async def archived(place: int, guild: int, argument: str) -> dict[str, list[str]]:
    old = await rest.create_thread(place, hikari.ChannelType.GUILD_PUBLIC_THREAD, "old and public")
    hidden = await rest.create_thread(place, hikari.ChannelType.GUILD_PRIVATE_THREAD, "old and private")
    for thread in (old, hidden):
        await rest.edit_channel(thread, archived=True)
    public = [t.name async for t in rest.fetch_public_archived_threads(place)]
    secret = [t.name async for t in rest.fetch_private_archived_threads(place)]
    await rest.edit_channel(old, archived=False)
    return {"public": public, "private": secret}


async def forum(place: int, guild: int, argument: str) -> str:
    channel = await rest.fetch_channel(int(argument))
    tag = next(tag for tag in channel.available_tags if tag.name == "question")
    return str((await rest.create_forum_post(channel, "A post", "the opening", tags=[tag.id])).id)


async def channel(place: int, guild: int, argument: str) -> dict[str, str]:
    role, member = map(int, argument.split(","))
    see, kinds = hikari.Permissions.VIEW_CHANNEL, hikari.PermissionOverwriteType
    hidden = [hikari.PermissionOverwrite(id=guild, type=kinds.ROLE, deny=see)]
    made = await rest.create_guild_text_channel(
        guild, "reading", topic="what we read", permission_overwrites=hidden
    )
    await rest.edit_permission_overwrite(made, role, target_type=kinds.ROLE, allow=see)
    await rest.edit_permission_overwrite(made, member, target_type=kinds.MEMBER, allow=see)
    await rest.delete_permission_overwrite(made, member)
    return {"id": str(made.id), "topic": made.topic}


async def roles(place: int, guild: int, argument: str) -> list[str]:
    done, member = [], int(argument)

    async def names() -> set[str]:
        return {role.name for role in await rest.fetch_roles(guild)}

    async def given() -> bool:
        return role.id in (await rest.fetch_member(guild, member)).role_ids

    role = await rest.create_role(
        guild, name="writer", mentionable=True, permissions=hikari.Permissions.VIEW_CHANNEL
    )
    done.append("made" if "writer" in await names() else "not made")
    await rest.add_role_to_member(guild, member, role)
    done.append("given" if await given() else "not given")
    await rest.edit_role(guild, role, name="author")
    done.append("changed" if "author" in await names() else "not changed")
    await rest.remove_role_from_member(guild, member, role)
    done.append("not taken" if await given() else "taken")
    await rest.delete_role(guild, role)
    done.append("not deleted" if "author" in await names() else "deleted")
    return done


async def members(place: int, guild: int, argument: str) -> list[str]:
    return [member.username for member in await rest.search_members(guild, argument)]


async def pins(place: int, guild: int, argument: str) -> dict[str, list[str]]:
    messages = [await rest.create_message(place, text) for text in ("first", "second")]
    for message in messages:
        await rest.pin_message(place, message)
    pinned = [pin.message.content async for pin in rest.fetch_pins(place)]
    await rest.unpin_message(place, messages[0])
    return {"both": pinned}


async def reactions(place: int, guild: int, argument: str) -> dict[str, Any]:
    message = int(argument)
    await rest.add_reaction(place, message, "👍")
    await rest.add_reaction(place, message, "🎉")
    seen = await rest.fetch_message(place, message)
    count = next(reaction.count for reaction in seen.reactions if str(reaction.emoji) == "👍")
    users = [user.username async for user in rest.fetch_reactions_for_emoji(place, message, "👍")]
    await rest.delete_my_reaction(place, message, "👍")
    await rest.delete_all_reactions_for_emoji(place, message, "🎉")
    return {"count": count, "users": users}


async def poll(place: int, guild: int, argument: str) -> dict[str, str]:
    asked = impl.PollBuilder(question_text="Read it?", allow_multiselect=False)
    for text in ("Yes", "No"):
        asked.add_answer(text=text)
    return {"id": str((await rest.create_message(place, poll=asked)).id)}


async def pollend(place: int, guild: int, argument: str) -> list[str]:
    voters = await rest.fetch_poll_voters(place, int(argument), 2)
    await rest.end_poll(place, int(argument))
    return [user.username for user in voters]


async def webhook(place: int, guild: int, argument: str) -> dict[str, str]:
    await rest.create_webhook(place, "Herald")
    [hook] = await rest.fetch_channel_webhooks(place)
    kept, gone = await hook.execute("posted"), await hook.execute("gone soon")
    await hook.edit_message(kept, "posted, edited")
    await hook.delete_message(gone)
    await hook.delete()
    return {"kept": str(kept.id), "deleted": str(gone.id)}


async def history(place: int, guild: int, argument: str) -> dict[str, list[str]]:
    middle, seen = hikari.Snowflake(argument), {}
    for name, limit in (("before", 2), ("after", 2), ("around", 10)):
        # Without a limit, hikari asks for what is around the last one, and so on for ever.
        found = rest.fetch_messages(place, **{name: middle}).limit(limit)
        seen[name] = [message.content async for message in found]
    return seen


async def guilds(place: int, guild: int, argument: str) -> list[str]:
    return [guild.name async for guild in rest.fetch_my_guilds()]


ACTIONS = (dm, threads, private, archived, forum, channel, roles, members, pins, reactions)
ACTIONS += (poll, pollend, webhook, history, guilds)


@client.include
@crescent.command(name="do", description="Do something by itself")
class Do:
    what = crescent.option(str)
    argument = crescent.option(str)

    async def callback(self, ctx: crescent.Context) -> None:
        await ctx.defer()
        act = next(action for action in ACTIONS if action.__name__ == self.what)
        await ctx.edit(await said(self.what, act(ctx.channel_id, ctx.guild_id, self.argument)))


bot.run()
