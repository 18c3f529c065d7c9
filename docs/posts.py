"""Posts of a digest as pictures, in both themes and as narrow as a phone: python docs/posts.py

It makes up three hundred papers, lets a Labmate on a local Discord choose among them and post, and draws the
channel as Discord lays it out.
"""

from __future__ import annotations

import asyncio
import base64
import random
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from picture import page, photograph  # noqa: E402
from pydantic import SecretStr  # noqa: E402

from bot.local_discord.client import UserClient  # noqa: E402
from bot.local_discord.server import LocalDiscord  # noqa: E402
from bot.run import running_bot  # noqa: E402
from bot.settings import Settings  # noqa: E402
from data.records import PaperRecord  # noqa: E402
from index.search.intake import Intake  # noqa: E402

TARGET = ROOT / "docs" / "pictures"
DAY = date(2026, 5, 18)
TOPICS = {
    "in-network aggregation": ("programmable switches", "gradient compression", "collective communication"),
    "speech recognition": ("noisy rooms", "accented speech", "streaming transducers"),
    "protein design": ("diffusion over backbones", "binding affinity", "inverse folding"),
    "language model agents": ("tool calls", "long tasks", "web navigation"),
    "recommendation": ("cold start", "session graphs", "semantic identifiers"),
    "retrieval": ("late interaction", "dense passages", "query rewriting"),
    "robot learning": ("dexterous hands", "imitation from video", "tactile sensing"),
}
FORMS = ("{a} for {b}", "Rethinking {b} in {a}", "{b} at scale: a study of {a}", "When does {b} help {a}?")
NAMES = (
    "Ada Lovelace",
    "Emmy Noether",
    "Alan Turing",
    "Grace Hopper",
    "Mary Cartwright",
    "Sofya Kovalevskaya",
)


def made_up(count: int = 300) -> list[PaperRecord]:
    """Make up a day's papers."""
    chance = random.Random(5)
    found = []
    for number in range(count):
        topic, aspects = chance.choice(list(TOPICS.items()))
        aspect = chance.choice(aspects)
        title = chance.choice(FORMS).format(a=topic, b=aspect)
        title = f"{title[0].upper()}{title[1:]} ({number + 1})"
        text = (
            f"Progress in {topic} is held back by {aspect}. We propose a method for {aspect} that makes "
            f"{topic} {chance.choice(('cheaper', 'more robust', 'faster', 'easier to audit'))}, "
            f"and measure it on {chance.randint(3, 40)} tasks of {topic}."
        )
        found.append(
            PaperRecord(
                source="made up",
                ids={"arxiv": f"2605.{number + 1:05d}"},
                title=title,
                abstract=text,
                authors=chance.sample(NAMES, 3),
                categories=["cs.LG"],
                announced=DAY,
                listings=[("cs.LG", DAY)],
            )
        )
    return found


async def post(folder: Path) -> dict[str, Any]:
    """Post a digest, and return the message with its picture inside."""
    async with LocalDiscord() as discord:
        settings = Settings(
            _env_file=None,
            discord_token=SecretStr(discord.bot_token),
            discord_api_url=discord.api_url,
            labmate_data=folder,
            labmate_fetch=False,
        )
        async with (
            running_bot(settings) as (bot, scheduler),
            UserClient(discord.url, discord.user_token) as user,
        ):
            library = bot.services.library
            await scheduler.load_model()
            with library.writing():
                await Intake(library, "made up", "made up").run(iter(enumerate(made_up())))
                await library.open_vectors(writable=True)
                await library.embed_backlog()
            await library.refresh()
            panel = await user.slash("/digest create", within=60)
            form = await (await panel.press("Papers")).press("Words and people")
            answers = {
                "query": "communication in training over programmable switches",
                "people": "",
                "require": "",
                "exclude": "",
            }
            panel = await user.submit(form.message["modal"], answers)
            shown = await panel.press("Preview")
            message = shown.message
            for attachment in message["attachments"]:
                data = base64.b64encode(discord.state.files[attachment["id"]][2]).decode()
                _inline(
                    message["components"],
                    f"attachment://{attachment['filename']}",
                    f"data:image/png;base64,{data}",
                )
            return message


def _inline(components: list[dict[str, Any]], old: str, new: str) -> None:
    for component in components:
        for item in component.get("items", []):
            if item["media"]["url"] == old:
                item["media"]["url"] = new
        _inline(component.get("components", []), old, new)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        message = asyncio.run(post(Path(folder)))
    photograph(page("", message), TARGET / "digest-dark.png", 860, 1_520)
    photograph(page("", message, light=True), TARGET / "digest-light.png", 860, 1_520)
    photograph(page("", message), TARGET / "digest-phone.png", 400, 1_720)


if __name__ == "__main__":
    main()
