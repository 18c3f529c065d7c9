"""The pictures under docs/pictures/, drawn by the bot from the sample: python docs/pictures.py"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from bot.app import load_sample, make_services, open_corpus  # noqa: E402
from bot.client import command_modules  # noqa: E402
from bot.settings import Settings  # noqa: E402
from commands.cards.pictures import trends_png  # noqa: E402
from commands.kit.reply import Reply  # noqa: E402
from commands.people.author import show_card  # noqa: E402
from commands.people.graph import show_paper, show_person  # noqa: E402

TARGET = ROOT / "docs" / "pictures"
command_modules()  # cards have buttons, whose files have to be imported


def keep(name: str, reply: object) -> None:
    """Write the picture of a reply."""
    assert isinstance(reply, Reply)
    assert reply.files, f"{name} was not drawn"
    (TARGET / name).write_bytes(reply.files[0].fp.read())
    print(TARGET / name)


async def main() -> None:
    """Draw them all."""
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(_env_file=None, labmate_data=Path(folder))
        await load_sample(settings)
        async with open_corpus(settings) as corpus:
            services = await make_services(settings, corpus)
            await services.wait_for_people()
            author = await corpus.store.author_names.find("ChonLam Lao")
            assert author is not None
            [(person, _)] = await corpus.store.people.named([author])
            keep("author-activity.png", await show_card(services, person, 0, private=False))
            keep("graph-person.png", await show_person(services, person))
            [paper] = await services.search.resolve("PrismLLM")
            await asyncio.to_thread(corpus.embedder.load)
            keep("graph-paper.png", await show_paper(services, paper))
            await services.close()
    made_up = [
        ("agent harness", 0.6, 1.7),
        ("on-policy distillation", 0.3, 0.7),
        ("latent reasoning", 0.4, 0.8),
    ]
    (TARGET / "trending-form.png").write_bytes(trends_png(made_up, "30 days before", "last 30 days"))
    print(TARGET / "trending-form.png", "(made-up figures: the sample has no trend)")


if __name__ == "__main__":
    asyncio.run(main())
