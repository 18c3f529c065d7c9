"""A digest of a real day as pictures, in both themes and as narrow as a phone, and /similar.

LABMATE_SHARED=... python docs/posts.py: a Labmate on a local Discord, which reads the real papers in place,
sets up a digest; the script draws the channel as Discord lays it out.
"""

from __future__ import annotations

import asyncio
import base64
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from picture import page, photograph  # noqa: E402
from pydantic import SecretStr  # noqa: E402
from real_library import real_library  # noqa: E402

from bot.local_discord.client import ShownReply, UserClient  # noqa: E402
from bot.local_discord.limits import walk  # noqa: E402
from bot.local_discord.server import LocalDiscord  # noqa: E402
from bot.run import running_bot  # noqa: E402
from commands.kit import painter, services  # noqa: E402

TARGET = ROOT / "docs" / "pictures"
WORDS = "systems for training and serving large language models on many GPUs"
SIMILAR = "/similar PrismLLM"
Message = dict[str, Any]
painter.PATIENCE = services.INTERIM_AFTER = 600.0  # pictures show answers, however busy the machine


async def messages() -> tuple[Message, Message, Message]:
    """The digest with a dark and with a light map, and the reply to /similar, with pictures embedded."""
    async with LocalDiscord() as discord:
        settings = await real_library(
            discord_token=SecretStr(discord.bot_token), discord_api_url=discord.api_url
        )
        async with (
            running_bot(settings) as (bot, scheduler),
            UserClient(discord.url, discord.user_token) as user,
        ):
            await scheduler.load_model()
            await bot.services.wait_for_people()
            panel = await user.slash("/digest create", within=120)
            form = await (await panel.press("Papers")).press("Words and people")
            answers = {"query": WORDS, "people": "", "require": "", "exclude": ""}
            panel = await user.submit(form.message["modal"], answers)
            dark = await preview(panel)
            [layout] = [menu for menu in panel.selects if menu["custom_id"].startswith("dgs:s")]
            panel = await panel.choose("compact light picture", layout)
            light = await preview(panel)
            similar = await user.slash(SIMILAR, within=120)
            return with_files(discord, dark), with_files(discord, light), with_files(discord, similar)


async def preview(panel: ShownReply) -> ShownReply:
    """Press the button; the first map of a day takes a while."""
    pressed = {"component_type": 2, "custom_id": panel.button("Preview")["custom_id"]}
    return await panel.user.component(panel.message, pressed, within=600)


def with_files(discord: LocalDiscord, shown: ShownReply) -> Message:
    """A message with its pictures embedded."""
    message = shown.message
    for _, component in walk(message["components"]):
        for item in component.get("items", []):
            _, _, data = discord.state.files[item["media"]["attachment_id"]]
            item["media"]["url"] = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return message


def main() -> None:
    dark, light, similar = asyncio.run(messages())
    photograph(page("", dark), TARGET / "digest-dark.png", 860, 1_720)
    photograph(page("", light, light=True), TARGET / "digest-light.png", 860, 1_720)
    photograph(page("", dark), TARGET / "digest-phone.png", 400, 2_180)
    photograph(page("", light, light=True), TARGET / "digest-phone-light.png", 400, 2_180)
    photograph(page(SIMILAR, similar), ROOT / "docs" / "similar.png", 860, 800)


if __name__ == "__main__":
    main()
