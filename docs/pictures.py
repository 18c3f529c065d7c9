"""The graphs and bars under docs/pictures/, in both themes: LABMATE_SHARED=... python docs/pictures.py"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from real_library import real_library  # noqa: E402

from bot.app import make_services, open_corpus  # noqa: E402
from bot.client import command_modules  # noqa: E402
from commands.kit import painter  # noqa: E402
from commands.kit.reply import Reply  # noqa: E402
from commands.kit.services import Services  # noqa: E402
from commands.people.author import show_card  # noqa: E402
from commands.people.graph import show_paper, show_person  # noqa: E402
from data.stores.member_settings import THEMES  # noqa: E402

TARGET = ROOT / "docs" / "pictures"
command_modules()  # cards have buttons, whose files have to be imported
painter.PATIENCE = 60.0


def keep(name: str, reply: object) -> None:
    """Write the picture of a reply."""
    assert isinstance(reply, Reply)
    assert reply.files, f"{name} was not drawn"
    (TARGET / name).write_bytes(reply.files[0].fp.read())
    print(TARGET / name)


async def named(services: Services, name: str) -> int:
    """Who of this name has most papers."""
    author, people = await services.store.author_names.find(name), services.insight.people
    assert author is not None
    assert people is not None
    alike = [person for person, _ in await services.store.people.named([author])]
    return max(alike, key=lambda person: len(people.papers(person)))


async def main() -> None:
    """Draw them all."""
    settings = await real_library()
    async with open_corpus(settings) as corpus:
        services = await make_services(settings, corpus)
        await services.wait_for_people()
        person, active = [await named(services, name) for name in ("ChonLam Lao", "Minlan Yu")]
        [paper] = await services.search.resolve("PrismLLM")
        for theme in THEMES:
            await corpus.store.member_settings.choose_theme(services.place.member, theme)
            keep(f"graph-person-{theme}.png", await show_person(services, person))
            keep(f"graph-paper-{theme}.png", await show_paper(services, paper))
            keep(f"activity-{theme}.png", await show_card(services, active, 0, private=False))
        await corpus.store.member_settings.forget(services.place.member)
        await services.close()


if __name__ == "__main__":
    asyncio.run(main())
