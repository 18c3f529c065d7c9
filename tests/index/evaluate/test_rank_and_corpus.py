"""Ranking a file alone, in this process (the command itself is tested in tests/wire/test_cli.py)."""

import json

import pytest

from data.sources.http import SourceError
from index.evaluate.corpus import temporary_library, vectors_beside
from index.evaluate.run_file import rank_queries
from index.search.embedding import Embedder
from index.search.embedding_model import DEFAULT_MODEL


@pytest.fixture
def papers(tmp_path):
    path = tmp_path / "p.jsonl"
    topics = ["gene therapy", "graph search", "poetry", "robot arms"]
    path.write_text(
        "".join(
            json.dumps(
                {
                    "id": f"any id {n}".replace(" ", "-"),
                    "title": f"On {topic}",
                    "abstract": f"We study {topic} deeply.",
                }
            )
            + "\n"
            for n, topic in enumerate(topics)
        )
        + '{"id": "twin", "title": "On poetry", "abstract": "We study poetry deeply."}\n'
    )
    return path


async def test_every_id_of_the_file_is_a_work_of_its_own(papers):
    steps = []
    async with temporary_library(
        papers, Embedder(), report=lambda *step: steps.append(step), own_ids=True
    ) as corpus:
        assert len(await corpus.store.ids_of("file")) == 5
        assert len(corpus.vectors) == 5
    assert not corpus.folder.exists()
    assert {"reading", "embedding"} <= {step[0] for step in steps}


async def test_a_run_ranks_by_meaning(papers, tmp_path):
    queries, out = tmp_path / "q.jsonl", tmp_path / "out" / "run"
    queries.write_text(
        '{"id": "1", "text": "moving limbs of machines"}\n{"id": "2", "text": "DNA treatments"}\n'
    )
    assert await rank_queries("search", papers, queries, out, 2, DEFAULT_MODEL) == 2
    rows = [line.split() for line in out.read_text().splitlines()]
    assert [row[2] for row in rows if row[3] == "1"] == ["any-id-3", "any-id-0"]
    queries.write_text("twin\n")
    await rank_queries("similar", papers, queries, out, 1, DEFAULT_MODEL)
    assert out.read_text().split()[2] == "any-id-2"
    queries.write_bytes(b"\xff\xfe\n")
    with pytest.raises(SourceError, match="can't be read"):
        await rank_queries("similar", papers, queries, out, 1, DEFAULT_MODEL)


def test_ready_vectors_are_found_beside_their_file(tmp_path):
    (tmp_path / "x.minilm.f16.npy").touch()
    assert vectors_beside(tmp_path / "x.jsonl.zst").name == "x.minilm.f16.npy"
    assert vectors_beside(tmp_path / "y.jsonl") is None
