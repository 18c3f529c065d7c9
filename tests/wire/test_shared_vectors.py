"""One Labmate computes vectors for another, over the command line and through files."""

import hashlib
import json
import shutil

import numpy as np
import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from tests.helpers.process import logged_in, run, start
from tests.helpers.snapshots import snapshot_line

COUNT, SAMPLE = 12, 7


def papers(path, *, first=0, abstract="About subject {}."):
    with path.open("w") as out:
        for number in range(first, first + COUNT):
            item = {
                "id": f"2601.{number:05d}",
                "title": f"Paper {number} on things",
                "abstract": abstract.format(number),
                "authors": ["Ada Lovelace"],
                "lists": ["cs.CL"],
                "announced": "2026-01-05",
            }
            out.write(json.dumps(item) + "\n")
    return path


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The files of a Labmate that embedded the sample and these papers."""
    folder = tmp_path_factory.mktemp("exporter")
    done = run("ingest", "file", str(papers(folder / "p.jsonl")), folder=folder / "lab")
    assert done.returncode == 0, done.stderr
    done = run("export", "vectors", str(folder / "v.npy"), folder=folder / "lab")
    assert done.returncode == 0, done.stderr
    assert f"vectors written to {folder / 'v.npy'}" in done.stderr.replace("\n", "")
    return folder


@pytest.fixture
def files(exported, tmp_path):
    for name in ("v.npy", "v.papers.npy", "v.json"):
        shutil.copy(exported / name, tmp_path / name)
    return tmp_path / "v.npy"


def resealed(files, *, rows=None, keys=None, **changes):
    """Change the files, and write a manifest that fits them."""
    keys_file, manifest = files.with_name("v.papers.npy"), files.with_name("v.json")
    if rows is not None:
        np.save(files, rows)
    if keys is not None:
        np.save(keys_file, keys)
    said = json.loads(manifest.read_text())
    said |= {
        "rows_sha256": hashlib.sha256(files.read_bytes()).hexdigest(),
        "papers_sha256": hashlib.sha256(keys_file.read_bytes()).hexdigest(),
        "rows": len(np.load(files)),
    }
    manifest.write_text(json.dumps(said | changes))


def lab_with(tmp_path, **more):
    done = run(
        "ingest", "file", str(papers(tmp_path / "p.jsonl", **more)), "--no-embed", folder=tmp_path / "lab"
    )
    assert done.returncode == 0, done.stderr
    return tmp_path / "lab"


def said(done):
    return " ".join((done.stdout + done.stderr).split())


def test_another_lab_takes_the_vectors_in_and_embeds_nothing(files, tmp_path):
    lab = lab_with(tmp_path)
    count = len(np.load(files))
    assert count >= COUNT
    done = run("ingest", "vectors", str(files), folder=lab)
    assert done.returncode == 0, done.stderr
    assert f"{count} vectors read: {count} taken in, 0 already here" in said(done)
    again = run("ingest", "vectors", str(files), folder=lab)
    assert f"0 taken in, {count} already here" in said(again)
    indexed = run("index", folder=lab)  # the sample's papers without an arXiv id
    assert f" {COUNT + SAMPLE - count} newly embedded" in said(indexed)
    back = tmp_path / "back.npy"
    assert run("export", "vectors", str(back), folder=lab).returncode == 0
    assert dict(zip(*by_paper(back), strict=True)) == dict(zip(*by_paper(files), strict=True))


def by_paper(file):
    keys = np.load(file.with_name(file.name.replace(".npy", ".papers.npy")))
    return keys["arxiv"].tolist(), [row.tobytes() for row in np.load(file)]


async def test_a_member_finds_by_meaning_what_was_taken_in(files, tmp_path):
    lab = lab_with(tmp_path)
    run("ingest", "vectors", str(files), folder=lab)
    async with LocalDiscord() as discord, UserClient(discord.url, discord.user_token) as user:
        bot = start(discord, lab)
        try:
            await logged_in(bot)
            reply = await user.slash("/similar Paper 3 on things")
            assert "Paper 4 on things" in reply.text
        finally:
            bot.kill()
            bot.wait()


def test_unknown_papers_other_texts_and_broken_rows_are_skipped_and_counted(files, tmp_path):
    lab = lab_with(tmp_path, first=6, abstract="About subject {}, revised.")
    rows, keys = np.load(files), np.load(files.with_name("v.papers.npy"))
    of_file = [name.startswith(b"2601.000") for name in keys["arxiv"].tolist()]
    sample = [place for place, mine in enumerate(of_file) if not mine]
    rows[sample[0]] = np.nan
    rows[sample[1]] *= 2
    rows[sample[2], 0] = np.inf
    resealed(files, rows=rows)
    done = run("ingest", "vectors", str(files), folder=lab)
    assert done.returncode == 0, done.stderr
    assert f"{len(rows)} vectors read: {len(sample) - 3} taken in, 0 already here" in said(done)
    assert "skipped 6 of papers that are not here" in said(done)
    assert "skipped 6 of papers whose text differs" in said(done)
    assert "skipped 3 with damaged vectors" in said(done)


def test_a_paper_named_twice_is_taken_once(files, tmp_path):
    lab = lab_with(tmp_path)
    rows, keys = np.load(files), np.load(files.with_name("v.papers.npy"))
    resealed(files, rows=np.concatenate([rows, rows]), keys=np.concatenate([keys, keys]))
    done = run("ingest", "vectors", str(files), folder=lab)
    assert f"{len(rows)} taken in, {len(rows)} already here" in said(done)


def hostile_names(files):
    keys = np.load(files.with_name("v.papers.npy"))
    keys["arxiv"] = b"'; DROP TABLE papers; -- \xff\xfe"
    resealed(files, keys=keys)


WRONG = {
    "another model": (lambda f: resealed(f, weights_sha256="0" * 64), "made by another model"),
    "another recipe": (lambda f: resealed(f, text="title"), "made by another model"),
    "another dimension": (lambda f: resealed(f, rows=np.load(f)[:, :8].copy()), "shape"),
    "float32": (lambda f: resealed(f, rows=np.load(f).astype(np.float32)), "does not fit"),
    "fewer papers": (lambda f: resealed(f, keys=np.load(f.with_name("v.papers.npy"))[:3]), "does not fit"),
    "other keys": (lambda f: resealed(f, keys=np.zeros(len(np.load(f)), "i8")), "does not fit"),
    "cut rows": (lambda f: f.write_bytes(f.read_bytes()[:-50]), "matrix"),
    "cut papers": (lambda f: f.with_name("v.papers.npy").write_bytes(b"\x93NUMPY"), "not a whole export"),
    "no papers": (lambda f: f.with_name("v.papers.npy").unlink(), "not a whole export"),
    "no manifest": (lambda f: f.with_name("v.json").unlink(), "no manifest"),
    "manifest of null": (
        lambda f: f.with_name("v.json").write_text("null"),
        "is not a manifest of vectors. Copy it again.",
    ),
    "changed row": (
        lambda f: f.write_bytes(f.read_bytes()[:-50] + b"\x00" * 50),
        "v.npy is damaged, or its manifest is",
    ),
    "other papers": (
        lambda f: f.with_name("v.papers.npy").write_bytes(f.with_name("v.papers.npy").read_bytes()[::-1]),
        "not a whole export",
    ),
    "changed papers": (
        lambda f: f.with_name("v.papers.npy").write_bytes(
            f.with_name("v.papers.npy").read_bytes()[:-1] + b"\xff"
        ),
        "v.papers.npy is damaged, or its manifest is",
    ),
    "objects": (lambda f: np.save(f, np.array([{}], object), allow_pickle=True), "matrix"),
    "a folder": (lambda f: (f.unlink(), f.mkdir()), "matrix"),
    "nothing": (lambda f: f.write_bytes(b""), "matrix"),
}


@pytest.fixture(scope="module")
def empty_lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    papers(folder / "p.jsonl")
    run("ingest", "file", str(folder / "p.jsonl"), "--no-embed", folder=folder / "lab")
    return folder / "lab"


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_files_are_refused_with_one_clear_line(files, empty_lab, wrong):
    change, message = WRONG[wrong]
    change(files)
    done = run("ingest", "vectors", str(files), folder=empty_lab)
    assert done.returncode == 1, done.stderr
    assert message in said(done)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["file", "snapshot"])
def test_an_export_is_not_taken_for_vectors_in_the_order_of_a_file(files, tmp_path, command):
    file = tmp_path / "snapshot.json"
    file.write_text("".join(json.dumps(snapshot_line(number)) + "\n" for number in range(3)))
    done = run("ingest", command, str(file), "--vectors", str(files), folder=tmp_path / "lab")
    assert done.returncode == 1
    assert "is an export of another Labmate" in said(done)
    assert f"without --vectors, then run: python -m bot ingest vectors {files}" in said(done)


@pytest.mark.parametrize("command", [("file", "--no-embed"), ("snapshot",)], ids=lambda words: words[0])
def test_vectors_that_may_belong_to_another_file_are_told(files, tmp_path, command):
    file = tmp_path / "snapshot.json"
    file.write_text("".join(json.dumps(snapshot_line(number)) + "\n" for number in range(3)))
    manifest, rows = json.loads(files.with_name("v.json").read_text()), np.load(files)[:4]
    rows[1] = 0
    np.save(tmp_path / "r.npy", rows)
    del manifest["papers_sha256"], manifest["rows_sha256"]
    (tmp_path / "r.json").write_text(json.dumps(manifest | {"rows": 4}))
    kind, *more = command
    vectors = str(tmp_path / "r.npy")
    done = run("ingest", kind, str(file), *more, "--vectors", vectors, folder=tmp_path / "lab")
    assert done.returncode == 0, done.stderr
    assert "r.npy has 4 rows, but snapshot.json has 3 lines." in said(done)
    assert "python -m bot index --rebuild" in said(done)
    assert "1 row is damaged in r.npy (not of length 1)." in said(done)


def test_vectors_of_papers_that_are_all_unknown_say_what_to_read_in_first(files, tmp_path):
    lab = tmp_path / "empty"
    done = run("ingest", "vectors", str(files), folder=lab, fresh=True)
    assert done.returncode == 0, done.stderr
    assert "Read the papers in first: python -m bot ingest snapshot FILE" in said(done)


def test_an_export_onto_a_full_disk_leaves_nothing_there_and_says_what_to_do(exported, disk):
    small = disk(8)
    done = run("export", "vectors", str(small / "v.npy"), folder=exported / "lab")
    assert done.returncode == 1
    assert "The disk is full" in said(done)
    assert "Make room, or name a file on another disk." in said(done)
    assert not list(small.iterdir())


def test_hostile_names_are_just_unknown(files, empty_lab):
    hostile_names(files)
    done = run("ingest", "vectors", str(files), folder=empty_lab)
    assert done.returncode == 0, done.stderr
    assert "0 taken in" in said(done)
    assert "of papers that are not here" in said(done)


def test_an_export_says_what_stands_in_its_way(empty_lab, tmp_path):
    for path, message in (
        (tmp_path / "v.npy", "There are no vectors"),
        (tmp_path / "v.bin", "must end in .npy"),
    ):
        done = run("export", "vectors", str(path), folder=empty_lab)
        assert done.returncode == 1
        assert message in said(done)


def test_an_export_into_a_place_that_is_not_there_says_so(exported, tmp_path):
    done = run("export", "vectors", str(tmp_path / "absent" / "v.npy"), folder=exported / "lab")
    assert done.returncode == 1
    assert f"The folder {tmp_path / 'absent'} does not exist." in said(done).replace("\n", " ")


def test_an_export_replaces_an_earlier_one_and_nothing_else(exported, tmp_path):
    snapshot = papers(tmp_path / "snap.json")
    before = snapshot.read_bytes()
    done = run("export", "vectors", str(tmp_path / "snap.npy"), folder=exported / "lab")
    assert done.returncode == 1
    assert "is not part of an earlier export" in done.stderr.replace("\n", " ")
    assert snapshot.read_bytes() == before
    assert not list(tmp_path.glob("*.npy*"))
    for _ in range(2):
        done = run("export", "vectors", str(tmp_path / "again.npy"), folder=exported / "lab")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("which", ["v.papers.npy", "v.npy"])
@pytest.mark.parametrize("damage", ["empty", "several"])
def test_files_that_hold_no_array_are_refused_in_one_line(files, tmp_path, which, damage):
    path = files.with_name(which)
    path.write_bytes(b"")
    if damage == "several":
        with path.open("wb") as out:
            np.savez(out, a=np.zeros(3), b=np.zeros(3))
    done = run("ingest", "vectors", str(files), folder=lab_with(tmp_path))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "v.npy" in done.stderr.replace("\n", "")
