"""Measuring and training the finder of phrases, and writing the phrases of a file."""

import json
from datetime import date
from itertools import islice

import pytest

from data.records import PaperRecord
from data.sources.files import PaperFile
from data.sources.http import SourceError
from index.evaluate import train_phrases
from index.evaluate.author_keywords import keyword_keys, split_keywords
from index.evaluate.phrase_file import write_phrases
from index.evaluate.phrase_peers import peers
from index.evaluate.phrases import evaluate, f1, make_questions, title_phrases
from index.models.shipped import booster
from index.search.embedding import Embedder
from index.search.phrase_background import PhraseBackground
from index.search.phrase_text import phrase_key
from index.search.phrases import PhraseFinder

LONG = "We study reward hacking in language models. " * 8


def record(number, title, abstract, day=date(2026, 5, 1)):
    return PaperRecord(
        source="file",
        ids={"file": str(number)},
        title=title,
        abstract=abstract,
        authors=["A B"],
        announced=day,
    )


def keys(*phrases):
    return frozenset(phrase_key(phrase) for phrase in phrases)


def test_a_list_of_keywords_is_cut_off_an_abstract():
    text, found = split_keywords(f"{LONG} Keywords: Reward Hacking (RH); language models, safety.")
    assert text == LONG.strip()
    assert found == ["Reward Hacking (RH)", "language models", "safety"]
    assert keyword_keys(found) == keys("reward hacking", "language model", "safety")


@pytest.mark.parametrize("end", ["", "We need keyword-based search of texts.", "Keywords: one, two"])
def test_other_abstracts_have_none(end):
    assert split_keywords(LONG + end) is None


def test_a_title_has_the_longest_phrases_that_the_abstract_has_too():
    assert title_phrases("Reward Hacking: A Survey of Language Models", LONG) == keys(
        "reward hacking", "language models"
    )


def test_f1_counts_each_phrase_once():
    wanted = frozenset({1, 2, 3, 4})
    assert f1([1, 1, 9, 2], wanted, 5) == pytest.approx(2 * 2 / (3 + 4))
    assert f1([], wanted, 5) == 0.0


def test_each_method_has_a_row_for_each_kind():
    records = [
        record(1, "Reward Hacking", LONG),
        record(2, "Speech", f"{LONG} Keywords: reward hacking, language models, safety"),
        record(3, "Reward Hacking", LONG, date(2020, 1, 1)),
    ]
    asked = make_questions(records, date(2026, 1, 1), 10, 0)
    assert [question.kind for question in asked] == ["title", "keywords"], "the old paper is left out"
    result = evaluate(records, {"nothing": lambda papers: [[] for _ in papers]}, since=date(2026, 1, 1))
    rows = {(row["method"], row["kind"]): row for row in result["rows"]}
    assert rows["labmate", "title"]["f1@5"] > 0 == rows["nothing", "title"]["f1@5"]
    assert rows["labmate", "keywords"]["papers"] == 1


def test_phrases_of_a_file_are_written_in_its_order(tmp_path):
    path, out = tmp_path / "p.jsonl", tmp_path / "deep" / "out.jsonl"
    lines = [
        {"id": "x-1", "title": "Reward Hacking", "abstract": LONG},
        {"id": "x-2", "title": "The", "abstract": ""},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert write_phrases(path, out, 3) == 2
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in written] == ["x-1", "x-2"]
    assert "reward hacking" in written[0]["phrases"]
    assert len(written[0]["phrases"]) <= 3
    (tmp_path / "empty.jsonl").write_text("nothing\n")
    with pytest.raises(SourceError):
        write_phrases(tmp_path / "empty.jsonl", out, 3)
    with pytest.raises(SourceError):
        write_phrases(path, path / "below-a-file", 3)


def test_peers_answer_in_the_same_form():
    found = peers(Embedder())
    assert set(found) == {"yake", "keybert"}
    [phrases] = found["yake"]([("Reward Hacking", LONG)])
    assert any(phrase_key(phrase) == phrase_key("reward hacking") for phrase in phrases)


def test_training_writes_models_that_find_phrases(shared, tmp_path, monkeypatch):
    monkeypatch.setattr(train_phrases, "LEARNED_FROM", 150)
    read = (found for _, found in PaperFile(shared / "data" / "arxiv-daily.jsonl.zst", own_ids=True))
    records = [found for found in islice(read, 900) if isinstance(found, PaperRecord)]
    with_keywords = f"{records[0].abstract} {LONG} Keywords: reward hacking, language models, safety"
    records.append(record(1, "Reward Hacking", with_keywords))
    recipe = train_phrases.train(records, ["2026-03-01"], tmp_path)
    assert json.loads((tmp_path / "phrases.json").read_text()) == recipe
    assert recipe["with_keywords"] >= 1
    finder = PhraseFinder(
        PhraseBackground.unpacked((tmp_path / "phrases-background.npz").read_bytes()),
        booster((tmp_path / "phrases-names.ubj").read_bytes()),
        recipe["authors"],
    )
    [found] = finder.of([(records[5].title, records[5].abstract)])
    assert found
