"""Where papers appeared: what people type, and what records print."""

import pytest

from index.search.venues import Venue, read_venue


@pytest.mark.parametrize(
    ("typed", "venue", "left"),
    [
        ("ICLR 2025 papers on diffusion", "ICLR 2025", "diffusion"),
        ("neurips papers about graph learning", "NeurIPS", "graph learning"),
        ("NIPS 2017 papers on attention", "NeurIPS 2017", "attention"),
        ("most cited ICML papers on optimizers", "ICML", "most cited optimizers"),
        ("diffusion models published in iclr 2025", "ICLR 2025", "diffusion models"),
        ("papers accepted at CVPR about matting", "CVPR", "matting"),
        ("the best papers of ICML 2023 on bandits", "ICML 2023", "bandits"),
        ("congestion control at SIGCOMM", "SIGCOMM", "congestion control"),
        ("congestion control, SIGCOMM'24", "SIGCOMM 2024", "congestion control"),
        ("parsing (ACL 2024)", "ACL 2024", "parsing"),
        ("parsing ACL 2024", "ACL 2024", "parsing"),
        ("folding published in Nature", "Nature", "folding"),
        ("user studies at CHI 2024", "CHI 2024", "user studies"),
        ("rag presented at The Web Conference 2025", "WWW 2025", "rag"),
    ],
)
def test_a_venue_beside_a_subject_is_read(typed, venue, left):
    read, rest = read_venue(typed)
    assert (str(read), rest) == (venue, left)


@pytest.mark.parametrize(
    "typed",
    [
        "ICLR 2025",
        "papers from ICLR 2025",
        "show me all papers at ICLR 2025",
        "analysis of ICLR 2025",
        "reviews at ICLR 2025",
        "papers on ACL injuries",
        "fabricated papers in ACL conferences",
        "parsing papers of the ACL Anthology",
        "mother nature in science",
        "published in nature",
        "chi squared tests",
        "SemEval 2024 task 8",
        "Fast R-CNN 2015",
        "published in 2025",
        "",
    ],
)
def test_other_words_stay(typed):
    assert read_venue(typed) == (None, typed)


@pytest.mark.parametrize(
    ("venue", "fact"),
    [
        (Venue("ICLR", 2025), "Accepted at ICLR 2025, 12 pages"),
        (Venue("ICLR", 2025), "ICLR'25 (oral)"),
        (Venue("ICLR"), "Published as a conference paper at ICLR2024"),
        (Venue("ICML", 2024), "Proceedings of the 41st International Conference on Machine Learning, 2024"),
        (Venue("NeurIPS", 2017), "NIPS 2017"),
        (Venue("CVPR", 2025), "CVPR 2025; longer than at the CVPR 2024 workshop"),
        (Venue("EMNLP", 2024), "15 pages. Findings of EMNLP 2024."),
        (Venue("Nature"), "Nature 612, 45-51"),
        (Venue("ACL", 2021), "2021.acl-short.116"),
        (Venue("EMNLP", 2020), "2020.findings-emnlp.319"),
        (Venue("ACL"), "P19-1531"),
        (Venue("NAACL", 1998), "N98-1001"),
    ],
)
def test_a_record_says_where_a_paper_appeared(venue, fact):
    assert venue.named_in(None, fact, None)


@pytest.mark.parametrize(
    ("venue", "fact"),
    [
        (Venue("ICLR", 2025), "Submitted to ICLR 2025"),
        (Venue("ICLR", 2025), "Under double-blind review at ICLR 2025"),
        (Venue("ICLR", 2025), "ICLR 2025 Workshop on Sparsity"),
        (Venue("ICLR", 2025), "Accepted at ICLR 2024"),
        (Venue("ICLR", 2025), "ICLR 12025"),
        (Venue("ACL"), "Report for the ACLU"),
        (Venue("ACL", 2019), "W19-1531"),
        (Venue("ACL", 2020), "2021.acl-short.116"),
        (Venue("ACL"), "2021.naacl-main.1"),
        (Venue("Nature"), "On the nature of things"),
        (Venue("ICLR"), ""),
    ],
)
def test_a_paper_that_did_not_appear_there_is_left_out(venue, fact):
    assert not venue.named_in(None, fact)
