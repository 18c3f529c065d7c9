"""The last step of `benchmarks.scale.run`: rebuilding, compacting, backing up and migrating a whole library.

Labmate answers meanwhile, except during the migration, which runs before it starts. The library is migrated
down and up again, so this step comes last.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from benchmarks.data import percentile, url
from benchmarks.running import logged_in, start
from benchmarks.scale.answering import Asked
from benchmarks.scale.place import Figures, Place
from benchmarks.scale.vectors import PRINT
from benchmarks.scale.watching import Watch
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from data.database import backups
from data.database.engine import MIGRATIONS
from data.stores.store import Store
from index.search import origin
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.inverted_file import build
from index.search.vectors import Vectors

_OLD = "0007"
"""The next revision rewrites every membership."""


def rebuild_words(library: Path) -> None:
    """Rebuild the word index from the store."""
    asyncio.run(_rebuild_words(library))


async def _rebuild_words(library: Path) -> None:
    store = await Store.open(url(library))
    corpus = await Corpus.open(store, library, Embedder(), writable=True)
    with corpus.writing():
        await asyncio.to_thread(corpus.words.clear)
        await corpus.catch_up_words()
    await store.close()


def rebuild_vectors(library: Path) -> None:
    """Retrain and refill the inverted file."""
    build(Vectors.open(library / "vectors", PRINT).log, None)


def compact_vectors(library: Path) -> None:
    """Rewrite all rows, then their inverted file."""
    vectors = Vectors.open(library / "vectors", PRINT)
    vectors.compact()
    vectors.tend()


def back_up(library: Path) -> None:
    """Back up the database, checks included."""
    target = library.parent / "backup.db"
    backups.back_up(library / "labmate.db", target)
    target.unlink()


def migrate(library: Path) -> None:
    """Open a database of an old revision, which copies and then migrates it."""

    async def opened() -> None:
        await (await Store.open(url(library))).close()

    asyncio.run(opened())


ALONGSIDE: dict[str, Callable[[Path], None]] = {
    "word index rebuilt": rebuild_words,
    "inverted file rebuilt": rebuild_vectors,
    "vectors compacted": compact_vectors,
    "backup": back_up,
}


def keep_up(place: Place) -> Figures:
    """Do each of these in its own process."""
    figures = asyncio.run(_alongside(place))
    _migrate_down(place.library)
    figures |= _do("migration", migrate, place)
    for copy in place.library.glob("labmate.before-*"):
        copy.unlink()
    asyncio.run(_note_number(place))
    return figures


async def _note_number(place: Place) -> None:
    """The migrated database has a new number; note that the files are of it, as they were before."""
    store = await Store.open(url(place.library))
    number = await store.number()
    await store.close()
    assert number is not None
    origin.note(place.library, number)


def _do(name: str, work: Callable[[Path], None], place: Place) -> Figures:
    process = multiprocessing.get_context("spawn").Process(target=work, args=(place.library,))
    process.start()
    assert process.pid is not None
    with Watch(process.pid) as watch:
        process.join()
    if process.exitcode:
        raise RuntimeError(f"{name} failed")
    use = watch.use
    print(
        f"  {name:24} {use.seconds:7.1f} s {use.cpu:7.1f} s of CPU {use.own:7,.0f} MB of its own", flush=True
    )
    return use.named(name)


async def _alongside(place: Place) -> Figures:
    asked = await Asked.of(place, 20)
    figures: Figures = {}
    async with LocalDiscord() as discord:
        bot = start(discord, place.library)
        try:
            await logged_in(bot)
            async with UserClient(discord.url, discord.user_token) as user:
                for name, work in ALONGSIDE.items():
                    doing = asyncio.create_task(asyncio.to_thread(_do, name, work, place))
                    times: list[float] = []
                    while not doing.done():
                        for paper, author in zip(asked.papers, asked.authors, strict=True):
                            for question in (f"/papers author:{author}", f"/similar {paper}"):
                                begun = time.perf_counter()
                                await user.slash(question, within=60)
                                times.append(time.perf_counter() - begun)
                    figures |= await doing
                    figures[f"{name} reply p99"] = percentile(times, 0.99)
                    print(f"    {len(times)} replies meanwhile, p99 {percentile(times, 0.99):.0f} ms")
        finally:
            bot.terminate()
            bot.wait()
    return figures


def _migrate_down(library: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = create_engine(f"sqlite:///{library / 'labmate.db'}")
    with closing(engine.connect()) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.downgrade(config, _OLD)
    engine.dispose()
