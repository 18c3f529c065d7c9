import gzip
import json
import zipfile
from collections import Counter

import pytest
import zstandard

from data.records import PaperRecord, Rejected
from data.sources.files import MAX_LINE, PaperFile
from data.sources.http import SourceError

LISTED = {
    "id": "2601.00001",
    "title": "A title",
    "authors": ["Ada Lovelace"],
    "abstract": "An abstract.",
    "lists": ["cs.CL"],
    "announced": "2026-01-05",
}
SNAPSHOT = {
    "id": "0704.0001",
    "submitter": "Pavel Nadolsky",
    "authors": "C. Bal\\'azs, E. L. Berger, P. M. Nadolsky, C.-P. Yuan",
    "title": "Calculation of prompt diphoton production cross sections at Tevatron and\n  LHC energies",
    "comments": "37 pages, 15 figures; published version",
    "journal-ref": "Phys.Rev.D76:013009,2007",
    "doi": "10.1103/PhysRevD.76.013009",
    "report-no": "ANL-HEP-PR-07-12",
    "categories": "hep-ph",
    "license": None,
    "abstract": "  A fully differential calculation in perturbative quantum chromodynamics is\npresented.\n",
    "versions": [
        {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
        {"version": "v2", "created": "Tue, 24 Jul 2007 20:10:27 GMT"},
    ],
    "update_date": "2008-11-26",
    "authors_parsed": [
        ["Balázs", "C.", ""],
        ["Berger", "E. L.", ""],
        ["Nadolsky", "P. M.", ""],
        ["Yuan", "C. -P.", "Jr."],
    ],
}


def _lines(*items):
    return "".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in items).encode()


def _read(path):
    return [item for _, item in PaperFile(path)]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".zip"])
def test_listings_are_read_plain_and_compressed(tmp_path, suffix):
    path = tmp_path / f"x.jsonl{suffix}"
    data = _lines(LISTED, LISTED | {"id": "2601.00002v3"})
    if suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("x.json", data)
    else:
        path.write_bytes({"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}[suffix](data))
    first, second = _read(path)
    assert (first.ids, first.authors, first.categories) == (
        {"arxiv": "2601.00001"},
        ["Ada Lovelace"],
        ["cs.CL"],
    )
    assert (second.ids, second.version) == ({"arxiv": "2601.00002"}, 3)


def test_arxivs_snapshot_is_read(tmp_path):
    path = tmp_path / "arxiv-metadata-oai-snapshot.json"
    path.write_bytes(_lines(SNAPSHOT))
    [paper] = _read(path)
    assert (
        paper.title == "Calculation of prompt diphoton production cross sections at Tevatron and LHC energies"
    )
    assert paper.authors == ["C. Balázs", "E. L. Berger", "P. M. Nadolsky", "C. -P. Yuan Jr."]
    assert (paper.version, str(paper.submitted), str(paper.updated)) == (2, "2007-04-02", "2007-07-24")
    assert (paper.primary_category, paper.doi) == ("hep-ph", "10.1103/PhysRevD.76.013009")
    assert paper.ids == {"arxiv": "0704.0001", "doi": "10.1103/physrevd.76.013009"}
    assert str(paper.announced) == "2007-04-04"
    assert paper.provisional


def test_a_withdrawn_paper_is_marked(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        _lines(
            SNAPSHOT | {"comments": "This paper has been withdrawn by the author due to an error in eq. 3"}
        )
    )
    assert _read(path)[0].withdrawn


def test_the_sample_is_read(sample):
    papers = _read(sample)
    assert all(isinstance(paper, PaperRecord) for paper in papers)
    assert sorted(paper.ids["arxiv"] for paper in papers) == [
        "2201.06398",
        "2302.08545",
        "2410.16037",
        "2410.22229",
        "2412.12636",
        "2504.20854",
        "2605.15617",
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{not json", "not JSON"),
        ("[1, 2]", None),
        ("null", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ("{}", "none of the forms"),
        (LISTED | {"id": "nonsense"}, "no arXiv id"),
        (LISTED | {"id": 5}, "no arXiv id"),
        (LISTED | {"title": ""}, "the title is empty"),
        (LISTED | {"title": "\u200b\u202e"}, "the title is empty"),
        (LISTED | {"title": None}, "title is not text"),
        (LISTED | {"title": "x" * 5_001}, "at most 5000"),
        (LISTED | {"authors": "Ada"}, "authors is not a list"),
        (LISTED | {"authors": ["x" * 301]}, "name of 301 characters"),
        (LISTED | {"authors": [None]}, "authors is not a list"),
        (LISTED | {"announced": "yesterday"}, "no date"),
        (LISTED | {"announced": "9999-01-01"}, "no plausible date"),
        (LISTED | {"lists": ["'; DROP TABLE papers; --"]}, "no category"),
        (SNAPSHOT | {"authors_parsed": "x"}, "authors_parsed is not a list"),
        (SNAPSHOT | {"versions": [{"version": "v1", "created": "never"}]}, ""),
        ('{"id": "2601.00001", "title": "\\ud800", "lists": [], "authors": ["A"]}', ""),
        ("[" * 5_000, "not JSON"),
    ],
)
def test_a_malformed_record_is_refused_with_its_reason_and_the_rest_is_read(tmp_path, line, reason):
    path = tmp_path / "x.jsonl"
    path.write_bytes(_lines(LISTED, line, LISTED | {"id": "2601.00002"}))
    before, bad, after = _read(path)
    assert isinstance(before, PaperRecord)
    assert isinstance(after, PaperRecord)
    assert isinstance(bad, Rejected)
    assert bad.where == "line 2"
    assert (reason or "") in bad.reason


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(_lines(LISTED) + b'{"id": "\xff\xfe"}\n\x00\x01\n' + _lines(LISTED))
    kinds = [type(item) for item in _read(path)]
    assert kinds == [PaperRecord, Rejected, Rejected, PaperRecord]


def test_an_endless_line_is_refused_without_being_held(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(_lines(LISTED) + b"x" * (MAX_LINE * 2 + 5) + b"\n" + _lines(LISTED))
    _first, bad, last = _read(path)
    assert "bytes" in bad.reason
    assert isinstance(last, PaperRecord)


def test_a_torn_file_gives_what_came_before_and_says_so(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    whole = gzip.compress(_lines(*[LISTED | {"id": f"2601.{n:05d}"} for n in range(5_000)]))
    path.write_bytes(whole[: len(whole) // 2])
    found = []
    with pytest.raises(SourceError, match="torn"):
        found.extend(PaperFile(path))
    assert len(found) > 100


def test_a_file_that_ends_in_the_middle_of_a_record_is_torn(tmp_path):
    path = tmp_path / "x.jsonl"
    whole = _lines(*[LISTED | {"id": f"2601.{n:05d}"} for n in range(3)])
    path.write_bytes(whole[:-20])
    found = []
    with pytest.raises(SourceError, match="ends in the middle of line 3"):
        found.extend(PaperFile(path))
    assert len(found) == 2
    path.write_bytes(whole.rstrip())
    assert len(_read(path)) == 3, "the last line needs no line break"


def test_a_zip_that_was_cut_off_says_why_nothing_of_it_is_read(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.jsonl", _lines(LISTED))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(SourceError, match=r"torn or cut off .*nothing of it can be read"):
        _read(path)


@pytest.mark.parametrize(
    ("content", "said"), [(None, "can't be read"), (b"[{]", "not JSON"), (b"\x28\xb5\x2f\xfdgarbage", "torn")]
)
def test_a_file_that_is_none_is_refused(tmp_path, content, said):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError, match=said):
        _read(path)


def _zip(path, *names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"" if name.endswith("/") else _lines(LISTED))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["x.jsonl", "README.md"], "holds 2 files.* Unpack it, and name the one with the papers"),
        (["a/"], "holds no files. Fetch it again"),
        ([], "holds no files. Fetch it again"),
    ],
    ids=["two", "a folder", "empty"],
)
def test_a_zip_that_does_not_hold_one_file_is_refused_with_what_to_do(tmp_path, names, said):
    _zip(tmp_path / "x.zip", *names)
    with pytest.raises(SourceError, match=said):
        _read(tmp_path / "x.zip")


def test_what_macos_adds_to_a_zip_is_passed_over(tmp_path):
    _zip(tmp_path / "x.zip", "a/", "a/x.jsonl", "__MACOSX/a/._x.jsonl", "a/.DS_Store")
    assert len(_read(tmp_path / "x.zip")) == 1


@pytest.mark.parametrize(
    "content", [gzip.compress(_lines(LISTED), mtime=0)[:-9], _lines(LISTED, LISTED)[:-9]]
)
def test_a_torn_file_says_what_to_do(tmp_path, content):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"torn.* Fetch the whole file again, then rerun this\.$"):
        _read(path)


def test_a_folder_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(SourceError, match=r"is a folder\. Name the file in it"):
        PaperFile(tmp_path)


def test_an_empty_file_has_no_papers(tmp_path):
    path = tmp_path / "x.jsonl"
    path.touch()
    assert _read(path) == []


def test_a_listing_without_authors_is_kept_by_its_id(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(_lines(LISTED | {"authors": []}))
    [paper] = _read(path)
    assert not paper.authors_complete


def test_all_of_the_real_listings_are_read(shared):
    kinds = Counter(type(item) for _, item in PaperFile(shared / "data/arxiv-daily.jsonl.zst"))
    assert kinds == {PaperRecord: 111_997}


@pytest.mark.parametrize("deep", [{}, {"id": "2601.00003"}, LISTED, {"title": None}])
def test_what_is_nested_too_deeply_is_rejected_alone(tmp_path, deep):
    nested = 300 * '{"a":' + "1" + 300 * "}"
    odd = json.dumps(deep | dict.fromkeys(deep or ("a",), "HERE")).replace('"HERE"', nested)
    path = tmp_path / "x.json"
    path.write_text(f"[{json.dumps(LISTED)}, {odd}]")
    paper, rejected = _read(path)
    assert paper.title == "A title"
    assert isinstance(rejected, Rejected)
    assert rejected.where == "entry 2"
