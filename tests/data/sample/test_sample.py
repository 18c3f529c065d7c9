"""The papers that a fresh install knows, and what an older install learns about them at its start."""

from __future__ import annotations

from bot.app import load_sample, open_corpus
from bot.settings import Settings
from data.sources.files import PaperFile
from index.search.intake import Intake
from tests.helpers import databases
from tests.helpers.records import record


async def test_an_install_with_the_sample_as_it_was_learns_the_identifiers_at_its_start(tmp_path, sample):
    settings = Settings(
        _env_file=None, labmate_data=tmp_path, labmate_fetch=False, database_url=databases.setting(tmp_path)
    )
    records = [item for _, item in PaperFile(sample)]
    known, other = records[:6], record(1)
    async with open_corpus(settings, writable=True) as corpus:
        with corpus.writing():
            nameless = [r.model_copy(update={"ids": {"sample": r.ids["sample"]}}) for r in known]
            await Intake(corpus, "test", "test").run(iter(enumerate([*nameless, other])))
    await load_sample(settings)
    async with open_corpus(settings) as corpus:
        assert await corpus.store.count() == 7, "what this install does not hold is not brought in"
        for item in known:
            named = await corpus.store.find_id("arxiv", item.ids["arxiv"])
            assert named is not None
            assert named == await corpus.store.find_id("sample", item.ids["sample"])
        stamp = await corpus.store.last_change()
    await load_sample(settings)
    async with open_corpus(settings) as corpus:
        assert await corpus.store.last_change() == stamp
