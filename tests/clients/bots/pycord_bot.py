"""A bot of py-cord with one of everything."""

import io
import json
import os

import discord
import forks
from discord import ApplicationContext as Context
from discord import ui
from discord.http import Route
from said import said

Route.API_BASE_URL = os.environ["DISCORD_API"] + "/v{API_VERSION}"
bot = discord.Bot(intents=discord.Intents.default())
Kind = discord.SlashCommandOptionType


@bot.slash_command(description="Every type of option")
@discord.option("text", str)
@discord.option("whole", int)
@discord.option("number", float)
@discord.option("yes", bool)
@discord.option("user", discord.User)
@discord.option("channel", discord.TextChannel)
@discord.option("role", discord.Role)
@discord.option("mentionable", Kind.mentionable)
@discord.option("file", discord.Attachment)
async def every(ctx: Context, text, whole, number, yes, user, channel, role, mentionable, file) -> None:
    seen = [text, whole, number, yes, user.name, channel.name, role.name, mentionable.name, file.filename]
    await ctx.respond(json.dumps(seen))


group = bot.create_group("group", "A group")


@group.command(description="Inside")
@discord.option("choice", int, min_value=1, max_value=3)
async def inner(ctx: Context, choice: int) -> None:
    await ctx.respond(f"inner {choice}")


async def words(ctx: discord.AutocompleteContext) -> list[str]:
    return [f"{ctx.value}-one", f"{ctx.value}-two"]


@bot.slash_command(description="Suggest words")
@discord.option("word", str, autocomplete=words)
async def suggest(ctx: Context, word: str) -> None:
    await ctx.respond(f"you chose {word}")


class Buttons(ui.View):
    @ui.button(label="Press me", style=discord.ButtonStyle.primary)
    async def press(self, button: ui.Button, interaction: discord.Interaction) -> None:
        await interaction.response.edit_message(content=f"pressed by {interaction.user.name}", view=self)


@bot.slash_command(description="A button")
async def buttons(ctx: Context) -> None:
    await ctx.respond("press", view=Buttons())


class Selects(ui.View):
    @ui.string_select(options=[discord.SelectOption(label=name) for name in "abc"])
    async def string(self, select: ui.Select, interaction: discord.Interaction) -> None:
        await interaction.respond(f"string: {select.values[0]}")

    @ui.user_select()
    async def user(self, select: ui.Select, interaction: discord.Interaction) -> None:
        await interaction.respond(f"user: {select.values[0].name}")

    @ui.role_select()
    async def role(self, select: ui.Select, interaction: discord.Interaction) -> None:
        await interaction.respond(f"role: {select.values[0].name}")

    @ui.mentionable_select()
    async def mentionable(self, select: ui.Select, interaction: discord.Interaction) -> None:
        await interaction.respond(f"mentionable: {select.values[0].name}")

    @ui.channel_select()
    async def channel(self, select: ui.Select, interaction: discord.Interaction) -> None:
        await interaction.respond(f"channel: {select.values[0].name}")


@bot.slash_command(description="Five selects")
async def selects(ctx: Context) -> None:
    await ctx.respond("choose", view=Selects())


class Form(ui.Modal):
    def __init__(self) -> None:
        super().__init__(ui.InputText(label="Name"), title="A form")

    async def callback(self, interaction: discord.Interaction) -> None:
        await interaction.respond(f"you are {self.children[0].value}")


@bot.slash_command(description="A modal")
async def form(ctx: Context) -> None:
    await ctx.send_modal(Form())


class Opener(ui.View):
    @ui.button(label="Open")
    async def open(self, button: ui.Button, interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(Form())


@bot.slash_command(description="A button that opens a modal")
async def formbutton(ctx: Context) -> None:
    await ctx.respond("a form", view=Opener())


@bot.slash_command(description="Only for you")
async def secret(ctx: Context) -> None:
    await ctx.respond("only for you", ephemeral=True)


@bot.slash_command(description="Defer, then a file")
async def later(ctx: Context) -> None:
    await ctx.defer()
    await ctx.edit(content="done", file=discord.File(io.BytesIO(b"a report"), "report.txt"))


@bot.slash_command(description="Follow-ups")
async def more(ctx: Context) -> None:
    await ctx.respond("reply")
    one = await ctx.followup.send("one", wait=True)
    two = await ctx.followup.send("two", wait=True)
    await one.edit(content="one, edited")
    await two.delete()


class Laid(ui.Button):
    def __init__(self) -> None:
        super().__init__(label="Laid out")

    async def callback(self, interaction: discord.Interaction) -> None:
        await interaction.respond("pressed in a layout")


@bot.slash_command(description="Components V2")
async def layout(ctx: Context) -> None:
    box = ui.Container(
        ui.TextDisplay("# A title"),
        ui.Section(ui.TextDisplay("beside a picture"), accessory=ui.Thumbnail("https://example.org/p.png")),
        ui.MediaGallery(discord.MediaGalleryItem("https://example.org/p.png")),
        ui.Separator(),
        ui.ActionRow(Laid()),
    )
    await ctx.respond(view=ui.DesignerView(box))


@bot.user_command(name="Greet")
async def greet(ctx: Context, user: discord.User) -> None:
    await ctx.respond(f"hello {user.name}")


@bot.message_command(name="Count")
async def count(ctx: Context, message: discord.Message) -> None:
    await ctx.respond(f"{len(message.content)} characters")


@bot.slash_command(description="Do something by itself")
@discord.option("what", str)
@discord.option("argument", str)
async def do(ctx: Context, what: str, argument: str) -> None:
    await ctx.defer()
    await ctx.edit(content=await said(what, forks.act(discord, bot, ctx.channel, what, argument)))


bot.run(os.environ["DISCORD_TOKEN"])
