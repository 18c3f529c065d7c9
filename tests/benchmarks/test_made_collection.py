"""The collection that growth is measured on: the same for a seed, whole, and readable by Labmate itself."""

import hashlib

import numpy as np
import pytest

from benchmarks.scale import made_days
from benchmarks.scale.made_text import name_of
from benchmarks.scale.make import make
from data.calendar.arxiv_ids import CATEGORY, split_version
from data.keys import title_key
from data.records import PaperRecord
from data.sources.snapshot import SnapshotChoice, SnapshotFile
from index.search.embedding import Embedder
from index.search.embedding_model import fingerprint
from index.search.intake import ReadyVectors

PAPERS = 5_000


@pytest.fixture(scope="module")
def made(shared, tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    make(PAPERS, 7, folder, processes=1, most=4_000)
    return folder


@pytest.fixture(scope="module")
def records(made):
    return [item for _, item in SnapshotFile(made / "papers.json.zst", SnapshotChoice())]


def test_every_line_is_a_paper_of_the_snapshots_form(records):
    assert len(records) == PAPERS
    assert all(isinstance(record, PaperRecord) for record in records)


def test_ids_titles_and_dois_are_there_once(records):
    assert len({record.ids["arxiv"] for record in records}) == PAPERS
    assert len({title_key(record.title) for record in records}) == PAPERS
    dois = [record.doi for record in records if record.doi]
    assert len(set(dois)) == len(dois) > PAPERS / 4


def test_ids_have_the_style_of_their_day(records):
    old = [record for record in records if "/" in record.ids["arxiv"]]
    assert 0.1 < len(old) / PAPERS < 0.2
    assert all(str(record.submitted) < "2007-04" for record in old)
    assert all(
        (len(record.ids["arxiv"]) == 10) == (str(record.submitted) >= "2015")
        for record in records
        if "/" not in record.ids["arxiv"]
    )


def test_the_truth_names_a_person_for_every_authorship(made, records):
    people, begins = np.load(made / "people.npy"), np.load(made / "authorships.npy")
    assert people.dtype == np.int32
    assert np.diff(begins).tolist() == [len(record.authors) for record in records]
    assert begins[-1] == len(people)
    names = {}
    for record, begin in zip(records, begins, strict=False):
        for place, name in enumerate(record.authors):
            names.setdefault(int(people[begin + place]), set()).add(name.removesuffix(" Jr.").split()[-1])
    assert all(len(last_names) == 1 for last_names in names.values())
    assert len(names) > PAPERS / 2


def test_some_are_revised_and_some_withdrawn(records):
    assert 0.02 < sum(record.version > 1 for record in records) / PAPERS < 0.05
    assert 0 < sum(record.withdrawn for record in records) < PAPERS / 100


def test_the_vectors_are_taken_as_ready_ones(made):
    ready = ReadyVectors(made / "papers.f16.npy", fingerprint(Embedder().name))
    rows = np.asarray(ready.rows, np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=0.002)
    assert len(np.unique(rows, axis=0)) == PAPERS


def test_the_same_seed_makes_the_same_bytes_and_another_seed_others(made, tmp_path):
    again, other = tmp_path / "again", tmp_path / "other"
    make(PAPERS, 7, again, processes=2, most=4_000)
    make(PAPERS, 8, other, processes=2, most=4_000)
    for name in ("papers.json.zst", "papers.f16.npy", "people.npy", "authorships.npy"):
        first, same, different = (_digest(folder / name) for folder in (made, again, other))
        assert first == same, name
        assert first != different, name


def _digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_names_of_papers_never_repeat():
    assert len({name_of(row) for row in range(200_000)}) == 200_000


def test_three_million_papers_have_ids_of_their_own():
    rng = np.random.default_rng(0)
    days = made_days.submission_days(3_000_000, rng)
    ids = made_days.identifiers(days, made_days.draw_categories(made_days.years_of(days), rng))
    assert len(set(ids)) == 3_000_000
    assert all(split_version(arxiv_id) == (arxiv_id, None) for arxiv_id in ids[::1_000])
    assert all(CATEGORY.match(category.name) for category in made_days.CATEGORIES)
