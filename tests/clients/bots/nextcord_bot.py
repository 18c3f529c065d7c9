"""A bot of nextcord with one of everything."""

import io
import json
import os

import forks
import nextcord
from nextcord import ButtonStyle, Interaction, SlashOption, ui
from nextcord.ext import commands
from nextcord.http import Route
from said import said

Route.BASE = os.environ["DISCORD_API"] + "/v10"
intents = nextcord.Intents.default()
# A message menu hands over the cached message, and the gateway sends its content only with this intent.
intents.message_content = True
bot = commands.Bot(intents=intents)


@bot.slash_command(description="Every type of option")
async def every(
    interaction: Interaction,
    text: str,
    whole: int,
    number: float,
    yes: bool,
    user: nextcord.User,
    channel: nextcord.TextChannel,
    role: nextcord.Role,
    mentionable: nextcord.Mentionable,
    file: nextcord.Attachment,
) -> None:
    seen = [text, whole, number, yes, user.name, channel.name, role.name, mentionable.name, file.filename]
    await interaction.send(json.dumps(seen))


@bot.slash_command(description="A group")
async def group(interaction: Interaction) -> None: ...


@group.subcommand(description="Inside")
async def inner(interaction: Interaction, choice: int = SlashOption(min_value=1, max_value=3)) -> None:
    await interaction.send(f"inner {choice}")


@bot.slash_command(description="Suggest words")
async def suggest(interaction: Interaction, word: str) -> None:
    await interaction.send(f"you chose {word}")


@suggest.on_autocomplete("word")
async def words(interaction: Interaction, word: str) -> None:
    await interaction.response.send_autocomplete([f"{word}-one", f"{word}-two"])


class Buttons(ui.View):
    @ui.button(label="Press me", style=ButtonStyle.primary)
    async def press(self, button: ui.Button, interaction: Interaction) -> None:
        await interaction.response.edit_message(content=f"pressed by {interaction.user.name}", view=self)


@bot.slash_command(description="A button")
async def buttons(interaction: Interaction) -> None:
    await interaction.send("press", view=Buttons())


class Selects(ui.View):
    @ui.string_select(options=[nextcord.SelectOption(label=name) for name in "abc"])
    async def string(self, select: ui.StringSelect, interaction: Interaction) -> None:
        await interaction.send(f"string: {select.values[0]}")

    @ui.user_select()
    async def user(self, select: ui.UserSelect, interaction: Interaction) -> None:
        await interaction.send(f"user: {select.values[0].name}")

    @ui.role_select()
    async def role(self, select: ui.RoleSelect, interaction: Interaction) -> None:
        await interaction.send(f"role: {select.values[0].name}")

    @ui.mentionable_select()
    async def mentionable(self, select: ui.MentionableSelect, interaction: Interaction) -> None:
        await interaction.send(f"mentionable: {select.values[0].name}")

    @ui.channel_select()
    async def channel(self, select: ui.ChannelSelect, interaction: Interaction) -> None:
        await interaction.send(f"channel: {select.values[0].name}")


@bot.slash_command(description="Five selects")
async def selects(interaction: Interaction) -> None:
    await interaction.send("choose", view=Selects())


class Form(ui.Modal):
    def __init__(self) -> None:
        super().__init__("A form")
        self.name = ui.TextInput(label="Name")
        self.add_item(self.name)

    async def callback(self, interaction: Interaction) -> None:
        await interaction.send(f"you are {self.name.value}")


@bot.slash_command(description="A modal")
async def form(interaction: Interaction) -> None:
    await interaction.response.send_modal(Form())


class Opener(ui.View):
    @ui.button(label="Open")
    async def open(self, button: ui.Button, interaction: Interaction) -> None:
        await interaction.response.send_modal(Form())


@bot.slash_command(description="A button that opens a modal")
async def formbutton(interaction: Interaction) -> None:
    await interaction.send("a form", view=Opener())


@bot.slash_command(description="Only for you")
async def secret(interaction: Interaction) -> None:
    await interaction.send("only for you", ephemeral=True)


@bot.slash_command(description="Defer, then a file")
async def later(interaction: Interaction) -> None:
    await interaction.response.defer()
    file = nextcord.File(io.BytesIO(b"a report"), "report.txt")
    await interaction.edit_original_message(content="done", file=file)


@bot.slash_command(description="Follow-ups")
async def more(interaction: Interaction) -> None:
    await interaction.response.send_message("reply")
    one = await interaction.followup.send("one", wait=True)
    two = await interaction.followup.send("two", wait=True)
    await one.edit(content="one, edited")
    await two.delete()


@bot.slash_command(description="Components V2")
async def layout(interaction: Interaction) -> None:
    missing = [name for name in ("Container", "TextDisplay", "LayoutView") if not hasattr(ui, name)]
    await interaction.send(f"lacks nextcord.ui has no {', '.join(missing)}")


@bot.user_command(name="Greet")
async def greet(interaction: Interaction, user: nextcord.User) -> None:
    await interaction.send(f"hello {user.name}")


@bot.message_command(name="Count")
async def count(interaction: Interaction, message: nextcord.Message) -> None:
    await interaction.send(f"{len(message.content)} characters")


@bot.slash_command(description="Do something by itself")
async def do(interaction: Interaction, what: str, argument: str) -> None:
    await interaction.response.defer()
    work = forks.act(nextcord, bot, interaction.channel, what, argument)
    await interaction.edit_original_message(content=await said(what, work))


bot.run(os.environ["DISCORD_TOKEN"])
