"""The reasons of papers in a digest: the words that speak for each, and different where they differ."""

from dataclasses import dataclass

from data.records import Paper
from index.digest.choosing import _reasons
from index.digest.picks import Pick


@dataclass
class Wanted:
    is_own: bool = False
    query: str = "speculative decoding"


def paper(number, title, abstract):
    values = dict.fromkeys(Paper.__dataclass_fields__)
    return Paper(**(values | {"id": number, "title": title, "abstract": abstract, "authors": ()}))


DECODING = "We speed up speculative decoding with a draft model for large language models."
CACHE = "We compress the KV cache and speed up speculative decoding."
PAPERS = {n: paper(n, f"Paper {n}", text) for n, text in enumerate([DECODING, CACHE, CACHE, DECODING], 1)}
LIKED = {8: paper(8, "Drafting", DECODING), 9: paper(9, "Caching", CACHE)}


def test_papers_and_words_differ_where_they_can():
    picks = [Pick(1, 0.7, (8, 9), (), ""), Pick(2, 0.7, (8, 9), (), ""), Pick(3, 0.7, (8,), (), "")]
    one, two, three = _reasons(Wanted(), picks, PAPERS, LIKED)
    assert (one.near, two.near, three.near) == ("Drafting", "Caching", "Drafting")
    assert one.near_count == 2
    assert "speculative decoding" in one.words
    assert two.words
    assert two.words[0] != one.words[0]


def test_a_match_of_the_description_names_its_words():
    [reason] = _reasons(Wanted(), [Pick(1, 0.7, (), (), "speculative decoding")], PAPERS, {})
    assert reason.words == ("speculative decoding",)
    assert (reason.near, reason.query) == ("", "speculative decoding")


def test_a_typical_paper_has_no_reason():
    [reason] = _reasons(Wanted(), [Pick(1, 0.0, (), (), False)], PAPERS, {})
    assert not reason.words
