"""Members choose dark or light pictures; digests have their own setting."""

import io
import json
from datetime import timedelta

import pytest
from PIL import Image

from bot.local_discord.client import CommandRefusedError, UserClient
from bot.local_discord.completion import files_of
from tests.helpers.digests import MONDAY, active, papers
from tests.helpers.lab import fill
from tests.helpers.members import joins

DARK, LIGHT = (0x1F, 0x21, 0x26), (255, 255, 255)


def paper_colour(discord, message):
    """The colour of the upper left corner of a message's picture."""
    [attachment] = files_of(message)
    with Image.open(io.BytesIO(discord.state.files[attachment["id"]][2])) as picture:
        return picture.convert("RGB").getpixel((1, 1))


async def test_pictures_are_dark_until_a_member_chooses_light_and_others_stay_dark(place):
    discord, _, user = place
    drawn = await user.slash("/graph person:ChonLam Lao")
    assert paper_colour(discord, drawn.message) == DARK
    chosen = await user.slash("/settings theme colours:light")
    assert chosen.is_private
    assert "Your pictures are **light** from now on" in chosen.text
    for command in ("/graph person:ChonLam Lao", "/graph paper:PrismLLM"):
        assert paper_colour(discord, (await user.slash(command)).message) == LIGHT
    card = await user.slash("/author name:Minlan Yu")
    assert paper_colour(discord, (await card.press("Graph")).message) == LIGHT
    token = discord.state.token_of(joins(discord, "bee")["id"])
    async with UserClient(discord.url, token) as bee:
        assert paper_colour(discord, (await bee.slash("/graph person:ChonLam Lao")).message) == DARK


async def test_the_choice_is_in_the_export_and_goes_with_the_member(place):
    discord, _, user = place
    await user.slash("/settings theme colours:light")
    shown = await user.slash("/me data")
    [file] = files_of(shown.message)
    assert json.loads(discord.state.files[file["id"]][2])["settings"] == [{"theme": "light"}]
    await shown.press("Forget me")
    drawn = await user.slash("/graph person:ChonLam Lao")
    assert paper_colour(discord, drawn.message) == DARK


@pytest.mark.parametrize("typed", ["pink", "", "dark, light", "x" * 6_000])
async def test_no_other_theme_is_taken(place, typed):
    _, bot, user = place
    with pytest.raises((CommandRefusedError, ValueError)):
        await user.slash(f"/settings theme colours:{typed}")
    assert await bot.services.store.member_settings.theme(int(user.user["id"])) == "dark"


async def test_a_channel_s_digest_has_its_own_theme_and_a_member_s_digest_theirs(scene):
    await fill(scene.bot, papers(MONDAY, 401, 30))
    await scene.user.slash("/settings theme colours:light")
    digest = await active(scene)
    preview = await scene.user.slash("/digest preview")
    assert paper_colour(scene.discord, preview.message) == DARK, "a channel is everybody's"
    panel = await (await scene.user.slash("/digest edit")).press("Papers")
    [layout] = [s for s in panel.selects if s["custom_id"].startswith("dgs:s")]
    panel = await panel.choose("compact light picture", layout)
    [layout] = [s for s in panel.selects if s["custom_id"].startswith("dgs:s")]
    assert [o["value"] for o in layout["options"] if o.get("default")] == ["compact light picture"]
    scene.at += timedelta(hours=2)
    assert await scene.poster.tick() == 1
    [post] = scene.posts()
    assert paper_colour(scene.discord, post.message) == LIGHT
    panel = await panel.choose("full picture", layout)
    assert (await scene.bot.services.store.digests.find(digest.id)).theme == ""
    own = await scene.user.slash("/digest mine")
    assert paper_colour(scene.discord, (await own.press("Preview")).message) == LIGHT
