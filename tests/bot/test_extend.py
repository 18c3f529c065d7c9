"""docs/extend.md keeps its word: its files are whole, and a source is one file."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest

from bot.cli.ingest_source import ingest_source
from bot.cli.reporter import Reporter
from bot.settings import Settings
from data.records import PaperRecord, Rejected
from data.sources import source as sources
from data.sources.http import SourceError
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers import databases
from tests.helpers.paths import ROOT
from tests.helpers.records import record

PAGE = (ROOT / "docs" / "extend.md").read_text()
FILES = {
    text.partition('"""')[2].partition('"""')[0]: text
    for text in re.findall(r"```python\n(.*?)```", PAGE, re.S)
    if text.startswith('"""')
}
PREPRINT = {
    "doi": "10.1101/2026.05.01.111111",
    "title": "Mapping axons at scale",
    "authors": "Yu, M.; Lao, C. L.",
    "date": "2026-05-02",
    "version": "2",
    "abstract": "We map axons.",
}


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setattr(sources, "_SOURCES", {})


def test_the_page_has_three_whole_files():
    assert len(FILES) == 3
    for text in FILES.values():
        compile(text, "docs/extend.md", "exec")


class Answering:
    """Stands in for the polite client: one page, then an empty one."""

    def __init__(self):
        self.asked = []

    async def get(self, url, params):
        self.asked.append(url)
        return json.dumps(
            {"collection": [PREPRINT, PREPRINT | {"title": ""}, {}] if len(self.asked) == 1 else []}
        )


async def test_the_source_of_the_page_reads_records_and_refuses_what_is_none():
    [text] = [text for text in FILES.values() if "biorxiv" in text]
    exec(compile(text, "docs/extend.md", "exec"), {"__name__": "biorxiv_source"})  # noqa: S102 - our own page
    client = Answering()
    read = [item async for item in sources.source("biorxiv")(client, date(2026, 5, 1))]
    assert isinstance(read[0], PaperRecord)
    assert read[0].authors == ["M. Yu", "C. L. Lao"]
    assert [item.reason for item in read[1:] if isinstance(item, Rejected)] == [
        "title: the title is empty",
        "a record without a usable 'doi'",
    ]
    assert client.asked[1].endswith("/3/json")


async def test_a_source_is_read_into_the_corpus(store, tmp_path):
    async def read(_client, since):
        assert since == date(2026, 5, 1)
        yield record(1)
        yield Rejected("line 2", "no title", "{}")

    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    config = Settings(_env_file=None, labmate_data=tmp_path, database_url=databases.setting(tmp_path))
    with corpus.writing():
        summary = await ingest_source(corpus, config, "made", read, date(2026, 5, 1), Reporter(events=True))
    assert (summary.read, summary.added, summary.refused) == (2, 1, 1)
    assert len(corpus.words) == 1


@pytest.mark.parametrize("name", ["nowhere", "../arxiv", "os"])
def test_an_unknown_source_is_named(name):
    with pytest.raises(SourceError, match="no source called"):
        sources.source(name)
