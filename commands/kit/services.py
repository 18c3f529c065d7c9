"""What commands work with; `bot.app` builds it, `commands` only asks it."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import discord

from commands.kit.last_asked import LastAsked
from commands.kit.leader import Leader
from commands.kit.limits import RateLimits, aside
from commands.kit.painter import Painter
from commands.kit.presence import Presence
from commands.kit.progress import Progress
from commands.kit.servers import Servers
from data.records import Paper
from data.shared_files import SharedFiles
from data.sources.mail import Mailer
from data.sources.public_web import PublicWeb
from data.stores.store import Store
from index.answers.library import LibraryAnswers
from index.answers.rephraser import Rephraser
from index.claims.claim_proofs import Witnesses
from index.claims.openalex_facts import FactFinder
from index.digest.chooser import Chooser
from index.digest.day_map import DayMap
from index.documents.fetching import ONLY_ABSTRACT
from index.documents.full_texts import FullTexts, PaperText, abstract_of
from index.people.insight import Insight
from index.people.people_seen import SeenInsight
from index.search.corpus import Corpus
from index.search.examples import Examples, examples
from index.search.search import Search
from index.trust.views import NOWHERE, Place, Views

LAST_ANSWERS = 3.0
"""Seconds that answers have to be finished when Labmate ends."""
PATIENCE = 12.0
"""Seconds; loading the model takes about six."""
MODEL_PATIENCE = 600.0
"""The same where there is no answer without the model; Discord takes an answer for fifteen minutes."""
PEOPLE_PATIENCE = 60.0
"""Seconds; reading 280,000 people into memory takes about ten, on a busy machine longer."""
EXAMPLES_PATIENCE = 1.5
"""Seconds; making examples takes tens of milliseconds, or ten seconds after a start on a slow disk."""
INTERIM_AFTER = 8.0
"""Seconds after which a member is told that an answer takes longer."""


@dataclass
class Services:
    """The store, the indexes and the search over them."""

    store: Store
    corpus: Corpus
    search: Search
    categories: tuple[str, ...] = ()
    """The categories that this Labmate follows."""
    reads_arxiv: bool = True
    """Whether it asks arXiv for each day's listing."""
    insight: Insight = field(init=False)
    """People, topics and scores, as far as they were made."""
    facts: FactFinder = field(init=False)
    leader: Leader = field(init=False)
    """Says whether this process posts digests and asks arXiv; the only one does."""
    answers: LibraryAnswers = field(init=False)
    """Answers questions with sentences of papers."""
    painter: Painter = field(default_factory=Painter)
    files: SharedFiles | None = None
    """What this process leaves for others: pictures, and papers that were read."""
    fact_finder: FactFinder | None = None
    full_texts: FullTexts | None = None
    """Reads papers as a whole; None where that is switched off."""
    chooser: Chooser | None = None
    """Chooses what digests show; loaded when it is first needed."""
    day_maps: OrderedDict[tuple[int, ...], DayMap] = field(default_factory=OrderedDict)
    """Maps of days' papers that were made lately."""
    web: PublicWeb = field(default_factory=PublicWeb)
    """Opens pages that members name."""
    orcid_url: str = "https://pub.orcid.org"
    datacite_url: str = "https://api.datacite.org"
    link_cards: Literal["off", "on", "refused"] = "off"
    """Whether servers may switch on cards below posted links; refused: Discord doesn't allow the intent."""
    top_everywhere: bool = False
    """Whether /top may count what all servers saved and liked."""
    feed_url: str | None = None
    """Where feeds can be read, such as https://labmate.example.org; None where they are off."""
    explore_url: str | None = None
    """Where the research graph can be walked in a browser; None where that is off."""
    troubles: dict[str, str] = field(default_factory=dict)
    """What the operator should see to, by the setting or part that it is about."""
    mailer: Mailer | None = None
    """Sends codes that prove an address, where a mail server is set."""
    rephraser: Rephraser | None = None
    """Rewords answers with a language model, where one is set."""
    reading_people: asyncio.Task[bool] | None = None
    progress: Progress = field(default_factory=Progress)
    reaching: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while somebody is told of an invitation or a thread is opened, so that none is told twice."""
    answering: set[asyncio.Future[Any]] = field(default_factory=set)
    """Answers that are being made: nothing may be closed under them."""
    interim_after: float = field(default_factory=lambda: INTERIM_AFTER)
    examples_patience: float = field(default_factory=lambda: EXAMPLES_PATIENCE)
    limits: RateLimits = field(default_factory=RateLimits)
    """Who may ask how much, and whose turn it is."""
    last_asked: LastAsked = field(default_factory=LastAsked)
    """What was asked last in each direct message, in memory only."""
    model_settled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the model is loaded, or is known not to load."""

    servers: Servers | None = None
    """Looks servers up; None where nobody is logged in."""
    presence: Presence | None = None
    """Tells who is in a server now; None where nobody is logged in."""
    welcomed: set[int] = field(default_factory=set)
    """Members who are known to have had a reply before; the store has the rest."""
    place: Place = NOWHERE
    """Where these are seen from; nowhere, where what holds for all is meant."""

    def __post_init__(self) -> None:
        self.everywhere = self
        self.insight = Insight(self.corpus, has_worker=True)
        self.leader = Leader(self.store.leases)
        self.answers = LibraryAnswers(self.search, self.corpus)
        self._views = Views(self.store)
        self._examples: tuple[object, Examples] | None = None
        self._making_examples: asyncio.Task[None] | None = None
        self.facts = self.fact_finder or FactFinder(self.store)

    async def seen_from(self, place: Place) -> Self:
        """The same services, in which people are who they are in a server, by its own corrections.

        What they change for all has to be asked of :attr:`everywhere`.
        """
        view = await self._views.of(place)
        seen = copy.copy(self)
        seen.place = place
        if view:
            seen.store = self.everywhere.store.seen_from(view)
            seen.insight = SeenInsight(self.everywhere.insight, view)
        else:
            seen.store, seen.insight = self.everywhere.store, self.everywhere.insight
        return seen

    @property
    def witnesses(self) -> Witnesses:
        """Who is asked for proofs of claims."""
        return Witnesses(self.web, self.facts, self.orcid_url, self.datacite_url)

    @property
    def paper_count(self) -> int:
        """How many papers can be found now."""
        return len(self.corpus.facets)

    async def examples(self, *, soon: bool = False) -> Examples:
        """Examples that work in this library, made again when its papers or topics change.

        Parameters
        ----------
        soon
            Wait at most `EXAMPLES_PATIENCE`; after that, return the previous examples, or none.
        """
        if self._examples is None or self._examples[0] != self._examples_of():
            if self._making_examples is None or self._making_examples.done():
                self._making_examples = asyncio.create_task(self._make_examples())
            patience = self.examples_patience if soon else None
            made, _ = await asyncio.wait({self._making_examples}, timeout=patience)
            for task in made:
                task.result()
        return self._examples[1] if self._examples is not None else Examples()

    def _examples_of(self) -> object:
        return self.paper_count, self.search.newest(), self.insight.topics is not None

    async def _make_examples(self) -> None:
        stands = self._examples_of()
        self._examples = stands, await examples(self.corpus, self.search, self.insight.topics)

    async def close(self) -> None:
        """Let answers that are being made be finished, and end what works beside the loop."""
        if self.answering:
            _, late = await asyncio.wait(self.answering, timeout=LAST_ANSWERS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        begun = [task for task in (self.reading_people, self._making_examples) if task is not None]
        for task in begun:
            task.cancel()
        await asyncio.gather(*begun, return_exceptions=True)
        if self.full_texts is not None:
            await self.full_texts.close()
        await self.facts.close()
        if self.rephraser is not None:
            await self.rephraser.close()
        self.painter.close()
        if self.files is not None:
            self.files.close()

    @property
    def is_starting(self) -> bool:
        """Whether people are being read into memory after a start."""
        return self.reading_people is not None and not self.reading_people.done()

    async def wait_for_people(self) -> None:
        """Let a question about people wait until they are read into memory after a start."""
        if self.is_starting and self.reading_people is not None:
            async with aside():
                await asyncio.wait({self.reading_people}, timeout=PEOPLE_PATIENCE)

    async def wait_for_model(self, patience: float = PATIENCE) -> None:
        """Let a question of meaning wait for the model, for as long as a person would."""
        if not self.corpus.embedder.is_loaded:
            async with aside():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(patience):
                        await self.model_settled.wait()

    async def full_text(self, paper: Paper) -> PaperText:
        """A paper's text, or its abstract with the reason; others have the turn while it is fetched."""
        if self.full_texts is None:
            return abstract_of(paper, f"Full texts are switched off here, {ONLY_ABSTRACT}.")
        async with aside():
            return await self.full_texts.of(paper)


def services_of(interaction: discord.Interaction) -> Services:
    """The services that the client carries."""
    services: Services = interaction.client.services  # type: ignore[attr-defined]
    return services


async def seen_by(interaction: discord.Interaction) -> Services:
    """The services as the server where this happens sees people."""
    return await services_of(interaction).seen_from(Place(interaction.guild_id, interaction.user.id))
