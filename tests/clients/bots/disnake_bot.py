"""A bot of disnake with one of everything."""

import io
import json
import os

import disnake
import forks
from disnake import ApplicationCommandInteraction as Interaction
from disnake import ui
from disnake.ext import commands
from disnake.http import Route
from said import said

Route.BASE = os.environ["DISCORD_API"] + "/v10"
bot = commands.InteractionBot(intents=disnake.Intents.default())


@bot.slash_command(description="Every type of option")
async def every(
    interaction: Interaction,
    text: str,
    whole: int,
    number: float,
    yes: bool,
    user: disnake.User,
    channel: disnake.TextChannel,
    role: disnake.Role,
    mentionable: disnake.User | disnake.Role,
    file: disnake.Attachment,
) -> None:
    seen = [text, whole, number, yes, user.name, channel.name, role.name, mentionable.name, file.filename]
    await interaction.response.send_message(json.dumps(seen))


@bot.slash_command(description="A group")
async def group(interaction: Interaction) -> None: ...


@group.sub_command(description="Inside")
async def inner(interaction: Interaction, choice: commands.Range[int, 1, 3]) -> None:
    await interaction.response.send_message(f"inner {choice}")


@bot.slash_command(description="Suggest words")
async def suggest(interaction: Interaction, word: str) -> None:
    await interaction.response.send_message(f"you chose {word}")


@suggest.autocomplete("word")
async def words(interaction: Interaction, word: str) -> list[str]:
    return [f"{word}-one", f"{word}-two"]


class Buttons(ui.View):
    @ui.button(label="Press me", style=disnake.ButtonStyle.primary)
    async def press(self, button: ui.Button, interaction: disnake.MessageInteraction) -> None:
        await interaction.response.edit_message(f"pressed by {interaction.user.name}", view=self)


@bot.slash_command(description="A button")
async def buttons(interaction: Interaction) -> None:
    await interaction.response.send_message("press", view=Buttons())


class Selects(ui.View):
    @ui.string_select(options=["a", "b", "c"])
    async def string(self, select: ui.StringSelect, interaction: disnake.MessageInteraction) -> None:
        await interaction.response.send_message(f"string: {select.values[0]}")

    @ui.user_select()
    async def user(self, select: ui.UserSelect, interaction: disnake.MessageInteraction) -> None:
        await interaction.response.send_message(f"user: {select.values[0].name}")

    @ui.role_select()
    async def role(self, select: ui.RoleSelect, interaction: disnake.MessageInteraction) -> None:
        await interaction.response.send_message(f"role: {select.values[0].name}")

    @ui.mentionable_select()
    async def mentionable(
        self, select: ui.MentionableSelect, interaction: disnake.MessageInteraction
    ) -> None:
        await interaction.response.send_message(f"mentionable: {select.values[0].name}")

    @ui.channel_select()
    async def channel(self, select: ui.ChannelSelect, interaction: disnake.MessageInteraction) -> None:
        await interaction.response.send_message(f"channel: {select.values[0].name}")


@bot.slash_command(description="Five selects")
async def selects(interaction: Interaction) -> None:
    await interaction.response.send_message("choose", view=Selects())


class Form(ui.Modal):
    def __init__(self) -> None:
        super().__init__(title="A form", components=ui.Label("Name", ui.TextInput(custom_id="name")))

    async def callback(self, interaction: disnake.ModalInteraction) -> None:
        await interaction.response.send_message(f"you are {interaction.text_values['name']}")


@bot.slash_command(description="A modal")
async def form(interaction: Interaction) -> None:
    await interaction.response.send_modal(Form())


class Opener(ui.View):
    @ui.button(label="Open")
    async def open(self, button: ui.Button, interaction: disnake.MessageInteraction) -> None:
        await interaction.response.send_modal(Form())


@bot.slash_command(description="A button that opens a modal")
async def formbutton(interaction: Interaction) -> None:
    await interaction.response.send_message("a form", view=Opener())


@bot.slash_command(description="Only for you")
async def secret(interaction: Interaction) -> None:
    await interaction.response.send_message("only for you", ephemeral=True)


@bot.slash_command(description="Defer, then a file")
async def later(interaction: Interaction) -> None:
    await interaction.response.defer()
    file = disnake.File(io.BytesIO(b"a report"), "report.txt")
    await interaction.edit_original_response("done", file=file)


@bot.slash_command(description="Follow-ups")
async def more(interaction: Interaction) -> None:
    await interaction.response.send_message("reply")
    one = await interaction.followup.send("one", wait=True)
    two = await interaction.followup.send("two", wait=True)
    await one.edit("one, edited")
    await two.delete()


@bot.slash_command(description="Components V2")
async def layout(interaction: Interaction) -> None:
    picture = ui.Thumbnail(media="https://example.org/picture.png")
    box = ui.Container(
        ui.TextDisplay("# A title"),
        ui.Section("beside a picture", accessory=picture),
        ui.Separator(),
        ui.ActionRow(ui.Button(label="Laid out", custom_id="laid")),
    )
    await interaction.response.send_message(components=[box])


@bot.listen("on_button_click")
async def laid(interaction: disnake.MessageInteraction) -> None:
    if interaction.component.custom_id == "laid":
        await interaction.response.send_message("pressed in a layout")


@bot.user_command(name="Greet")
async def greet(interaction: Interaction, user: disnake.User) -> None:
    await interaction.response.send_message(f"hello {user.name}")


@bot.message_command(name="Count")
async def count(interaction: Interaction, message: disnake.Message) -> None:
    await interaction.response.send_message(f"{len(message.content)} characters")


@bot.slash_command(description="Do something by itself")
async def do(interaction: Interaction, what: str, argument: str) -> None:
    await interaction.response.defer()
    work = forks.act(disnake, bot, interaction.channel, what, argument)
    await interaction.edit_original_response(await said(what, work))


bot.run(os.environ["DISCORD_TOKEN"])
