"""Where papers appeared: what people type, and what records print."""

import pytest

from index.search.venues import Venue, read_venue


@pytest.mark.parametrize(
    ("typed", "venue", "left"),
    [
        ("ICLR 2025 papers on diffusion", "ICLR 2025", "diffusion"),
        ("neurips papers about graph learning", "NeurIPS", "graph learning"),
        ("show me ICLR 2026 papers on molecules", "ICLR 2026", "molecules"),
        ("find me ICLR papers about agents", "ICLR", "agents"),
        ("which ICLR 2026 papers study molecules", "ICLR 2026", "study molecules"),
        ("intrusion detection, KDD'99", "KDD 1999", "intrusion detection"),
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
    ("venue", "identifier", "there"),
    [
        (Venue("ACL", 2021), "2021.acl-short.116", True),
        (Venue("EMNLP", 2020), "2020.findings-emnlp.319", True),
        (Venue("ACL"), "P19-1531", True),
        (Venue("ACL", 2019), "P19-1.531", True),
        (Venue("ACL", 2018), "P18-2001", True),
        (Venue("NAACL", 1998), "N98-1001", True),
        (Venue("ACL", 2019), "W19-1531", False),
        (Venue("ACL", 2019), "P19-2001", False),
        (Venue("EMNLP", 2019), "D19-5001", False),
        (Venue("ACL", 2021), "2021.acl-srw.3", False),
        (Venue("ACL", 2020), "2021.acl-short.116", False),
        (Venue("ACL"), "2021.naacl-main.1", False),
        (Venue("COLING"), "C18-ABC", False),
        (Venue("ACL"), "", False),
    ],
)
def test_an_id_of_the_anthology_says_where_a_paper_appeared(venue, identifier, there):
    assert venue.has_id(identifier) is there


@pytest.mark.parametrize(
    "typed",
    [
        "molecule papers not published at ICLR",
        "molecules but not at ICLR",
        "molecule nets, not ICLR 2026",
        "molecule papers without ICLR 2026 papers",
        "papers at ICLR and NeurIPS on molecules",
        "molecules at ICLR 2026 or NeurIPS 2026",
        "crawling pages from the WWW",
        "papers published in Nature language processing",
        "intrusion detection with the KDD'99 dataset",
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
        (Venue("Science"), "Science 379, 1123 (2023)"),
        (Venue("CHI", 2024), "Accepted at CHI 2024"),
        (Venue("ICML", 2023), "Submitted to NeurIPS, accepted at ICML 2023"),
        (Venue("CVPR", 2022), "Accepted to CVPR 2022, project page on style transfer"),
        (Venue("EMNLP", 2020), "Findings of ACL: EMNLP 2020"),
        (Venue("SOSP", 2023), "Symposium on Operating Systems Principles (SOSP 2023)"),
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
        (Venue("Science"), "Lecture Notes in Computer Science, vol 1234"),
        (Venue("Science"), "Science Advances 7"),
        (Venue("Nature"), "Springer Nature Switzerland 2023"),
        (Venue("Nature"), "Nature Communications 14, 2023"),
        (Venue("SC"), "Columbia, SC, USA"),
        (Venue("WWW"), "see https://www.openml.org for data"),
        (Venue("WWW", 2021), "International Semantic Web Conference (ISWC 2021)"),
        (Venue("KDD", 2021), "Pacific-Asia Conference on Knowledge Discovery and Data Mining (PAKDD 2021)"),
        (Venue("KDD", 2022), "KDD99 dataset, 2022"),
        (Venue("ICML", 2024), "International Conference on Machine Learning and Applications (ICMLA) 2024"),
        (Venue("ACL", 2020), "Findings of ACL: EMNLP 2020"),
        (Venue("AAAI", 2023), "AAAI Fall Symposium 2023"),
        (Venue("ICLR", 2025), "Not accepted at ICLR 2025"),
        (Venue("ICLR", 2025), "Resubmitted to ICLR 2025"),
        (Venue("ICLR", 2024), "Under double-blind peer review at ICLR 2024"),
        (Venue("Nature"), "On the nature of things"),
        (Venue("ICLR"), ""),
    ],
)
def test_a_paper_that_did_not_appear_there_is_left_out(venue, fact):
    assert not venue.named_in(None, fact)
