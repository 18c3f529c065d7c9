"""arXiv's metadata snapshot: which lines are taken, which refused, and which files are none."""

import bz2
import gzip
import json
import lzma
import os
import tracemalloc
import zipfile

import pytest
import zstandard

from data.records import PaperRecord, Rejected
from data.sources.http import SourceError
from data.sources.snapshot import SnapshotChoice, SnapshotFile, parse_years

LINE = {
    "id": "0704.0001",
    "submitter": "Pavel Nadolsky",
    "authors": "C. Bal\\'azs, E. L. Berger",
    "title": "Calculation of prompt diphoton production cross sections at Tevatron and\n  LHC energies",
    "comments": "37 pages, 15 figures; published version",
    "journal-ref": "Phys.Rev.D76:013009,2007",
    "doi": "10.1103/PhysRevD.76.013009",
    "report-no": "ANL-HEP-PR-07-12",
    "categories": "hep-ph cs.CL",
    "license": None,
    "abstract": "  A fully differential calculation is presented.\n",
    "versions": [
        {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
        {"version": "v2", "created": "Tue, 24 Jul 2007 20:10:27 GMT"},
    ],
    "update_date": "2008-11-26",
    "authors_parsed": [["Balázs", "C.", ""], ["Berger", "E. L.", ""]],
}


def lines(*items):
    texts = (item if isinstance(item, str) else json.dumps(item) for item in items)
    return "".join(text + "\n" for text in texts).encode()


def read(path, chosen=None, begin=0):
    return [item for _, item in SnapshotFile(path, chosen or SnapshotChoice(), begin)]


def kept(folder, *items, chosen=None):
    path = folder / "snapshot.json"
    path.write_bytes(lines(*items))
    return read(path, chosen)


def zipped(data, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("arxiv-metadata-oai-snapshot.json", data)


PACKED = {
    "json": lambda data, path: path.write_bytes(data),
    "json.gz": lambda data, path: path.write_bytes(gzip.compress(data)),
    "json.zst": lambda data, path: path.write_bytes(zstandard.compress(data)),
    "json.bz2": lambda data, path: path.write_bytes(bz2.compress(data)),
    "json.xz": lambda data, path: path.write_bytes(lzma.compress(data)),
    "zip": zipped,
}


@pytest.mark.parametrize("suffix", PACKED)
def test_the_snapshot_is_read_from_every_kind_of_archive(tmp_path, suffix):
    path = tmp_path / f"snapshot.{suffix}"
    PACKED[suffix](lines(LINE, LINE | {"id": "hep-th/9901001"}), path)
    assert [paper.ids["arxiv"] for paper in read(path)] == ["0704.0001", "hep-th/9901001"]
    assert [paper.ids["arxiv"] for paper in read(path, begin=1)] == ["hep-th/9901001"]


@pytest.mark.parametrize("suffix", [suffix for suffix in PACKED if suffix != "json"])
def test_what_precedes_the_tear_of_a_truncated_archive_is_kept(tmp_path, suffix):
    path = tmp_path / f"snapshot.{suffix}"
    many = (
        LINE | {"id": f"2401.{number:05d}", "abstract": f"{number * 7_919} " * 40} for number in range(6_000)
    )
    PACKED[suffix](lines(*many), path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])
    papers = []
    with pytest.raises(SourceError, match="torn"):
        papers.extend(item for _, item in SnapshotFile(path, SnapshotChoice()))
    if suffix != "zip":  # a zip's list of contents is at its end
        assert len(papers) > 1_000
    assert all(isinstance(paper, PaperRecord) for paper in papers)


def test_a_record_has_the_newest_versions_text_and_the_first_versions_day(tmp_path):
    [paper] = kept(tmp_path, LINE)
    assert paper.title.endswith("cross sections at Tevatron and LHC energies")
    assert paper.abstract == "A fully differential calculation is presented."
    assert (paper.version, str(paper.submitted), str(paper.updated)) == (2, "2007-04-02", "2007-07-24")
    assert (str(paper.announced), paper.provisional) == ("2007-04-04", True)
    assert (paper.primary_category, paper.categories) == ("hep-ph", ["hep-ph", "cs.CL"])
    assert paper.journal_ref == "Phys.Rev.D76:013009,2007"


@pytest.mark.parametrize(
    ("parsed", "names"),
    [
        ([["Lao", "ChonLam", "Jr."]], ["ChonLam Lao Jr."]),
        ([["Lao", "ChonLam", "", "Harvard University"]], ["ChonLam Lao"]),
        ([["Erd\\H{o}s", "P.", ""]], ["P. Erdős"]),
        (
            [["Ho\\v{r}ava", "Petr", ""], ["ATLAS Collaboration", "", ""]],
            ["Petr Hořava", "ATLAS Collaboration"],
        ),
        ([["Plato"]], ["Plato"]),
    ],
)
def test_names_come_with_suffix_and_accents_and_without_affiliation(tmp_path, parsed, names):
    [paper] = kept(tmp_path, LINE | {"authors_parsed": parsed})
    assert paper.authors == names


def test_what_arxiv_lost_of_a_paper_is_left_empty(tmp_path):
    lost = {"doi": "-", "journal-ref": "-", "comments": " ", "versions": [{"version": "v3", "created": "-"}]}
    [paper] = kept(tmp_path, LINE | lost)
    assert (paper.doi, paper.journal_ref, paper.comment) == (None, None, None)
    assert (paper.version, paper.submitted, str(paper.updated)) == (None, None, "2008-11-26")


def test_a_version_keeps_its_number_where_earlier_ones_are_missing(tmp_path):
    [paper] = kept(tmp_path, LINE | {"versions": LINE["versions"][1:]})
    assert paper.version == 2


def test_withdrawn_papers_are_marked(tmp_path):
    said = {"comments": "This paper has been withdrawn by the author due to an error"}
    plain, withdrawn = kept(tmp_path, LINE, LINE | {"id": "0704.0002"} | said)
    assert (plain.withdrawn, withdrawn.withdrawn) == (False, True)


@pytest.mark.parametrize(
    ("categories", "taken"),
    [
        (("cs.CL",), ["0704.0001", "0704.0003"]),
        (("cs",), ["0704.0001", "0704.0003", "0704.0004"]),
        (("hep-ph",), ["0704.0001"]),
        (("c",), []),
        (None, ["0704.0001", "0704.0002", "0704.0003", "0704.0004"]),
    ],
)
def test_only_papers_of_the_chosen_categories_are_taken(tmp_path, categories, taken):
    papers = [
        LINE,
        LINE | {"id": "0704.0002", "categories": "math.AG"},
        LINE | {"id": "0704.0003", "categories": "cs.CL"},
        LINE | {"id": "0704.0004", "categories": "math.AG cs.CLX"},
    ]
    chosen = SnapshotChoice(categories)
    assert [paper.ids["arxiv"] for paper in kept(tmp_path, *papers, chosen=chosen)] == taken


def test_years_are_those_of_the_first_version(tmp_path):
    later = [{"version": "v1", "created": "Fri, 1 Jan 2021 00:00:00 GMT"}]
    papers = [LINE, LINE | {"id": "2101.00001", "versions": later}]
    [paper] = kept(tmp_path, *papers, chosen=SnapshotChoice(years=(2020, 2026)))
    assert paper.ids["arxiv"] == "2101.00001"
    [paper] = kept(tmp_path, *papers, chosen=SnapshotChoice(years=(2007, 2007)))
    assert paper.ids["arxiv"] == "0704.0001"


@pytest.mark.parametrize(
    ("text", "years"), [("2020-2026", (2020, 2026)), ("2020-", (2020, 9999)), ("2024", (2024, 2024))]
)
def test_years_are_understood(text, years):
    assert parse_years(text) == years


@pytest.mark.parametrize(
    ("text", "said"), [("2020-2026", "2020 to 2026"), ("2020-", "2020 and later"), ("2024", "2024")]
)
def test_years_are_repeated_as_people_say_them(text, said):
    assert str(SnapshotChoice(years=parse_years(text))) == f"all categories, {said}"


@pytest.mark.parametrize("text", ["", "20-26", "2026-2020", "last", "2020-2021-2022", "²⁰²⁴"])
def test_what_names_no_years_is_refused(text):
    with pytest.raises(ValueError, match=r"years|begins"):
        parse_years(text)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{cut off", "not JSON"),
        ("[]", "not a JSON object"),
        ({"id": "0704.0009"}, "no title, authors_parsed, categories"),
        (LINE | {"id": "nonsense"}, "no arXiv id"),
        (LINE | {"title": " "}, "the title is empty"),
        (LINE | {"authors_parsed": [["x" * 400]]}, "name of 400 characters"),
        (LINE | {"authors_parsed": "C. Balazs"}, "authors_parsed is not a list"),
        (LINE | {"authors_parsed": [5]}, "not a list of names"),
        (LINE | {"categories": "'; DROP TABLE papers;"}, "no category"),
        (LINE | {"categories": 5}, "categories is not text"),
        (LINE | {"versions": "v1"}, "versions is not a list"),
        (LINE | {"versions": [{"version": "v1", "created": "never"}]}, "no date"),
        (LINE | {"versions": [{"version": "v1", "created": "Mon, 1 Jan 0001 00:00:00 GMT"}]}, "out of range"),
        (
            LINE | {"versions": [{"version": "v1", "created": "Fri, 31 Dec 9999 23:59:59 GMT"}]},
            "out of range",
        ),
        (
            LINE | {"versions": [{"version": "v1", "created": "Mon, 1 Jan 99999999999 00:00:00 GMT"}]},
            "maximum",
        ),
        (
            LINE | {"versions": [{"version": "v1", "created": f"Mon, 1 Jan 2001 00:00:00 +{'9' * 17}"}]},
            "too large",
        ),
        (LINE | {"abstract": "x" * 60_000}, "at most 50000"),
    ],
)
def test_a_bad_line_is_refused_with_its_reason_and_the_rest_is_read(tmp_path, bad, reason):
    first, refused, last = kept(tmp_path, LINE, bad, LINE | {"id": "0704.0002"})
    assert isinstance(first, PaperRecord)
    assert isinstance(last, PaperRecord)
    assert isinstance(refused, Rejected)
    assert reason in refused.reason
    assert refused.where == "line 2"


def test_a_huge_line_is_refused_without_being_held(tmp_path):
    _, refused, last = kept(tmp_path, LINE, '{"id": "' + "x" * 9_000_000, LINE | {"id": "0704.0002"})
    assert "a line of over" in refused.reason
    assert last.ids["arxiv"] == "0704.0002"


def test_going_on_after_a_huge_line_does_not_hold_it(tmp_path):
    path = tmp_path / "snapshot.json.gz"
    path.write_bytes(gzip.compress(lines(LINE) + bytes(60_000_000) + b"\n" + lines(LINE)))
    tracemalloc.start()
    try:
        [(number, _)] = SnapshotFile(path, SnapshotChoice(), begin=2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert number == 2
    assert peak < 30_000_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no papers. Fetch it again"),
        (b"\n\n", "holds no papers. Fetch it again"),
        (gzip.compress(b"", mtime=0), "holds no text. Fetch it again"),
        (b"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n" * 80, "is not arXiv's metadata snapshot"),
        (
            lines({"id": "2601.00001", "title": "T", "authors": ["A"], "lists": [], "announced": None}),
            "is not arXiv",
        ),
        (b"[" + lines(LINE).strip() + b"]", "is not arXiv's metadata snapshot"),
        (b"\x00" * 5_000, "is not arXiv's metadata snapshot"),
    ],
)
def test_a_file_that_is_not_the_snapshot_is_refused_as_a_whole(tmp_path, content, said):
    path = tmp_path / "snapshot.json"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=said):
        read(path)


def _marked(path, *, at, value):
    """An archive of one small file, with a field of its two headers changed."""
    zipped(lines(LINE), path)
    content = bytearray(path.read_bytes())
    for header, place in ((b"PK\x03\x04", at), (b"PK\x01\x02", at + 2)):
        content[content.index(header) + place] = value
    path.write_bytes(content)


@pytest.mark.parametrize(("at", "value"), [(8, 9), (6, 1)], ids=["deflate64", "encrypted"])
def test_an_archive_that_python_can_not_unpack_is_refused_with_what_to_do(tmp_path, at, value):
    _marked(tmp_path / "snapshot.zip", at=at, value=value)
    with pytest.raises(SourceError, match="Unpack it yourself"):
        read(tmp_path / "snapshot.zip")


def test_an_archive_that_takes_too_much_memory_is_refused_with_what_to_do(tmp_path):
    wide = zstandard.ZstdCompressionParameters.from_level(1, window_log=31)
    packer = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    path = tmp_path / "snapshot.json.zst"
    path.write_bytes(packer.compress(lines(LINE)) + packer.flush())
    with pytest.raises(SourceError, match="zstd -d --long=31"):
        read(path)


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="is not a file"):
        read(tmp_path / "pipe")


def test_the_scope_names_the_content_and_the_choice(tmp_path):
    path = tmp_path / "snapshot.json"
    path.write_bytes(lines(LINE))
    scope = SnapshotFile(path, SnapshotChoice(("cs.CL",))).scope
    assert scope == SnapshotFile(path, SnapshotChoice(("cs.CL",))).scope
    assert scope != SnapshotFile(path, SnapshotChoice(("cs.CL",), (2020, 2026))).scope
    os.utime(path, ns=(0, 0))
    assert scope != SnapshotFile(path, SnapshotChoice(("cs.CL",))).scope, "it was written to since"
    path.write_bytes(lines(LINE | {"id": "0704.0002"}))
    assert scope != SnapshotFile(path, SnapshotChoice(("cs.CL",))).scope
