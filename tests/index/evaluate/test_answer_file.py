"""Answering a file of questions from a file of papers: offsets hold in the abstracts as given."""

import json

import pytest

from data.sources.http import SourceError
from index.evaluate.answer_file import answer_file
from index.evaluate.answers import evaluate
from index.search.embedding import Embedder
from index.search.embedding_model import DEFAULT_MODEL

ABSTRACTS = {
    "spikes": "Training is hard.\n  Loss spikes are caused by rare\ttokens, e.g. in 3.5 %  of runs. We clip.",
    "bread": "Bread needs flour.\u200b Bakers wait for hours. The crust turns brown at 230.5 °C.",
    "poems": "Poems have metre. We count feet in 1,200 sonnets. Iambs prevail.",
    "empty": "",
}


@pytest.fixture
def papers(tmp_path):
    path = tmp_path / "papers.jsonl"
    path.write_text(
        "".join(
            json.dumps({"id": name, "title": f"On {name}", "abstract": text}) + "\n"
            for name, text in ABSTRACTS.items()
        )
        + "not JSON\n"
    )
    return path


async def run(papers, tmp_path, questions, sentences=3):
    asked, out = tmp_path / "q.jsonl", tmp_path / "out" / "answers.jsonl"
    asked.write_text("".join(json.dumps({"id": str(i), "text": q}) + "\n" for i, q in enumerate(questions)))
    counts = await answer_file(papers, asked, out, sentences, DEFAULT_MODEL)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert counts == (len(questions), sum(line["answered"] for line in lines))
    return lines


async def test_sentences_stand_in_the_abstracts_as_given(papers, tmp_path):
    questions = ["What causes loss spikes?", "Poems use iambs.", "", "'; DROP TABLE x", "é" * 9_000]
    lines = await run(papers, tmp_path, questions)
    assert [line["id"] for line in lines] == ["0", "1", "2", "3", "4"]
    for line in lines:
        assert set(line) == {"id", "answered", "confidence", "sentences"}
        assert 0 <= line["confidence"] <= 1
        assert len(line["sentences"]) <= 3
        for quote in line["sentences"]:
            assert ABSTRACTS[quote["paper"]][quote["start"] : quote["end"]] == quote["text"]
    first = lines[0]["sentences"][0]
    assert first["paper"] == "spikes"
    assert first["text"] == "Loss spikes are caused by rare\ttokens, e.g. in 3.5 %  of runs."
    assert lines[0]["confidence"] > lines[3]["confidence"]


async def test_lines_end_at_line_feeds_alone_and_may_begin_with_a_byte_order_mark(papers, tmp_path):
    asked, out = tmp_path / "q.jsonl", tmp_path / "answers.jsonl"
    text = "What\u2028causes\x85loss spikes?"
    asked.write_text(json.dumps({"id": "q", "text": text}, ensure_ascii=False) + "\r\n", "utf-8-sig")
    count, _ = await answer_file(papers, asked, out, 3, DEFAULT_MODEL)
    assert count == 1
    assert json.loads(out.read_text())["id"] == "q"


async def test_a_file_without_papers_is_refused(tmp_path):
    """As `phrases` does: answers from nothing would look like answers."""
    papers, asked, out = (tmp_path / name for name in ("p.jsonl", "q.jsonl", "answers.jsonl"))
    papers.write_text('{"id": "q", "text": "no paper"}\n')
    asked.write_text('{"id": "q", "text": "What causes loss spikes?"}\n')
    with pytest.raises(SourceError, match="holds no paper"):
        await answer_file(papers, asked, out, 3, DEFAULT_MODEL)
    assert not out.exists()


async def test_an_invalid_file_of_questions_writes_nothing(papers, tmp_path):
    asked, out = tmp_path / "q.jsonl", tmp_path / "answers.jsonl"
    asked.write_text('{"id": "two words", "text": "x"}\n')
    with pytest.raises(SourceError, match="must be one word"):
        await answer_file(papers, asked, out, 3, DEFAULT_MODEL)
    assert not out.exists()


async def test_the_evaluation_prints_every_method_beside_ours(tmp_path):
    topics = ["gene therapy", "graph search", "metre in poems", "robot arms", "bread ovens", "loss spikes"]
    item = {
        "year": "2001",
        "answer": "yes",
        "sections": [
            {"label": "BACKGROUND", "text": "Little is known of {}. Many ask about it."},
            {"label": "METHODS", "text": "We studied 20 cases of {}."},
            {"label": "RESULTS", "text": "Most cases of {} were good. Few were bad."},
        ],
        "conclusion": "It seems that {} really works well for most of the people who try it.",
    }
    path = tmp_path / "questions.jsonl"
    lines = [
        json.dumps(item | {"id": str(n), "question": f"Does {topic} work well for people?"}).replace(
            "{}", topic
        )
        for n, topic in enumerate(topics)
    ]
    path.write_text("\n".join(lines) + "\n")
    result = await evaluate(path, None, None, Embedder(), per_kind=3)
    assert {row["method"] for row in result["rows"]} == {"words", "vectors", "sum", "labmate"}
    assert {row["kind"] for row in result["rows"]} == {"question", "conclusion"}
    for row in result["rows"]:
        assert row["first_low"] <= row["first"] <= row["three"] <= row["three_high"] <= 1
    ours = [row for row in result["rows"] if row["method"] == "labmate"]
    assert all(row["paper"] == 1 for row in ours)
