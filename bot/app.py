"""Builds everything in one place: settings -> store -> index -> services."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path

from bot.file_place import shared_files
from bot.settings import Settings
from commands.kit.limits import RateLimits
from commands.kit.painter import Painter
from commands.kit.services import Services
from data.calendar import clock
from data.database.engine import BULK, FEW, Paging
from data.database.private_files import keep_private
from data.records import PaperRecord
from data.shared_files import SharedFiles
from data.sources.files import PaperFile
from data.sources.full_text import ATTEMPTS, ArxivFullText
from data.sources.http import PoliteClient
from data.sources.llm import Llm
from data.sources.mail import Mailer
from data.stores.llm_spending import Spent
from data.stores.store import Store
from index.answers.rephraser import DayLimits, Rephraser
from index.claims.openalex_facts import FactFinder
from index.documents.full_texts import FullTexts
from index.people.insight import derive
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.embedding_model import device_called
from index.search.files_of_database import BusyError
from index.search.intake import Intake
from index.search.search import Search

log = logging.getLogger("labmate")


_ALWAYS_THERE = "auto", "cpu"
"""Devices that need no asking: torch takes seconds to load."""


def sample_file() -> Path:
    """The seven papers that come with a new installation."""
    return Path(str(resources.files("data") / "sample" / "seed-papers.json"))


@asynccontextmanager
async def open_corpus(
    settings: Settings,
    *,
    writable: bool = False,
    bulk: bool = False,
    paging: Paging | None = None,
    rebuild: bool = False,
    renew: bool = False,
    threads: int | None = None,
    by_words: bool = False,
) -> AsyncIterator[Corpus]:
    """The papers of this installation, with their indexes.

    ``bulk`` is for work that changes many rows of the database but no index, such as a full people pass.
    ``paging`` is by default BULK where it is ``writable`` or ``bulk``, else FEW. Only a process that writes,
    or is to ``renew`` them, removes another database's files. With ``by_words``, vectors that can't be read
    are done without.

    Raises
    ------
    data.database.engine.StoreError, index.search.vector_manifest.VectorsError,
    index.search.embedding_model.ModelError, index.search.corpus.BusyError
        Each message says what to do.
    """
    if settings.labmate_clock is not None:
        clock.follow(settings.labmate_clock)
    keep_private(settings.labmate_data)
    if settings.embedding_device not in _ALWAYS_THERE:  # else only the first large backlog would tell
        await asyncio.to_thread(device_called, settings.embedding_device)
    store = await Store.open(settings.database, paging=paging or (BULK if writable or bulk else FEW))
    try:
        # A running Labmate embeds only queries; a GPU's memory is for what reads papers in.
        device = settings.embedding_device if writable else "cpu"
        embedder = Embedder(settings.embedding_model, threads=threads, device=device)
        yield await Corpus.open(
            store,
            settings.labmate_data,
            embedder,
            writable=writable,
            rebuild=rebuild,
            renew=renew or bulk,
            engine_name=settings.nearest,
            ray=settings.ray_address,
            by_words=by_words,
        )
    finally:
        await store.close()


async def load_sample(settings: Settings) -> None:
    """Read the sample into an empty store; elsewhere, only add arXiv ids that its papers still lack."""
    store = await Store.open(settings.database)
    try:
        fresh = await store.is_empty()
        records = [record for record in _sample() if fresh or await _lacks_arxiv_id(store, record)]
    finally:
        await store.close()
    if not records:
        return
    log.info("reading in the sample")
    async with open_corpus(settings, writable=True, by_words=True) as corpus:
        try:
            with corpus.writing():
                await Intake(corpus, "sample", "seed-papers.json").run(iter(enumerate(records)))
                if fresh and not corpus.unreadable:
                    from index.identity.passes import identify  # lazy: start-up

                    await identify(corpus)
                    await derive(corpus)
        except BusyError:
            log.info("another process is already reading in papers")


def _sample() -> list[PaperRecord]:
    return [record for _, record in PaperFile(sample_file()) if isinstance(record, PaperRecord)]


async def _lacks_arxiv_id(store: Store, record: PaperRecord) -> bool:
    """Whether the store holds this paper from a version whose sample had no arXiv ids."""
    paper = await store.find_id("sample", record.ids["sample"])
    return paper is not None and await store.find_id("arxiv", record.ids["arxiv"]) != paper


async def make_services(settings: Settings, corpus: Corpus) -> Services:
    """The services that commands work with."""
    await corpus.refresh_names()
    key = settings.openalex_api_key.get_secret_value() if settings.openalex_api_key else None
    budget = round(settings.openalex_daily_budget * 10_000)
    files = shared_files(settings)
    services = Services(
        corpus.store,
        corpus,
        Search(corpus),
        tuple(settings.labmate_categories),
        settings.labmate_fetch,
        painter=Painter(draws=settings.labmate_pictures, files=files),
        fact_finder=FactFinder(corpus.store, settings.openalex_url, key, budget),
    )
    services.files = files
    services.full_texts = _full_texts(settings, corpus, files)
    together = corpus.store.limits if settings.shards else None
    services.limits = RateLimits(counted=settings.labmate_limits, shared=together)
    services.link_cards = "on" if settings.link_cards else "off"
    services.top_everywhere = settings.top_everywhere
    if settings.http_listen:
        services.feed_url = settings.http_url or f"http://{settings.http_listen}"
    if settings.smtp_host:
        password = settings.smtp_password.get_secret_value() if settings.smtp_password else ""
        services.mailer = Mailer(
            settings.smtp_host,
            settings.smtp_port,
            settings.smtp_from,
            settings.smtp_user,
            password,
            settings.smtp_security,
        )
    if settings.llm_url:
        services.rephraser = make_rephraser(settings, settings.llm_url, corpus)
    services.reading_people = asyncio.create_task(services.insight.refresh())
    return services


def make_rephraser(settings: Settings, url: str, corpus: Corpus) -> Rephraser:
    """What rewords answers with the language model of the settings, within their limits."""
    key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else None
    llm = Llm(url, settings.llm_model.strip(), key, seconds=settings.llm_seconds)
    limits = DayLimits(
        _most(settings.llm_member_tokens, settings.llm_member_seconds, settings.llm_member_dollars),
        _most(settings.llm_day_tokens, settings.llm_day_seconds, settings.llm_day_dollars),
        settings.llm_price_in,
        settings.llm_price_out,
    )
    return Rephraser(llm, corpus.store.llm_spending, limits, corpus.embedder.encode)


def _most(tokens: int, seconds: int, dollars: float) -> Spent:
    return Spent(tokens, seconds * 1_000, round(dollars * 1_000_000))


def _full_texts(settings: Settings, corpus: Corpus, files: SharedFiles) -> FullTexts | None:
    """Papers' full texts; None where they are switched off."""
    if not settings.labmate_full_texts or corpus.vectors is None:
        return None
    source = None
    if settings.labmate_fetch:
        client = PoliteClient(
            interval=settings.arxiv_interval_seconds,
            turn=settings.labmate_data / "arxiv.turn",
            attempts=ATTEMPTS,
        )
        source = ArxivFullText(client, settings.arxiv_url)
    model = str(corpus.vectors.fingerprint["weights_sha256"])
    most = settings.labmate_full_texts
    return FullTexts(corpus.store, corpus.embedder, model, source, most=most, files=files)
